"""How a run ended, for whoever watches many: four causes that a single alarm would mix."""

from __future__ import annotations

from collections.abc import Sequence

from agentlens.breaker.machine import Transition

__all__ = ["ENDINGS", "ending_of", "overdue"]

#: What each class means.
ENDINGS = {
    "completed": "it met its completion conditions",
    "budget": "a budget was used up",
    "repeated": "it made no progress, or repeated itself",
    "human": "it waits for a person, or a person did not allow it",
    "unsafe": "there was no safe way on",
    "running": "it has not ended",
}

_CLASS = {
    "goal_met": "completed",
    "hard_budget_hit": "budget",
    "no_progress": "repeated",
    "replan_exhausted": "repeated",
    "approval_required": "human",
    "denied": "human",
    "timeout": "human",
    "write_unconfirmed": "human",
    "no_safe_path": "unsafe",
}


def ending_of(path: Sequence[Transition]) -> str:
    """Return the class of a run's end, one of `ENDINGS`.

    It is decided by what led to the finalizer, not by what the finalizer made of it. While it
    waits for a person, it is ``human``.

    Examples
    --------
    >>> from agentlens.breaker.machine import stop_path
    >>> ending_of(stop_path("no_progress")), ending_of(stop_path("hard_budget_hit")), ending_of(())
    ('repeated', 'budget', 'running')
    """
    found = "running"
    for step in path:
        if step.target == "running":
            found = "running"
        elif step.event in _CLASS and (step.source != "finalizing" or found == "running"):
            found = _CLASS[step.event]
        if step.target == "waiting_human":
            found = "human"
    return found


def overdue(path: Sequence[Transition], now: float, patience: float) -> bool:
    """Say whether a run has waited for a person for as long as it should, or longer.

    Then the machine's event is ``timeout``: nobody answers for ever, and a run that waits must
    end too.

    Parameters
    ----------
    path
        The machine's transitions.
    now, patience
        Seconds since the epoch, and how many it may wait.
    """
    if not path or path[-1].target != "waiting_human" or path[-1].time is None:
        return False
    return now - path[-1].time >= patience
