"""What every reader writes into: rounds, calls, results and events, paired and numbered here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agentlens.trace.arguments import parse_arguments
from agentlens.trace.derive import add_up_tokens, derive_seconds
from agentlens.trace.model import Meta, Note, Trace
from agentlens.trace.names import unwrap_call
from agentlens.trace.rows import PLACES, Table
from agentlens.trace.thread_state import ThreadState
from agentlens.trace.tools import describe_all

if TYPE_CHECKING:
    from agentlens.trace.tools import ToolSpec

__all__ = ["MAIN", "TraceBuilder"]

MAIN = "main"
_THREAD, _ROUND_ROW, _STARTED, _SECONDS, _RESULT, _STATUS, _PAIRED_BY = (
    PLACES["calls"][column]
    for column in ("thread", "round_row", "started", "seconds", "result", "status", "paired_by")
)


class TraceBuilder:
    """Collects a run in the order in which it happened; `finish` numbers it and makes the Trace.

    Readers say what the log says and nothing else: a time, a count or a cost that it does not
    hold is left out, and whatever was skipped or guessed is told with `note`.

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
        self._calls, self._events = Table("calls"), Table("events")
        self._notes: dict[tuple[str, str], Note] = {}
        self._declared: set[str] = set()
        self._states: dict[str, ThreadState] = {}
        self._calls_of: list[int] = []  # for each round
        self._ended: list[float | None] = []  # for each round, when the last result came

    def describe(self, **fields: Any) -> None:
        """Set fields of the trace's `Meta`; ``None`` values change nothing."""
        self.meta = replace(self.meta, **{k: v for k, v in fields.items() if v is not None})

    def note(self, kind: str, message: str, line: int | None = None, count: int = 1) -> None:
        """Tell what was skipped, guessed or damaged; equal messages are counted."""
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

    def call(
        self, row: int, tool: str, args: Any = None, *, call_id: str | None = None,
        tool_raw: str | None = None, **columns: Any,
    ) -> int:  # fmt: skip
        """Add a call to a round; return its row.

        Parameters
        ----------
        row
            Row of its round, from `round`.
        args
            A mapping, or text that holds JSON; anything else is kept as text.
        columns
            Any other column of the calls table.
        """
        thread, number, request = self._rounds.rows[row][:3]
        call, order = len(self._calls.rows), self._calls_of[row]
        self._calls_of[row] = order + 1
        parsed, raw, state = parse_arguments(args)
        name, namespace, inner = unwrap_call(tool, parsed)
        if inner is not parsed:
            parsed, raw, state = parse_arguments(inner)
        first = (
            call + 1, row, thread, number, request, order, call_id or f"call-{call + 1}",
            not call_id, name, tool_raw or tool, namespace, None, parsed, raw, state,
        )  # fmt: skip
        self._calls.add(first, columns)
        self._states[thread].add_call(call, call_id)
        return call

    def result(
        self,
        call: int,
        text: str,
        *,
        status: str = "ok",
        ended: float | None = None,
        paired_by: str = "same_record",
        **columns: Any,
    ) -> None:
        """Give a call its result.

        Parameters
        ----------
        ended
            When the result came; gives the call's seconds where its start is known.
        columns
            Any other column of the calls table.
        """
        cells = self._calls.rows[call]
        if ended is not None:
            row = cells[_ROUND_ROW]
            last, begun = self._ended[row], cells[_STARTED]
            if last is None or ended > last:
                self._ended[row] = ended
            if begun is not None and cells[_SECONDS] is None and ended >= begun:
                columns.setdefault("seconds", ended - begun)
        cells[_RESULT], cells[_STATUS], cells[_PAIRED_BY] = text, status, paired_by
        at = self._calls.at
        for column, value in columns.items():
            cells[at[column]] = value
        state = self._states[cells[_THREAD]]
        state.open.pop(call, None)
        if paired_by == "id":
            state.answered = True

    def find_call(
        self, call_id: str | None, *, thread: str = MAIN, tool: str | None = None
    ) -> tuple[int, str] | None:
        """Find the call that a result belongs to: ``(row, paired_by)``, or None.

        By id where that names one open call; else by adjacency, the oldest open call of the
        thread (of that tool, if given): ids are empty or re-used in several real logs.
        """
        state = self._states.get(thread)
        return state.find_call(call_id, tool, self._calls.rows) if state is not None else None

    def has_open_calls(self, thread: str = MAIN) -> bool:
        """Say whether a call of the thread still waits for its result."""
        return bool(self._state(thread).open)

    def answered(self, thread: str = MAIN) -> bool:
        """Say whether any call of the thread got a result by its id so far."""
        return self._state(thread).answered

    def state_of(self, call: int) -> str:
        """Return how the arguments of a call were read: parsed, unparsed, text or missing."""
        return str(self._calls.get(call, "args_state"))

    def finish(self, tools: Mapping[str, ToolSpec] | None = None) -> Trace:
        """Return the trace: durations derived where times allow, effects and queries filled in."""
        if not self._threads.rows:
            self.thread(MAIN)
        tables = {
            table.name: table.columns()
            for table in (self._threads, self._rounds, self._calls, self._events)
        }
        rounds, calls = tables["rounds"], tables["calls"]
        derive_seconds(rounds, self._ended)
        add_up_tokens(rounds)
        calls.update(
            describe_all(
                calls["tool"], calls["tool_raw"], calls["args"], calls["args_raw"], tools or {}
            )
        )
        if not self.meta.models:
            models = dict.fromkeys(m for m in rounds["model"] if m)
            self.meta = replace(self.meta, models=tuple(models))
        return Trace(tables, self.meta, tuple(self._notes.values()), dict(tools or {}))
