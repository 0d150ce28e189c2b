"""Replay: a policy over a recorded trace: where it would have tripped, and every count before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from agentlens.breaker.classic import Counted
from agentlens.breaker.incidents import Incident, incident_words
from agentlens.breaker.machine import Transition, stop_path
from agentlens.breaker.policy import Policy, as_policy
from agentlens.breaker.rules import RULES, Stop, first_stop, run_rules, threshold_of
from agentlens.breaker.signals import QuerySignals
from agentlens.breaker.spending import BUDGET_RULES
from agentlens.breaker.trip import Trip, saved_by
from agentlens.breaker.words import budget_reason, query_reason, saving_words
from agentlens.trace.model import Trace
from agentlens.trace.redact import BEGINNING, redact

if TYPE_CHECKING:
    import pandas as pd


__all__ = ["Replay", "replay"]


@dataclass(frozen=True, eq=False)
class Replay:
    """What a policy would have done to a run.

    Attributes
    ----------
    trace, policy
        What was replayed.
    signals
        The queries, their best earlier matches and the kind of every round.
    outcomes
        For each rule its counts and the place of its own trip, one for each sequence of `signals`.
    stops
        For each sequence where the first of the rules stops it, or None.
    trips
        At most one for each thread and request, the earliest first.
    """

    trace: Trace
    policy: Policy
    signals: QuerySignals
    outcomes: Mapping[str, tuple[Counted, ...]]
    stops: tuple[Stop | None, ...]
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
        """``loop`` if a no-progress rule tripped, else ``progress``; a budget alone is no loop."""
        return "loop" if any(RULES[t.rule].means_loop for t in self.trips) else "progress"

    @cached_property
    def counts(self) -> Mapping[str, list[float | None]]:
        """Every rule's count, one a row of the rounds table; None after the run is stopped."""
        counts: dict[str, list[float | None]] = {}
        for name, outcome in self.outcomes.items():
            cells = counts.setdefault(name, [None] * len(self.signals.kind))
            for rows, counted, stop in zip(
                self.signals.sequences, outcome, self.stops, strict=True
            ):
                last = len(rows) if stop is None else stop.place + 1
                for row, value in zip(rows[:last], counted.counts, strict=False):
                    cells[row] = value
        return counts

    @cached_property
    def counterfactual(self) -> list[bool]:
        """For each row of the rounds table whether it would not have happened."""
        flags = [False] * len(self.signals.kind)
        for rows, stop in zip(self.signals.sequences, self.stops, strict=True):
            for row in rows[stop.place :] if stop else ():
                flags[row] = True
        return flags

    @cached_property
    def paths(self) -> tuple[tuple[Transition, ...], ...]:
        """For each sequence the machine's path: empty where it stays `running`."""
        tripped = {t.row: t for t in self.trips}
        paths = []
        for rows, stop in zip(self.signals.sequences, self.stops, strict=True):
            path: tuple[Transition, ...] = ()
            if stop:
                trip = tripped[rows[stop.place]]
                path = stop_path(
                    stop.rule.event,
                    cause=trip.reason,
                    round=trip.round,
                    time=self.trace.tables["rounds"]["started"][trip.row],
                )
            paths.append(path)
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
        rows = next(r for r in self.signals.sequences if trip.row in r)
        place = rows.index(trip.row)
        return _reason(self, rows[place:], trip.rule, trip.count, trip.saved_seconds, lang)


def replay(trace: Trace, policy: Policy | str | None = None) -> Replay:
    """Replay a policy over a recorded trace.

    Parameters
    ----------
    trace
        A trace, from `agentlens.load`.
    policy
        A policy or the name of a preset; the default policy where none is given.

    Returns
    -------
    Replay
        Counts are per thread and request; what follows a trip is counterfactual.
    """
    if not isinstance(trace, Trace):
        raise TypeError(f"replay() takes a Trace, not {type(trace).__name__}; load it first")
    policy = as_policy(policy)
    signals, outcomes = run_rules(trace, policy)
    stops = tuple(first_stop(outcomes, n) for n in range(len(signals.sequences)))
    made = Replay(trace, policy, signals, outcomes, stops, ())
    trips = [
        _trip(made, rows[stop.place :], stop.rule.name, outcomes[stop.rule.name][n].counts[-1])
        for n, (rows, stop) in enumerate(zip(signals.sequences, stops, strict=True))
        if stop
    ]
    return replace(made, trips=tuple(sorted(trips, key=lambda t: (t.call, t.row))))


def _trip(made: Replay, rows: tuple[int, ...], rule: str, count: float) -> Trip:
    """Return the trip at the first of some rows, which are those that would not have happened."""
    rounds, row = made.trace.tables["rounds"], rows[0]
    saved = saved_by(made.trace, rows)
    return Trip(
        thread=rounds["thread"][row],
        request=rounds["request"][row],
        round=rounds["round"][row],
        row=row,
        call=made.trace.tables["calls"]["call"][made.trace.round_calls[row][0]],
        rule=rule,
        phase="before",
        count=count,
        threshold=threshold_of(rule, made.policy) or 0,
        reason=_reason(made, rows, rule, count, saved.seconds, "en"),
        saved_rounds=saved.rounds,
        saved_calls=saved.calls,
        saved_seconds=saved.seconds,
        saved_tokens=saved.tokens,
        saved_cost=saved.cost,
    )


def _reason(
    made: Replay, rows: tuple[int, ...], rule: str, count: float, seconds: float | None, lang: str
) -> str:
    rounds, row, signals = made.trace.tables["rounds"], rows[0], made.signals
    last = rounds["round"][max(r for r in rows if made.trace.round_calls[r])]
    if rule in BUDGET_RULES:
        limit = threshold_of(rule, made.policy) or 0
        said = incident_words(
            rounds["round"][row], Incident(BUDGET_RULES[rule], count, limit), lang
        )
        comma = "；" if lang == "zh" else "; "
        return said + comma + saving_words(rounds["round"][row], last, seconds, lang)
    if rule == "budget":
        return budget_reason(rounds["round"][row], int(count), last, seconds, lang)
    query = signals.query[row]
    mine, match = signals.queries[query], signals.queries[signals.scored.match[query]]
    return query_reason(
        round=rounds["round"][row],
        query=redact(mine.text[:BEGINNING]),  # before it is shortened: half a secret is a secret
        match_round=rounds["round"][match.row],
        match=redact(match.text[:BEGINNING]),
        num=signals.num[row],
        den=signals.den[row],
        measure=made.policy.measure,
        count=int(count),
        threshold=made.policy.threshold,
        last=last,
        seconds=seconds,
        lang=lang,
    )
