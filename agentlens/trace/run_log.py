"""What a run's threads say and when: requests, rounds and events, numbered as they come."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agentlens.trace.model import Meta, Note
from agentlens.trace.repair import whole_text
from agentlens.trace.rows import Table
from agentlens.trace.thread_state import ThreadState

__all__ = ["MAIN", "RunLog"]

MAIN = "main"


class RunLog:
    """The half of `TraceBuilder` that knows nothing of calls.

    Parameters
    ----------
    format
        Name of the format, as `agentlens.load` reports it.
    source
        Path or description of where the log came from.
    """

    def __init__(self, format: str, source: str | None = None):
        self.meta = Meta(format=format, source=source)
        self._threads, self._rounds = Table("threads"), Table("rounds")
        self._events = Table("events")
        self._declared: set[str] = set()
        self._notes: dict[tuple[str, str], Note] = {}
        self._states: dict[str, ThreadState] = {}
        self._calls_of: list[int] = []  # for each round
        self._ended: list[float | None] = []  # for each round, when the last result came

    def describe(self, **fields: Any) -> None:
        """Set fields of the trace's `Meta`; ``None`` values change nothing."""
        self.meta = replace(self.meta, **{k: v for k, v in fields.items() if v is not None})

    def note(self, kind: str, message: str, line: int | None = None, count: int = 1) -> None:
        """Tell what was skipped, guessed or damaged; equal messages are counted."""
        message = whole_text(message)
        old = self._notes.get((kind, message))
        self._notes[kind, message] = (
            replace(old, count=old.count + count) if old else Note(kind, message, line, count)
        )

    def thread(
        self,
        thread: str,
        *,
        parent: str | None = None,
        parent_call: str | None = None,
        kind: str = "subagent",
        name: str | None = None,
        abandoned: bool = False,
    ) -> str:
        """Declare a thread (the first round of an undeclared one declares it); return its name."""
        if thread not in self._declared:
            self._declared.add(thread)
            kind = "main" if thread == MAIN else kind
            self._threads.add((thread, parent, parent_call, kind, name, abandoned))
        return thread

    def _state(self, thread: str) -> ThreadState:
        state = self._states.get(thread)
        if state is None:
            state = self._states[thread] = ThreadState()
        return state

    def user(
        self,
        text: str = "",
        *,
        thread: str = MAIN,
        started: float | None = None,
        line: int | None = None,
    ) -> None:
        """Record a real user message; the next round of the thread starts a new request."""
        self._state(thread).asked = True
        self.event("user_message", text, thread=thread, started=started, line=line)

    def event(
        self,
        kind: str,
        text: str = "",
        *,
        thread: str = MAIN,
        started: float | None = None,
        line: int | None = None,
    ) -> None:
        """Record something that is neither a round nor a call."""
        state = self._state(thread)
        request = state.request + state.asked or 1
        self._events.add((kind, thread, request, state.last_row, started, text, line))

    def round(
        self,
        *,
        thread: str = MAIN,
        number: int | None = None,
        text: str = "",
        started: float | None = None,
        seconds: float | None = None,
        time_quality: str | None = None,
        **columns: Any,
    ) -> int:
        """Start a round (one model response); return its row.

        Parameters
        ----------
        number
            Its number where the log gives one (0: a preamble); otherwise the next of its thread.
        columns
            Any other column of the rounds table.
        """
        if thread not in self._declared:
            self.thread(thread)
        state = self._state(thread)
        if state.asked or not state.request:
            state.request += 1
            state.asked = False
        state.number = state.number + 1 if number is None else number
        quality = time_quality or ("none" if started is None and seconds is None else "real")
        columns.update(started=started, seconds=seconds, time_quality=quality)
        row = self._rounds.add((thread, state.number, state.request, text), columns)
        self._calls_of.append(0)
        self._ended.append(None)
        state.last_row = row
        return row

    def update_round(self, row: int, **columns: Any) -> None:
        """Overwrite columns of a round, where a log completes it later."""
        self._rounds.set(row, columns)

    def add_text(self, row: int, column: str, text: str) -> None:
        """Append to a round's text or reasoning, unless it already ends so."""
        cells, place = self._rounds.rows[row], self._rounds.at[column]
        have = cells[place]
        if not have:
            cells[place] = text
        elif text and not have.endswith(text):
            cells[place] = f"{have}\n{text}"

    def add_amount(self, row: int, column: str, amount: float) -> None:
        """Add an amount (seconds, tokens, cost) to what a round has so far."""
        have = self._rounds.get(row, column)
        self._rounds.set(row, {column: amount if have is None else have + amount})
