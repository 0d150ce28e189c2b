"""Token sets as numbers: what the fast kernels work on."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

__all__ = ["MAX_SIZE", "Encoded", "encode", "score_key"]

#: Up to this many tokens a set, a quotient in double precision orders scores exactly.
MAX_SIZE = 8192


@dataclass(frozen=True, slots=True)
class Encoded:
    """Sets of token numbers, one behind the other.

    Attributes
    ----------
    tokens
        Shape (sum of sizes,), int32: token numbers in [0, vocabulary).
    offsets
        Shape (n + 1,), int64: set i is ``tokens[offsets[i]:offsets[i + 1]]``.
    sizes
        Shape (n,), int64.
    vocabulary
        How many different tokens there are.
    """

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    sizes: NDArray[np.int64]
    vocabulary: int

    def entries(self, sets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return, for all tokens of the given sets in order, their row in `sets` and number."""
        sizes = self.sizes[sets]
        rows = np.repeat(np.arange(len(sets)), sizes)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return rows, self.tokens[np.repeat(self.offsets[sets], sizes) + within]


def encode(sets: Sequence[AbstractSet[str]]) -> Encoded:
    """Give every token a number, in order of appearance."""
    sizes = np.fromiter(map(len, sets), dtype=np.int64, count=len(sets))
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    numbers: dict[str, int] = {}
    tokens = np.fromiter(
        (numbers.setdefault(token, len(numbers)) for token in chain.from_iterable(sets)),
        dtype=np.int32,
        count=int(offsets[-1]),
    )
    return Encoded(tokens, offsets, sizes, len(numbers))


def score_key(
    shared: NDArray[np.int64], size: NDArray[np.int64], other: NDArray[np.int64], measure: str
) -> NDArray[np.float64]:
    """Return scores as doubles that compare exactly as the fractions do.

    Division is correctly rounded, so equal fractions give equal doubles; two different fractions
    below 1 with denominators under 2^26 differ by more than 2^-52, so their doubles differ too.
    The largest denominator is the product of two sizes, hence `MAX_SIZE`.
    """
    if measure == "containment":
        return shared / np.minimum(size, other)
    if measure == "jaccard":
        return shared / (size + other - shared)
    if measure == "dice":
        return 2 * shared / (size + other)
    return shared * shared / (size * other)
