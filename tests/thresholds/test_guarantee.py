"""The promises of a chosen setting, against the published simulation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from agentlens.thresholds.guarantee import safe_settings

SHARE, LEVEL = 0.05, 0.10
#: Scores of good runs and of loops, and the 50 thresholds, the most cautious first.
GOOD, LOOPS, PATH = (2, 4), (5, 2), np.linspace(0.99, 0.50, 50)
#: Rows of the table: runs, how often the naive choice and Learn-then-Test break the promise.
TABLE = {60: (0.555, 0.034), 120: (0.474, 0.029), 300: (0.375, 0.028)}


def naive(stopped: list[int], good: int) -> int:
    """Return how far the observed share alone stays within the promise."""
    return next((k for k, hits in enumerate(stopped) if hits > SHARE * good), len(stopped))


def broken(runs: int, repeats: int, choose: Callable[[list[int]], int]) -> float:
    """Return how often the setting with the most loops stopped is above the promise in truth."""
    rng = np.random.default_rng(20261130)
    true = (rng.beta(*GOOD, 400_000)[:, None] >= PATH).mean(axis=0)
    misses = 0
    for _ in range(repeats):
        stopped = (rng.beta(*GOOD, runs)[:, None] >= PATH).sum(axis=0)
        loops = (rng.beta(*LOOPS, 60)[:, None] >= PATH).sum(axis=0)
        safe = choose([int(hits) for hits in stopped])
        misses += bool(safe) and true[int(loops[:safe].argmax())] > SHARE
    return misses / repeats


@pytest.mark.parametrize("runs", TABLE)
def test_only_the_tested_choice_keeps_its_promise(
    runs: int, count: Callable[[int, int], int]
) -> None:
    repeats = count(400, 4000)
    margin = 3.3 * (0.25 / repeats) ** 0.5  # 99.9 % of a Monte Carlo share
    naive_share, tested_share = TABLE[runs]
    assert broken(runs, repeats, lambda s: naive(s, runs)) == pytest.approx(naive_share, abs=margin)
    tested = broken(runs, repeats, lambda s: safe_settings(s, runs, SHARE, LEVEL))
    spread = tested_share * (1 - tested_share) * (1 / repeats + 1 / 4000)  # the table's own too
    assert tested <= tested_share + 3.3 * spread**0.5
    assert tested <= LEVEL


@pytest.mark.parametrize(
    ("good", "settings"), [(44, 0), (45, 3), (300, 3)]
)  # 45 runs without a stop show 5 % at 90 %
def test_enough_runs_without_a_stop_are_safe(good: int, settings: int) -> None:
    assert safe_settings([0, 0, 0], good, SHARE, LEVEL) == settings


def test_the_walk_ends_at_the_first_that_fails() -> None:
    assert safe_settings([0, 9, 0], 60, SHARE, LEVEL) == 1


def test_risk_control_needs_nineteen_runs_for_five_percent() -> None:
    assert safe_settings([0], 18, SHARE, LEVEL, "crc") == 0
    assert safe_settings([0], 19, SHARE, LEVEL, "crc") == 1


def test_no_runs_promise_nothing() -> None:
    assert safe_settings([0, 0], 0, SHARE, LEVEL) == 0


def test_unknown_methods_are_refused() -> None:
    with pytest.raises(ValueError, match="none of ltt, crc"):
        safe_settings([0], 60, SHARE, LEVEL, "guess")
