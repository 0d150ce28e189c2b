"""The kernels alone, each against counting pair by pair."""

from fractions import Fraction

import numpy as np
import pytest

from agentlens.progress.encoded import encode
from agentlens.progress.kernels import best_by_kernels
from agentlens.progress.measures import MEASURES, pair
from agentlens.progress.postings import Postings, compare
from agentlens.progress.sliced import LARGEST, Best, sliced
from agentlens.progress.spanning import spanning_edges


def random_sets(n, seed, largest):
    rng = np.random.default_rng(seed)
    return [
        frozenset(rng.integers(0, 3 * largest, rng.integers(0, largest + 1)).astype(str).tolist())
        for _ in range(n)
    ]


def slow(sets, queries, columns, start, stop, measure):
    found = {}
    for i in queries:
        best = (Fraction(0), -1)
        for j in columns:
            if start[i] <= j < stop[i] and sets[i] and sets[j]:
                shared = len(sets[i] & sets[j])
                value = Fraction(*pair(shared, len(sets[i]), len(sets[j]), measure))
                best = max(best, (value, j))
        found[i] = best if best[0] else (Fraction(0), -1)
    return found


def value(sets, best, i, measure):
    j = int(best.index[i])
    if j < 0:
        return Fraction(0), -1
    assert best.shared[i] == len(sets[i] & sets[j])
    return Fraction(*pair(int(best.shared[i]), len(sets[i]), len(sets[j]), measure)), j


@pytest.mark.parametrize("measure", MEASURES)
def test_sliced_compares_small_sets_in_their_windows(measure):
    sets = random_sets(150, seed=1, largest=LARGEST + 4)
    stop = np.arange(150) - np.arange(150) % 4
    start = np.maximum(stop - 60, 0)
    best = Best.nothing(150)
    sliced(encode(sets), start, stop, measure, best)
    small = [i for i in range(150) if 0 < len(sets[i]) <= LARGEST]
    want = slow(sets, small, small, start, stop, measure)
    for i in range(150):
        assert value(sets, best, i, measure) == want.get(i, (Fraction(0), -1))


@pytest.mark.parametrize("measure", MEASURES)
def test_postings_compare_sets_of_any_size(measure):
    sets = random_sets(80, seed=2, largest=90)
    data = encode(sets)
    filled = np.flatnonzero(data.sizes > 0)
    start, stop = np.zeros(80, np.int64), np.arange(80)
    best = Best.nothing(80)
    compare(data, filled, filled, start, stop, measure, best)
    want = slow(sets, filled, filled, start, stop, measure)
    for i in filled:
        assert value(sets, best, i, measure) == want[i]


def test_postings_count_shared_tokens():
    sets = random_sets(40, seed=3, largest=20)
    data = encode(sets)
    columns = np.arange(5, 40, 2)
    postings = Postings(data, columns)
    for i in range(40):
        tokens = data.tokens[data.offsets[i] : data.offsets[i + 1]]
        want = [len(sets[i] & sets[j]) for j in columns]
        assert postings.shared(tokens).tolist() == want


def test_kernels_start_from_an_equal_set():
    sets = [frozenset(s) for s in ("ab", "abc", "cd", "ab", "b", "ab")]
    best = best_by_kernels(
        sets, [0, 0, 0, 0, 0, 3], [0, 1, 2, 3, 4, 5], [-1, -1, -1, 0, -1, 3], "containment", 0
    )
    assert best.index.tolist() == [-1, 0, 1, 1, 3, 4]
    assert best.shared.tolist() == [0, 2, 1, 2, 1, 1]


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("n", [12, 90])
def test_spanning_edges_have_the_greatest_sum(measure, n):
    sets = [s for s in dict.fromkeys(random_sets(n, seed=4, largest=9)) if s]
    score = {
        (i, j): Fraction(*pair(len(a & b), len(a), len(b), measure))
        for j, b in enumerate(sets)
        for i, a in enumerate(sets[:j])
        if a & b
    }
    # Kruskal: the sorted weights of a maximum spanning forest are the same for all of them.
    root = list(range(len(sets)))

    def find(i):
        return i if root[i] == i else find(root[i])

    weights = []
    for (i, j), weight in sorted(score.items(), key=lambda item: -item[1]):
        if find(i) != find(j):
            root[find(i)] = find(j)
            weights.append(weight)
    edges = spanning_edges(sets, measure)
    assert sorted((score[tuple(sorted(e))] for e in edges), reverse=True) == weights
