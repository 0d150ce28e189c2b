"""Which kernel compares which pairs."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from agentlens.progress.encoded import encode
from agentlens.progress.postings import compare
from agentlens.progress.sliced import LARGEST, Best, sliced

__all__ = ["best_by_kernels"]


def best_by_kernels(
    sets: Sequence[AbstractSet[str]],
    start: Sequence[int],
    stop: Sequence[int],
    equals: Sequence[int],
    measure: str,
    narrow: int,
) -> Best:
    """Return the best match of each set i in ``[start[i], stop[i])``.

    Parameters
    ----------
    sets
        Token sets, of at most `agentlens.progress.encoded.MAX_SIZE` tokens.
    start, stop
        Windows, one for each set.
    equals
        For each set an equal one at the beginning of its window, or -1.
    measure
        One of the measures.
    narrow
        Windows of at most this width are left out: the caller compares them itself.
    """
    data = encode(sets)
    low, high = np.array(start, dtype=np.int64), np.array(stop, dtype=np.int64)
    high = np.where(high - low > narrow, high, low)
    best = Best.nothing(len(sets))
    equal = np.array(equals, dtype=np.int64)
    known = np.flatnonzero(equal >= 0)
    # Only score 1 improves on an equal set, and only a later one: searching from behind it on
    # with a bar just below 1 finds that.
    best.index[known] = equal[known]
    best.shared[known] = data.sizes[known]
    best.key[known] = np.nextafter(1, 0)
    low[known] += 1
    sliced(data, low, high, measure, best)
    large = data.sizes > LARGEST
    if large.any():
        filled, wide = data.sizes > 0, high > low
        each = np.flatnonzero(filled)
        compare(data, np.flatnonzero(large & wide), each, low, high, measure, best)
        small = np.flatnonzero(filled & ~large & wide)
        compare(data, small, np.flatnonzero(large), low, high, measure, best)
    return best
