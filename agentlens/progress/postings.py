"""Best earlier matches of, and among, large sets: counts from lists of positions by token.

Slower by pair than bit planes, but indifferent to how many tokens a set has.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agentlens.progress.encoded import Encoded, score_key
from agentlens.progress.sliced import Best

__all__ = ["Postings", "compare"]

Ints = NDArray[np.int64]


class Postings:
    """For every token, which of some sets hold it.

    Parameters
    ----------
    data
        All sets.
    columns
        Rising positions of the sets that are searched.
    """

    def __init__(self, data: Encoded, columns: Ints):
        self.columns = columns
        self.sizes = data.sizes[columns]
        row, tokens = data.entries(columns)
        order = np.argsort(tokens, kind="stable")
        self._rows = row[order]
        self._starts = np.searchsorted(tokens[order], np.arange(data.vocabulary + 1))

    def shared(self, tokens: NDArray[np.int32]) -> Ints:
        """Return how many of these tokens each column holds, shape (columns,)."""
        starts = self._starts
        parts = [self._rows[starts[t] : starts[t + 1]] for t in tokens.tolist()]
        rows = np.concatenate(parts) if parts else np.zeros(0, np.int64)
        return np.bincount(rows, minlength=len(self.columns)).astype(np.int64, copy=False)


def compare(
    data: Encoded,
    queries: Ints,
    columns: Ints,
    start: Ints,
    stop: Ints,
    measure: str,
    best: Best,
) -> None:
    """Improve `best` for `queries` by the sets in `columns` that lie in ``[start, stop)``."""
    if not len(queries) or not len(columns):
        return
    postings = Postings(data, columns)
    lows = np.searchsorted(columns, start[queries])
    highs = np.searchsorted(columns, stop[queries])
    for query, low, high in zip(queries.tolist(), lows.tolist(), highs.tolist(), strict=True):
        if low >= high:
            continue
        tokens = data.tokens[data.offsets[query] : data.offsets[query + 1]]
        shared = postings.shared(tokens)[low:high]
        keys = score_key(shared, data.sizes[query], postings.sizes[low:high], measure)
        last = high - low - 1 - int(keys[::-1].argmax())
        index = int(columns[low + last])
        # A match that another kernel found wins where it is better, or as good and later.
        if keys[last] > best.key[query] or (
            keys[last] == best.key[query] > 0 and index > best.index[query]
        ):
            best.key[query] = keys[last]
            best.shared[query] = shared[last]
            best.index[query] = index
