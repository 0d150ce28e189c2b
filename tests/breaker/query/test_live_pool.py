"""The pool of fingerprints against the definition: every pair, exact fractions, the latest wins."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from agentlens.breaker.query import live_pool
from agentlens.breaker.query.live_pool import Pool

MEASURES = ("containment", "jaccard", "dice", "cosine")


def by_definition(
    remembered: list[tuple[frozenset[str], int, int]],
    tokens: frozenset[str],
    since: int,
    age: int,
    measure: str,
    decay: int | None,
) -> tuple[Fraction, int]:
    best = (Fraction(0), -1)
    for old, place, born in remembered:
        shared, a, b = len(tokens & old), len(tokens), len(old)
        score = {
            "containment": Fraction(shared, min(a, b)),
            "jaccard": Fraction(shared, len(tokens | old)),
            "dice": Fraction(2 * shared, a + b),
            "cosine": Fraction(shared * shared, a * b),
        }[measure]
        if decay is not None:
            weight = Fraction(min(decay, max(0, decay + 1 - (age - born))), decay)
            score *= weight**2 if measure == "cosine" else weight
        if place >= since and score and score >= best[0]:
            best = (score, place)
    return best


@pytest.mark.parametrize("few", [0, 96, 10**9])
@pytest.mark.parametrize("measure", MEASURES)
def test_the_best_match_is_that_of_the_definition(few, measure, count, monkeypatch):
    monkeypatch.setattr(live_pool, "_FEW", few)
    rng = Random(few)
    for _ in range(count(6, 200)):
        vocabulary = [f"t{i}" for i in range(rng.choice([3, 8, 40]))]
        decay, window = rng.choice([None, None, 1, 3, 10]), rng.choice([None, None, 4, 30])
        pool, remembered = Pool(measure, decay), []
        place = age = 0
        for _ in range(rng.choice([5, 60, 250])):
            since = max(0, place - window) if window else 0
            tokens = frozenset(rng.sample(vocabulary, rng.randint(1, min(8, len(vocabulary)))))
            num, den, match = pool.best(tokens, since, age)
            want = by_definition(remembered, tokens, since, age, measure, decay)
            assert (Fraction(num, den), match) == want
            for _ in range(rng.choice([1, 1, 2])):
                pool.add(tokens, place, age)
                remembered.append((tokens, place, age))
                place += 1
            age += rng.choice([0, 1, 1])


def test_what_is_forgotten_is_let_go_of(monkeypatch):
    monkeypatch.setattr(live_pool, "_FEW", 0)
    pool = Pool("containment", None)
    for place in range(5000):
        tokens = frozenset(("common", f"t{place}", f"u{place}"))
        assert pool.best(tokens, max(0, place - 10), place)[2] == place - 1
        pool.add(tokens, place, place)
    assert len(pool._sizes) < 200
    assert len(pool._postings) < 500


@pytest.mark.parametrize("measure", MEASURES)
def test_scores_that_doubles_cannot_tell_apart_are_told_apart(measure, monkeypatch):
    """Sizes so large that quotients differ by less than a double's last bit."""
    monkeypatch.setattr(live_pool, "_FEW", 0)
    decay = 10**9
    pool = Pool(measure, decay)
    base = [f"t{i}" for i in range(3000)]
    remembered = []
    for place, size in enumerate((2999, 2998, 2999, 2997)):
        tokens = frozenset((*base[:size], f"own{place}"))
        pool.add(tokens, place, place)
        remembered.append((tokens, place, place))
    num, den, match = pool.best(frozenset(base), 0, 4)
    want = by_definition(remembered, frozenset(base), 0, 4, measure, decay)
    assert (Fraction(num, den), match) == want
