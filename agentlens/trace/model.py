"""The trace: one recorded run, as columns. Its columns are documented here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from agentlens.trace.tools import ToolSpec

__all__ = ["COLUMNS", "FRAME_COLUMNS", "Meta", "Note", "Trace"]

#: What each table holds. Times are seconds since the epoch (UTC), durations are seconds,
#: sizes are bytes, money is US dollars; ``None`` means that the log does not say.
COLUMNS: Mapping[str, Mapping[str, str]] = {
    "threads": {
        "thread": "name of the thread; `main`, or one for each sub-agent or branch",
        "parent": "the thread that started it",
        "parent_call": "call_id of the call that started it",
        "kind": "main, subagent, branch, dfs_sibling or simulated_user",
        "name": "what the log calls it",
        "abandoned": "True where a rewind left it behind",
    },
    "rounds": {
        "thread": "thread of the round",
        "round": "number within its thread, from 1; 0 is a preamble, shown and never counted",
        "request": "number of the request within its thread, from 1",
        "text": "what the model said",
        "reasoning": "what the model thought, where the log keeps it",
        "model": "model that answered",
        "started": "when the response arrived",
        "seconds": "from this response to the next one of the same request, or as the log says",
        "time_quality": "real, derived or none",
        "input_tokens": "prompt tokens, cached ones included",
        "cached_tokens": "of those, read from a cache",
        "cache_write_tokens": "of those, written to a cache",
        "output_tokens": "answer tokens, reasoning included",
        "reasoning_tokens": "of those, reasoning",
        "tokens": "all tokens of the round: as the log says, or input and output added up",
        "cost": "what the log says the round cost",
        "message_id": "id of the model's message",
        "copied": "True where a resumed session repeats an older line",
        "injected": "True where the host wrote it in the model's name",
        "hidden": "True where the model no longer saw it (condensed, truncated)",
        "line": "1-based line, or item, of the source",
    },
    "calls": {
        "call": "number of the call in the trace, from 1",
        "round_row": "row of its round in the rounds table, from 0",
        "thread": "thread of its round",
        "round": "number of its round",
        "request": "request of its round",
        "order": "place within its round, from 0",
        "call_id": "id in the log, or one made up",
        "id_generated": "True where the id was made up",
        "tool": "name of the tool, unwrapped",
        "tool_raw": "name as the log writes it",
        "namespace": "server or toolset of the tool",
        "effect": "search, read, write, run, poll, think, ask, finish or unknown",
        "args": "arguments, parsed (a dict), or None",
        "args_raw": "arguments as text, where they could not be parsed",
        "args_state": "parsed, unparsed, missing or text",
        "queries": "tuple of the queries that it searches for",
        "query": "the same as one text",
        "target": "path, URL or element that it acts on",
        "status": "ok, error, denied, timeout, interrupted or missing",
        "error_type": "what the log calls the error",
        "result": "result text",
        "truncated": "True where the log shortened the result",
        "exit_code": "exit status of a command",
        "parts": "other parts of the result, such as `image/png sha256:…`",
        "started": "when the call started",
        "seconds": "how long it took",
        "tokens": "tokens that the log assigns to this call",
        "cost": "cost that the log assigns to this call",
        "paired_by": "how its result was found: id, adjacency, same_record, next_obs",
        "line": "1-based line, or item, of the source",
    },
    "events": {
        "kind": "user_message, compaction, interrupt, api_error, retry, checkpoint, guard_fired, "
        "approval or other",
        "thread": "thread in which it happened",
        "request": "request that it belongs to; a user message belongs to the one it starts",
        "after_row": "row of the last round before it in the rounds table, or -1",
        "started": "when",
        "text": "what the log says",
        "line": "1-based line, or item, of the source",
    },
}

#: Columns that only the frame of a table has, since computing them costs as much as reading.
FRAME_COLUMNS: Mapping[str, Mapping[str, str]] = {
    "calls": {
        "result_bytes": "size of the result's text in UTF-8",
        "fingerprint": "of the tool and its arguments, keys sorted",
        "result_fingerprint": "of the result's text",
    },
}


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that a reader skipped, guessed or found damaged.

    Parameters
    ----------
    kind
        ``skipped``, ``guessed``, ``damaged`` or ``info``.
    message
        What happened, in words.
    line
        First line (or item) of the source that it concerns.
    count
        How many times it happened.
    """

    kind: str
    message: str
    line: int | None = None
    count: int = 1

    def __str__(self) -> str:
        place = f" (first at line {self.line})" if self.line is not None else ""
        times = f" ×{self.count}" if self.count > 1 else ""
        return f"{self.kind}: {self.message}{times}{place}"


@dataclass(frozen=True, slots=True)
class Meta:
    """What is known of a run as a whole; empty where the log does not say."""

    format: str
    source: str | None = None
    format_version: str | None = None
    trace_id: str | None = None
    session_id: str | None = None
    task: str | None = None
    agent: str | None = None
    agent_version: str | None = None
    models: tuple[str, ...] = ()
    cwd: str | None = None
    outcome: Mapping[str, Any] = field(default_factory=dict)
    labels: tuple[Mapping[str, Any], ...] = ()
    limits: Mapping[str, Any] = field(default_factory=dict)
    totals: Mapping[str, Any] = field(default_factory=dict)
    totals_source: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Trace:
    """One recorded run: four tables of columns, what is known of it, and the reader's notes.

    Made by :func:`agentlens.load`; never changed afterwards.

    Parameters
    ----------
    tables
        ``threads``, ``rounds``, ``calls`` and ``events``: a list for each column of `COLUMNS`.
    meta
        Source, format, task, outcome, labels.
    notes
        What the reader skipped, guessed or found damaged.
    tools
        What was said of its tools, by `agentlens.load` and `with_tools`.
    """

    tables: Mapping[str, Mapping[str, list[Any]]]
    meta: Meta
    notes: tuple[Note, ...] = ()
    tools: Mapping[str, ToolSpec] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of calls."""
        return len(self.tables["calls"]["call"])

    def __repr__(self) -> str:
        rounds = len(self.tables["rounds"]["round"])
        threads = len(self.tables["threads"]["thread"])
        noted = f", {len(self.notes)} notes" if self.notes else ""
        return (
            f"Trace({self.name!r}, {self.meta.format}: {len(self)} calls in {rounds} rounds, "
            f"{threads} thread{'s' * (threads != 1)}{noted})"
        )

    @property
    def name(self) -> str:
        """Short name: the last part of the source, or the format."""
        return (self.meta.source or self.meta.format).replace("\\", "/").rstrip("/").split("/")[-1]

    @property
    def format(self) -> str:
        """Name of the format that was read."""
        return self.meta.format

    def _frame(self, table: str) -> pd.DataFrame:
        from agentlens.trace.frames import frame

        return frame(self, table)

    @property
    def calls(self) -> pd.DataFrame:
        """Calls with their results, one row a call; columns as in `COLUMNS`, and fingerprints."""
        return self._frame("calls")

    @property
    def rounds(self) -> pd.DataFrame:
        """Rounds, one row a model response."""
        return self._frame("rounds")

    @property
    def events(self) -> pd.DataFrame:
        """User messages, compactions, errors of the API and the like, one row each."""
        return self._frame("events")

    @property
    def threads(self) -> pd.DataFrame:
        """Threads, one row each."""
        return self._frame("threads")

    @cached_property
    def round_calls(self) -> tuple[tuple[int, ...], ...]:
        """For each row of the rounds table, the rows of its calls."""
        rows: list[list[int]] = [[] for _ in self.tables["rounds"]["round"]]
        for call, row in enumerate(self.tables["calls"]["round_row"]):
            rows[row].append(call)
        return tuple(map(tuple, rows))

    @cached_property
    def has_times(self) -> bool:
        """True where at least two rounds say when they happened."""
        return sum(t is not None for t in self.tables["rounds"]["started"]) > 1

    @cached_property
    def cache(self) -> dict[Any, Any]:
        """Scratch space for what upper floors compute once a trace (signals, frames)."""
        return {}

    def with_tools(self, tools: Mapping[str, ToolSpec]) -> Trace:
        """Return the same trace with other ideas of what its tools do.

        Parameters
        ----------
        tools
            For each tool name an effect (``"search"``), or ``("search", "argument")`` where the
            query sits in an argument with an unusual name. What was said before of other tools
            stays.

        Raises
        ------
        TraceError
            If an effect is none of those that `COLUMNS` lists.

        Examples
        --------
        >>> import agentlens as al
        >>> trace = al.load([{"round": 1, "tool": "lookup", "args": {"term": "weather"}}])
        >>> trace.with_tools({"lookup": ("search", "term")}).calls["query"][0]
        'weather'
        """
        from agentlens.trace.tools import describe_all

        known = {**self.tools, **tools}
        calls = dict(self.tables["calls"])
        calls.update(
            describe_all(calls["tool"], calls["tool_raw"], calls["args"], calls["args_raw"], known)
        )
        return replace(self, tables={**self.tables, "calls": calls}, tools=known)
