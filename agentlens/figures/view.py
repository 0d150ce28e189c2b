"""One thread of a replay, as pictures need it: rounds in a row, calls, queries, times."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from agentlens.breaker.words import shorten
from agentlens.errors import TraceError
from agentlens.trace.redact import BEGINNING
from agentlens.trace.redact_trace import masker_of

if TYPE_CHECKING:
    from agentlens.breaker.replay import Replay

__all__ = ["View", "default_thread", "view_of"]


@dataclass(frozen=True, eq=False)
class View:
    """The rounds of one thread in order; a *position* is a place in this row, from 0.

    Attributes
    ----------
    replay, thread
        What is shown.
    rows
        For each position its row in the trace's rounds table.
    calls
        Rows of the calls table, in order of position and place within the round.
    queries
        Indices into ``replay.signals.queries``.
    sequence
        For each position the index of its sequence in ``replay.signals.sequences``, numbered
        anew from 0 within the thread.
    """

    replay: Replay
    thread: str
    rows: tuple[int, ...]
    calls: tuple[int, ...]
    queries: tuple[int, ...]
    sequence: tuple[int, ...]

    def __len__(self) -> int:
        """Return the number of rounds."""
        return len(self.rows)

    def masked(self, text: str, limit: int = 80) -> str:
        """Return a text of the trace as it may be shown: secrets masked, on one line, shortened."""
        cache = self.replay.trace.cache
        known: dict[str, str] = cache.setdefault("masked", {})
        start = text[:BEGINNING]
        if start not in known:
            known[start] = masker_of(self.replay.trace)(start)
        return shorten(known[start], limit)

    @cached_property
    def position(self) -> dict[int, int]:
        """The position of each row of the rounds table that is shown."""
        return {row: place for place, row in enumerate(self.rows)}

    @cached_property
    def query_index(self) -> dict[int, int]:
        """The place among `queries` of each query that is shown."""
        return {query: place for place, query in enumerate(self.queries)}

    @cached_property
    def query_of_call(self) -> dict[int, int]:
        """For each call that searches, the place of the query that stands for it: its best one."""
        scored = self.replay.signals.scored
        best: dict[int, int] = {}
        for place, query in enumerate(self.queries):
            call = self.replay.signals.queries[query].call
            if call not in best or scored.rank(query) > scored.rank(self.queries[best[call]]):
                best[call] = place
        return best

    @cached_property
    def trips(self) -> dict[int, int]:
        """For each sequence that trips the position of its trip."""
        found = {}
        for trip in self.replay.trips:
            place = self.position.get(trip.row)
            if place is not None:
                found[self.sequence[place]] = place
        return found

    @cached_property
    def counterfactual(self) -> list[bool]:
        """For each position whether the round would not have happened."""
        return [self.replay.counterfactual[row] for row in self.rows]

    @cached_property
    def waits(self) -> bool:
        """Whether the waiting rule spoke of one of the rounds."""
        spoken = self.replay.spoken
        return any(s.finding.level == "wait" and s.row in self.position for s in spoken)

    @cached_property
    def times(self) -> tuple[list[float], list[float]] | None:
        """Start and end of each position in seconds from the first; None where unknown.

        From the log's times; where it has none but says how long every round with calls took,
        rounds follow each other. Spans do not overlap: a round ends where the next one starts.
        """
        rounds = self.replay.trace.tables["rounds"]
        started = [rounds["started"][row] for row in self.rows]
        seconds = [rounds["seconds"][row] for row in self.rows]
        known = [s for s in started if s is not None]
        if len(known) > 1 and known[0] != known[-1] and len(known) * 10 >= len(started) * 9:
            return _spans(started, seconds, min(known))
        acts = self.replay.trace.round_calls
        if all(s is not None for s, row in zip(seconds, self.rows, strict=True) if acts[row]):
            ends, at = [], 0.0
            for span in seconds:
                at += max(0.0, span or 0.0)
                ends.append(at)
            if not at:
                return None
            return [0.0, *ends[:-1]], ends
        return None


def _spans(
    started: list[float | None], seconds: list[float | None], first: float
) -> tuple[list[float], list[float]]:
    starts, at = [], 0.0
    for start in started:
        at = at if start is None else max(at, start - first)
        starts.append(at)
    ends = []
    for place, (start, span) in enumerate(zip(starts, seconds, strict=True)):
        following = starts[place + 1] if place + 1 < len(starts) else None
        end = start + max(0.0, span or 0.0)
        ends.append(end if following is None else min(end, following) if span else following)
    return starts, ends


def default_thread(replay: Replay) -> str:
    """Return the thread to show first: that of the trip, else the one with the most queries."""
    if replay.trip:
        return replay.trip.thread
    threads = replay.trace.tables["rounds"]["thread"]
    asked = Counter(threads[query.row] for query in replay.signals.queries) or Counter(threads)
    if asked:
        most: str = asked.most_common(1)[0][0]
        return most
    named: list[str] = replay.trace.tables["threads"]["thread"]
    return named[0] if named else "main"  # a run without rounds


def view_of(replay: Replay, thread: str | None = None) -> View:
    """Return one thread of a replay.

    Parameters
    ----------
    thread
        Its name; by default as `default_thread` says.

    Raises
    ------
    TraceError
        If the trace has no such thread.
    """
    trace = replay.trace
    name = default_thread(replay) if thread is None else thread
    threads = trace.tables["rounds"]["thread"]
    known = set(trace.tables["threads"]["thread"]) | {name if thread is None else ""}
    if name not in known:
        raise TraceError(
            f"{trace.name}: no thread {name!r}; there are: {', '.join(sorted(known - {''}))}"
        )
    rows = tuple(row for row, own in enumerate(threads) if own == name)
    shown = set(rows)
    number = {row: n for n, sequence in enumerate(replay.signals.sequences) for row in sequence}
    order = {n: place for place, n in enumerate(dict.fromkeys(number[row] for row in rows))}
    return View(
        replay, name, rows,
        calls=tuple(call for row in rows for call in trace.round_calls[row]),
        queries=tuple(i for i, query in enumerate(replay.signals.queries) if query.row in shown),
        sequence=tuple(order[number[row]] for row in rows),
    )  # fmt: skip
