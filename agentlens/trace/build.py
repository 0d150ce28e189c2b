"""What every reader writes into: calls and their results, and the trace that comes of it all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agentlens.trace.arguments import parse_arguments
from agentlens.trace.derive import add_up_tokens, derive_seconds
from agentlens.trace.model import Trace
from agentlens.trace.names import unwrap_call
from agentlens.trace.repair import leave_out_wild, repair_meta, repair_tables
from agentlens.trace.rows import PLACES, Table
from agentlens.trace.run_log import MAIN, RunLog
from agentlens.trace.status import judge
from agentlens.trace.tools import check_tools, describe_all

if TYPE_CHECKING:
    from agentlens.trace.tools import ToolSpec

__all__ = ["MAIN", "TraceBuilder"]

_THREAD, _ROUND_ROW, _STARTED, _SECONDS, _RESULT, _STATUS, _PAIRED_BY = (
    PLACES["calls"][column]
    for column in ("thread", "round_row", "started", "seconds", "result", "status", "paired_by")
)


class TraceBuilder(RunLog):
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
        super().__init__(format, source)
        self._calls = Table("calls")
        self._tools: dict[str, ToolSpec] = {}

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
        thread, number, request = self._rounds.rows[row][:3]  # its first columns
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

    def update_call(self, call: int, **columns: Any) -> None:
        """Overwrite columns of a call, where a log tells more of it later."""
        self._calls.set(call, columns)

    def judge(
        self,
        text: str,
        *,
        error: bool | None = None,
        exit_code: int | None = None,
        told: tuple[str, str] | None = None,
        line: int | None = None,
    ) -> tuple[str, str | None, int | None]:
        """Say how a call ended: its status, the kind of error and the exit status.

        Parameters
        ----------
        text, error, exit_code
            As for `agentlens.trace.status.judge`; where the text decides, a note says so.
        told
            Status and kind of error, where the log says them in words of its own.
        line
            Where the result stands.
        """
        status, kind, code, guessed = judge(text, error=error, exit_code=exit_code)
        if told is not None:
            return *told, code
        if guessed:
            self.note("guessed", "a result counts as an error by its text", line)
        return status, kind, code

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

    def adopt(
        self, tables: Mapping[str, Mapping[str, list[Any]]], tools: Mapping[str, ToolSpec]
    ) -> None:
        """Take over whole tables, checked, and what was said of their tools."""
        for table in (self._threads, self._rounds, self._calls, self._events):
            columns = tables[table.name]
            table.rows = [list(row) for row in zip(*map(columns.get, table.at), strict=True)]
        self._ended = [None] * len(self._rounds.rows)
        self._declared = set(tables["threads"]["thread"])
        self._tools = dict(tools)

    def finish(self, tools: Mapping[str, ToolSpec] | None = None) -> Trace:
        """Return the trace: durations derived where times allow, effects and queries filled in."""
        check_tools({} if tools is None else tools)
        known = {**self._tools, **(tools or {})}
        if not self._threads.rows:
            self.thread(MAIN)
        tables = {
            table.name: table.columns()
            for table in (self._threads, self._rounds, self._calls, self._events)
        }
        self._repair(tables)
        rounds, calls = tables["rounds"], tables["calls"]
        derive_seconds(rounds, self._ended)
        add_up_tokens(rounds)
        calls.update(
            describe_all(
                calls["tool"],
                calls["tool_raw"],
                calls["args"],
                calls["args_raw"],
                known,
            )
        )
        if not self.meta.models:
            models = dict.fromkeys(m for m in rounds["model"] if m)
            self.meta = replace(self.meta, models=tuple(models))
        return Trace(tables, self.meta, tuple(self._notes.values()), known)

    def _repair(self, tables: dict[str, dict[str, list[Any]]]) -> None:
        """Make every text and number one that can be used, and say where that took something."""
        texts, deep = repair_tables(tables)
        wild = leave_out_wild(tables)
        if (meta := repair_meta(self.meta)) is not self.meta:
            self.meta = meta
            texts = texts or [None]
        for message, lines in (
            ("a text held lone surrogates (half a character); repaired", texts),
            ("arguments are nested too deeply and were left out", deep),
            ("a number was no number, infinite or beyond 64 bits, and was left out", wild),
        ):
            if lines:
                self.note("damaged", message, lines[0], len(lines))
