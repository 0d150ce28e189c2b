"""Lanes: which call sits in which lane at a similarity. The stage does the same in the browser."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentlens.figures.theme import MOST_LANES
from agentlens.figures.view import View
from agentlens.progress.clusters import forest

if TYPE_CHECKING:
    from agentlens.progress.clusters import Forest

__all__ = ["LETTERS", "Lane", "Lanes", "forest_of", "lanes_of"]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Lane:
    """One lane: ``cluster``, ``more`` (clusters without a lane), ``single`` or ``other``."""

    kind: str
    group: int
    size: int
    text: str


@dataclass(frozen=True, slots=True)
class Lanes:
    """Where the calls of a view sit.

    Attributes
    ----------
    lanes
        From top to bottom.
    lane, group, kind
        For each call of the view its lane, its cluster's number as lettered (-1: none) and the
        kind of its lane.
    y
        For each call its height: the lane, and calls of one round in one lane stacked.
    """

    lanes: tuple[Lane, ...]
    lane: list[int]
    group: list[int]
    kind: list[str]
    y: list[float]


def forest_of(view: View) -> Forest:
    """Return the single-linkage forest of a view's queries; cached on the trace."""
    policy, cache = view.replay.policy, view.replay.trace.cache
    sets = [view.replay.signals.queries[q].tokens for q in view.queries]
    key = (
        "forest",
        view.thread,
        policy.measure,
        policy.min_tokens,
        policy.numeric_veto,
        tuple(sets),
    )
    if key not in cache:
        cache[key] = forest(
            sets,
            measure=policy.measure,
            min_tokens=policy.min_tokens,
            numeric_veto=policy.numeric_veto,
        )
    found: Forest = cache[key]
    return found


def lanes_of(view: View) -> Lanes:
    """Lay the calls of a view in lanes.

    At most eight clusters of two or more queries have a lane of their own, the largest, in the
    order of the forest; single queries share a lane, and so do tools that do not search.
    The forest is cut at the policy's similarity.
    """
    policy = view.replay.policy
    tree = forest_of(view)
    cluster = list(tree.cut(policy.similarity, strict=policy.strict))
    place = {query: at for at, query in enumerate(tree.order)}
    size = Counter(cluster)
    first: dict[int, int] = {}
    at: dict[int, int] = {}
    for position, name in enumerate(cluster):
        first.setdefault(name, position)
        at[name] = min(place[position], at.get(name, len(cluster)))
    shared = sorted((name for name in size if size[name] > 1), key=at.__getitem__)
    chosen = sorted(
        sorted(shared, key=lambda name: (-size[name], at[name]))[:MOST_LANES], key=at.__getitem__
    )
    group = {
        name: g for g, name in enumerate(chosen + [name for name in shared if name not in chosen])
    }
    queries = view.replay.signals.queries
    lanes = [
        Lane("cluster", group[name], size[name], queries[view.queries[first[name]]].text)
        for name in chosen
    ]

    groups, kinds = [], []
    for call in view.calls:
        query = view.query_of_call.get(call)
        own = -1 if query is None else group.get(cluster[query], -1)
        groups.append(own)
        kinds.append(
            "other"
            if query is None
            else "single"
            if own < 0
            else "cluster"
            if own < len(chosen)
            else "more"
        )
    seen = Counter(kinds)
    number: dict[str, int] = {}
    for kind in ("more", "single", "other"):
        if seen[kind]:
            number[kind] = len(lanes)
            lanes.append(Lane(kind, -1, seen[kind], ""))
    lane = [g if kind == "cluster" else number[kind] for g, kind in zip(groups, kinds, strict=True)]
    return Lanes(tuple(lanes), lane, groups, kinds, _stack(view, lane))


def _stack(view: View, lane: list[int]) -> list[float]:
    """Stack the calls of one round in one lane: they ran side by side."""
    rows = view.replay.trace.tables["calls"]["round_row"]
    together: dict[tuple[int, int], list[int]] = {}
    for index, call in enumerate(view.calls):
        together.setdefault((rows[call], lane[index]), []).append(index)
    y = [0.0] * len(lane)
    for (_, at), members in together.items():
        step = min(0.36, 0.7 / max(1, len(members) - 1))
        for k, index in enumerate(members):
            y[index] = at + (k - (len(members) - 1) / 2) * step
    return y
