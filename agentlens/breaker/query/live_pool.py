"""Fingerprints that may match each other, added one by one; the best of them for a new one.

Equal fingerprints are kept once, with the latest place: a run in circles does not grow. A lookup
adds up lists of columns by token, and costs little more at 10,000 fingerprints than at 100.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from agentlens.progress.measures import pair

__all__ = ["NOTHING", "Found", "Pool"]

#: Score as two integers, and the place matched (-1: none).
Found = tuple[int, int, int]
NOTHING: Found = (0, 1, -1)

_FEW = 96  # entries of a lookup; fewer are added up without numpy
_EXACT = 2**50  # quotients of integers whose product is below are ordered by their doubles
_SLACK = 64  # columns that are forgotten may linger, so many and as many as those that are not


class Pool:
    """Fingerprints by column.

    Parameters
    ----------
    measure
        One of `agentlens.progress.measures.MEASURES`.
    decay
        A score fades in equal steps with age and is gone after so many rounds; None: never.
    """

    def __init__(self, measure: str, decay: int | None):
        self._measure, self._decay = measure, decay
        self._power = 2 if measure == "cosine" else 1  # its scores are squares
        self._empty()

    def _empty(self) -> None:
        self._column: dict[frozenset[str], int] = {}
        self._postings: dict[str, array[int]] = {}
        self._sizes, self._places, self._ages = array("q"), array("q"), array("q")
        self._largest = 1

    def add(self, tokens: frozenset[str], place: int, age: int) -> None:
        """Remember a fingerprint; places and ages never fall."""
        column = self._column.setdefault(tokens, len(self._sizes))
        if column < len(self._sizes):
            self._places[column], self._ages[column] = place, age
            return
        self._sizes.append(len(tokens))
        self._places.append(place)
        self._ages.append(age)
        self._largest = max(self._largest, len(tokens))
        for token in tokens:
            have = self._postings.get(token)
            if have is None:
                have = self._postings[token] = array("q")
            have.append(column)

    def best(self, tokens: frozenset[str], since: int, age: int) -> Found:
        """Return the best match from a place on: highest score, of equals the latest.

        Parameters
        ----------
        tokens
            A fingerprint that is not empty.
        since
            Places before it are forgotten, here and for all later lookups.
        age
            The age of the new one: how many rounds were remembered before its own.
        """
        postings = self._postings
        lists = [have for token in tokens if (have := postings.get(token)) is not None]
        if sum(map(len, lists)) <= _FEW:
            counts = Counter(column for have in lists for column in have)
            return self._one_by_one(counts.items(), len(tokens), since, age)
        columns = np.frombuffer(b"".join(lists), np.int64)
        shared = np.bincount(columns, minlength=len(self._sizes))
        if not self._is_exact(len(tokens)):
            some = np.flatnonzero(shared)
            pairs = zip(some.tolist(), shared[some].tolist(), strict=True)
            return self._one_by_one(pairs, len(tokens), since, age)
        found = self._all_at_once(shared, len(tokens), since, age)
        if since:
            self._forget(since)
        return found

    def _weight(self, age: int) -> int:
        assert self._decay is not None
        return int(min(self._decay, max(0, self._decay + 1 - age)) ** self._power)

    def _full(self) -> int:
        return 1 if self._decay is None else int(self._decay**self._power)

    def _is_exact(self, size: int) -> bool:
        """Say whether doubles order all scores exactly, and 64 bits hold them."""
        most = 2 * max(size, self._largest)
        return bool(most ** (2 * self._power) * self._full() < _EXACT)

    def _one_by_one(
        self, pairs: Iterable[tuple[int, int]], size: int, since: int, age: int
    ) -> Found:
        best, full = NOTHING, self._full()
        for column, shared in pairs:
            place = self._places[column]
            if place < since:
                continue
            num, den = pair(shared, size, self._sizes[column], self._measure)
            if self._decay is not None:
                num, den = num * self._weight(age - self._ages[column]), den * full
            ahead = num * best[1] - best[0] * den
            if num and (ahead > 0 or (ahead == 0 and place > best[2])):
                best = (num, den, place)
        return best

    def _all_at_once(self, shared: NDArray[np.int64], size: int, since: int, age: int) -> Found:
        sizes, places = np.frombuffer(self._sizes, np.int64), np.frombuffer(self._places, np.int64)
        num, den = _pairs(shared, size, sizes, self._measure)
        if self._decay is not None:
            ages = age - np.frombuffer(self._ages, np.int64)
            weights = np.clip(self._decay + 1 - ages, 0, self._decay)
            num = num * weights**self._power
        if since:
            num = np.where(places >= since, num, 0)
        keys = num / den
        top = keys.max()
        if not top:
            return NOTHING
        ties = np.flatnonzero(keys == top)
        column = ties[places[ties].argmax()]
        return int(num[column]), int(den[column]) * self._full(), int(places[column])

    def _forget(self, since: int) -> None:
        """Let go of what is forgotten, once it is most of all."""
        places = np.frombuffer(self._places, np.int64)
        alive = int(np.count_nonzero(places >= since))
        del places  # an array whose buffer is lent cannot grow
        if len(self._places) <= 2 * alive + _SLACK:
            return
        kept = [t for t, column in self._column.items() if self._places[column] >= since]
        old = [(t, self._places[self._column[t]], self._ages[self._column[t]]) for t in kept]
        self._empty()
        for tokens, place, age in old:
            self.add(tokens, place, age)


def _pairs(
    shared: NDArray[np.int64], size: int, sizes: NDArray[np.int64], measure: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return `agentlens.progress.measures.pair` for all columns."""
    if measure == "containment":
        return shared, np.minimum(sizes, size)
    if measure == "jaccard":
        return shared, sizes + size - shared
    if measure == "dice":
        return 2 * shared, sizes + size
    return shared * shared, sizes * size
