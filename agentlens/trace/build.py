"""What every reader writes into: rounds, calls, results and events, paired and numbered here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agentlens.trace.arguments import parse_arguments
from agentlens.trace.model import COLUMNS, Meta, Note, Trace
from agentlens.trace.names import unwrap_call
from agentlens.trace.tools import describe_all

if TYPE_CHECKING:
    from agentlens.trace.tools import ToolSpec

__all__ = ["MAIN", "TraceBuilder"]

MAIN = "main"

#: What a new row holds where a reader says nothing.
_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "rounds": {"text": "", "reasoning": "", "copied": False, "injected": False, "hidden": False},
    "calls": {
        "status": "missing", "result": "", "result_bytes": 0, "truncated": False, "parts": (),
    },
}  # fmt: skip
_BLANK: Mapping[str, dict[str, Any]] = {
    table: {**dict.fromkeys(columns), **_DEFAULTS.get(table, {})}
    for table, columns in COLUMNS.items()
}


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
        self._tables: dict[str, dict[str, list[Any]]] = {
            table: {column: [] for column in columns} for table, columns in COLUMNS.items()
        }
        self._cells = {table: list(columns.values()) for table, columns in self._tables.items()}
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

    def _add(self, table: str, values: dict[str, Any]) -> int:
        row = _BLANK[table].copy()
        row.update(values)  # keeps the order of the columns: only their values change
        cells = self._cells[table]
        if len(row) != len(cells):
            raise KeyError(f"{table} has no column {sorted(row.keys() - _BLANK[table].keys())}")
        for cell, value in zip(cells, row.values(), strict=True):
            cell.append(value)
        return len(cells[0]) - 1

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
            self._add("threads", {
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
        self._add("events", {
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
        row = self._add("rounds", {
            "thread": thread, "round": self._number[thread], "request": self._request[thread],
            "text": text, "started": started, "seconds": seconds, "time_quality": quality,
            **columns,
        })  # fmt: skip
        self._last_row[thread] = row
        return row

    def update_round(self, row: int, **columns: Any) -> None:
        """Overwrite columns of a round, where a log completes it later."""
        for column, value in columns.items():
            self._tables["rounds"][column][row] = value

    def add_text(self, row: int, column: str, text: str) -> None:
        """Append to a round's text or reasoning, unless it already ends so."""
        cells = self._tables["rounds"][column]
        if text and not cells[row].endswith(text):
            cells[row] = f"{cells[row]}\n{text}" if cells[row] else text

    def add_amount(self, row: int, column: str, amount: float) -> None:
        """Add an amount (seconds, tokens, cost) to what a round has so far."""
        cells = self._tables["rounds"][column]
        cells[row] = amount if cells[row] is None else cells[row] + amount

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
        rounds = self._tables["rounds"]
        call = len(self._tables["calls"]["call"])
        parsed, raw, state = parse_arguments(args)
        name, namespace, inner = unwrap_call(tool, parsed)
        if inner is not parsed:
            parsed, raw, state = parse_arguments(inner)
        thread = rounds["thread"][row]
        self._calls_of[row] += 1
        self._add("calls", {
            "call": call + 1, "round_row": row, "thread": thread, "round": rounds["round"][row],
            "request": rounds["request"][row], "order": self._calls_of[row] - 1,
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
        calls = self._tables["calls"]
        size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
        columns = {"paired_by": "same_record", "result_bytes": size, **columns}
        if ended is not None:
            row = calls["round_row"][call]
            self._ended[row] = max(ended, self._ended.get(row, ended))
            begun = calls["started"][call]
            if begun is not None and calls["seconds"][call] is None and ended >= begun:
                columns.setdefault("seconds", ended - begun)
        calls["result"][call], calls["status"][call] = text, status
        for column, value in columns.items():
            calls[column][call] = value
        thread = calls["thread"][call]
        self._open[thread].pop(call, None)
        if columns["paired_by"] == "id":
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
        named = [c for c in ids if c in waiting]
        if len(ids) == 1 == len(named):
            return named[0], "id"
        pool = named or [
            c for c in waiting if not call_id or self._tables["calls"]["id_generated"][c]
        ]
        if tool:
            pool = [
                c
                for c in pool
                if tool in (self._tables["calls"]["tool"][c], self._tables["calls"]["tool_raw"][c])
            ] or pool
        return (pool[0], "adjacency") if pool else None

    def has_open_calls(self, thread: str = MAIN) -> bool:
        """Say whether a call of the thread still waits for its result."""
        return bool(self._open[thread])

    def answered(self, thread: str = MAIN) -> bool:
        """Say whether any call of the thread got a result by its id so far."""
        return thread in self._answered

    def state_of(self, call: int) -> str:
        """Return how the arguments of a call were read: parsed, unparsed, text or missing."""
        return str(self._tables["calls"]["args_state"][call])

    def finish(self, tools: Mapping[str, ToolSpec] | None = None) -> Trace:
        """Return the trace: durations derived where times allow, effects and queries filled in."""
        self.thread(MAIN) if not self._tables["threads"]["thread"] else None
        self._derive_seconds()
        self._add_up_tokens()
        calls = self._tables["calls"]
        calls.update(
            describe_all(
                calls["tool"], calls["tool_raw"], calls["args"], calls["args_raw"], tools or {}
            )
        )
        if not self.meta.models:
            models = dict.fromkeys(m for m in self._tables["rounds"]["model"] if m)
            self.meta = replace(self.meta, models=tuple(models))
        return Trace(self._tables, self.meta, tuple(self._notes.values()))

    def _derive_seconds(self) -> None:
        """Fill a round's seconds from the next response of its request, or its last result."""
        rounds = self._tables["rounds"]
        following: dict[str, int] = {}
        for row in range(len(rounds["round"]) - 1, -1, -1):
            thread, begun = rounds["thread"][row], rounds["started"][row]
            after = following.get(thread)
            following[thread] = row
            if rounds["seconds"][row] is not None or begun is None:
                continue
            end = self._ended.get(row)
            if after is not None and rounds["request"][after] == rounds["request"][row]:
                end = rounds["started"][after] if rounds["started"][after] is not None else end
            if end is not None and end >= begun:
                rounds["seconds"][row] = end - begun
                rounds["time_quality"][row] = "derived"

    def _add_up_tokens(self) -> None:
        """Fill a round's tokens where the log has no total but has its parts."""
        rounds = self._tables["rounds"]
        columns = zip(
            rounds["tokens"], rounds["input_tokens"], rounds["output_tokens"], strict=True
        )
        for row, (total, prompt, answer) in enumerate(columns):
            if total is None and (prompt is not None or answer is not None):
                rounds["tokens"][row] = (prompt or 0) + (answer or 0)
