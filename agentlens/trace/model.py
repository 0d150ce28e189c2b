"""The trace: one recorded run, as columns; what each of them holds stands in `columns`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from agentlens.errors import amount
from agentlens.trace.columns import COLUMNS, FRAME_COLUMNS

if TYPE_CHECKING:
    import pandas as pd

    from agentlens.trace.tools import ToolSpec

__all__ = ["COLUMNS", "FRAME_COLUMNS", "Meta", "Note", "Trace"]


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
        noted = f", {amount(len(self.notes), 'note')}" if self.notes else ""
        return (
            f"Trace({self.name!r}, {self.meta.format}: {amount(len(self), 'call')} in "
            f"{amount(rounds, 'round')}, {amount(threads, 'thread')}{noted})"
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
        from agentlens.trace.tools import check_tools, describe_all

        check_tools(tools)
        known = {**self.tools, **tools}
        calls = dict(self.tables["calls"])
        calls.update(
            describe_all(calls["tool"], calls["tool_raw"], calls["args"], calls["args_raw"], known)
        )
        return replace(self, tables={**self.tables, "calls": calls}, tools=known)

    def with_prices(self, prices: Any) -> Trace:
        """Return the same trace with what rounds cost, where the log does not say it.

        Parameters
        ----------
        prices
            ``{"model": {"input": 3.0, "output": 15.0, "cached": 0.3, "cache_write": 3.75}}`` in US
            dollars for a million tokens, or a TOML or JSON file that holds it. A name may be a
            pattern (``gpt-4o*``). A round that needs a price that is not given has no cost.

        Raises
        ------
        TraceError
            If it is no such table.

        Examples
        --------
        >>> import agentlens as al
        >>> row = {"round": 1, "tool": "ls", "model": "m"}
        >>> row |= {"input_tokens": 2000, "output_tokens": 10}
        >>> trace = al.load([row]).with_prices({"m": {"input": 3.0, "output": 15.0}})
        >>> trace.tables["rounds"]["cost"]
        [0.00615]
        """
        from agentlens.trace.prices import priced

        return priced(self, prices)
