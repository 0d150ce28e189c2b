"""Of all earlier token sets, the best match: exact and fast.

Highest score first, and of equals the latest. Small inputs are compared pair by pair; large ones
by bitmaps that count 64 pairs at once (`agentlens.progress.sliced`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agentlens.progress.encoded import MAX_SIZE
from agentlens.progress.kernels import best_by_kernels
from agentlens.progress.measures import (
    MEASURES,
    at_least,
    check_measure,
    limit,
    pair,
    score,
)

__all__ = ["MEASURES", "Matches", "at_least", "best_earlier", "limit", "score"]

_DIGIT = re.compile(r"\d").search

_FEW_PAIRS = 12_000  # below, comparing pair by pair is faster than laying bitmaps
_NARROW = 16  # earlier sets; fewer are compared pair by pair in any case

Found = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Matches:
    """The best earlier match of every set.

    Attributes
    ----------
    num, den
        Shape (n,), int64: its score, not reduced; (0, 1) where nothing earlier shares a token.
    index
        Shape (n,), int64: its position; -1 where there is none.
    """

    num: NDArray[np.int64]
    den: NDArray[np.int64]
    index: NDArray[np.int64]


def best_earlier(
    sets: Sequence[AbstractSet[str]],
    *,
    measure: str = "containment",
    upto: ArrayLike | None = None,
    since: ArrayLike | None = None,
    min_tokens: int = 1,
    numeric_veto: bool = False,
) -> Matches:
    """Return for every set its best match among the earlier ones.

    Parameters
    ----------
    sets
        Token sets, oldest first. An empty set matches nothing.
    measure
        One of `MEASURES`.
    upto, since
        Shape (n,): set i is compared with the sets in ``[since[i], upto[i])``, both not
        decreasing and ``upto[i] <= i``. By default with all before it.
    min_tokens
        Where the smaller of two sets has fewer tokens, only equal sets match.
    numeric_veto
        Sets match only if they have the same tokens with a decimal digit.

    Raises
    ------
    PolicyError
        If there is no such measure.
    """
    check_measure(measure)
    n = len(sets)
    stop = list(range(n)) if upto is None else [min(int(u), i) for i, u in enumerate(_ints(upto))]
    start = [0] * n if since is None else [max(int(s), 0) for s in _ints(since)]
    found: list[Found] = [(0, 1, -1)] * n
    for members in _groups(sets, min_tokens, numeric_veto):
        if len(members) == n:
            _fill(found, members, sets, start, stop, measure)
        elif len(members) > 1:
            _fill(
                found,
                members,
                [sets[i] for i in members],
                [bisect_left(members, start[i]) for i in members],
                [bisect_left(members, stop[i]) for i in members],
                measure,
            )
    num, den, index = np.array(found, dtype=np.int64).reshape(n, 3).T.copy()
    return Matches(num, den, index)


def _ints(values: ArrayLike) -> list[Any]:
    return np.asarray(values).tolist() if not isinstance(values, list) else values


def comparison_key(tokens: AbstractSet[str], min_tokens: int, numeric_veto: bool) -> Hashable:
    """Return what two sets must have in common to be compared at all."""
    if len(tokens) < min_tokens:
        return (frozenset(tokens),)
    return frozenset(filter(_DIGIT, tokens)) if numeric_veto else None


def _groups(
    sets: Sequence[AbstractSet[str]], min_tokens: int, numeric_veto: bool
) -> list[Sequence[int]]:
    """Part the positions into groups within which sets may match."""
    if min_tokens <= 1 and not numeric_veto:
        return [range(len(sets))]
    groups: dict[Hashable, list[int]] = {}
    for i, tokens in enumerate(sets):
        groups.setdefault(comparison_key(tokens, min_tokens, numeric_veto), []).append(i)
    return list(groups.values())


def _fill(
    found: list[Found],
    members: Sequence[int],
    sets: Sequence[AbstractSet[str]],
    start: list[int],
    stop: list[int],
    measure: str,
) -> None:
    """Write the matches within one group into `found`.

    `start` and `stop` are positions within the group, and are used up.
    """
    equals = _latest_equal(sets, start, stop)
    for i, equal in enumerate(equals):
        if equal >= 0:
            # Nothing before an equal set is a better match; after it, only a set that contains
            # this one or is contained in it is as good, and that by containment alone.
            start[i] = equal
            stop[i] = stop[i] if measure == "containment" else equal + 1
    pairs = sum(max(last - first, 0) for first, last in zip(start, stop, strict=True))
    fast = pairs > _FEW_PAIRS and max(map(len, sets), default=0) <= MAX_SIZE
    best = best_by_kernels(sets, start, stop, equals, measure, _NARROW) if fast else None
    for i, (tokens, first, last) in enumerate(zip(sets, start, stop, strict=True)):
        if best is None or last - first <= _NARROW:
            num, den, index = _latest_best(tokens, sets, first, last, measure)
        else:
            index = int(best.index[i])
            if index >= 0:
                num, den = pair(int(best.shared[i]), len(tokens), len(sets[index]), measure)
        if index >= 0:
            found[members[i]] = (num, den, members[index])


def _latest_equal(sets: Sequence[AbstractSet[str]], start: list[int], stop: list[int]) -> list[int]:
    """Return for each set the latest equal one in its window, -1 where there is none."""
    latest: dict[AbstractSet[str], int] = {}
    known = 0
    equals = []
    for tokens, first, last in zip(sets, start, stop, strict=True):
        for j in range(known, last):
            latest[frozenset(sets[j])] = j
        known = max(known, last)
        equal = latest.get(frozenset(tokens), -1) if tokens else -1
        equals.append(equal if first <= equal < last else -1)
    return equals


def _latest_best(
    tokens: AbstractSet[str],
    sets: Sequence[AbstractSet[str]],
    first: int,
    last: int,
    measure: str,
) -> Found:
    """Compare one set with those in [first, last), the latest first."""
    num, den, index = 0, 1, -1
    size = len(tokens)
    for j in range(last - 1, first - 1, -1):
        other = sets[j]
        shared = len(tokens & other)
        if shared:
            top, bottom = pair(shared, size, len(other), measure)
            if top * den > num * bottom:
                num, den, index = top, bottom, j
                if top == bottom:
                    break
    return num, den, index
