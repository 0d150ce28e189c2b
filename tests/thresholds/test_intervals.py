"""Intervals against the published tables and against scipy."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from agentlens.thresholds.intervals import (
    at_most,
    binomial_tail,
    mcnemar,
    runs_needed,
    wilson,
)
from tests.conftest import FULL

#: How many runs a promise needs, by share and by false stops seen, at 95 % (exact binomial).
NEEDED = {
    0.01: (299, 473, 628, 773, 913, 1049),
    0.02: (149, 236, 313, 386, 456, 523),
    0.05: (59, 93, 124, 153, 181, 208),
    0.10: (29, 46, 61, 76, 89, 103),
}


@pytest.mark.parametrize("share", NEEDED)
def test_runs_needed_are_those_of_the_table(share: float) -> None:
    assert tuple(runs_needed(share, 0.95, hits) for hits in range(6)) == NEEDED[share]


def test_ninety_percent_needs_45_runs() -> None:
    assert runs_needed(0.05, 0.9) == 45


def test_worked_examples() -> None:
    assert at_most(0, 20) == pytest.approx(0.139, abs=5e-4)
    assert at_most(0, 59) == pytest.approx(0.0495, abs=5e-5)
    assert wilson(0, 20)[1] == pytest.approx(0.161, abs=5e-4)
    assert wilson(1, 20) == pytest.approx((0.009, 0.236), abs=5e-4)
    assert wilson(34, 151) == pytest.approx((0.166, 0.298), abs=5e-4)
    assert wilson(7, 40) == pytest.approx((0.087, 0.319), abs=5e-4)


@given(st.integers(0, 60), st.integers(1, 60), st.floats(0.01, 0.99))
def test_tail_is_the_sum_of_its_terms(most: int, runs: int, share: float) -> None:
    slow = sum(
        math.comb(runs, k) * share**k * (1 - share) ** (runs - k)
        for k in range(min(most, runs) + 1)
    )
    assert binomial_tail(most, runs, share) == pytest.approx(slow, abs=1e-12)


@settings(max_examples=500 if FULL else 15)  # scipy takes its time
@given(st.integers(0, 3000), st.integers(0, 3000), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_equal_to_scipy_and_its_closed_forms(hits: int, misses: int, confidence: float) -> None:
    runs = hits + misses
    if not runs:
        return
    theirs = stats.binomtest(hits, runs).proportion_ci(confidence, "wilson")
    assert wilson(hits, runs, confidence) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
    bound = stats.beta.ppf(confidence, hits + 1, misses) if misses else 1.0
    assert at_most(hits, runs, confidence) == pytest.approx(bound, abs=1e-9)


@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_is_the_exact_binomial_test(first: int, second: int) -> None:
    expected = stats.binomtest(first, first + second).pvalue if first + second else 1.0
    assert mcnemar(first, second) == pytest.approx(expected, abs=1e-9)


def test_no_runs_say_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert at_most(0, 0) == 1.0


@pytest.mark.parametrize(("hits", "runs"), [(-1, 3), (4, 3)])
def test_impossible_counts_are_refused(hits: int, runs: int) -> None:
    for function in (wilson, at_most):
        with pytest.raises(ValueError, match="no such share"):
            function(hits, runs)
