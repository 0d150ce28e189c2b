"""The order in which settings are tried, fixed before any run is looked at.

A guarantee by fixed-sequence testing holds only for such an order: breakpoints read from the runs
themselves would void it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from agentlens.errors import PolicyError

if TYPE_CHECKING:
    from agentlens.breaker.policy import Policy

__all__ = ["MOST_THRESHOLD", "SIMILARITIES", "paths_of"]

#: Containments of queries of up to twelve tokens, from equal down to half shared: every fraction
#: with a denominator of at most 12.
SIMILARITIES = tuple(
    sorted(
        {Fraction(p, q) for q in range(1, 13) for p in range(1, q + 1) if 2 * p >= q}, reverse=True
    )
)

MOST_THRESHOLD = 6


def paths_of(policy: Policy, path: str | Sequence[Policy] = "similarity") -> list[list[Policy]]:
    """Return one or more sequences of policies, each from the most cautious to the boldest.

    Parameters
    ----------
    policy
        Where the walk is: all that the path does not move stays as it is.
    path
        ``similarity``: it walks down `SIMILARITIES` at the policy's threshold. ``threshold``: it
        walks from 6 down to 1 at the policy's similarity. ``both``: a walk of the similarity for
        each threshold, which share the allowed error between them. Or policies in an order of
        your own, the most cautious first.

    Raises
    ------
    PolicyError
        If there is no such path.
    """
    if path == "similarity":
        return [[policy.with_(similarity=s) for s in SIMILARITIES]]
    thresholds = range(MOST_THRESHOLD, 0, -1)
    if path == "threshold":
        return [[policy.with_(threshold=k) for k in thresholds]]
    if path == "both":
        return [[policy.with_(similarity=s, threshold=k) for s in SIMILARITIES] for k in thresholds]
    own: list[Any] = [] if isinstance(path, str) else list(path)
    if not own or any(type(one) is not type(policy) for one in own):
        raise PolicyError(
            f"path: {path!r} is none of similarity, threshold, both, and no list of policies"
        )
    return [own]
