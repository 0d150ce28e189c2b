"""The article's rule: count consecutive rounds whose queries repeat, trip at the threshold.

Nothing here knows of traces, tokens or files: a round is its role and whether it was similar.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = ["COUNT", "NEUTRAL", "RESET", "Counted", "count_rounds", "role_of"]

#: What a round does to the count: take part in it, leave it alone, or set it to zero.
COUNT, NEUTRAL, RESET = "count", "neutral", "reset"


class Counted(NamedTuple):
    """The count after each round up to the trip, and the place of the trip (or None).

    A budget of seconds or dollars counts in parts of one; every other rule in whole.
    """

    counts: Sequence[float]
    trip: int | None


def role_of(kind: str, *, mixed: str = NEUTRAL, business: str = RESET) -> str:
    """Return what a round of a kind does to the count.

    Parameters
    ----------
    kind
        ``search`` (all calls are searches), ``mixed`` (some), ``business`` (none); anything
        else (a message without calls, a preamble, a copied line) is neutral.
    mixed, business
        Switches of the policy.
    """
    if kind == "search":
        return COUNT
    return {"mixed": mixed, "business": business}.get(kind, NEUTRAL)


def count_rounds(
    rounds: Iterable[tuple[str, bool]], threshold: int, fresh: Sequence[bool] = ()
) -> Counted:
    """Count the rounds of one request.

    Parameters
    ----------
    rounds
        ``(role, similar)`` of each round, oldest first.
    threshold
        The count at which it trips; the tripping round is not executed.
    fresh
        For each round whether it brought news once it ran; the count then starts anew after it.

    Returns
    -------
    Counted
        Counts up to and including the tripping round, and its place from 0.
    """
    counts: list[int] = []
    count = 0
    for place, (role, similar) in enumerate(rounds):
        if role == RESET:
            count = 0
        elif role == COUNT:
            count = count + 1 if similar else 0
        counts.append(count)
        if role == COUNT and count >= threshold:
            return Counted(counts, place)
        if fresh and fresh[place]:
            count = 0
    return Counted(counts, None)
