"""The steps of one sequence at one threshold: running records of a sliding-window minimum.

With m[r] the best score of round r, a window of `threshold` counting rounds that ends at r trips
if and only if its smallest m is at least the similarity. So the first round that trips, as the
similarity falls, is given by the records of that minimum: one pass over the rounds.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from agentlens.breaker.query.classic import COUNT, RESET

__all__ = ["Steps", "window_records"]


@dataclass(frozen=True, slots=True)
class Steps:
    """The trip of one sequence at one threshold, as a function of similarity.

    Attributes
    ----------
    values
        Breakpoints, rising: scores (for cosine their squares).
    rows
        ``rows[i]`` is the row of the trip for similarities above ``values[i - 1]`` and up to
        ``values[i]`` (with `strict`: from ``values[i - 1]`` on and below ``values[i]``), or None.
        Above the last value nothing trips.
    """

    values: tuple[Fraction, ...]
    rows: tuple[int | None, ...]

    def at(self, bound: Fraction, strict: bool) -> int | None:
        """Return the row of the trip where a score must reach `bound` (or exceed it)."""
        place = bisect_right(self.values, bound) if strict else bisect_left(self.values, bound)
        return self.rows[place] if place < len(self.rows) else None


def window_records(rounds: Iterable[tuple[int, str, Fraction]], threshold: int) -> Steps:
    """Return the steps of one sequence at one threshold.

    Parameters
    ----------
    rounds
        ``(row, role, score)`` of each round, oldest first.
    threshold
        How many consecutive counting rounds must be similar.
    """
    window: deque[tuple[int, Fraction]] = deque()  # scores rising: the first is the minimum
    values: list[Fraction] = []
    rows: list[int | None] = []
    length = 0
    for row, role, score in rounds:
        if role == RESET:
            window.clear()
            length = 0
        if role != COUNT:
            continue
        length += 1
        while window and window[-1][1] >= score:
            window.pop()
        window.append((length, score))
        if window[0][0] <= length - threshold:
            window.popleft()
        low = window[0][1]
        if length >= threshold and low > (values[-1] if values else 0):
            values.append(low)
            rows.append(row)
    return Steps(tuple(values), tuple(rows))
