"""Run lengths, allowed misses and ratios, against sums over all cases and exact token sets."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.progress.measures import score
from agentlens.progress.text import tokenize
from agentlens.teach.counts import allowed_misses, false_stop, measures_of_expansion


@pytest.mark.parametrize(
    ("d", "k", "shares"),
    [
        (0.365, 2, (0.133, 0.302, 0.601, 0.870)),
        (0.365, 3, (0, 0.080, 0.227, 0.454)),
        (0.1, 2, (0.010, 0.028, 0.072, 0.153)),
    ],
)
def test_false_stops_of_honest_sessions(d, k, shares):
    for n, share in zip((3, 5, 10, 20), shares, strict=True):
        assert false_stop(n, d, k) == pytest.approx(share, abs=5.1e-4)


def test_false_stop_is_the_sum_over_all_sessions():
    for n, d, k in itertools.product((1, 2, 5, 8), (0.0, 0.365, 1.0), (1, 2, 3)):
        total = 0.0
        for steps in itertools.product((0, 1), repeat=n - 1):
            if "1" * k in "".join(map(str, steps)):
                total += math.prod(d if step else 1 - d for step in steps)
        assert false_stop(n, d, k) == pytest.approx(total)


def test_the_staircase():
    at = [allowed_misses(m, Fraction(4, 5)) for m in range(1, 11)]
    assert at == [0, 0, 0, 0, 1, 1, 1, 1, 1, 2]
    for m in range(1, 30):  # as the comparison itself counts
        for s in (Fraction(1, 2), Fraction(4, 5), Fraction(81, 100), Fraction(9, 10), Fraction(1)):
            passing = [miss for miss in range(m + 1) if Fraction(m - miss, m) >= s]
            assert allowed_misses(m, s) == max(passing)


def containment(a: str, b: str) -> Fraction:
    return Fraction(*score(tokenize(a, "classic@1"), tokenize(b, "classic@1")))


def test_what_the_articles_say_is_measured():
    assert containment("天气", "气象") == Fraction(1, 2)
    assert containment("天气", "气温实况") == Fraction(1, 2)
    assert containment("北京天气", "北京气象") == Fraction(3, 4)
    assert containment("北京天气", "北京气温实况") == Fraction(3, 4)


@given(st.integers(1, 12), st.integers(1, 12))
def test_a_shared_name_scores_by_its_share(e, a):
    letters = [chr(0x4E00 + i) for i in range(e + 2 * a)]
    name, one, other = letters[:e], letters[e : e + a], letters[e + a :]
    assert containment("".join(name + one), "".join(name + other)) == Fraction(e, e + a)


@given(st.sets(st.integers(0, 20), min_size=1), st.sets(st.integers(0, 20), min_size=1))
def test_measures_follow_from_containment_and_sizes(a, b):
    a, b = {str(x) for x in a}, {str(x) for x in b}
    ratio = max(len(a), len(b)) / min(len(a), len(b))
    said = measures_of_expansion(float(Fraction(*score(a, b))), ratio)
    assert said["jaccard"] == pytest.approx(float(Fraction(*score(a, b, "jaccard"))))
    assert said["dice"] == pytest.approx(float(Fraction(*score(a, b, "dice"))))
    assert said["cosine"] ** 2 == pytest.approx(float(Fraction(*score(a, b, "cosine"))))
    assert said["jaccard"] <= said["dice"] <= said["cosine"] <= said["containment"] + 1e-12
