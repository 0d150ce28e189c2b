"""One row a session: where a policy would have stopped it, and what that would have saved."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from agentlens.breaker.policy import Policy, as_policy
from agentlens.breaker.replay import Replay, replay
from agentlens.breaker.trip import saved_together
from agentlens.errors import TraceError
from agentlens.thresholds.processes import in_processes
from agentlens.trace.folder import expand
from agentlens.trace.load import load_many
from agentlens.trace.progress_bar import progress_bar
from agentlens.trace.workers import LOST

if TYPE_CHECKING:
    from agentlens.breaker.trip import Trip
    from agentlens.trace.corpus import Corpus
    from agentlens.trace.model import Trace
    from agentlens.trace.tools import ToolSpec

__all__ = ["Row", "independent_trips", "row_of", "scan_files", "worst_first"]

#: Below this many files, starting processes costs more than they save.
MANY_FILES = 64


@dataclass(frozen=True, slots=True)
class Row:
    """One session, or one file that could not be read.

    Attributes
    ----------
    source
        File (``file#name`` where it holds many), or the name of the format.
    format
        Format that was read; empty with an error.
    threads, rounds, calls, searches
        How much is in it; `rounds` is the number of the last round that calls a tool, in the
        thread that trips first (else in the longest), so that `trip_round` counts on its base.
    trip_round, thread, request, reason
        The earliest trip; None and empty where nothing would have tripped.
    trips
        How many threads and requests would have tripped.
    saved_rounds, saved_calls, saved_seconds, saved_tokens, saved_cost
        What all its trips together would have saved, sub-agents counted once.
    verdict
        Of the replay: ``loop``, ``waiting`` or ``progress``.
    notes
        How many things the reader skipped, guessed or found damaged.
    error
        Why it could not be read, in one line; else None.
    """

    source: str
    format: str = ""
    threads: int = 0
    rounds: int = 0
    calls: int = 0
    searches: int = 0
    trip_round: int | None = None
    thread: str | None = None
    request: int | None = None
    reason: str = ""
    trips: int = 0
    saved_rounds: int = 0
    saved_calls: int = 0
    saved_seconds: float | None = None
    saved_tokens: int | None = None
    saved_cost: float | None = None
    verdict: str = ""
    notes: int = 0
    error: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return asdict(self)


def row_of(trace: Trace, policy: Policy) -> Row:
    """Replay a policy over a trace and return its row."""
    result = replay(trace, policy)
    rounds, calls = trace.tables["rounds"], trace.tables["calls"]
    trip, saved = result.trip, saved_together(independent_trips(result))
    return Row(
        source=trace.meta.source or trace.meta.format,
        format=trace.meta.format,
        threads=len(trace.tables["threads"]["thread"]),
        rounds=max(
            (
                number
                for number, thread, members in zip(
                    rounds["round"], rounds["thread"], trace.round_calls, strict=True
                )
                if members and (trip is None or thread == trip.thread)
            ),
            default=0,
        ),
        calls=len(trace),
        searches=sum(effect == "search" for effect in calls["effect"]),
        trip_round=trip.round if trip else None,
        thread=trip.thread if trip else None,
        request=trip.request if trip else None,
        reason=trip.reason if trip else "",
        trips=len(result.trips),
        saved_rounds=saved.rounds,
        saved_calls=saved.calls,
        saved_seconds=saved.seconds,
        saved_tokens=saved.tokens,
        saved_cost=saved.cost,
        verdict=result.verdict,
        notes=sum(note.count for note in trace.notes if note.kind != "info"),
    )


def independent_trips(result: Replay) -> list[Trip]:
    """Return the trips without those of sub-agents that another trip would never have started."""
    if len(result.trips) < 2:
        return list(result.trips)
    threads, calls = result.trace.tables["threads"], result.trace.tables["calls"]
    starter = dict(zip(threads["thread"], threads["parent_call"], strict=True))
    row_of_call = dict(zip(calls["call_id"], calls["round_row"], strict=True))
    thread_of_row = result.trace.tables["rounds"]["thread"]

    def started(thread: str) -> bool:
        seen: set[str] = set()
        while thread not in seen:  # a damaged log may hold a cycle
            seen.add(thread)
            row = row_of_call.get(starter.get(thread))
            if row is None:
                return True
            if result.counterfactual[row]:
                return False
            thread = thread_of_row[row]
        return True

    return [trip for trip in result.trips if started(trip.thread)]


def worst_first(rows: Iterable[Row]) -> list[Row]:
    """Order rows: most saved rounds, seconds, tokens first; what could not be read last."""

    def key(row: Row) -> tuple[Any, ...]:
        saved = (row.saved_rounds, row.saved_seconds, row.saved_tokens, row.saved_cost)
        ranks = (-(amount or 0) for amount in (*saved, row.trips, row.searches))
        return (row.error is not None, *ranks, row.source)

    return sorted(rows, key=key)


def _rows(corpus: Corpus, policy: Policy, name: str) -> Iterator[Row]:
    try:
        for trace in corpus:
            try:
                yield row_of(trace, policy)
            except Exception as error:  # one session that we cannot read must not hide the others
                yield Row(trace.meta.source or name, error=_said(error, trace.meta.source or name))
    except Exception as error:
        yield Row(name, error=_said(error, name))
    for source, text in corpus.failures:
        yield Row(source, error=_without(source, text))


def _said(error: Exception, source: str) -> str:
    text = " ".join(str(error).split())
    known = isinstance(error, TraceError)
    return _without(source, text) if known else f"{type(error).__name__}: {text}"


def _without(source: str, text: str) -> str:
    """Return an error's text without the source, which has a column of its own."""
    return text.removeprefix(source).lstrip(",: ") if text.startswith(source) else text


def scan_files(
    source: Any,
    policy: Policy | str | None = None,
    *,
    tools: Mapping[str, ToolSpec] | None = None,
    progress: bool = False,
    workers: int | None = None,
) -> list[Row]:
    """Return one row a session of a folder, worst first.

    Parameters
    ----------
    source
        What `agentlens.load_many` takes: a folder, a glob, a file, a list of these.
    policy
        The default policy where none is given.
    tools
        What tools do, as for `agentlens.load`.
    progress
        Show a progress bar where there are many files and someone to see it.
    workers
        Processes; default one a core, and none of their own for fewer than `MANY_FILES` files.

    Raises
    ------
    TraceError
        If there is no such file or folder, or it holds no log. What cannot be read within it is
        a row with an error.
    """
    policy = as_policy(policy)
    files, _ = expand(source)
    many = len(files) >= MANY_FILES
    workers = workers or (min(os.cpu_count() or 1, 32) if many else 1)
    if workers < 2 or not all(isinstance(file, str) for file in files):
        batches = ([file] for file in progress_bar(files, progress and many))
        return worst_first(row for batch in batches for row in _scan_batch(batch, policy, tools))
    scan_batch = partial(_scan_batch, policy=policy, tools=tools)
    found, lost = in_processes(scan_batch, files, workers=workers, progress=progress and many)
    dead = [Row(name, error=LOST) for name in lost]
    return worst_first([*found, *dead])


def _scan_batch(
    files: Sequence[Any], policy: Policy, tools: Mapping[str, ToolSpec] | None = None
) -> list[Row]:
    rows: list[Row] = []
    for file in files:
        name = str(file) if isinstance(file, str | os.PathLike) else type(file).__name__
        rows.extend(_rows(load_many([file], tools=tools, progress=False), policy, name))
    return rows
