"""How far down a fixed path of settings a promise about good runs holds."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from agentlens.thresholds.intervals import binomial_tail

__all__ = ["METHODS", "safe_settings"]

METHODS = ("ltt", "crc")


def safe_settings(
    stopped: Sequence[int], good: int, share: float, level: float, method: str = "ltt"
) -> int:
    """Return how many settings of a path keep the promise, from its beginning on.

    Parameters
    ----------
    stopped
        For each setting of the path, the most cautious first, how many good runs it stops. The
        path must have been fixed before these runs were looked at.
    good
        How many good runs there are.
    share
        The share of good runs that may be stopped.
    level
        The allowed error: with probability of at least ``1 - level`` all returned settings keep
        the promise. Not used by ``crc``.
    method
        ``ltt``: Learn-then-Test with fixed-sequence testing (Angelopoulos, Bates, Candès, Jordan,
        Lei, arXiv 2110.01052): "more than `share` are stopped" has the exact binomial p-value
        P(Bin(good, share) <= stopped), and the first that is above `level` ends the walk.
        ``crc``: conformal risk control (Angelopoulos et al., arXiv 2208.02814):
        (stopped + 1) / (good + 1) <= share, a promise on average only.

    Raises
    ------
    ValueError
        If there is no such method.
    """
    if method not in METHODS:
        raise ValueError(f"method: {method!r} is none of {', '.join(METHODS)}")
    exact = Fraction(share).limit_denominator(10**6)
    for place, hits in enumerate(stopped):
        if method == "crc":
            holds = Fraction(hits + 1, good + 1) <= exact
        else:
            holds = good > 0 and binomial_tail(hits, good, share) <= level
        if not holds:
            return place
    return len(stopped)
