"""Arithmetic on bit planes: numbers of 64 columns in the bits of a few words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["add_up", "highest_bit", "highest_counts", "range_mask"]

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]

_ALL = np.uint64(2**64 - 1)
# The lowest b bits, for b from 0 to 64.
_LOWEST = np.array([(1 << b) - 1 for b in range(65)], dtype=np.uint64)


def add_up(rows: list[Words]) -> list[Words]:
    """Count, in each bit, the rows that have it; the rows are used up.

    Parameters
    ----------
    rows
        At least one array of words, all of one shape.

    Returns
    -------
    list of array
        Bit planes of the counts, the lowest first.
    """
    planes = []
    scratch = np.empty_like(rows[0])
    level = rows
    while level:
        carries = []
        while len(level) > 2:  # a full adder: three rows in, their sum and carry out
            a, b, c = level.pop(), level.pop(), level.pop()
            np.bitwise_xor(a, b, out=scratch)
            np.bitwise_and(a, b, out=a)
            np.bitwise_xor(scratch, c, out=b)
            np.bitwise_and(scratch, c, out=c)
            np.bitwise_or(a, c, out=a)
            level.append(b)
            carries.append(a)
        if len(level) == 2:  # a half adder
            a, b = level
            np.bitwise_xor(a, b, out=scratch)
            np.bitwise_and(a, b, out=a)
            carries.append(a)
            level, scratch = [scratch], b
        planes.append(level[0])
        level = carries
    return planes


def highest_counts(
    planes: list[Words], mask: Words | None, starts: Ints, bucket: Ints
) -> tuple[Ints, Words]:
    """Find the highest count in each bucket of columns, and the columns that have it.

    Parameters
    ----------
    planes
        Bit planes of counts, shape (rows, words) each.
    mask
        The columns that take part, same shape; all if None.
    starts, bucket
        First word of each bucket, shape (buckets,); bucket of each word, shape (words,).

    Returns
    -------
    counts, hits
        Shapes (rows, buckets) and (rows, words). Where the count is 0, hits mean nothing.
    """
    counts: Ints = np.zeros((len(planes[0]), len(starts)), np.int64)
    hits = mask
    for power in range(len(planes) - 1, -1, -1):
        plane = planes[power]
        kept = plane if hits is None else np.bitwise_and(plane, hits, out=plane)
        some = np.bitwise_or.reduceat(kept, starts, axis=1) != 0
        if hits is None:
            hits = np.full_like(plane, _ALL)
        if some.any():
            counts += some.astype(np.int64) << power
            np.copyto(hits, kept, where=some[:, bucket])
    assert hits is not None
    return counts, hits


def range_mask(lows: Ints, highs: Ints, starts: Ints, bucket: Ints) -> Words:
    """Return the mask of the columns ``[low, high)`` of each bucket.

    Parameters
    ----------
    lows, highs
        Shape (rows, buckets): counted from the first column of the bucket.
    starts, bucket
        As in `highest_counts`.
    """
    offset = (np.arange(len(bucket)) - starts[bucket]) * 64
    mask: Words = _LOWEST[np.clip(highs[:, bucket] - offset, 0, 64)]
    if lows.any():
        mask &= ~_LOWEST[np.clip(lows[:, bucket] - offset, 0, 64)]
    return mask


def highest_bit(words: Words) -> Ints:
    """Return the number of the highest bit that is set in each word; no word is 0."""
    filled = words.copy()
    for shift in (1, 2, 4, 8, 16, 32):
        filled |= filled >> np.uint64(shift)
    return np.bitwise_count(filled).astype(np.int64) - 1
