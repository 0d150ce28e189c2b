"""The state machine of a run: one table that the code, the docs and the drawing read."""

from __future__ import annotations

import time as _time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock

__all__ = [
    "EVENTS",
    "STATES",
    "TABLE",
    "TERMINALS",
    "Arc",
    "IllegalTransitionError",
    "Machine",
    "Refusal",
    "Transition",
    "arcs_of",
    "stop_path",
]

STATES = ("running", "stalled", "waiting_human", "finalizing", "completed", "partial", "failed")

#: States that nothing leaves. `waiting_human` is resumable, so it is not among them.
TERMINALS = frozenset({"completed", "partial", "failed"})

#: What each event says; the cause of a transition that is given none.
EVENTS: Mapping[str, str] = {
    "no_progress": "a rule found no progress",
    "novel_plan": "a plan that differs in substance was found",
    "replan_exhausted": "no replan is left, or it was not new",
    "approval_required": "a person must allow it or choose",
    "hard_budget_hit": "what the main loop may use is used up",
    "partial_saved": "what was found so far is saved, and what is missing is named",
    "goal_met": "every completion condition holds",
    "result_saved": "the result and its evidence are saved",
    "nothing_usable": "nothing that can be used was found",
    "no_safe_path": "there is no safe way on",
    "approved": "a person allowed it: the same task goes on",
    "denied": "a person did not allow it",
    "timeout": "no person answered in time",
    "finalizer_budget_hit": "the finalizer used up its reserve",
    "write_unconfirmed": "whether a write took effect is unknown: a person must look",
}


@dataclass(frozen=True, slots=True)
class Arc:
    """One row of the table.

    Attributes
    ----------
    source, event, target
        From where, by what, to where.
    given
        True where the design's article gives it, False where the design needs it besides (A2).
    usable
        For an event with two targets: which of them it leads to, depending on whether anything
        usable was found. None where the event has one target.
    """

    source: str
    event: str
    target: str
    given: bool = False
    usable: bool | None = None


#: Every legal transition (A2).
TABLE: tuple[Arc, ...] = (
    Arc("running", "no_progress", "stalled", given=True),
    Arc("stalled", "novel_plan", "running", given=True),
    Arc("stalled", "replan_exhausted", "finalizing", given=True),
    Arc("running", "approval_required", "waiting_human", given=True),
    Arc("running", "hard_budget_hit", "finalizing", given=True),
    Arc("finalizing", "partial_saved", "partial", given=True),
    Arc("running", "goal_met", "finalizing"),
    Arc("finalizing", "result_saved", "completed"),
    Arc("finalizing", "nothing_usable", "failed"),
    Arc("running", "no_safe_path", "failed"),
    Arc("stalled", "approval_required", "waiting_human"),
    Arc("stalled", "hard_budget_hit", "finalizing"),
    Arc("waiting_human", "approved", "running"),
    Arc("waiting_human", "denied", "finalizing"),
    Arc("waiting_human", "timeout", "finalizing"),
    Arc("waiting_human", "hard_budget_hit", "finalizing"),
    Arc("finalizing", "write_unconfirmed", "waiting_human"),
    Arc("finalizing", "finalizer_budget_hit", "partial", usable=True),
    Arc("finalizing", "finalizer_budget_hit", "failed", usable=False),
)

_BY: dict[tuple[str, str], tuple[Arc, ...]] = {}
for _arc in TABLE:
    _BY[_arc.source, _arc.event] = (*_BY.get((_arc.source, _arc.event), ()), _arc)


def arcs_of(source: str, event: str | None = None) -> tuple[Arc, ...]:
    """Return the rows of the table that leave a state, by one event or by any."""
    if event is not None:
        return _BY.get((source, event), ())
    return tuple(arc for arc in TABLE if arc.source == source)


class IllegalTransitionError(RuntimeError):
    """An event that the current state does not allow."""


@dataclass(frozen=True, slots=True)
class Transition:
    """One step of the machine: from where, by what, to where, why, at which round and when.

    `time` is in seconds since the epoch, None where a log does not say.
    """

    source: str
    event: str
    target: str
    cause: str = ""
    round: int | None = None
    time: float | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """An event that was refused, kept for whoever reads the run."""

    source: str
    event: str
    cause: str
    round: int | None
    time: float | None


@dataclass(slots=True)
class Machine:
    """One run of the machine; `fire` moves it and keeps the path. Threads may share it.

    Attributes
    ----------
    state
        Where it is.
    path
        Every transition, oldest first.
    refused
        Every event that a state did not allow.
    clock
        Gives the time of a transition that is told none, in seconds since the epoch.

    Examples
    --------
    >>> machine = Machine()
    >>> machine.fire("no_progress", round=3)
    'stalled'
    >>> machine.fire("goal_met")
    Traceback (most recent call last):
        ...
    agentlens.breaker.machine.IllegalTransitionError: stalled allows no goal_met; it allows \
approval_required, hard_budget_hit, novel_plan, replan_exhausted
    """

    state: str = "running"
    path: list[Transition] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    clock: Callable[[], float | None] = field(default=_time.time, repr=False, compare=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    @property
    def ended(self) -> bool:
        """True in a state that nothing leaves."""
        return self.state in TERMINALS

    def fire(
        self,
        event: str,
        *,
        cause: str = "",
        round: int | None = None,
        time: float | None = None,
        usable: bool | None = None,
    ) -> str:
        """Move by an event and return the new state.

        Parameters
        ----------
        event
            One of `EVENTS`.
        cause
            Why; what the event says of itself where nothing is told.
        round, time
            Where and when; the clock's time where none is told.
        usable
            Whether anything usable was found, for the one event whose target depends on it.

        Raises
        ------
        IllegalTransitionError
            If the state does not allow the event, or `usable` is needed and was not told. The
            state stays as it was, and the event is kept in `refused`.
        """
        with self._lock:
            if time is None:
                time = self.clock()
            cause = cause or EVENTS.get(event, "")
            arcs = _BY.get((self.state, event), ())
            arc = next((a for a in arcs if a.usable is None or a.usable is usable), None)
            if arc is None:
                self.refused.append(Refusal(self.state, event, cause, round, time))
                raise IllegalTransitionError(_refusal(self.state, event, arcs))
            self.path.append(Transition(self.state, event, arc.target, cause, round, time))
            self.state = arc.target
            return arc.target


def _refusal(state: str, event: str, arcs: tuple[Arc, ...]) -> str:
    if arcs:
        targets = " or ".join(arc.target for arc in arcs)
        return f"{event} leads from {state} to {targets}: say whether anything is usable"
    listed = ", ".join(sorted({arc.event for arc in arcs_of(state)})) or "nothing"
    return f"{state} allows no {event}; it allows {listed}"


#: What follows a trip under a policy that grants no replan, by the state that the trip leads to.
_FOLLOWS = {
    "stalled": ("replan_exhausted", "this policy grants no replan"),
    "finalizing": ("partial_saved", "the answer comes from what was found"),
}


def stop_path(
    event: str, *, cause: str = "", round: int | None = None, time: float | None = None
) -> tuple[Transition, ...]:
    """Return the path of a run that a trip stops, where nothing is tried anew.

    Parameters
    ----------
    event
        The event of the trip, such as ``no_progress``.
    cause, round, time
        Why, where and when it tripped; a time that is not told stays unknown.
    """
    machine = Machine(clock=lambda: time)
    machine.fire(event, cause=cause, round=round)
    while machine.state in _FOLLOWS:
        following, why = _FOLLOWS[machine.state]
        machine.fire(following, cause=why, round=round)
    return tuple(machine.path)
