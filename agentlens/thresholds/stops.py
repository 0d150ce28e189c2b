"""Which runs of a corpus each of some settings stops; each trace is read once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentlens.breaker.replay import replay
from agentlens.breaker.trip import saved_by
from agentlens.thresholds.runs import useful_rows
from agentlens.thresholds.surface import Surface, surface

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from agentlens.breaker.policy import Policy
    from agentlens.trace.corpus import Corpus
    from agentlens.trace.labels import Label
    from agentlens.trace.model import Trace

__all__ = ["COUNTED", "Stops", "stops_of"]

#: Which stops of good runs count: any, or only those that would have cost something.
COUNTED = ("any", "harmful")


@dataclass(slots=True)
class Stops:
    """What some settings do to labelled runs. The unit is the task, not the run.

    Attributes
    ----------
    good_hits, loop_hits
        For each task with good runs (with loops) how each setting hit it: one flag a setting.
    saved
        For each task with loops the rounds that each setting saves in its runs.
    rounds
        For each task with loops the rounds that its runs have.
    good_runs
        How many good runs there are.
    models, tools
        All that occur in the labelled runs.
    """

    good_hits: dict[str, list[bool]] = field(default_factory=dict)
    loop_hits: dict[str, list[bool]] = field(default_factory=dict)
    saved: dict[str, list[int]] = field(default_factory=dict)
    rounds: dict[str, int] = field(default_factory=dict)
    good_runs: int = 0
    models: set[str] = field(default_factory=set)
    tools: set[str] = field(default_factory=set)

    @property
    def good(self) -> int:
        """How many tasks have good runs."""
        return len(self.good_hits)

    @property
    def loops(self) -> int:
        """How many tasks have loops."""
        return len(self.loop_hits)

    @property
    def counts(self) -> list[tuple[int, int, int]]:
        """For each setting: good tasks stopped, loop tasks stopped, rounds saved in the loops."""
        good, loops, saved = self.arrays()
        return [
            (int(a), int(b), int(c))
            for a, b, c in zip(good.sum(0), loops.sum(0), saved.sum(0), strict=True)
        ]

    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return hits of good tasks, of loop tasks, and rounds saved; shape (tasks, settings)."""
        import numpy as np

        width = next((len(v) for t in (self.good_hits, self.loop_hits) for v in t.values()), 0)
        good, loops, saved = (
            np.array(list(table.values()), dtype=np.int64).reshape(-1, width)
            for table in (self.good_hits, self.loop_hits, self.saved)
        )
        return good, loops, saved

    def part(self, keep: set[str]) -> Stops:
        """Return the same for some tasks alone."""
        return Stops(
            {t: v for t, v in self.good_hits.items() if t in keep},
            {t: v for t, v in self.loop_hits.items() if t in keep},
            {t: v for t, v in self.saved.items() if t in keep},
            {t: v for t, v in self.rounds.items() if t in keep},
            models=self.models,
            tools=self.tools,
        )


def stops_of(corpus: Corpus, policies: Sequence[Policy], counted: str = "any") -> Stops:
    """Replay settings over the labelled runs of a corpus.

    Parameters
    ----------
    corpus
        Its runs labelled ``unknown`` are left out.
    policies
        The settings; those that differ in similarity and threshold only share their signals.
    counted
        One of `COUNTED`: which stops of good runs count as false.
    """
    found = Stops()
    for number, (trace, mark) in enumerate(corpus.labelled()):
        if mark.label == "unknown":
            continue
        task = mark.task if mark.task is not None else f"run {number}"
        found.models |= set(filter(None, trace.tables["rounds"]["model"]))
        found.tools |= set(filter(None, trace.tables["calls"]["tool"]))
        lost = _lost(trace, policies)
        if mark.label == "good":
            found.good_runs += 1
            hits = [rows is not None for rows in lost]
            if counted == "harmful":
                hits = _harmful(trace, mark, lost)
            old = found.good_hits.get(task)
            found.good_hits[task] = hits if old is None else _either(old, hits)
            continue
        hits, saved = [rows is not None for rows in lost], _rounds(trace, lost)
        if task in found.loop_hits:
            hits = _either(found.loop_hits[task], hits)
            saved = [a + b for a, b in zip(found.saved[task], saved, strict=True)]
        found.loop_hits[task], found.saved[task] = hits, saved
        acting = sum(bool(calls) for calls in trace.round_calls)
        found.rounds[task] = found.rounds.get(task, 0) + acting
    return found


def _either(one: list[bool], other: list[bool]) -> list[bool]:
    return [a or b for a, b in zip(one, other, strict=True)]


#: For each sequence that is stopped the rows that would not have happened; None: no stop.
_Lost = tuple[tuple[int, ...], ...] | None


def _harmful(trace: Trace, mark: Label, lost: Sequence[_Lost]) -> list[bool]:
    useful = useful_rows(trace, mark.solved)
    return [any(useful[row] for rows in parts or () for row in rows) for parts in lost]


def _rounds(trace: Trace, lost: Sequence[_Lost]) -> list[int]:
    known: dict[tuple[int, ...], int] = {}
    for parts in lost:
        for rows in parts or ():
            if rows not in known:
                known[rows] = saved_by(trace, rows).rounds
    return [sum(known[rows] for rows in parts or ()) for parts in lost]


def _lost(trace: Trace, policies: Sequence[Policy]) -> list[_Lost]:
    """Return for each setting what would not have happened, or None where it stops nothing."""
    surfaces: dict[Policy, Surface] = {}
    found: list[_Lost] = []
    for policy in policies:
        if policy.clear_on_progress or policy.rules:  # other rules see what a setting lets through
            made = replay(trace, policy)
            parts = tuple(
                rows[stop.cut :]
                for rows, stop in zip(made.signals.sequences, made.stops, strict=True)
                if stop
            )
        else:
            kind = policy.with_(similarity=1, threshold=1)
            if kind not in surfaces:
                surfaces[kind] = surface(trace, kind)
            one = surfaces[kind]
            trips = one.trip_rows(policy.similarity, policy.threshold)
            parts = tuple(
                rows[rows.index(row) :]
                for rows, row in zip(one.signals.sequences, trips, strict=True)
                if row is not None
            )
        found.append(parts or None)
    return found
