"""Replay: a policy over a recorded trace: where it would have tripped, and every count before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from agentlens.breaker.classic import Counted
from agentlens.breaker.counting import bound_of, count_trace
from agentlens.breaker.machine import Machine, Transition
from agentlens.breaker.policy import Policy
from agentlens.breaker.signals import QuerySignals
from agentlens.breaker.trip import Trip, saved_by
from agentlens.breaker.words import query_reason

if TYPE_CHECKING:
    import pandas as pd

    from agentlens.trace.model import Trace

__all__ = ["Replay", "replay"]

QUERY_RULE = "query"


@dataclass(frozen=True, eq=False)
class Replay:
    """What a policy would have done to a run.

    Attributes
    ----------
    trace, policy
        What was replayed.
    signals
        The queries, their best earlier matches and the kind of every round.
    counted
        For each sequence of `signals` its counts and the place of its trip.
    trips
        At most one for each thread and request, the earliest first.
    """

    trace: Trace
    policy: Policy
    signals: QuerySignals
    counted: tuple[Counted, ...]
    trips: tuple[Trip, ...]

    def __repr__(self) -> str:
        where = f"trip at round {self.trip.round} of {self.trip.thread}" if self.trip else "no trip"
        return f"Replay({self.trace.name!r}, {self.policy.name}: {where}, verdict {self.verdict!r})"

    @property
    def trip(self) -> Trip | None:
        """The earliest trip, or None."""
        return self.trips[0] if self.trips else None

    @property
    def verdict(self) -> str:
        """``loop`` if a no-progress rule tripped, else ``progress``."""
        return "loop" if self.trips else "progress"

    @cached_property
    def counts(self) -> Mapping[str, list[int | None]]:
        """Every rule's count, one a row of the rounds table; None after its trip."""
        cells: list[int | None] = [None] * len(self.signals.kind)
        for rows, counted in zip(self.signals.sequences, self.counted, strict=True):
            for row, value in zip(rows, counted.counts, strict=False):
                cells[row] = value
        return {QUERY_RULE: cells}

    @cached_property
    def counterfactual(self) -> list[bool]:
        """For each row of the rounds table whether it would not have happened."""
        flags = [False] * len(self.signals.kind)
        for rows, counted in zip(self.signals.sequences, self.counted, strict=True):
            for row in rows[counted.trip :] if counted.trip is not None else ():
                flags[row] = True
        return flags

    @cached_property
    def paths(self) -> tuple[tuple[Transition, ...], ...]:
        """For each sequence the machine's path: empty where it stays `running`."""
        tripped = {(t.row): t for t in self.trips}
        paths = []
        for rows, counted in zip(self.signals.sequences, self.counted, strict=True):
            machine = Machine()
            if counted.trip is not None:
                trip = tripped[rows[counted.trip]]
                machine.fire("no_progress", cause=trip.reason, round=trip.round)
                machine.fire(
                    "replan_exhausted", cause="this policy grants no replan", round=trip.round
                )
                machine.fire(
                    "partial_saved", cause="the answer comes from what was found", round=trip.round
                )
            paths.append(tuple(machine.path))
        return tuple(paths)

    @property
    def rounds(self) -> pd.DataFrame:
        """One row a round: kind, score, match, count, state, event and what it brought."""
        from agentlens.breaker.tables import rounds_frame

        return rounds_frame(self)

    @property
    def transitions(self) -> pd.DataFrame:
        """One row a transition of the machine, with its event and cause."""
        from agentlens.breaker.tables import transitions_frame

        return transitions_frame(self)

    @property
    def rules(self) -> pd.DataFrame:
        """One row a rule: rule, trip_round, verdict, reason."""
        from agentlens.breaker.tables import rules_frame

        return rules_frame(self)

    def to_dict(self, *, redact: bool = True) -> dict[str, Any]:
        """Return what `agentlens replay --json` prints; secrets masked unless told otherwise."""
        from agentlens.breaker.tables import as_dict

        return as_dict(self, redact=redact)

    def explain(self, trip: Trip | None = None, *, lang: str = "en") -> str:
        """Say in words why a trip (the earliest) happened; empty without one."""
        trip = trip or self.trip
        if trip is None:
            return ""
        rows, place = self._place_of(trip)
        return _reason(self.trace, self.policy, self.signals, rows, place, trip.count, lang)

    def _place_of(self, trip: Trip) -> tuple[tuple[int, ...], int]:
        rows = next(r for r in self.signals.sequences if trip.row in r)
        return rows, rows.index(trip.row)


def replay(trace: Trace, policy: Policy | None = None) -> Replay:
    """Replay a policy over a recorded trace.

    Parameters
    ----------
    trace
        A trace, from `agentlens.load`.
    policy
        The default policy where none is given.

    Returns
    -------
    Replay
        Counts are per thread and request; what follows a trip is counterfactual.
    """
    policy = policy or Policy()
    signals, counted = count_trace(trace, policy, bound_of(policy), policy.threshold)
    trips = [
        _trip(trace, policy, signals, rows, c.trip, c.counts[c.trip])
        for rows, c in zip(signals.sequences, counted, strict=True)
        if c.trip is not None
    ]
    return Replay(
        trace, policy, signals, counted, tuple(sorted(trips, key=lambda t: (t.call, t.row)))
    )


def _trip(
    trace: Trace,
    policy: Policy,
    signals: QuerySignals,
    rows: tuple[int, ...],
    place: int,
    count: int,
) -> Trip:
    row = rows[place]
    rounds = trace.tables["rounds"]
    saved = saved_by(trace, rows[place:])
    return Trip(
        thread=rounds["thread"][row],
        request=rounds["request"][row],
        round=rounds["round"][row],
        row=row,
        call=trace.tables["calls"]["call"][trace.round_calls[row][0]],
        rule=QUERY_RULE,
        phase="before",
        count=count,
        threshold=policy.threshold,
        reason=_reason(trace, policy, signals, rows, place, count, "en"),
        saved_rounds=saved.rounds,
        saved_calls=saved.calls,
        saved_seconds=saved.seconds,
        saved_tokens=saved.tokens,
        saved_cost=saved.cost,
    )


def _reason(
    trace: Trace,
    policy: Policy,
    signals: QuerySignals,
    rows: tuple[int, ...],
    place: int,
    count: int,
    lang: str,
) -> str:
    rounds, row = trace.tables["rounds"], rows[place]
    query = signals.query[row]
    mine, match = signals.queries[query], signals.queries[signals.scored.match[query]]
    acting = [r for r in rows[place:] if trace.round_calls[r]]
    return query_reason(
        round=rounds["round"][row],
        query=mine.text,
        match_round=rounds["round"][match.row],
        match=match.text,
        num=signals.num[row],
        den=signals.den[row],
        measure=policy.measure,
        count=count,
        threshold=policy.threshold,
        last=rounds["round"][acting[-1]],
        seconds=saved_by(trace, rows[place:]).seconds,
        lang=lang,
    )
