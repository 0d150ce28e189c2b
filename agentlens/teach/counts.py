"""Counting laws of the rule itself: runs of similar steps, allowed misses, what a ratio gives.

The probability of a run of k among n trials is the classical recursion (Feller, An Introduction to
Probability Theory and Its Applications, volume 1, chapter XIII.7).
"""

from __future__ import annotations

import math
from fractions import Fraction

__all__ = ["allowed_misses", "false_stop", "measures_of_expansion", "promised"]


def false_stop(searches: int, detection: float, threshold: int) -> float:
    """Return P(a run of `threshold` similar steps) in an honest session of so many searches.

    Its `searches` − 1 steps are similar independently, each with probability `detection`.

    Examples
    --------
    >>> round(false_stop(5, 0.365, 2), 3)
    0.302
    """
    going, state = 1.0, [1.0] + [0.0] * (threshold - 1)
    for _ in range(searches - 1):
        state = [going * (1 - detection), *(mass * detection for mass in state[:-1])]
        going = sum(state)
    return 1 - going


def allowed_misses(tokens: int, similarity: Fraction) -> int:
    """Return how many of the smaller query's tokens may be missing: ⌊m (1 − s)⌋, exactly."""
    return math.floor(tokens * (1 - similarity))


def measures_of_expansion(containment: float, ratio: float) -> dict[str, float]:
    """Return the measures of two sets from their containment C and ratio of sizes ρ ≥ 1.

    J = C / (1 + ρ − C), Dice = 2 C / (1 + ρ), cosine = C / √ρ: for a pure expansion (C = 1)
    Jaccard is 1 / ρ, so at 0.8 it forbids more than a quarter of new tokens.
    """
    return {
        "containment": containment,
        "jaccard": containment / (1 + ratio - containment),
        "dice": 2 * containment / (1 + ratio),
        "cosine": containment / math.sqrt(ratio),
    }


def promised(good: int, stopped: int, limit: float, confidence: float = 0.95) -> bool:
    """Return whether so few false stops among so many good runs promise a limit.

    They do if a true rate of `limit` would show so few with a probability of at most
    1 − `confidence`: the exact one-sided test, whose bound is that of Clopper and Pearson
    (Biometrika 26, 1934).

    Examples
    --------
    >>> promised(59, 0, 0.05), promised(58, 0, 0.05)
    (True, False)
    """
    few = sum(
        math.comb(good, i) * limit**i * (1 - limit) ** (good - i)
        for i in range(min(stopped, good) + 1)
    )
    return few <= 1 - confidence + 1e-12
