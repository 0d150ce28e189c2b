"""Best earlier matches and scores against a slow implementation with fractions."""

import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.errors import PolicyError
from agentlens.progress import similarity
from agentlens.progress.similarity import MEASURES, at_least, best_earlier, limit, score
from agentlens.progress.text import tokenize


def slow_score(a, b, measure):
    if not a or not b:
        return Fraction(0)
    shared = sum(token in b for token in a)
    return {
        "containment": Fraction(shared, min(len(a), len(b))),
        "jaccard": Fraction(shared, len(a) + len(b) - shared),
        "dice": Fraction(2 * shared, len(a) + len(b)),
        "cosine": Fraction(shared * shared, len(a) * len(b)),
    }[measure]


def slow_allowed(a, b, min_tokens, numeric_veto):
    if a == b:
        return True
    if min(len(a), len(b)) < min_tokens:
        return False
    digits = [{t for t in s if any(c.isdecimal() for c in t)} for s in (a, b)]
    return not (numeric_veto and digits[0] != digits[1])


def slow_best(sets, measure, upto, since, min_tokens=1, numeric_veto=False):
    found = []
    for i, a in enumerate(sets):
        best = (Fraction(0), -1)
        for j in range(since[i], upto[i]):
            if slow_allowed(a, sets[j], min_tokens, numeric_veto):
                best = max(best, (slow_score(a, sets[j], measure), j))
        found.append(best if best[0] else (Fraction(0), -1))
    return found


def check(sets, measure, upto=None, since=None, **switches):
    matches = best_earlier(sets, measure=measure, upto=upto, since=since, **switches)
    n = len(sets)
    want = slow_best(
        sets,
        measure,
        list(range(n)) if upto is None else upto,
        [0] * n if since is None else since,
        **switches,
    )
    got = [
        (Fraction(int(a), int(b)), int(j))
        for a, b, j in zip(matches.num, matches.den, matches.index, strict=True)
    ]
    assert got == want
    for i, (a, b, j) in enumerate(zip(matches.num, matches.den, matches.index, strict=True)):
        pair = score(sets[i], sets[j], measure) if j >= 0 else (0, 1)
        assert (a, b) == pair
    for column in (matches.num, matches.den, matches.index):
        assert column.dtype == np.int64
        assert column.shape == (n,)


@pytest.fixture(params=["pairs", "kernels"])
def path(request, monkeypatch):
    """Run small inputs through both ways of computing."""
    if request.param == "kernels":
        monkeypatch.setattr(similarity, "_FEW_PAIRS", -1)
        monkeypatch.setattr(similarity, "_NARROW", 0)
    return request.param


TOKENS = [*"天气北京今日晴雨", "a", "b", "2024", "x1", "٢", "c++"]


@st.composite
def problems(draw, longest=40):
    sets = draw(st.lists(st.frozensets(st.sampled_from(TOKENS), max_size=8), max_size=longest))
    n = len(sets)
    upto = since = None
    if draw(st.booleans()):
        upto = sorted(draw(st.lists(st.integers(0, n), min_size=n, max_size=n)))
        upto = [min(u, i) for i, u in enumerate(upto)]
    if draw(st.booleans()):
        since = sorted(draw(st.lists(st.integers(0, n), min_size=n, max_size=n)))
        since = [min(s, i) for i, s in enumerate(since)]
    return sets, upto, since


@pytest.mark.parametrize("measure", MEASURES)
@given(data=st.data())
def test_equal_to_the_slow_way(measure, data):
    sets, upto, since = data.draw(problems())
    min_tokens = data.draw(st.integers(0, 3))
    numeric_veto = data.draw(st.booleans())
    with pytest.MonkeyPatch.context() as patch:
        if data.draw(st.booleans()):
            patch.setattr(similarity, "_FEW_PAIRS", -1)
            patch.setattr(similarity, "_NARROW", data.draw(st.sampled_from([0, 3])))
        check(sets, measure, upto, since, min_tokens=min_tokens, numeric_veto=numeric_veto)


def zipf_sets(n, seed, vocabulary=400, largest=15):
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, vocabulary + 1) ** 1.05
    weights /= weights.sum()
    sizes = rng.integers(0, largest + 1, n)
    return [frozenset(f"w{t}" for t in rng.choice(vocabulary, k, p=weights)) for k in sizes]


@pytest.mark.parametrize("measure", MEASURES)
def test_chunks_and_batches_equal_the_slow_way(measure, count, monkeypatch):
    from agentlens.progress import sliced

    monkeypatch.setattr(sliced, "_CHUNKS", (16, 64, 128))
    monkeypatch.setattr(sliced, "_WORDS", 64)
    n = count(300, 1500)
    check(zipf_sets(n, seed=7), measure)
    upto = [max(0, i - i % 3) for i in range(n)]
    since = [max(0, u - 200) for u in upto]
    check(zipf_sets(n, seed=8), measure, upto, since)


@pytest.mark.parametrize("measure", MEASURES)
def test_large_sets_among_small_ones(measure, count):
    n = count(250, 1200)
    check(zipf_sets(n, seed=9, vocabulary=300, largest=60), measure)
    check([frozenset(str(t) for t in range(i, i + 40)) for i in range(200)], measure)


def test_huge_sets_are_still_exact(path):
    big = [frozenset(map(str, range(k))) for k in (9001, 9000, 8999, 9001)]
    check(big, "cosine")


def test_ties_go_to_the_latest(path):
    sets = [frozenset(s) for s in ("ab", "ac", "abx", "ab", "abq", "abz", "a", "bz")]
    check(sets, "containment")
    assert best_earlier(sets).index.tolist() == [-1, 0, 0, 2, 3, 3, 5, 5]


def test_empty_sets_match_nothing(path):
    matches = best_earlier([frozenset(), frozenset("a"), frozenset(), frozenset("a")])
    assert matches.index.tolist() == [-1, -1, -1, 1]
    assert matches.den.tolist() == [1, 1, 1, 1]
    assert best_earlier([]).index.shape == (0,)


def test_a07_below_min_tokens_only_equal_sets_match(path):
    sets = [frozenset(s) for s in ("a", "ab", "a", "abc")]
    assert best_earlier(sets, min_tokens=2).index.tolist() == [-1, -1, 0, 1]
    assert best_earlier(sets).index.tolist() == [-1, 0, 1, 2]


def test_a39_numbers_must_be_the_same(path):
    sets = [tokenize(f"苹果公司{year}财报", "classic@1") for year in (2022, 2023, "2023年")]
    assert best_earlier(sets).index.tolist() == [-1, 0, 1]
    assert best_earlier(sets, numeric_veto=True).index.tolist() == [-1, -1, 1]


A, B, C = (tokenize(q, "classic@1") for q in ("北京天气", "北京今日天气 气温", "能源补贴政策"))


@pytest.mark.parametrize(
    ("measure", "want"),
    [("containment", (4, 4)), ("jaccard", (4, 7)), ("dice", (8, 11)), ("cosine", (16, 28))],
)
def test_r03_the_pair_of_the_article(measure, want):
    assert score(A, B, measure) == score(B, A, measure) == want


def test_r04_unrelated_queries_score_zero():
    assert score(A, C) == (0, 1)
    assert score(A, frozenset()) == score(frozenset(), frozenset()) == (0, 1)


def test_r05_the_edge_of_080_is_inclusive():
    num, den = score(*(tokenize(q, "classic@1") for q in ("今日天气 气温", "今日天气 晴雨")))
    assert (num, den) == (4, 5)
    assert at_least(num, den, Fraction(4, 5))
    assert not at_least(num, den, Fraction(4, 5), strict=True)
    assert not at_least(num, den, Fraction(800001, 1000000))


def test_r06_jaccard_at_080_is_dead_code():
    assert not at_least(*score(A, B, "jaccard"), Fraction(4, 5), "jaccard")
    assert at_least(*score(A, B), Fraction(4, 5))


sets_ = st.frozensets(st.sampled_from(TOKENS), min_size=1, max_size=8)


@given(sets_, sets_)
def test_r07_inequalities_and_identity(a, b):
    j, d, c = (Fraction(*score(a, b, m)) for m in ("jaccard", "dice", "containment"))
    cos2 = Fraction(*score(a, b, "cosine"))
    assert 0 <= j <= d <= 1
    assert d * d <= cos2 <= c * c <= 1
    small, large = sorted((len(a), len(b)))
    assert j == c / (1 + Fraction(large, small) - c)
    assert (c == 1) == (a <= b or b <= a)
    for measure in MEASURES:
        assert score(a, b, measure) == score(b, a, measure)
        assert Fraction(*score(a, b, measure)) == slow_score(a, b, measure)


fractions_ = st.fractions(0, 1, max_denominator=10**6)


@given(
    st.lists(st.tuples(st.integers(0, 2**26), st.integers(1, 2**26)), max_size=20),
    fractions_,
    st.sampled_from(MEASURES),
    st.booleans(),
)
def test_a14_comparison_is_exact_on_integers_and_arrays(pairs, similarity_, measure, strict):
    bound = similarity_**2 if measure == "cosine" else similarity_
    want = [Fraction(*p) > bound if strict else Fraction(*p) >= bound for p in pairs]
    assert [at_least(*p, similarity_, measure, strict) for p in pairs] == want
    num, den = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    got = at_least(num, den, similarity_, measure, strict)
    assert got.dtype == bool
    assert got.tolist() == want


def test_a14_arrays_do_not_overflow():
    top = 2**26 * 2**26
    num, den = np.array([top - 1, top]), np.array([top, top])
    close = Fraction(999_999, 10**6)
    for measure in ("containment", "cosine"):
        assert at_least(num, den, close, measure).tolist() == [True, True]
        assert at_least(num, den, Fraction(1), measure).tolist() == [False, True]
        assert at_least(num, den, Fraction(1), measure, strict=True).tolist() == [False, False]
    small = np.array([9, 5], dtype=np.int8)
    assert at_least(small, np.array([10, 10], np.int8), Fraction(4, 5)).tolist() == [True, False]


def test_limit_is_squared_for_cosine_only():
    half = Fraction(1, 2)
    assert [limit(half, m) for m in MEASURES] == [half, half, half, Fraction(1, 4)]


@pytest.mark.parametrize("call", [score, lambda a, b, m: best_earlier([a, b], measure=m)])
def test_unknown_measure(call):
    with pytest.raises(PolicyError, match="containment, jaccard, dice, cosine"):
        call(A, B, "overlap")


def test_numpy_windows_and_plain_sets_are_accepted():
    sets = [set("ab"), set("abc"), set("b")]
    upto, since = np.arange(3), np.zeros(3, dtype=np.int32)
    assert best_earlier(sets, upto=upto, since=since).index.tolist() == [-1, 0, 1]


def test_ten_sets_take_well_under_a_millisecond():
    sets = zipf_sets(10, seed=1)
    best = min(_timed(lambda: best_earlier(sets)) for _ in range(50))
    assert best < 0.001


def _timed(call):
    started = time.perf_counter()
    call()
    return time.perf_counter() - started
