"""Runs drawn at random, to check the closed forms by another way."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from agentlens.teach.trigger_amplifier import INCIDENT_SECONDS, Loop

__all__ = ["Z99", "Estimate", "Sample", "simulate"]

#: The 99.5 % point of the normal distribution: a two-sided band of 99 %.
Z99 = 2.5758293035489004


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over runs and its band of 99 %.

    The band is Wilson's (1927) for a share and the normal one for a mean. Where all runs agree it
    has no width.
    """

    mean: float
    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        """Return whether a value lies in the band, rounding of floats apart."""
        return self.low - 1e-12 <= value <= self.high + 1e-12


@dataclass(frozen=True, slots=True)
class Sample:
    """What so many random requests came to.

    Attributes
    ----------
    runs
        How many requests were drawn.
    extra, trip
        Extra rounds and share stopped by the breaker, of those whose first search was bad.
    wasted, success, seconds
        Of all requests, as in `agentlens.teach.trigger_amplifier.Outcome`.
    worst
        The most rounds that any executed.
    """

    runs: int
    extra: Estimate
    trip: Estimate
    wasted: Estimate
    success: Estimate
    seconds: Estimate
    worst: int


def simulate(
    trigger: float,
    loop: Loop,
    runs: int = 200_000,
    *,
    seed: int = 7,
    seconds: float = INCIDENT_SECONDS,
) -> Sample:
    """Draw requests and count; nothing of the closed forms is used.

    Parameters
    ----------
    trigger
        p, the probability that the first search of a request is bad.
    loop
        The amplifier; its limit of rounds must be finite.
    runs, seed
        How many requests, and from which seed.
    seconds
        Of one round.
    """
    draw = np.random.default_rng(seed)
    bad = draw.random(runs) < trigger
    alive = np.flatnonzero(bad)
    executed = np.ones(runs, dtype=np.int64)
    streak = np.zeros(runs, dtype=np.int64)
    failed = bad.copy()
    tripped = np.zeros(runs, dtype=bool)
    for _ in range(int(loop.rounds) - 1):
        alive = alive[draw.random(alive.size) < loop.persistence]
        if not alive.size:
            break
        similar = draw.random(alive.size) < loop.detection
        streak[alive] = np.where(similar, streak[alive] + 1, 0)
        if loop.threshold is not None:
            stops = streak[alive] >= loop.threshold
            tripped[alive[stops]] = True
            alive = alive[~stops]
        executed[alive] += 1
        good = draw.random(alive.size) < loop.success
        failed[alive[good]] = False
        alive = alive[~good]
    extra = executed - 1
    wasted = extra - (bad & ~failed)  # the round that succeeded was not wasted
    return Sample(
        runs=runs,
        extra=_mean(extra[bad]),
        trip=_share(tripped[bad]),
        wasted=_mean(wasted),
        success=_share(~failed),
        seconds=_mean(executed * seconds),
        worst=int(executed.max()),
    )


def _mean(values: np.ndarray) -> Estimate:
    if not values.size:
        return Estimate(math.nan, math.nan, math.nan)
    mean = float(values.mean())
    half = Z99 * float(values.std()) / math.sqrt(values.size)
    return Estimate(mean, mean - half, mean + half)


def _share(flags: np.ndarray) -> Estimate:
    n = int(flags.size)
    if not n:
        return Estimate(math.nan, math.nan, math.nan)
    share = float(flags.mean())
    square = Z99 * Z99
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = Z99 * math.sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    return Estimate(share, max(0.0, middle - half), min(1.0, middle + half))
