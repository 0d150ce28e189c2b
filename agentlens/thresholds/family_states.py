"""The states of a run of several sequences: requests of a thread, and sub-agents."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from agentlens.thresholds.profile import FixedStop, Profile
    from agentlens.thresholds.records import Counting, Records

__all__ = ["Stepped", "run_state", "steps_of"]

#: Steps of one sequence: up to this rank it trips at this place (None: not at all).
Stepped: TypeAlias = list[tuple[int, int | None]]
#: A stop of one sequence: place, first place not run, the rule's name, its call.
_Stop: TypeAlias = tuple[int, int, str, int]


def steps_of(
    profile: Profile, found: Records, part: slice, lowest: int, counting: Counting, threshold: int
) -> list[Stepped]:
    """Return the query rule's steps of each sequence of a run.

    Parameters
    ----------
    profile
        The run.
    found, part, lowest
        All records at this threshold, which of them are the run's, and its first sequence.
    counting
        Where the ranks of scores are.
    threshold
        The threshold.
    """
    steps: list[Stepped] = [[] for _ in profile.sizes]
    if profile.replayed:
        for one, made in zip(steps, profile.replayed.get(threshold, ()), strict=False):
            one += [
                (bisect_left(counting.values, value) + 1, row)
                for value, row in zip(made.values, made.rows, strict=True)
            ]
        return steps
    columns = (found.sequence[part], found.rank[part], found.place[part])
    for sequence, rank, place in zip(*(c.tolist() for c in columns), strict=True):
        steps[sequence - lowest].append((rank, place))
    return steps


def run_state(
    profile: Profile, steps: Sequence[Stepped], rank: int, names: Sequence[str]
) -> tuple[bool, bool, int, int, tuple[float, ...]]:
    """Return what happens to a run where scores from this rank on are similar.

    Returns
    -------
    tuple
        Stopped, harmful, round of the earliest trip, its rule's place in `names`, what is saved.
    """
    starts = [0]
    for size in profile.sizes:
        starts.append(starts[-1] + size)
    stops = [
        _first(_place(one, rank), fixed, profile.call[start : start + size].tolist())
        for one, fixed, start, size in zip(
            steps, profile.fixed, starts, profile.sizes, strict=False
        )
    ]
    saved, harmful, earliest = [0.0] * 4, False, None
    for n, stop in enumerate(stops):
        if stop is None:
            continue
        row = starts[n] + n + stop[1]  # one row more for each sequence before
        harmful |= bool(profile.useful[row])
        if _happens(profile, stops, n):
            saved = [a + float(b) for a, b in zip(saved, profile.saved[row], strict=True)]
        number = int(profile.number[starts[n] + stop[0]])
        if earliest is None or (stop[3], n) < earliest[:2]:
            earliest = (stop[3], n, number, stop[2])
    if earliest is None:
        return False, False, -1, -1, tuple(saved)
    return True, harmful, earliest[2], names.index(earliest[3]), tuple(saved)


def _place(steps: Stepped, rank: int) -> int | None:
    at = bisect_left(steps, rank, key=lambda step: step[0])
    return steps[at][1] if at < len(steps) else None


def _first(place: int | None, fixed: FixedStop | None, calls: Sequence[int]) -> _Stop | None:
    if place is not None and (fixed is None or place <= fixed.last):
        return place, place, "query", calls[place]
    return None if fixed is None else (fixed.place, fixed.cut, fixed.rule, fixed.call)


def _happens(profile: Profile, stops: Sequence[_Stop | None], n: int) -> bool:
    """Say whether the thread of a sequence would have been started at all."""
    seen: set[tuple[int, int]] = set()
    at = profile.parent[n]
    while at is not None and at not in seen:  # a damaged log may hold a cycle
        seen.add(at)
        stop = stops[at[0]]
        if stop is not None and at[1] >= stop[1]:
            return False
        at = profile.parent[at[0]]
    return True
