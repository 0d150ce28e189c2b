"""Longest common subsequence of two rows of keys: which calls of two runs stand for each other.

Exact at any length. A row of the table of lengths is one whole number, in which a bit is 0 where
the length grows from one column to the next (Crochemore, Iliopoulos, Pinzon and Reid 2001; Hyyrö
2004): one addition and two logical operations stand for a whole row. Every few rows one is kept,
and the rows between two kept ones are made again on the way back, so that memory grows with the
root of the length. What both have in common at their start and end is set aside first.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import isqrt

__all__ = ["align"]

#: Bytes of rows that may be held at once before rows are made anew on the way back.
_HELD = 32_000_000


def align(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the pairs of places of a longest common subsequence, in rising order.

    Parameters
    ----------
    a, b
        Keys; equal keys may be paired.

    Returns
    -------
    list of tuple of int
        ``(i, j)`` with ``a[i] == b[j]``, both rising. No longer list is possible; of several as
        long, any may be returned, the same one each time.

    Notes
    -----
    Time is proportional to ``len(a) * len(b) / 64``: 10,000 by 10,000 keys take well under a
    second.

    Examples
    --------
    >>> align("abcbdab", "bdcaba")
    [(1, 0), (2, 2), (3, 4), (5, 5)]
    """
    start = _shared(a, b)
    end = _shared(a[start:][::-1], b[start:][::-1])
    middle = _middle(a[start : len(a) - end], b[start : len(b) - end])
    return [
        *((i, i) for i in range(start)),
        *((i + start, j + start) for i, j in middle),
        *((len(a) - k, len(b) - k) for k in range(end, 0, -1)),
    ]


def _shared(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Return how many keys at the start are the same."""
    for place, (one, other) in enumerate(zip(a, b, strict=False)):
        if one != other:
            return place
    return min(len(a), len(b))


def _middle(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Align what differs at its start and end. Bits are places of `a`, rows places of `b`."""
    if not a or not b:
        return []
    full = (1 << len(a)) - 1
    places: dict[Hashable, int] = {}
    for place, key in enumerate(a):
        places[key] = places.get(key, 0) | 1 << place
    masks = [places.get(key, 0) for key in b]
    step = _step(len(a), len(b))
    kept = [full]  # row 0, then every `step`-th
    row = full
    for number, mask in enumerate(masks, 1):
        row = _next(row, mask, full)
        if number % step == 0:
            kept.append(row)
    pairs: list[tuple[int, int]] = []
    column = len(a)
    for block in range((len(b) - 1) // step, -1, -1):
        first = block * step
        rows = [kept[block]]
        for mask in masks[first : first + step]:
            rows.append(_next(rows[-1], mask, full))
        column = _back(rows, first, column, pairs)
        if not column:
            break
    pairs.reverse()
    return pairs


def _step(columns: int, rows: int) -> int:
    """Return how many rows apart the kept ones lie: 1 where all of them fit."""
    if columns * rows <= 8 * _HELD:
        return 1
    return isqrt(rows) + 1


def _next(row: int, mask: int, full: int) -> int:
    """Return the row of lengths after one more key, which stands at the places of `mask`."""
    met = row & mask
    return ((row + met) | (row - met)) & full


def _back(rows: list[int], first: int, column: int, pairs: list[tuple[int, int]]) -> int:
    """Walk back through rows ``first`` to ``first + len(rows) - 1``; return the column reached.

    A length that grows at a column (bit 0) and did not one row before is a pair. Where it does not
    grow (bit 1), the columns are left in one stride, down to the next that does.
    """
    for number in range(len(rows) - 1, 0, -1):
        grows = ~rows[number] & ((1 << column) - 1)
        column = grows.bit_length()
        if not column:
            return 0
        if rows[number - 1] >> (column - 1) & 1:
            column -= 1
            pairs.append((column, first + number - 1))
    return column
