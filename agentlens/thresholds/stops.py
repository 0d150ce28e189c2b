"""Which runs of a corpus each of some settings stops; each trace is read once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentlens.breaker.replay import replay
from agentlens.breaker.trip import saved_by
from agentlens.thresholds.surface import Surface, surface

if TYPE_CHECKING:
    from agentlens.breaker.policy import Policy
    from agentlens.trace.corpus import Corpus
    from agentlens.trace.model import Trace

__all__ = ["Stops", "stops_of"]


@dataclass(slots=True)
class Stops:
    """What some settings do to labelled runs.

    Attributes
    ----------
    good, loops
        How many runs are labelled so.
    counts
        For each setting: good runs stopped, loops stopped, rounds saved in the loops.
    models, tools
        All that occur in the labelled runs.
    """

    good: int = 0
    loops: int = 0
    counts: list[tuple[int, int, int]] = field(default_factory=list)
    models: set[str] = field(default_factory=set)
    tools: set[str] = field(default_factory=set)


def stops_of(corpus: Corpus, policies: Sequence[Policy]) -> Stops:
    """Replay settings over the labelled runs of a corpus.

    Parameters
    ----------
    corpus
        Its runs labelled ``unknown`` are left out.
    policies
        The settings; those that differ in similarity and threshold only share their signals.
    """
    found = Stops()
    good, loops, saved = ([0] * len(policies) for _ in range(3))
    for trace, mark in corpus.labelled():
        label = mark.label
        if label == "unknown":
            continue
        found.good += label == "good"
        found.loops += label == "loop"
        found.models |= set(filter(None, trace.tables["rounds"]["model"]))
        found.tools |= set(filter(None, trace.tables["calls"]["tool"]))
        for at, rounds in enumerate(_saved(trace, policies)):
            if rounds is None:
                continue
            if label == "good":
                good[at] += 1
            else:
                loops[at] += 1
                saved[at] += rounds
    found.counts = list(zip(good, loops, saved, strict=True))
    return found


def _saved(trace: Trace, policies: Sequence[Policy]) -> list[int | None]:
    """Return for each setting the rounds that it saves, or None where it stops nothing."""
    surfaces: dict[Policy, Surface] = {}
    known: dict[tuple[int, int], int] = {}
    found: list[int | None] = []
    for policy in policies:
        if policy.clear_on_progress or policy.rules:  # other rules see what a setting lets through
            trips = replay(trace, policy).trips
            found.append(sum(trip.saved_rounds for trip in trips) if trips else None)
            continue
        kind = policy.with_(similarity=1, threshold=1)
        if kind not in surfaces:
            surfaces[kind] = surface(trace, kind)
        made = surfaces[kind]
        rows = made.trip_rows(policy.similarity, policy.threshold)
        amounts = []
        for at, row in enumerate(rows):
            if row is None:
                continue
            if (at, row) not in known:
                later = made.signals.sequences[at]
                known[at, row] = saved_by(trace, later[later.index(row) :]).rounds
            amounts.append(known[at, row])
        found.append(sum(amounts) if amounts else None)
    return found
