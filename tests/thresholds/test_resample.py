"""Intervals against scipy and against the definitions, written down slowly."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy import stats

from agentlens.thresholds.resample import (
    cluster_interval,
    cluster_weights,
    poisson_interval,
    restricted_mean,
)


@pytest.mark.parametrize("events", [0, 1, 2, 7, 40])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_garwood_is_that_of_chi_square(events: int, confidence: float):
    half = (1 - confidence) / 2
    low, high = poisson_interval(events, confidence)
    assert low == pytest.approx(stats.chi2.ppf(half, 2 * events) / 2 if events else 0, abs=1e-9)
    assert high == pytest.approx(stats.chi2.ppf(1 - half, 2 * events + 2) / 2, rel=1e-9)


def test_no_event_in_a_hundred_runs_is_the_rule_of_three():
    assert poisson_interval(0, 0.9)[1] == pytest.approx(2.9957, abs=1e-4)


def slow_mean(times, seen, horizon):
    """Return the area under Kaplan and Meier's curve, unit step by unit step (whole times)."""
    alive, area = 1.0, 0.0
    for t in range(horizon):
        risk = sum(x >= t for x in times)
        died = sum(x == t and s for x, s in zip(times, seen, strict=True))
        alive *= 1 - died / risk if risk else 1
        area += alive
    return area


def test_the_restricted_mean_is_the_area_under_the_curve():
    rng = random.Random(4)
    for _ in range(200):
        n = rng.randint(1, 12)
        times = [rng.randint(0, 9) for _ in range(n)]
        seen = [rng.random() < 0.6 for _ in range(n)]
        got = restricted_mean(np.array(times, float), np.array(seen), 8.0)
        assert got == pytest.approx(slow_mean(times, seen, 8))


def test_without_censoring_it_is_the_mean():
    times = np.array([1.0, 4.0, 7.0])
    assert restricted_mean(times, np.array([True] * 3), 7.0) == pytest.approx(4.0)


def test_weights_count_runs_again():
    times, seen = np.array([1.0, 5.0, 3.0]), np.array([True, True, False])
    again = restricted_mean(times.repeat([2, 1, 3]), seen.repeat([2, 1, 3]), 5.0)
    assert restricted_mean(times, seen, 5.0, np.array([2.0, 1, 3])) == pytest.approx(again)


def test_clusters_are_drawn_whole_and_the_same_for_a_seed():
    weights = cluster_weights(["a", "b", "a", "c"], 50, 3)
    assert weights.shape == (50, 4)
    assert (weights[:, 0] == weights[:, 2]).all()
    assert (weights[:, [0, 1, 3]].sum(axis=1) == 3).all()
    assert (weights == cluster_weights(["a", "b", "a", "c"], 50, 3)).all()


def test_one_cluster_has_no_spread_and_many_have_the_spread_of_a_mean():
    values = np.arange(200.0) % 7

    def mean(w):
        return float(w @ values / w.sum())

    low, high = cluster_interval(mean, ["one"] * 200, confidence=0.95)
    assert low == pytest.approx(high)
    low, high = cluster_interval(mean, [str(i) for i in range(200)], confidence=0.95)
    half = 1.96 * values.std() / 200**0.5
    assert (high - low) / 2 == pytest.approx(half, rel=0.1)
