"""Intervals of what is no plain share: bootstrap by cluster, restricted means, rare events."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["cluster_interval", "cluster_weights", "poisson_interval", "restricted_mean"]


def cluster_weights(
    clusters: Sequence[str], resamples: int, seed: int
) -> NDArray[np.float64]:  # fmt: skip
    """Return how often each run is drawn when clusters are drawn with replacement.

    Parameters
    ----------
    clusters
        The cluster of each run.
    resamples, seed
        How many resamples, and of what random numbers: the same seed gives the same intervals.

    Returns
    -------
    numpy.ndarray
        Shape (resamples, runs).
    """
    import numpy as np

    names, place = np.unique(np.asarray(clusters, dtype=object).astype(str), return_inverse=True)
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=resamples)
    return drawn[:, place].astype(np.float64)


def cluster_interval(
    statistic: Callable[[NDArray[np.float64]], float],
    clusters: Sequence[str],
    *,
    confidence: float,
    resamples: int = 2000,
    seed: int = 0,
) -> tuple[float, float]:
    """Return the percentile bootstrap interval of a weighted statistic (Efron 1979), by cluster.

    Parameters
    ----------
    statistic
        A function of one weight a run; not a number where it is not defined.
    clusters
        The cluster of each run: whole clusters are drawn.
    """
    import numpy as np

    if not len(clusters):
        return math.nan, math.nan
    weights = cluster_weights(clusters, resamples, seed)
    found = np.array([statistic(row) for row in weights])
    found = found[~np.isnan(found)]
    if not len(found):
        return math.nan, math.nan
    half = (1 - confidence) / 2
    low, high = np.quantile(found, [half, 1 - half])
    return float(low), float(high)


def restricted_mean(
    times: NDArray[np.float64],
    seen: NDArray[np.bool_],
    horizon: float,
    weights: NDArray[np.float64] | None = None,
) -> float:
    """Return the mean time to an event, up to a horizon (Kaplan and Meier 1958; Irwin 1949).

    Runs that end without the event are censored: they only say that it took longer. The area under
    the survival curve from 0 to the horizon; not a number without runs.

    Parameters
    ----------
    times
        When the event happened, or when the run ended without it.
    seen
        Whether it happened.
    horizon
        Up to when times are counted.
    weights
        How often each run counts.
    """
    import numpy as np

    weights = np.ones(len(times)) if weights is None else weights
    if not weights.sum():
        return math.nan
    area, alive, before = 0.0, 1.0, 0.0
    for time in np.unique(times[seen & (weights > 0) & (times < horizon)]):
        area += alive * (time - before)
        risk = weights[times >= time].sum()
        alive *= 1 - weights[(times == time) & seen].sum() / risk
        before = float(time)
    return float(area + alive * (horizon - before))


def poisson_interval(events: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return Garwood's exact two-sided interval (1936) of the mean of a Poisson count."""
    half = (1 - confidence) / 2
    low = 0.0 if not events else _mean_where(events - 1, 1 - half)
    return low, _mean_where(events, half)


def _mean_where(events: int, level: float) -> float:
    """Return the mean at which at most so many events have this probability, by bisection."""
    low, high = 0.0, 10.0 + 4.0 * events
    for _ in range(100):
        middle = (low + high) / 2
        terms = (
            math.exp(k * math.log(middle) - middle - math.lgamma(k + 1)) for k in range(events + 1)
        )
        if math.fsum(terms) > level:
            low = middle
        else:
            high = middle
    return (low + high) / 2
