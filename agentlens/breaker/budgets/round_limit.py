"""The hard budget of rounds: the backstop that most agents have, and the honest baseline."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate

from agentlens.breaker.query.classic import Counted
from agentlens.breaker.seen import Finding, SeenResult, SeenRound
from agentlens.breaker.words import budget_words

__all__ = ["RoundBudget", "count_budget"]


def count_budget(acting: Iterable[bool], max_rounds: int | None) -> Counted:
    """Count the executed rounds of one request against a budget (``>=``).

    Parameters
    ----------
    acting
        For each round, oldest first, whether it calls a tool; others cost nothing.
    max_rounds
        How many may be executed; None for no budget.

    Returns
    -------
    Counted
        Rounds used before each round, and the place of the first that the budget forbids.
    """
    acts = list(acting)
    counts = list(accumulate(acts, initial=0))[:-1]
    if max_rounds is not None:
        for place in range(bisect_left(counts, max_rounds), len(counts)):
            if acts[place]:
                return Counted(counts[: place + 1], place)
    return Counted(counts, None)


class RoundBudget:
    """The same rule as a `Stepper`: `count` is the rounds used before the latest one."""

    def __init__(self, max_rounds: int):
        self._limit = max_rounds
        self._used = 0
        self.count = 0

    def before(self, seen: SeenRound) -> Finding | None:
        """Stop a round that calls tools once the budget is used up."""
        self.count = self._used
        if not seen.calls:
            return None
        if self._used >= self._limit:
            reason = budget_words(seen.round, self._used)
            return Finding("budget", "stop", self._used, self._limit, reason)
        self._used += 1
        return None

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> Finding | None:  # noqa: ARG002
        """Say nothing: what a round brings is free."""
        return None
