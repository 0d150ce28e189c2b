"""What every reader writes into: rounds, calls, results and events, paired and numbered here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agentlens.trace.arguments import parse_arguments
from agentlens.trace.derive import add_up_tokens, derive_seconds
from agentlens.trace.model import Meta, Note, Trace
from agentlens.trace.names import unwrap_call
from agentlens.trace.rows import Table
from agentlens.trace.tools import describe_all

if TYPE_CHECKING:
    from agentlens.trace.tools import ToolSpec

__all__ = ["MAIN", "TraceBuilder"]

MAIN = "main"


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
        self._known_threads: set[str] = set()
        self._notes: dict[tuple[str, str], Note] = {}
        self._request: dict[str, int] = defaultdict(int)
        self._asked: set[str] = set()
        self._number: dict[str, int] = defaultdict(int)
        self._last_row: dict[str, int] = {}
        self._open: dict[str, dict[int, None]] = defaultdict(dict)
        self._ids: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._answered: set[str] = set()
        self._ended: dict[int, float] = {}
        self._calls_of: dict[int, int] = defaultdict(int)

    def describe(self, **fields: Any) -> None:
        """Set fields of the trace's `Meta`; ``None`` values change nothing."""
        self.meta = replace(self.meta, **{k: v for k, v in fields.items() if v is not None})

    def note(self, kind: str, message: str, line: int | None = None) -> None:
        """Tell what was skipped, guessed or damaged; equal messages are counted."""
        old = self._notes.get((kind, message))
        self._notes[kind, message] = (
            replace(old, count=old.count + 1) if old else Note(kind, message, line)
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
        if thread not in self._known_threads:
            self._known_threads.add(thread)
            self._threads.add({
                "thread": thread, "parent": parent, "parent_call": parent_call,
                "kind": "main" if thread == MAIN else kind, "name": name, "abandoned": abandoned,
            })  # fmt: skip
        return thread

    def user(
        self,
        text: str = "",
        *,
        thread: str = MAIN,
        started: float | None = None,
        line: int | None = None,
    ) -> None:
        """Record a real user message; the next round of the thread starts a new request."""
        self._asked.add(thread)
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
        request = self._request[thread] + (thread in self._asked) or 1
        self._events.add({
            "kind": kind, "thread": thread, "request": request, "started": started, "text": text,
            "after_row": self._last_row.get(thread, -1), "line": line,
        })  # fmt: skip

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
        self.thread(thread)
        if thread in self._asked or not self._request[thread]:
            self._request[thread] += 1
            self._asked.discard(thread)
        self._number[thread] = self._number[thread] + 1 if number is None else number
        quality = time_quality or ("none" if started is None and seconds is None else "real")
        row = self._rounds.add({
            "thread": thread, "round": self._number[thread], "request": self._request[thread],
            "text": text, "started": started, "seconds": seconds, "time_quality": quality,
            **columns,
        })  # fmt: skip
        self._last_row[thread] = row
        return row

    def update_round(self, row: int, **columns: Any) -> None:
        """Overwrite columns of a round, where a log completes it later."""
        self._rounds.set(row, columns)

    def add_text(self, row: int, column: str, text: str) -> None:
        """Append to a round's text or reasoning, unless it already ends so."""
        have = self._rounds.get(row, column)
        if text and not have.endswith(text):
            self._rounds.set(row, {column: f"{have}\n{text}" if have else text})

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
        cells, at = self._rounds.rows[row], self._rounds.at
        call = len(self._calls.rows)
        parsed, raw, state = parse_arguments(args)
        name, namespace, inner = unwrap_call(tool, parsed)
        if inner is not parsed:
            parsed, raw, state = parse_arguments(inner)
        thread = cells[at["thread"]]
        self._calls_of[row] += 1
        self._calls.add({
            "call": call + 1, "round_row": row, "thread": thread, "round": cells[at["round"]],
            "request": cells[at["request"]], "order": self._calls_of[row] - 1,
            "call_id": call_id or f"call-{call + 1}", "id_generated": not call_id,
            "tool": name, "tool_raw": tool_raw or tool, "namespace": namespace,
            "args": parsed, "args_raw": raw, "args_state": state, **columns,
        })  # fmt: skip
        self._open[thread][call] = None
        if call_id:
            self._ids[thread, call_id].append(call)
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
        cells, at = self._calls.rows[call], self._calls.at
        if ended is not None:
            row = cells[at["round_row"]]
            self._ended[row] = max(ended, self._ended.get(row, ended))
            begun = cells[at["started"]]
            if begun is not None and cells[at["seconds"]] is None and ended >= begun:
                columns.setdefault("seconds", ended - begun)
        cells[at["result"]], cells[at["status"]] = text, status
        cells[at["paired_by"]] = paired_by
        for column, value in columns.items():
            cells[at[column]] = value
        thread = cells[at["thread"]]
        self._open[thread].pop(call, None)
        if paired_by == "id":
            self._answered.add(thread)

    def find_call(
        self, call_id: str | None, *, thread: str = MAIN, tool: str | None = None
    ) -> tuple[int, str] | None:
        """Find the call that a result belongs to: ``(row, paired_by)``, or None.

        By id where that names one open call; else by adjacency, the oldest open call of the
        thread (of that tool, if given): ids are empty or re-used in several real logs.
        """
        waiting = self._open[thread]
        ids = self._ids.get((thread, call_id or ""), [])
        if len(ids) == 1 and ids[0] in waiting:
            return ids[0], "id"
        get = self._calls.get
        pool = [c for c in ids if c in waiting] or [
            c for c in waiting if not call_id or get(c, "id_generated")
        ]
        if tool:
            pool = [c for c in pool if tool in (get(c, "tool"), get(c, "tool_raw"))] or pool
        return (pool[0], "adjacency") if pool else None

    def has_open_calls(self, thread: str = MAIN) -> bool:
        """Say whether a call of the thread still waits for its result."""
        return bool(self._open[thread])

    def answered(self, thread: str = MAIN) -> bool:
        """Say whether any call of the thread got a result by its id so far."""
        return thread in self._answered

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
