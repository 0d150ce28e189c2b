"""The steps of many sequences at once: running records of sliding minima, as arrays.

The same as `agentlens.thresholds.steps.window_records`, for all runs of a corpus in a few array
operations a threshold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from agentlens.thresholds.profile import Profile

__all__ = ["Counting", "Records", "counting_of"]

#: Quotients of integers below this are equal as floats only where they are equal.
_EXACT = 2**26


@dataclass(frozen=True, eq=False, slots=True)
class Records:
    """Steps at one threshold, by sequence and then by rising rank.

    Attributes
    ----------
    sequence, rank, place
        Up to the score of this rank, and above that of the record before, the sequence trips at
        this place.
    """

    sequence: NDArray[np.int64]
    rank: NDArray[np.int64]
    place: NDArray[np.int64]


@dataclass(eq=False, slots=True)
class Counting:
    """All counting rounds of all sequences, and the minima of the last threshold asked for.

    Attributes
    ----------
    values
        Every score above 0 that occurs, rising; the rank of a score is its place plus one.
    """

    values: list[Fraction]
    sequence: NDArray[np.int64]
    place: NDArray[np.int64]
    run: NDArray[np.int64]
    rank: NDArray[np.int64]
    last: NDArray[np.int64]
    _minima: NDArray[np.int64]
    _threshold: int = 1

    def records(self, threshold: int) -> Records:
        """Return the steps at a threshold; asking in rising order costs one pass each."""
        import numpy as np

        if threshold < self._threshold:
            self._minima, self._threshold = self.rank, 1
        while self._threshold < threshold:
            before = np.empty_like(self._minima)
            before[:1] = 0
            before[1:] = self._minima[:-1]
            self._minima = np.minimum(before, self.rank)
            self._threshold += 1
        low = np.where(self.run >= threshold, self._minima, 0)
        low = np.where(self.place <= self.last, low, 0)  # another rule has stopped it before
        scale = len(self.values) + 1
        offset = self.sequence * scale
        best = np.maximum.accumulate(low + offset) if len(low) else low
        before = np.concatenate([[-1], best[:-1]]) if len(best) else best
        new = (low > 0) & (low + offset > before)
        return Records(self.sequence[new], low[new], self.place[new])


def counting_of(profiles: Sequence[Profile]) -> Counting:
    """Return the counting rounds of some runs, ready for `Counting.records`."""
    import numpy as np

    def joined(name: str, kind: type) -> NDArray[np.int64]:
        parts = [getattr(p, name) for p in profiles]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=kind)

    sizes = np.array([size for p in profiles for size in p.sizes], dtype=np.int64)
    roles, num, den = (joined(name, np.int64) for name in ("roles", "num", "den"))
    sequence = np.repeat(np.arange(len(sizes)), sizes)
    starts = np.cumsum(sizes) - sizes
    place = np.arange(len(roles)) - np.repeat(starts, sizes)
    stops = [stop for p in profiles for stop in p.fixed]
    last = np.array([size if stop is None else stop.last
                     for stop, size in zip(stops, sizes, strict=True)], dtype=np.int64)  # fmt: skip
    values, rank = _ranked(num, den)
    counts = (roles & 7) == 1
    # A run of counting rounds ends with its sequence, at a reset, and after news.
    ends = np.cumsum((roles & 7) == 2) + np.cumsum(np.concatenate([[0], (roles >= 8)[:-1]]))
    group = (sequence * (int(ends[-1]) + 2 if len(ends) else 1) + ends)[counts]
    first = np.concatenate([[True], group[1:] != group[:-1]]) if len(group) else counts[:0]
    index = np.arange(len(group))
    run = index - np.maximum.accumulate(np.where(first, index, 0)) + 1
    rank = rank[counts]
    return Counting(
        values, sequence[counts], place[counts], run, rank, last[sequence][counts], rank
    )  # fmt: skip


def _ranked(
    num: NDArray[np.int64], den: NDArray[np.int64]
) -> tuple[list[Fraction], NDArray[np.int64]]:
    """Return the scores above 0, rising, and the rank of each round's own (0 for none)."""
    import numpy as np

    if len(den) and max(int(num.max()), int(den.max())) >= _EXACT:
        exact = [Fraction(int(n), int(d)) for n, d in zip(num, den, strict=True)]
        values = sorted({v for v in exact if v})
        places = {v: at + 1 for at, v in enumerate(values)}
        return values, np.array([places.get(v, 0) for v in exact], dtype=np.int64)
    shares, first, inverse = np.unique(num / den, return_index=True, return_inverse=True)
    values = [Fraction(int(num[at]), int(den[at])) for at in first]
    zero = int(len(shares) > 0 and shares[0] == 0)
    return values[zero:], inverse.astype(np.int64) + (1 - zero)
