"""The maximum spanning forest of token sets under a similarity: Prim's algorithm.

Memory grows with the number of sets, not of pairs: scores of a set with all others are computed
when the set joins the tree, and only the best for each set outside is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from agentlens.progress.encoded import MAX_SIZE, encode, score_key
from agentlens.progress.measures import pair
from agentlens.progress.postings import Postings

__all__ = ["spanning_edges"]

_FEW = 40  # sets; fewer are joined pair by pair

Joint = tuple[int, int]


def spanning_edges(sets: Sequence[AbstractSet[str]], measure: str) -> list[Joint]:
    """Return the edges of a maximum spanning forest of non-empty, different token sets.

    Returns
    -------
    list of (int, int)
        At most ``len(sets) - 1`` pairs of positions; sets that share nothing, not even through
        others, are in different trees. Of equal edges the choice is always the same one.
    """
    if len(sets) < 2:
        return []
    if len(sets) <= _FEW or max(map(len, sets)) > MAX_SIZE:
        return _by_pairs(sets, measure)
    return _by_postings(sets, measure)


def _by_pairs(sets: Sequence[AbstractSet[str]], measure: str) -> list[Joint]:
    edges = []
    # For each set outside: the best score to the tree, and with which set in it.
    outside = dict.fromkeys(range(len(sets)), (0, 1, -1))
    while outside:
        joining = next(iter(outside))
        top = outside[joining]
        for i, candidate in outside.items():
            if candidate[0] * top[1] > top[0] * candidate[1]:
                joining, top = i, candidate
        del outside[joining]
        if top[2] >= 0:
            edges.append((top[2], joining))
        tokens = sets[joining]
        for i, (num, den, _) in outside.items():
            shared = len(tokens & sets[i])
            if shared:
                better, bottom = pair(shared, len(tokens), len(sets[i]), measure)
                if better * den > num * bottom:
                    outside[i] = (better, bottom, joining)
    return edges


def _by_postings(sets: Sequence[AbstractSet[str]], measure: str) -> list[Joint]:
    n = len(sets)
    data = encode(sets)
    postings = Postings(data, np.arange(n))
    sizes = data.sizes
    bar = np.zeros(n)  # what a score must exceed: 2, which none does, inside the tree
    reach = np.zeros(n)  # the best score to the tree: -1 inside it
    parent = np.full(n, -1, np.int64)
    edges = []
    for _ in range(n):
        joining = int(reach.argmax())  # the first of equals; at 0 the first of a new tree
        if reach[joining] > 0:
            edges.append((int(parent[joining]), joining))
        bar[joining], reach[joining] = 2, -1
        tokens = data.tokens[data.offsets[joining] : data.offsets[joining + 1]]
        keys = score_key(postings.shared(tokens), sizes[joining], sizes, measure)
        better = np.flatnonzero(keys > bar)
        bar[better] = reach[better] = keys[better]
        parent[better] = joining
    return edges
