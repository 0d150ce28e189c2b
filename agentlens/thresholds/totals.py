"""Counts over all runs at one threshold: one column for each rank of similarity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agentlens.thresholds.profile import AMOUNTS, Profile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from agentlens.thresholds.states import States

__all__ = ["Ground", "Totals", "ground_of", "totals_of"]

#: So many cells of runs by columns are expanded at once: bounds the memory.
_CHUNK = 4_000_000


@dataclass(frozen=True, eq=False, slots=True)
class Ground:
    """What is counted, for all thresholds: for each run whether it is good or a loop, its task.

    Runs that end with an open question are no loops. `alone` says that each task is one run.
    """

    good: NDArray[np.bool_]
    loop: NDArray[np.bool_]
    task: NDArray[np.int64]
    alone: bool


def ground_of(profiles: Sequence[Profile]) -> Ground:
    """Return what is counted."""
    import numpy as np

    names: dict[str, int] = {}
    task = np.array([names.setdefault(p.task, len(names)) for p in profiles], dtype=np.int64)
    return Ground(
        np.array([p.mark.label == "good" for p in profiles], dtype=bool),
        np.array([p.mark.label == "loop" and not p.waits for p in profiles], dtype=bool),
        task,
        len(names) == len(profiles),
    )


@dataclass(frozen=True, eq=False, slots=True)
class Totals:
    """Counts of runs and tasks; in column r the lowest score that is similar has rank r + 1.

    Attributes
    ----------
    good, loops, good_tasks, loop_tasks
        How many there are.
    stopped_good, harmful, stopped_loops
        Runs stopped.
    stopped_good_tasks, harmful_tasks, stopped_loop_tasks
        Tasks of which a run is stopped.
    saved, saved_good
        Shape (columns, 4): rounds, seconds, tokens and cost saved in the loops, and lost in the
        good runs.
    first_rule
        For each column how many runs each rule stops first.
    """

    good: int
    loops: int
    good_tasks: int
    loop_tasks: int
    stopped_good: NDArray[np.int64]
    harmful: NDArray[np.int64]
    stopped_loops: NDArray[np.int64]
    stopped_good_tasks: NDArray[np.int64]
    harmful_tasks: NDArray[np.int64]
    stopped_loop_tasks: NDArray[np.int64]
    saved: NDArray[np.float64]
    saved_good: NDArray[np.float64]
    first_rule: list[dict[str, int]]

    def at(self, rank: int) -> dict[str, Any]:
        """Return the counts of one column as plain values."""
        place = rank - 1
        found: dict[str, Any] = {
            name: int(getattr(self, name)[place])
            for name in (
                "stopped_good", "harmful", "stopped_loops", "stopped_good_tasks", "harmful_tasks",
                "stopped_loop_tasks",
            )
        }  # fmt: skip
        found |= {n: getattr(self, n) for n in ("good", "loops", "good_tasks", "loop_tasks")}
        found |= {f"saved_{n}": float(v) for n, v in zip(AMOUNTS, self.saved[place], strict=True)}
        return {**found, "first_rule": self.first_rule[place]}


def totals_of(ground: Ground, states: States, columns: int) -> Totals:
    """Add up the states of all runs.

    Parameters
    ----------
    ground
        What is counted.
    states
        From `agentlens.thresholds.states.states_at`.
    columns
        How many ranks there are, the open one included.
    """
    import numpy as np

    good, loop, tasks = ground.good, ground.loop, ground.task
    size = np.where(
        np.concatenate([[True], states.run[1:] != states.run[:-1]]), states.upto,
        states.upto - np.concatenate([[0], states.upto[:-1]]),
    )  # fmt: skip
    first = states.upto - size  # a state holds in the columns from here to `upto`

    def spread(values: NDArray[Any], chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return for each column the sum over the chosen states that hold there."""
        low, high, own = first[chosen], states.upto[chosen], values[chosen]
        parts = own.T if own.ndim > 1 else own[None]
        out = [
            np.bincount(low, part, columns + 1) - np.bincount(high, part, columns + 1)
            for part in parts
        ]
        return np.cumsum(np.array(out), axis=1)[:, :columns].T.reshape(columns, *values.shape[1:])

    one = np.ones(len(states.run))
    of_good, of_loop = good[states.run], loop[states.run]
    by_rule = [spread(one, states.rule == at) for at in range(len(states.names))]

    def runs(chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.rint(spread(one, chosen)).astype(np.int64)

    def of_tasks(flags: NDArray[np.bool_], chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        if ground.alone:
            return runs(flags & chosen[states.run])
        return _tasks(states, flags, tasks, chosen, columns)

    return Totals(
        good=int(good.sum()),
        loops=int(loop.sum()),
        good_tasks=len(np.unique(tasks[good])),
        loop_tasks=len(np.unique(tasks[loop])),
        stopped_good=runs(states.stopped & of_good),
        harmful=runs(states.harmful & of_good),
        stopped_loops=runs(states.stopped & of_loop),
        stopped_good_tasks=of_tasks(states.stopped, good),
        harmful_tasks=of_tasks(states.harmful, good),
        stopped_loop_tasks=of_tasks(states.stopped, loop),
        saved=spread(states.saved, of_loop & states.stopped),
        saved_good=spread(states.saved, of_good & states.stopped),
        first_rule=[
            {n: round(float(c[at])) for n, c in zip(states.names, by_rule, strict=True)
             if c[at] > 0.5}
            for at in range(columns)
        ],
    )  # fmt: skip


def _tasks(
    states: States, flags: NDArray[np.bool_], tasks: NDArray[np.int64], chosen: NDArray[np.bool_],
    columns: int,
) -> NDArray[np.int64]:  # fmt: skip
    """Count for each column the tasks of which a chosen run has the flag."""
    import numpy as np

    total = np.zeros(columns, dtype=np.int64)
    runs = np.flatnonzero(chosen)
    if not len(runs):
        return total
    runs = runs[np.argsort(tasks[runs], kind="stable")]
    starts = np.searchsorted(states.run, runs)
    ends = np.searchsorted(states.run, runs, side="right")
    new = np.concatenate([[True], tasks[runs][1:] != tasks[runs][:-1]])
    edges = [*np.flatnonzero(new), len(runs)]
    step = max(1, _CHUNK // columns)
    low = 0
    while low < len(edges) - 1:  # whole tasks, as many as fit
        high = max(low + 1, int(np.searchsorted(edges, edges[low] + step, side="right")) - 1)
        part = slice(edges[low], edges[high])
        many = ends[part] - starts[part]
        rows = np.arange(many.sum()) + np.repeat(starts[part] - (many.cumsum() - many), many)
        lead = np.concatenate([[True], states.run[rows][1:] != states.run[rows][:-1]])
        before = np.where(lead, 0, np.concatenate([[0], states.upto[rows][:-1]]))
        grid = np.repeat(flags[rows], states.upto[rows] - before).reshape(-1, columns)
        marks = np.asarray(edges[low:high]) - edges[low]
        total += np.logical_or.reduceat(grid, marks, axis=0).sum(axis=0)
        low = high
    return total
