"""The alignment is a longest common subsequence: held to the textbook's table of lengths."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.progress import align as module
from agentlens.progress.align import align

KEYS = st.integers(1, 6).flatmap(lambda n: st.lists(st.integers(0, n), max_size=40))


def length(a: Sequence[object], b: Sequence[object]) -> int:
    """Return the length of the longest common subsequence (Wagner and Fischer 1974)."""
    before = [0] * (len(b) + 1)
    for one in a:
        row = [0]
        for place, other in enumerate(b):
            row.append(before[place] + 1 if one == other else max(before[place + 1], row[-1]))
        before = row
    return before[-1]


def check(a: Sequence[object], b: Sequence[object]) -> None:
    pairs = align(a, b)
    assert all(a[i] == b[j] for i, j in pairs)
    assert all(p[0] < q[0] and p[1] < q[1] for p, q in pairwise(pairs))
    assert len(pairs) == length(a, b)
    assert len(align(b, a)) == len(pairs)


@pytest.mark.parametrize("held", [module._HELD, 0], ids=["all rows held", "rows made again"])
@given(a=KEYS, b=KEYS)
def test_no_longer_subsequence_exists(held: int, a: list[int], b: list[int]) -> None:
    kept = module._HELD
    module._HELD = held
    try:
        check(a, b)
    finally:
        module._HELD = kept


@given(st.lists(st.binary(max_size=2), max_size=30), st.data())
def test_what_was_taken_out_is_all_that_differs(a: list[bytes], data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.booleans(), min_size=len(a), max_size=len(a)))
    b = [key for key, keep in zip(a, kept, strict=True) if keep]
    assert len(align(a, b)) == len(b)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("", "", []),
        ("abc", "", []),
        ("abc", "abc", [(0, 0), (1, 1), (2, 2)]),
        ("xab", "ab", [(1, 0), (2, 1)]),
        ("abx", "ab", [(0, 0), (1, 1)]),
        ("abc", "xyz", []),
        ("axc", "ayc", [(0, 0), (2, 2)]),
        ("aaaa", "aa", [(0, 0), (1, 1)]),
    ],
)
def test_by_hand(a: str, b: str, expected: list[tuple[int, int]]) -> None:
    assert align(a, b) == expected


def test_ten_thousand_by_ten_thousand() -> None:
    draw = random.Random(8)
    a, b = ([draw.randrange(300) for _ in range(10_000)] for _ in range(2))
    start = time.perf_counter()
    pairs = align(a, b)
    assert time.perf_counter() - start < 10  # 0.4 s alone; a table of lengths takes a minute
    # Two random rows over k keys share about 2 / sqrt(k) of their length (Kiwi, Loebl, Matousek).
    assert 0.9 * 2 / 300**0.5 < len(pairs) / 10_000 < 1.02 * 2 / 300**0.5
