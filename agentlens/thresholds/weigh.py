"""What a stop is worth: utility in production, the front of sensible settings, stability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentlens.thresholds.guarantee import safe_settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["break_even", "front_of", "precision", "selection", "utility"]


def utility(
    detected: float, saved: float, false: float, *, prevalence: float, value: float,
    finalizer: float = 1.0,
) -> float:  # fmt: skip
    """Return what a setting gains a run of production, in rounds.

    π·E[saved | loop] - (1 - π)·V·FTR - c·P(stop): what loops save, less the value of good runs
    that are lost, less what finalizers cost.

    Parameters
    ----------
    detected, false
        Share of loops and of good runs that are stopped.
    saved
        Mean rounds saved in a loop (0 for one that is not stopped).
    prevalence
        Share of loops in production, which is not their share among labelled runs.
    value
        What a good run is worth, in rounds.
    finalizer
        What it costs to end a stopped run in order, in rounds.
    """
    stopped = prevalence * detected + (1 - prevalence) * false
    return prevalence * saved - (1 - prevalence) * value * false - finalizer * stopped


def precision(detected: float, false: float, prevalence: float) -> float:
    """Return the share of stops that are of loops; not a number where nothing is stopped."""
    true = prevalence * detected
    both = true + (1 - prevalence) * false
    return true / both if both else float("nan")


def break_even(value: float, saving: float) -> float:
    """Return the precision from which on a stop pays: V / (V + S).

    Parameters
    ----------
    value
        What is lost by a false stop.
    saving
        What is saved by a true one.
    """
    return value / (value + saving)


def front_of(bounds: Sequence[float], wasted: Sequence[float]) -> list[bool]:
    """Return which settings no other one beats in both: lower bound, fewer wasted rounds."""
    pairs = list(zip(bounds, wasted, strict=True))
    return [not any(b <= x and w <= y and (b, w) != (x, y) for b, w in pairs) for x, y in pairs]


def selection(
    good: NDArray[np.int64], loops: NDArray[np.int64], saved: NDArray[np.int64],
    walks: Sequence[int], share: float, level: float, method: str, *, resamples: int, seed: int,
) -> list[float]:  # fmt: skip
    """Return how often each setting would be chosen, were the tasks drawn anew.

    Parameters
    ----------
    good, loops, saved
        From `Stops.arrays`.
    walks
        How many settings each walk has.
    share, level, method
        As for `agentlens.thresholds.guarantee.safe_settings`.
    resamples, seed
        Of the bootstrap: good tasks and loop tasks are drawn apart, each as many as there are.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    chosen = np.zeros(good.shape[1])
    if not len(good) or not resamples:
        return [0.0] * good.shape[1]

    def drawn(hits: NDArray[np.int64]) -> NDArray[np.int64]:
        n = len(hits)
        if not n:
            return np.zeros((resamples, hits.shape[1]), dtype=np.int64)
        return np.asarray(rng.multinomial(n, np.full(n, 1 / n), size=resamples) @ hits)

    # Of so many good tasks as many hits as this are still safe: one test stands for all resamples.
    allowed = -1
    while allowed < len(good) and safe_settings([allowed + 1], len(good), share, level, method):
        allowed += 1
    holds = drawn(good) <= allowed
    found, rounds = drawn(loops), drawn(saved)
    safe = np.zeros_like(holds)
    start = 0
    for size in walks:
        part = slice(start, start + size)
        safe[:, part] = np.logical_and.accumulate(holds[:, part], axis=1)
        start += size
    rank = np.where(safe, found * (rounds.max(initial=0) + 1.0) + rounds, -1.0)
    best = rank.argmax(axis=1)
    for place in best[rank[np.arange(len(best)), best] >= 0]:
        chosen[place] += 1
    shares: list[float] = (chosen / resamples).tolist()
    return shares
