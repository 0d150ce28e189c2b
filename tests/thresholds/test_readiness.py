"""When a time in shadow is long enough: the e-process, held against what defines it."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from agentlens.thresholds.intervals import runs_needed
from agentlens.thresholds.readiness import evidence, readiness
from agentlens.thresholds.shift import Shift

SHIFT = Shift("tools", 0.0, 0.4, 0.001, found=True, new=("buy",))


@given(st.integers(0, 60), st.integers(0, 60), st.sampled_from([0.02, 0.05, 0.2]))
def test_r51_the_evidence_is_the_averaged_likelihood_ratio(stopped, others, share):
    good = stopped + others

    def ratio(q: float) -> float:
        return (q / share) ** stopped * ((1 - q) / (1 - share)) ** others

    area, _ = integrate.quad(ratio, 0, share, epsabs=0, epsrel=1e-10)
    assert evidence(stopped, good, share) == pytest.approx(area / share, rel=1e-6, abs=1e-12)


def test_r51_one_run_more_is_no_evidence_on_average_where_the_share_is_what_is_allowed():
    for good in (0, 5, 40):
        for stopped in range(good + 1):
            later = 0.05 * evidence(stopped + 1, good + 1, 0.05)
            later += 0.95 * evidence(stopped, good + 1, 0.05)
            assert later == pytest.approx(evidence(stopped, good, 0.05), rel=1e-9)


def test_r51_looking_every_day_still_promises_what_it_says(count):
    """At the worst allowed share, at most one in ten ever says ready at 90 % (Ville)."""
    rng, said, runs = Random(7), 0, count(120, 3000)
    for _ in range(runs):
        stopped = 0
        for good in range(1, 301):
            stopped += rng.random() < 0.05
            if evidence(stopped, good, 0.05) >= 10:
                said += 1
                break
    assert stats.binomtest(said, runs, 0.1, alternative="greater").pvalue > 0.001


def test_r51_a_look_at_a_fixed_time_needs_45_runs_and_one_at_any_time_more():
    assert readiness([False] * 45, share=0.05, confidence=0.9, looks="once")
    assert not readiness([False] * 44, share=0.05, confidence=0.9, looks="once")
    assert runs_needed(0.05, 0.9) == 45
    early = readiness([False] * 45, share=0.05, confidence=0.9)
    assert not early
    assert early.needed > 45
    assert f"{early.needed} good runs are needed" in early.reasons[0]
    assert readiness([False] * early.needed, share=0.05, confidence=0.9)
    assert not readiness([False] * (early.needed - 1), share=0.05, confidence=0.9)


def test_r51_a_false_stop_asks_for_more_runs_and_later_ones_take_the_word_back():
    one = readiness([True] + [False] * 70, share=0.05, confidence=0.9)
    assert not one
    assert readiness([True] + [False] * (one.needed - 1), share=0.05, confidence=0.9)
    assert not readiness([False] * 80 + [True] * 10, share=0.05, confidence=0.9)


def test_r51_a_shift_alone_keeps_it_from_being_ready():
    made = readiness([False] * 200, share=0.05, confidence=0.9, shifts=[SHIFT], compared=True)
    assert not made.ready
    assert made.reasons == (
        "the runs are no longer those it was set on: tools: 40% of the calls go to other tools "
        "(new: buy), p = 0.001",
    )
    assert (
        "no shift was looked for" in readiness([False] * 200, share=0.05, confidence=0.9).reasons[1]
    )


def test_bad_questions_raise():
    with pytest.raises(ValueError, match="looks"):
        readiness([], share=0.05, confidence=0.9, looks="often")
    with pytest.raises(ValueError, match="no such evidence"):
        evidence(2, 1, 0.05)
