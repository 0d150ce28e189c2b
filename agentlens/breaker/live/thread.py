"""Where one thread of a live run stands: its request, its round, the rules at work on it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from agentlens.breaker.live.closing import FORCED
from agentlens.breaker.live.decision import Decision
from agentlens.breaker.machine import Machine, Transition
from agentlens.breaker.seen import Finding, SeenRound, Stepper

__all__ = ["GuardThread", "LiveSequence", "OpenRound", "forced"]


@dataclass(slots=True)
class LiveSequence:
    """Rounds that are counted together: the rules at work on them, and where they stopped.

    Attributes
    ----------
    stopped
        The stop that everything after it repeats; in shadow, the one that enforcing had made.
    """

    rules: list[Stepper]
    machine: Machine
    stopped: Decision | None = None

    def ask(
        self,
        question: Callable[[Stepper], Finding | None],
        fault: Callable[[str, Exception], None],
    ) -> list[Finding]:
        """Ask every rule; one that fails says nothing, and the others are asked all the same."""
        found = []
        for rule in self.rules:
            try:
                finding = question(rule)
            except Exception as error:
                fault(type(rule).__name__, error)
                continue
            if finding is not None:
                found.append(finding)
        return found

    def move(self, event: str, round: int) -> list[Transition]:
        """Move the machine by the stop and return its steps; a guard alone grants no replan."""
        if self.stopped is None or self.machine.state != "running":
            return []
        known = len(self.machine.path)
        self.machine.fire(event, cause=self.stopped.reason, round=round)
        if self.machine.state == "stalled":
            cause = "no replan is granted"
            self.machine.fire("replan_exhausted", cause=cause, round=round)
        return self.machine.path[known:]


@dataclass(frozen=True, slots=True)
class OpenRound:
    """A round that has no results yet, or, where it was stopped, has none at all."""

    seen: SeenRound
    blocked: tuple[int, ...]
    time: float | None
    stopped: bool = False


@dataclass(slots=True)
class GuardThread:
    """One thread of a run.

    Attributes
    ----------
    name, group
        Its name, and for a sub-agent the history of the run that started it.
    request, round
        Numbers of the latest ones; 0 before the first.
    asked
        True until the next round starts a request.
    sequence
        The rules at work, or None before the first round of a request.
    open
        The round whose results are awaited.
    events
        Kinds of the events since the latest round.
    """

    name: str
    group: Hashable = None
    request: int = 0
    round: int = 0
    asked: bool = True
    sequence: LiveSequence | None = None
    open: OpenRound | None = None
    events: list[str] = field(default_factory=list)


def forced(calls: int) -> Decision:
    """Return the decision that an operator asked for."""
    reason = "the operator asked to stop"
    return Decision("stop", True, reason, tuple(range(calls)), "stop", FORCED)
