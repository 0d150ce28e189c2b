"""Four ways to compare two token sets, exactly: scores are pairs of integers, never floats.

Containment is the overlap coefficient of Szymkiewicz and Simpson, ``|A & B| / min(|A|, |B|)``.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING, Any, Final, overload

from agentlens.errors import PolicyError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "MEASURES", "at_least", "check_measure", "limit", "pair", "score", "score_text", "value_of",
]  # fmt: skip

MEASURES: Final = ("containment", "jaccard", "dice", "cosine")

_INT64 = 2**63 - 1


def check_measure(measure: str) -> str:
    """Return `measure` if it is one of `MEASURES`, else raise `PolicyError`."""
    if measure not in MEASURES:
        raise PolicyError(f"measure {measure!r} is none of {', '.join(MEASURES)}")
    return measure


def pair(shared: int, size: int, other: int, measure: str) -> tuple[int, int]:
    """Return the score of two sets that are known by their sizes and by how much they share."""
    if not shared:
        return 0, 1
    if measure == "containment":
        return shared, min(size, other)
    if measure == "jaccard":
        return shared, size + other - shared
    if measure == "dice":
        return 2 * shared, size + other
    return shared * shared, size * other


def score(
    a: AbstractSet[str], b: AbstractSet[str], measure: str = "containment"
) -> tuple[int, int]:
    """Return how similar two token sets are, as (numerator, denominator).

    Parameters
    ----------
    a, b
        Token sets.
    measure
        ``containment`` ``|A & B| / min(|A|, |B|)``, ``jaccard`` ``|A & B| / |A | B|``, ``dice``
        ``2 |A & B| / (|A| + |B|)``, or ``cosine``: its square, ``|A & B|^2 / (|A| |B|)``, so that
        it stays a ratio of integers.

    Returns
    -------
    tuple of int
        Not reduced, so that "2 of 2 tokens" can be said; (0, 1) where nothing is shared.

    Raises
    ------
    PolicyError
        If there is no such measure.
    """
    return pair(len(a & b), len(a), len(b), check_measure(measure))


def value_of(num: int, den: int, measure: str) -> float:
    """Return a score as a number from 0 to 1, for reading: the root of a cosine's square."""
    return sqrt(num / den) if measure == "cosine" else num / den


def score_text(num: int, den: int, measure: str) -> str:
    """Return a score in a table's cell: ``2/3``; a cosine, which is no ratio, ``0.730``."""
    return f"{value_of(num, den, measure):.3f}" if measure == "cosine" else f"{num}/{den}"


def limit(similarity: Fraction, measure: str) -> Fraction:
    """Return what a score is compared with: the similarity, for cosine its square."""
    return similarity * similarity if check_measure(measure) == "cosine" else similarity


@overload
def at_least(
    num: int,
    den: int,
    similarity: Fraction,
    measure: str = ...,
    strict: bool = ...,
) -> bool: ...
@overload
def at_least(
    num: NDArray[np.integer[Any]],
    den: NDArray[np.integer[Any]],
    similarity: Fraction,
    measure: str = ...,
    strict: bool = ...,
) -> NDArray[np.bool_]: ...
def at_least(
    num: Any,
    den: Any,
    similarity: Fraction,
    measure: str = "containment",
    strict: bool = False,
) -> Any:
    """Tell whether scores reach a similarity, exactly and inclusively.

    Parameters
    ----------
    num, den
        Scores as `score` returns them: two integers, or two integer arrays of one shape.
    similarity
        The similarity from which on two sets are the same; not squared, for no measure.
    measure
        The measure of the scores.
    strict
        Greater instead of at least.

    Returns
    -------
    bool or array of bool
        Computed in integers throughout; products that leave 64 bits are done in Python's own.
    """
    bound = limit(similarity, measure)
    p, q = bound.numerator, bound.denominator
    if not getattr(num, "ndim", 0):  # one score; for it NumPy need not be there
        num, den = int(num), int(den)
        return num * q > p * den if strict else num * q >= p * den
    import numpy as np

    if not num.size:
        return np.zeros(num.shape, dtype=bool)
    num, den = num.astype(np.int64), np.asarray(den).astype(np.int64)
    if int(np.abs(num).max()) * q <= _INT64 and int(den.max()) * abs(p) <= _INT64:
        return num * q > p * den if strict else num * q >= p * den
    # One smallest passing numerator for each denominator; there are few of them.
    values, which = np.unique(den, return_inverse=True)
    smallest = [p * int(d) // q + 1 if strict else -(-p * int(d) // q) for d in values]
    least = np.array([min(value, _INT64) for value in smallest], dtype=np.int64)
    return num >= least[which].reshape(num.shape)
