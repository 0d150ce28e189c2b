"""Replay: a policy over a recorded trace: where it would have tripped, and every count before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from agentlens.breaker.families.outcomes import Outcome, spoken_of
from agentlens.breaker.families.recorded import Spoken
from agentlens.breaker.machine import Transition, stop_path
from agentlens.breaker.policy import Policy, as_policy
from agentlens.breaker.query.signals import QuerySignals
from agentlens.breaker.rules import Stop, first_stop, rule_of, run_rules
from agentlens.breaker.trip import Trip
from agentlens.breaker.trips import finding_at, reason_of, trip_of
from agentlens.trace.model import Trace

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
    outcomes: Mapping[str, tuple[Outcome, ...]]
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
        """``loop`` if a no-progress rule tripped; else ``waiting`` if the waiting rule spoke.

        Else ``progress``: a budget alone is no loop.
        """
        if any(rule_of(t.rule, self.policy).means_loop for t in self.trips):
            return "loop"
        gone = self.counterfactual
        waits = any(s.finding.level == "wait" and not gone[s.row] for s in self.spoken)
        return "waiting" if waits else "progress"

    @property
    def spoken(self) -> tuple[Spoken, ...]:
        """Everything that the policy's own rules say of the trace, warnings and waits included.

        Of each rule and sequence the first is a fact; what follows it is counterfactual.
        """
        return spoken_of(self.trace, self.policy)

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
            for row in rows[stop.cut :] if stop else ():
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

    @property
    def near_misses(self) -> pd.DataFrame:
        """What broke a streak of the policy's own rules just before they would have spoken.

        One row each: thread, request, round (where it first broke), rule, broke, count (the
        rule's own), would_count, would_round, level, threshold, reason. `broke` names what it
        was: ``key_order``, ``volatile_argument``, ``thought``, ``volatile_result``, ``think``,
        ``message``, ``window``, ``early``, ``result``. Rounds that would not have happened have
        none. See `agentlens.breaker.near.misses.NearMiss`.
        """
        from agentlens.breaker.near.frames import near_frame

        return near_frame(self)

    @property
    def advice(self) -> pd.DataFrame:
        """Warnings that the log itself shows, and how long each was ignored; of no policy.

        One row each: thread, request, round, tool, said, ignored (later rounds that made the same
        call before one did something else), warnings, next_round (missing where nothing else was
        done). See `agentlens.breaker.near.advice.advice_of`.
        """
        from agentlens.breaker.near.frames import advice_frame

        return advice_frame(self)

    def to_dict(self, *, redact: bool = True) -> dict[str, Any]:
        """Return what `agentlens replay --json` prints; secrets masked unless told otherwise.

        Parameters
        ----------
        redact
            Whether secrets are masked.
        """
        from agentlens.breaker.tables import as_dict

        return as_dict(self, redact=redact)

    def said_at(self, trip: Trip) -> str:
        """Return what a rule of a family found at its trip, alone; empty for other rules.

        Parameters
        ----------
        trip
            One of this replay's trips.
        """
        found = finding_at(self, trip.row, trip.rule)
        return found[1].reason if found else ""

    def explain(self, trip: Trip | None = None, *, lang: str = "en") -> str:
        """Say in words why a trip (the earliest) happened; empty without one.

        Parameters
        ----------
        trip
            One of `trips`; by default the earliest.
        lang
            ``en`` or ``zh``.
        """
        trip = trip or self.trip
        if trip is None:
            return ""
        rows = next(r for r in self.signals.sequences if trip.row in r)
        place = rows.index(trip.row)
        return reason_of(self, rows[place:], trip.rule, trip.count, trip.saved_seconds, lang)


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

    Raises
    ------
    TypeError
        If it is no trace.
    PolicyError
        If there is no such policy.
    """
    if not isinstance(trace, Trace):
        raise TypeError(f"replay() takes a Trace, not {type(trace).__name__}; load it first")
    policy = as_policy(policy)
    signals, outcomes = run_rules(trace, policy)
    stops = tuple(first_stop(outcomes, n, policy) for n in range(len(signals.sequences)))
    made = Replay(trace, policy, signals, outcomes, stops, ())
    trips = [
        trip_of(made, rows[stop.place :], stop, outcomes[stop.rule.name][n])
        for n, (rows, stop) in enumerate(zip(signals.sequences, stops, strict=True))
        if stop
    ]
    return replace(made, trips=tuple(sorted(trips, key=lambda t: (t.call, t.row))))
