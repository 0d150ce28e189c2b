"""The state machine of a run: one table of (state, event) -> state that code and docs read."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = [
    "STATES",
    "TERMINALS",
    "TRANSITIONS",
    "IllegalTransitionError",
    "Machine",
    "Transition",
    "stop_path",
]

STATES = ("running", "stalled", "waiting_human", "finalizing", "completed", "partial", "failed")

#: States that nothing leaves. `waiting_human` is resumable, so it is not among them (A-23).
TERMINALS = frozenset({"completed", "partial", "failed"})

#: The design's transitions: those that its second article gives, and those that it needs (A2).
TRANSITIONS: dict[tuple[str, str], str] = {
    ("running", "no_progress"): "stalled",
    ("stalled", "novel_plan"): "running",
    ("stalled", "replan_exhausted"): "finalizing",
    ("running", "approval_required"): "waiting_human",
    ("running", "hard_budget_hit"): "finalizing",
    ("finalizing", "partial_saved"): "partial",
    ("running", "goal_met"): "finalizing",
    ("finalizing", "result_saved"): "completed",
    ("finalizing", "nothing_usable"): "failed",
    ("running", "no_safe_path"): "failed",
    ("stalled", "approval_required"): "waiting_human",
    ("stalled", "hard_budget_hit"): "finalizing",
    ("waiting_human", "approved"): "running",
    ("waiting_human", "denied"): "finalizing",
    ("waiting_human", "timeout"): "finalizing",
    ("waiting_human", "hard_budget_hit"): "finalizing",
    ("finalizing", "write_unconfirmed"): "waiting_human",
}


class IllegalTransitionError(RuntimeError):
    """An event that the current state does not allow."""


@dataclass(frozen=True, slots=True)
class Transition:
    """One step of the machine: from where, by what, to where, why, and at which round."""

    source: str
    event: str
    target: str
    cause: str = ""
    round: int | None = None


@dataclass(slots=True)
class Machine:
    """One run of the machine; `fire` moves it and keeps the path.

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

    def fire(self, event: str, *, cause: str = "", round: int | None = None) -> str:
        """Move by an event and return the new state.

        Raises
        ------
        IllegalTransitionError
            If the state does not allow the event; the state stays as it was.
        """
        target = TRANSITIONS.get((self.state, event))
        if target is None:
            allowed = sorted(e for s, e in TRANSITIONS if s == self.state)
            listed = ", ".join(allowed) or "nothing"
            raise IllegalTransitionError(f"{self.state} allows no {event}; it allows {listed}")
        self.path.append(Transition(self.state, event, target, cause, round))
        self.state = target
        return target


#: What follows a trip under a policy that grants no replan, by the state that the trip leads to.
_FOLLOWS = {
    "stalled": ("replan_exhausted", "this policy grants no replan"),
    "finalizing": ("partial_saved", "the answer comes from what was found"),
}


def stop_path(event: str, *, cause: str = "", round: int | None = None) -> tuple[Transition, ...]:
    """Return the path of a run that a trip stops, where nothing is tried anew.

    Parameters
    ----------
    event
        The event of the trip, such as ``no_progress``.
    cause, round
        Why and where it tripped.
    """
    machine = Machine()
    machine.fire(event, cause=cause, round=round)
    while machine.state in _FOLLOWS:
        following, why = _FOLLOWS[machine.state]
        machine.fire(following, cause=why, round=round)
    return tuple(machine.path)
