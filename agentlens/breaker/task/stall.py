"""Stall: rounds that bring a task no nearer to its goal, by the goal's own measures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentlens.breaker.seen import Finding, SeenResult, SeenRound
from agentlens.breaker.task.goal import Goal
from agentlens.breaker.task.side_effects import hash_of

__all__ = ["STALL_ROUNDS", "Answers", "Stall"]

#: So many rounds without an answer that is yes are a stall (“three rounds in a row”).
STALL_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Answers:
    """The three questions that are asked of every round (A2).

    Attributes
    ----------
    fact
        Is there a fact or an artefact more that a completion condition needs?
    blocker
        Is a known blocker gone for the first time?
    state
        Is the outside world in a state that it was not seen in before?
    """

    fact: bool
    blocker: bool
    state: bool

    @property
    def moved(self) -> bool:
        """True if any answer is yes."""
        return self.fact or self.blocker or self.state


class Stall:
    """The rule as a `Stepper`: it asks after every round, and stops after too many noes.

    Every measure is held against its best so far, so that losing ground and winning it back is
    no progress. What it cannot see: progress that the goal does not measure. With a goal
    without conditions, blockers and states, it says nothing.

    Parameters
    ----------
    goal
        Whose conditions measure progress.
    facts
        Gives the facts as they are now. ``blockers`` among them holds names of what is in the
        way, ``state`` any JSON value that stands for the outside world.
    rounds
        How many rounds without progress are a stall.
    waits
        Says whether the latest round only waited for something that still runs: such a round is
        neither progress nor a lack of it.

    Examples
    --------
    >>> from agentlens.breaker.task.goal import filled
    >>> known = {"evidence": {}}
    >>> rule = Stall(Goal((filled("price"),)), lambda: known)
    >>> rule.ask().moved, rule.ask().moved, rule.count
    (False, False, 2)
    >>> known["evidence"]["price"] = 3
    >>> rule.ask().moved, rule.count
    (True, 0)
    """

    def __init__(
        self,
        goal: Goal,
        facts: Callable[[], Mapping[str, Any]],
        rounds: int = STALL_ROUNDS,
        waits: Callable[[], bool] = lambda: False,
    ) -> None:
        self.goal, self.rounds, self.count = goal, rounds, 0
        self.answers: list[Answers] = []
        self._facts, self._waits = facts, waits
        now = facts()
        self._best = goal.progress(now)
        self._blockers, self._gone = _names(now), set[str]()
        self._states = {hash_of(now.get("state"))}

    def ask(self) -> Answers:
        """Ask the three questions of the facts as they are now, and count."""
        now = self._facts()
        values = self.goal.progress(now)
        fact = any(value > self._best[name] for name, value in values.items())
        self._best = {name: max(value, self._best[name]) for name, value in values.items()}
        blockers = _names(now)
        gone = self._blockers - blockers - self._gone
        self._gone |= gone
        self._blockers = blockers
        state = hash_of(now.get("state"))
        answers = Answers(fact, bool(gone), state not in self._states)
        self._states.add(state)
        self.answers.append(answers)
        self.count = 0 if answers.moved else self.count + 1
        return answers

    def before(self, seen: SeenRound) -> Finding | None:  # noqa: ARG002
        """Say nothing: what a round brings is not known before it runs."""
        return None

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> Finding | None:  # noqa: ARG002
        """Ask of a round that ran; a round without calls is none."""
        if not seen.calls:
            return None
        count = self.count
        if not self.ask().moved and self._waits():
            self.count = count
        if self.count < self.rounds or not (self.goal.conditions or self._seen_anything):
            return None
        missing = ", ".join(self.goal.judge(self._facts()).missing) or "its goal"
        reason = f"round {seen.round}: {self.count} rounds brought nothing towards {missing}"
        numbers = tuple(call.number for call in seen.calls)
        return Finding("stall", "stop", self.count, self.rounds, reason, numbers)

    @property
    def _seen_anything(self) -> bool:
        return len(self._states) > 1 or bool(self._blockers or self._gone)


def _names(facts: Mapping[str, Any]) -> set[str]:
    found: Iterable[Any] = facts.get("blockers") or ()
    return {str(name) for name in found}
