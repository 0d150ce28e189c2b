"""Best earlier matches by bit-sliced counting: 64 pairs in every machine word.

The earlier sets are the columns, cut into chunks and within a chunk ordered by size. Each token
has a bitmap over the columns that hold it. Adding the bitmaps of a query's tokens with a binary
adder made of word operations gives, in a few bit planes, how many tokens the query shares with
each column. In columns of one size the score only grows with that count, so the highest count of
each size is all that has to be compared. Chunks go from the latest to the earliest, and a query
that has score 1 is done. The technique is that of carry-save adders over vertical bitmaps
(Harley-Seal; Warren, Hacker's Delight, 2nd ed., section 5-1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agentlens.progress.encoded import Encoded, score_key
from agentlens.progress.planes import (
    add_up,
    highest_bit,
    highest_counts,
    range_mask,
)

__all__ = ["LARGEST", "Best", "sliced"]

#: Sets with more tokens than this are left to `agentlens.progress.postings`.
LARGEST = 31

_CHUNKS = (512, 2048, 8192)  # columns, rising; few enough for bitmaps to stay in cache
_WORDS = 16384  # words of one batch of rows

Ints = NDArray[np.int64]


@dataclass(slots=True)
class Best:
    """The best match so far of every set; changed in place by the kernels.

    Attributes
    ----------
    key
        Shape (n,), float64: the score as `score_key` gives it.
    shared, index
        Shape (n,), int64: tokens shared with the match, and its position (-1: none).
    """

    key: NDArray[np.float64]
    shared: Ints
    index: Ints

    @classmethod
    def nothing(cls, n: int) -> Best:
        """Return n sets without a match."""
        return cls(np.zeros(n), np.zeros(n, np.int64), np.full(n, -1, np.int64))


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Bitmaps of some columns: `rows` (tokens + 1, words), its last row empty."""

    rows: NDArray[np.uint64]
    row_of: NDArray[np.int32]  # token number -> row
    sizes: Ints  # of each bucket
    starts: Ints  # first word of each bucket
    bucket: Ints  # of each word
    columns: list[Ints]  # positions of each bucket, rising
    at: Ints  # bit -> position


def sliced(data: Encoded, start: Ints, stop: Ints, measure: str, best: Best) -> None:
    """Improve `best` by comparing each set i with the sets in ``[start[i], stop[i])``.

    Only sets of 1 to `LARGEST` tokens take part, as queries and as columns.
    """
    usable = (data.sizes > 0) & (data.sizes <= LARGEST)
    ones = np.arange(LARGEST + 1, dtype=np.int64)
    size, other, shared = ones[1:, None, None], ones[None, 1:, None], ones[None, None, :]
    table = np.zeros((LARGEST + 1, LARGEST + 1, LARGEST + 1))
    # A count above the smaller size does not occur; cut there, the table stays defined.
    shared = np.minimum(shared, np.minimum(size, other))
    table[1:, 1:, :] = score_key(shared, size, other, measure)
    # Short windows go by short chunks: what lies outside a window is computed in vain.
    reach = stop - start
    edges = [0, *(width for width in _CHUNKS[:-1]), len(reach)]
    for least, most, width in zip(edges, edges[1:], _CHUNKS, strict=False):
        chosen = usable & (reach > least) & (reach <= most)
        if chosen.any():
            _sweep(data, usable, chosen, start, stop, width, table, best)


def _sweep(
    data: Encoded,
    usable: NDArray[np.bool_],
    chosen: NDArray[np.bool_],
    start: Ints,
    stop: Ints,
    width: int,
    table: NDArray[np.float64],
    best: Best,
) -> None:
    """Compare the chosen sets with all usable ones, by chunks from the latest to the earliest."""
    n = len(data.sizes)
    width = min(width, max(_CHUNKS[1], n // 4), n)
    end = int(stop[chosen].max())
    for first in range((end - 1) // width * width, -1, -width):
        last = min(first + width, n)
        queries = np.flatnonzero(chosen & (stop > first) & (start < last) & (best.key < 1))
        columns = first + np.flatnonzero(usable[first:last])
        if not len(queries) or not len(columns):
            continue
        whole = (stop[queries] >= last) & (start[queries] <= first)
        chunk = _chunk(data, columns)
        _compare(data, chunk, queries[whole], None, table, best)
        within = queries[~whole]
        _compare(data, chunk, within, (start, stop), table, best)


def _chunk(data: Encoded, columns: Ints) -> _Chunk:
    """Lay the bitmaps of some columns, ordered by size and then by position."""
    sizes, counts = np.unique(data.sizes[columns], return_counts=True)
    words = -(-counts // 64)
    starts = np.concatenate([[0], np.cumsum(words)[:-1]])
    order = columns[np.argsort(data.sizes[columns], kind="stable")]
    bits = np.arange(len(order)) + np.repeat(starts * 64 - (np.cumsum(counts) - counts), counts)
    at = np.full(int(words.sum()) * 64, -1, np.int64)
    at[bits] = order
    column, tokens = data.entries(order)
    present, row = np.unique(tokens, return_inverse=True)
    row_of = np.full(data.vocabulary, len(present), np.int32)
    row_of[present] = np.arange(len(present))
    width = int(words.sum())
    rows = np.zeros((len(present) + 1) * width, np.uint64)
    bit = bits[column]
    # Every bit is set once, so adding is the same as or-ing, and add.at is the faster one.
    np.add.at(rows, row * width + (bit >> 6), np.uint64(1) << (bit & 63).astype(np.uint64))
    return _Chunk(
        rows.reshape(-1, width),
        row_of,
        sizes,
        starts,
        np.repeat(np.arange(len(sizes)), words),
        np.split(order, np.cumsum(counts)[:-1]),
        at,
    )


def _compare(
    data: Encoded,
    chunk: _Chunk,
    queries: Ints,
    window: tuple[Ints, Ints] | None,
    table: NDArray[np.float64],
    best: Best,
) -> None:
    """Compare queries with a chunk, in batches of queries with equally many rows to add."""
    if not len(queries):
        return
    row, tokens = data.entries(queries)
    rows = chunk.row_of[tokens]
    held = rows < len(chunk.rows) - 1
    row, rows = row[held], rows[held]
    adds = np.bincount(row, minlength=len(queries))
    # No column can share more tokens than the query has rows here: often that is not enough.
    top = np.minimum(adds[:, None], chunk.sizes)
    reach = table[data.sizes[queries][:, None], chunk.sizes, top].max(axis=1)
    offsets = np.cumsum(adds) - adds
    hopeful = reach > best.key[queries]
    step = max(16, _WORDS // chunk.rows.shape[1])
    inside = None
    if window is not None:
        inside = tuple(
            np.stack([np.searchsorted(c, edge[queries]) for c in chunk.columns], axis=1)
            for edge in window
        )
    for count in np.unique(adds[hopeful]):
        chosen = np.flatnonzero(hopeful & (adds == count))
        for begin in range(0, len(chosen), step):
            batch = chosen[begin : begin + step]
            ids = rows[offsets[batch] + np.arange(count)[:, None]]
            mask = None
            if inside is not None:
                low, high = inside
                mask = range_mask(low[batch], high[batch], chunk.starts, chunk.bucket)
            _batch(data.sizes, chunk, queries[batch], ids, mask, table, best)


def _batch(
    sizes: Ints,
    chunk: _Chunk,
    queries: Ints,
    ids: NDArray[np.int32],
    mask: NDArray[np.uint64] | None,
    table: NDArray[np.float64],
    best: Best,
) -> None:
    """Count, find the best bucket of each query, and take its latest column."""
    planes = add_up(list(chunk.rows[ids]))
    counts, hits = highest_counts(planes, mask, chunk.starts, chunk.bucket)
    keys = table[sizes[queries][:, None], chunk.sizes, counts]
    top = keys.max(axis=1)
    better = np.flatnonzero(top > best.key[queries])
    if not len(better):
        return
    winning = keys[better] == top[better, None]
    found = hits[better]
    found *= winning[:, chunk.bucket]
    row, word = np.nonzero(found)
    position = chunk.at[word * 64 + highest_bit(found[row, word])]
    # Rows are sorted and every one has a hit. The latest of each:
    edges = np.flatnonzero(np.concatenate([[True], row[1:] != row[:-1]]))
    latest = np.maximum.reduceat(position, edges)
    target = queries[better]
    best.key[target] = top[better]
    best.index[target] = latest
    column = np.searchsorted(chunk.sizes, sizes[latest])
    best.shared[target] = counts[better, column]
