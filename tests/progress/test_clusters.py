"""The forest against union-find over all pairs, at every breakpoint and between."""

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.errors import PolicyError
from agentlens.progress import spanning
from agentlens.progress.clusters import Forest, forest
from agentlens.progress.similarity import MEASURES, best_earlier, limit

TOKENS = [*"天气北京今日晴雨", "a", "b", "2024", "x1", "٢", "c++"]


def slow_pair(a, b, measure, min_tokens, numeric_veto):
    """Return the score of two sets with the vetoes applied, as a fraction."""
    if not a or not b:
        return Fraction(0)
    if a != b:
        digits = [{t for t in s if any(c.isdecimal() for c in t)} for s in (a, b)]
        if min(len(a), len(b)) < min_tokens or (numeric_veto and digits[0] != digits[1]):
            return Fraction(0)
    k, m, n = len(a & b), len(a), len(b)
    return {
        "containment": Fraction(k, min(m, n)),
        "jaccard": Fraction(k, m + n - k),
        "dice": Fraction(2 * k, m + n),
        "cosine": Fraction(k * k, m * n),
    }[measure]


def slow_cut(n, pairs, bound, strict):
    """Union-find over all pairs; clusters numbered by first appearance."""
    root = list(range(n))

    def find(i):
        return i if root[i] == i else find(root[i])

    for (i, j), value in pairs.items():
        if value > bound or (value == bound and not strict):
            root[find(j)] = find(i)
    names = {}
    return [names.setdefault(find(i), len(names)) for i in range(n)]


def check(sets, measure, min_tokens=1, numeric_veto=False):
    found = forest(sets, measure=measure, min_tokens=min_tokens, numeric_veto=numeric_veto)
    n = len(sets)
    pairs = {
        (i, j): slow_pair(sets[i], sets[j], measure, min_tokens, numeric_veto)
        for i, j in combinations(range(n), 2)
    }
    assert sorted(found.order) == list(range(n))
    assert len(found.gaps) == max(n - 1, 0)
    steps = sorted({v for v in pairs.values() if v} | {Fraction(1)})
    between = [(a + b) / 2 for a, b in pairwise(steps)]
    # Breakpoints of cosine are squares of similarities: cut through the gaps there.
    for bound in [*steps, *between, steps[0] / 2]:
        for strict in (False, True):
            want = slow_cut(n, pairs, bound, strict)
            assert cut_by_gaps(found, bound, strict) == want
            if measure != "cosine":
                assert found.cut(bound, strict) == want
    for similarity in (Fraction(1, 2), Fraction(2, 3), Fraction(4, 5), Fraction(1)):
        bound = limit(similarity, measure)
        assert found.cut(similarity) == slow_cut(n, pairs, bound, False)
        assert found.cut(similarity, strict=True) == slow_cut(n, pairs, bound, True)
    values = [Fraction(num, den) for _, _, num, den in found.edges]
    assert values == sorted(values, reverse=True)
    for i, j, num, den in found.edges:
        assert i < j
        assert Fraction(num, den) == pairs[i, j] > 0
    return found


def cut_by_gaps(found, bound, strict):
    """Read clusters off order and gaps alone, as a browser does: contiguous runs."""
    label = [0] * len(found.order)
    run = 0
    for place, i in enumerate(found.order):
        if place:
            value = Fraction(*found.gaps[place - 1])
            run += not (value > bound or (value == bound and not strict))
        label[i] = run
    names = {}
    return [names.setdefault(x, len(names)) for x in label]


sets_ = st.lists(st.frozensets(st.sampled_from(TOKENS), max_size=6), max_size=18)


@pytest.mark.parametrize("measure", MEASURES)
@given(sets_, st.integers(0, 3), st.booleans(), st.booleans())
def test_equal_to_union_find_over_all_pairs(measure, sets, min_tokens, veto, arrays):
    with pytest.MonkeyPatch.context() as patch:
        if arrays:
            patch.setattr(spanning, "_FEW", 0)
        check(sets, measure, min_tokens, veto)


@pytest.mark.parametrize("measure", MEASURES)
def test_many_sets_equal_union_find(measure, count):
    rng = np.random.default_rng(3)
    n = count(70, 200)
    sets = [frozenset(f"w{t}" for t in rng.zipf(1.4, rng.integers(0, 9))) for _ in range(n)]
    check(sets, measure)


def test_leaf_order_is_chronological_where_it_can_be():
    sets = [frozenset(s) for s in ("ab", "xy", "abc", "xyz", "q", "ab")]
    found = check(sets, "containment")
    assert found.order == (0, 2, 5, 1, 3, 4)
    assert found.gaps == ((2, 2), (2, 2), (0, 1), (2, 2), (0, 1))


def test_best_match_edges_alone_are_not_the_forest():
    # The last set is as similar to both pairs, and its best earlier match is only one of them.
    sets = [frozenset(s) for s in ("abcd", "wxyz", "abcdefgh", "wxyzstuv", "efghstuv")]
    assert best_earlier(sets, measure="jaccard").index.tolist() == [-1, -1, 0, 1, 3]
    found = check(sets, "jaccard")
    assert found.cut(Fraction(1, 2)) == [0, 1, 0, 1, 2]
    assert found.cut(Fraction(1, 3)) == [0, 0, 0, 0, 0]
    assert len(found.edges) == 4


def test_empty_sets_are_singletons_and_equal_ones_join_at_one():
    sets = [frozenset(), frozenset("a"), frozenset(), frozenset("a")]
    found = check(sets, "dice", min_tokens=3)
    assert found.cut(Fraction(1)) == [0, 1, 2, 1]
    assert found.cut(Fraction(1, 1000)) == [0, 1, 2, 1]
    assert found.edges == ((1, 3, 2, 2),)


def test_nothing_and_one():
    assert forest([]) == Forest((), (), ())
    assert forest([]).cut(Fraction(1)) == []
    assert forest([frozenset("a")]).cut(Fraction(1, 2)) == [0]


def test_huge_sets_are_still_exact():
    check([frozenset(map(str, range(k, 9000))) for k in range(4)], "cosine")


def test_unknown_measure():
    with pytest.raises(PolicyError, match="measure"):
        forest([], measure="overlap")
