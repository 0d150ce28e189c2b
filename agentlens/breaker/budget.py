"""The hard budget of rounds: the backstop that most agents have, and the honest baseline."""

from __future__ import annotations

from collections.abc import Iterable

from agentlens.breaker.classic import Counted

__all__ = ["count_budget"]


def count_budget(acting: Iterable[bool], max_rounds: int | None) -> Counted:
    """Count the executed rounds of one request against a budget (R32: ``>=``).

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
    counts: list[int] = []
    used = 0
    for place, acts in enumerate(acting):
        counts.append(used)
        if acts and max_rounds is not None and used >= max_rounds:
            return Counted(counts, place)
        used += acts
    return Counted(counts, None)
