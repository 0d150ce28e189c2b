"""Intervals and exact tests for shares of runs, in plain Python.

Wilson's interval is for pictures, Clopper and Pearson's for claims: its coverage is never below
what it says. Sources: Wilson 1927; Clopper and Pearson 1934; Brown, Cai and DasGupta 2001.
"""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

__all__ = ["at_most", "binomial_tail", "mcnemar", "runs_needed", "wilson"]


def binomial_tail(most: int, runs: int, share: float) -> float:
    """Return P(X <= most) for X ~ Binomial(runs, share).

    Raises
    ------
    ValueError
        If there are no such runs, or the share is not within [0, 1].
    """
    if runs < 0 or not 0 <= share <= 1:
        raise ValueError(f"no binomial distribution: {runs} runs, share {share}")
    if most < 0:
        return 0.0
    if most >= runs or share == 0:
        return 1.0
    if share == 1:
        return 0.0
    if most > runs * share:  # sum the shorter and smaller tail: nothing is lost to rounding
        return 1.0 - math.fsum(_terms(most + 1, runs, runs, share))
    return math.fsum(_terms(0, most, runs, share))


def _terms(first: int, last: int, runs: int, share: float) -> list[float]:
    log_p, log_q, whole = math.log(share), math.log1p(-share), math.lgamma(runs + 1)
    return [
        math.exp(
            whole
            - math.lgamma(k + 1)
            - math.lgamma(runs - k + 1)
            + k * log_p
            + (runs - k) * log_q
        )
        for k in range(first, last + 1)
    ]  # fmt: skip


def wilson(hits: int, runs: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's two-sided interval of a share; (0, 1) where there are no runs."""
    _check(hits, runs, confidence)
    if not runs:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, scale = hits / runs, 1 + z * z / runs
    middle = (share + z * z / (2 * runs)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / runs + z * z / (4 * runs * runs))
    low = 0.0 if not hits else max(0.0, middle - half)
    return low, 1.0 if hits == runs else min(1.0, middle + half)


def at_most(hits: int, runs: int, confidence: float = 0.95) -> float:
    """Return Clopper and Pearson's one-sided upper bound of a share; 1 where there are no runs."""
    _check(hits, runs, confidence)
    return 1.0 if hits == runs else _solve(hits, runs, 1 - confidence)


def _solve(hits: int, runs: int, level: float) -> float:
    """Return the share at which so few hits have this probability, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(80):
        middle = (low + high) / 2
        if binomial_tail(hits, runs, middle) > level:
            low = middle
        else:
            high = middle
    return (low + high) / 2


@cache
def runs_needed(share: float, confidence: float, hits: int = 0) -> int:
    """Return how many runs show that a share is at most `share`, where so many of them are hit.

    The smallest n with P(Binomial(n, share) <= hits) <= 1 - confidence: 45 for a share of 5 %
    at 90 % without a hit, 59 at 95 %.

    Raises
    ------
    ValueError
        If `share` or `confidence` is not within (0, 1).
    """
    if not 0 < share < 1 or not 0 < confidence < 1:
        raise ValueError(f"share {share} and confidence {confidence} are not both within (0, 1)")
    level, high = 1 - confidence, max(1, hits + 1)
    while binomial_tail(hits, high, share) > level:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if binomial_tail(hits, middle, share) > level:
            low = middle
        else:
            high = middle
    return high


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the exact two-sided p-value that two policies stop equally many of the same runs.

    Parameters
    ----------
    only_first, only_second
        Runs that only the first, or only the second of them stops.
    """
    runs = only_first + only_second
    return min(1.0, 2 * binomial_tail(min(only_first, only_second), runs, 0.5)) if runs else 1.0


def _check(hits: int, runs: int, confidence: float) -> None:
    if not 0 <= hits <= runs or not 0 < confidence < 1:
        raise ValueError(f"{hits} of {runs} runs at confidence {confidence}: no such share")
