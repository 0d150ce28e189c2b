"""Clusters of similar queries at every threshold, computed once: the single-linkage forest.

Two sets are in one cluster at a similarity if a chain of pairs, each at least that similar, leads
from one to the other. All these clusterings together are one tree, and the tree fits in a row:
an order of the sets in which every cluster at every threshold is a run without gaps, and for each
two neighbours the score at which they come together. Who wants the clusters only cuts the row.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from agentlens.progress.encoded import MAX_SIZE
from agentlens.progress.measures import at_least, check_measure, score
from agentlens.progress.similarity import comparison_key
from agentlens.progress.spanning import spanning_edges

__all__ = ["Forest", "forest"]

Edge = tuple[int, int, int, int]


@dataclass(frozen=True)
class Forest:
    """The clusters of n token sets at every similarity.

    Attributes
    ----------
    order
        Length n: positions of the sets in leaf order. Children are ordered by their earliest set.
    gaps
        Length n - 1: ``gaps[i]`` is the score (numerator, denominator) at which the clusters of
        ``order[i]`` and ``order[i + 1]`` are joined; (0, 1) where they never are.
    edges
        ``(i, j, numerator, denominator)`` with i < j: a maximum spanning forest, highest first.
    measure
        The measure of the scores.
    """

    order: tuple[int, ...]
    gaps: tuple[tuple[int, int], ...]
    edges: tuple[Edge, ...]
    measure: str = "containment"

    @cached_property
    def _scores(self) -> NDArray[np.int64]:
        return np.array(self.gaps, dtype=np.int64).reshape(-1, 2)

    def cut(self, similarity: Fraction, strict: bool = False) -> list[int]:
        """Return the cluster of every set at a similarity.

        Parameters
        ----------
        similarity
            Sets at least this similar are together (more than this if `strict`).
        strict
            Whether the similarity itself is not enough.

        Returns
        -------
        list of int
            Length n: numbers from 0 in order of first appearance.
        """
        if not self.order:
            return []
        num, den = self._scores.T
        apart = ~at_least(num, den, similarity, self.measure, strict)
        run = np.empty(len(self.order), np.int64)
        run[list(self.order)] = np.concatenate([[0], np.cumsum(apart)])
        _, first, label = np.unique(run, return_index=True, return_inverse=True)
        number = np.empty(len(first), np.int64)
        number[np.argsort(first)] = np.arange(len(first))
        renumbered: list[int] = number[label].tolist()
        return renumbered


def forest(
    sets: Sequence[AbstractSet[str]],
    *,
    measure: str = "containment",
    min_tokens: int = 1,
    numeric_veto: bool = False,
) -> Forest:
    """Return the single-linkage forest over all pairs of token sets.

    Parameters
    ----------
    sets
        Token sets, oldest first. An empty set is a cluster of its own.
    measure, min_tokens, numeric_veto
        As in `agentlens.progress.similarity.best_earlier`.

    Raises
    ------
    PolicyError
        If there is no such measure.
    """
    check_measure(measure)
    edges: list[Edge] = []
    latest: dict[frozenset[str], int] = {}  # of each distinct set
    groups: dict[Hashable, list[int]] = {}  # the first of each distinct set
    for i, item in enumerate(sets):
        tokens = frozenset(item)
        if not tokens:
            continue
        if tokens in latest:
            edges.append((latest[tokens], i, *score(tokens, tokens, measure)))
        else:
            key = comparison_key(tokens, min_tokens, numeric_veto)
            groups.setdefault(key, []).append(i)
        latest[tokens] = i
    for members in groups.values():
        distinct = [sets[i] for i in members]
        for a, b in spanning_edges(distinct, measure):
            i, j = sorted((members[a], members[b]))
            edges.append((i, j, *score(distinct[a], distinct[b], measure)))
    exact = max(map(len, sets), default=0) > MAX_SIZE
    edges.sort(key=lambda edge: (-_value(edge, exact), edge[0], edge[1]))
    order, gaps = _row(len(sets), edges, exact)
    return Forest(order, gaps, tuple(edges), measure)


def _value(edge: Edge, exact: bool) -> Fraction | float:
    """Return the score of an edge as a number that orders exactly (see `score_key`)."""
    return Fraction(edge[2], edge[3]) if exact else edge[2] / edge[3]


def _row(
    n: int, edges: Sequence[Edge], exact: bool
) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    """Lay the sets in a row: join clusters from the highest score down, chained end to end."""
    # A cluster is named by its earliest set, which is also the first of its chain.
    cluster = list(range(n))
    last = list(range(n))
    following = [-1] * n
    gap = [(0, 1)] * n  # behind each set

    def find(i: int) -> int:
        while cluster[i] != i:
            cluster[i] = cluster[cluster[i]]
            i = cluster[i]
        return i

    for _, level in groupby(edges, key=lambda edge: _value(edge, exact)):
        same = list(level)
        # What one score joins is joined at once, so that its parts can be put in order.
        before = {find(i) for i, j, _, _ in same} | {find(j) for i, j, _, _ in same}
        pairs: dict[int, tuple[int, int]] = {}
        for i, j, num, den in same:
            a, b = sorted((find(i), find(j)))
            cluster[b] = a
            pairs[b] = (num, den)
        for part in sorted(before):
            whole = find(part)
            if whole != part:
                following[last[whole]] = part
                gap[last[whole]] = pairs[part]
                last[whole] = last[part]
    order: list[int] = []
    gaps: list[tuple[int, int]] = []
    for root in range(n):
        if cluster[root] == root:
            i = root
            while i >= 0:
                order.append(i)
                gaps.append(gap[i])
                i = following[i]
    return tuple(order), tuple(gaps[:-1])
