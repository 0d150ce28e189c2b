"""Utility, precision, the front and stability, against worked figures and slow definitions."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from scipy import stats

from agentlens.thresholds.guarantee import safe_settings
from agentlens.thresholds.weigh import break_even, front_of, precision, selection, utility


def test_few_loops_in_production_make_most_stops_false():
    # 5 % loops, 86 % of them stopped, 5 % of good runs stopped: 47.5 % of stops are right.
    assert precision(0.86, 0.05, 0.05) == pytest.approx(0.475, abs=5e-4)
    assert math.isnan(precision(0, 0, 0.5))


def test_a_stop_pays_from_the_break_even_on():
    value, saving, detected, false = 30.0, 10.0, 0.8, 0.1
    assert break_even(value, saving) == 0.75
    # The prevalence at which precision is the break-even is where the utility is nothing.
    odds = 0.75 * false / (0.25 * detected)
    prevalence = odds / (1 + odds)
    assert precision(detected, false, prevalence) == pytest.approx(0.75)
    gain = utility(detected, detected * saving, false, prevalence=prevalence, value=value,
                   finalizer=0)  # fmt: skip
    assert gain == pytest.approx(0)


def test_the_front_holds_what_nothing_beats():
    assert front_of([0.1, 0.1, 0.2, 0.3], [50, 40, 40, 10]) == [False, True, False, True]
    assert front_of([0.1, 0.1], [5, 5]) == [True, True], "equal ones do not beat each other"


def test_selection_is_the_share_of_resamples():
    """The fast count against choosing anew in each resample."""
    rng = np.random.default_rng(3)
    cuts = np.linspace(0.95, 0.4, 12)
    good = (rng.beta(2, 4, 80)[:, None] >= cuts).astype(np.int64)
    loops = (rng.beta(5, 2, 30)[:, None] >= cuts).astype(np.int64)
    saved = loops * rng.integers(1, 9, (30, 1))
    got = selection(good, loops, saved, [12], 0.05, 0.1, "ltt", resamples=150, seed=5)
    again = np.random.default_rng(5)
    good_drawn = again.multinomial(80, np.full(80, 1 / 80), size=150) @ good
    loops_drawn = again.multinomial(30, np.full(30, 1 / 30), size=150)
    saved_drawn = again.multinomial(30, np.full(30, 1 / 30), size=150) @ saved
    counts = [0] * 12
    for hits, found, rounds in zip(good_drawn, loops_drawn @ loops, saved_drawn, strict=True):
        safe = safe_settings([int(h) for h in hits], 80, 0.05, 0.1)
        if safe:
            best = max(range(safe), key=lambda at: (found[at], rounds[at], -at))
            counts[best] += 1
    assert got == pytest.approx([n / 150 for n in counts])


def test_learn_then_test_agrees_with_mapie():
    """The same p-values, the same settings: an implementation that others maintain."""
    fwer = pytest.importorskip("mapie.risk_control.fwer_control")
    rng = random.Random(2)
    walks = []
    for _ in range(60):
        n = rng.choice([45, 60, 120, 300])
        share, level = rng.choice([0.05, 0.1]), rng.choice([0.1, 0.05])
        stopped = sorted(rng.choices(range(n // 8), k=12))
        p_values = stats.binom.cdf(stopped, n, share)
        rejected = fwer.control_fwer(p_values, level, fwer_method="fixed_sequence")
        walks.append(safe_settings(stopped, n, share, level))
        assert rejected.tolist() == list(range(walks[-1]))
    assert 0 in walks
    assert max(walks) > 2
