"""What happens to each run at one threshold, for every similarity: a table of its few states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agentlens.thresholds.family_states import run_state, steps_of
from agentlens.thresholds.profile import Profile
from agentlens.thresholds.records import Counting, Records

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Layout", "States", "layout_of", "states_at"]


@dataclass(frozen=True, eq=False, slots=True)
class Layout:
    """Where the sequences of all runs lie in the joined arrays.

    Attributes
    ----------
    run, first
        For each sequence its run; for each run its first sequence (one more at the end).
    at, saved_at
        For each sequence where its rounds, and where its rows of `Profile.saved`, begin.
    number, saved, useful
        Columns of all profiles, joined.
    names
        Names of rules.
    easy
        For each run whether it is one sequence, whose history does not depend on the setting.
    bases
        What happens to these where no query is similar: columns of `States`.
    """

    run: NDArray[np.int64]
    first: NDArray[np.int64]
    at: NDArray[np.int64]
    saved_at: NDArray[np.int64]
    number: NDArray[np.int64]
    saved: NDArray[np.float64]
    useful: NDArray[np.bool_]
    names: tuple[str, ...]
    easy: NDArray[np.bool_]
    bases: tuple[Any, ...]


@dataclass(frozen=True, eq=False, slots=True)
class States:
    """States at one threshold, by run and then by rank; the last of each run is open above.

    Attributes
    ----------
    run
        The run.
    upto
        Rank up to which the state holds, from above that of the state before.
    stopped, harmful
        Whether the run is stopped, and whether that is harmful.
    round, rule
        Number of the round of the earliest trip, and the rule: places in `names`; -1 for none.
    saved
        Shape (states, 4): rounds, seconds, tokens, cost saved, sub-agents counted once.
    names
        Names of rules.
    """

    run: NDArray[np.int64]
    upto: NDArray[np.int64]
    stopped: NDArray[np.bool_]
    harmful: NDArray[np.bool_]
    round: NDArray[np.int64]
    rule: NDArray[np.int64]
    saved: NDArray[np.float64]
    names: tuple[str, ...]


def layout_of(profiles: Sequence[Profile], top: int) -> Layout:
    """Return where everything lies; `top` is the rank of the open column."""
    import numpy as np

    sizes = np.array([size for p in profiles for size in p.sizes], dtype=np.int64)
    counts = np.array([len(p.sizes) for p in profiles], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes

    def joined(name: str, empty: object) -> Any:
        return np.concatenate([getattr(p, name) for p in profiles] or [np.asarray(empty)])

    names = ("query", *sorted({s.rule for p in profiles for s in p.fixed if s} - {"query"}))
    easy = np.array([len(p.sizes) == 1 and not p.replayed for p in profiles], dtype=bool)
    first, saved_at = np.concatenate([[0], np.cumsum(counts)]), starts + np.arange(len(sizes))
    number, saved = joined("number", np.zeros(0, np.int64)), joined("saved", np.zeros((0, 4)))
    useful = joined("useful", np.zeros(0, bool))
    return Layout(
        np.repeat(np.arange(len(profiles)), counts), first, starts, saved_at, number, saved, useful,
        names, easy, _bases(profiles, np.flatnonzero(easy), top, names, first, starts, saved_at,
                            number, saved, useful),
    )  # fmt: skip


def states_at(
    profiles: Sequence[Profile], layout: Layout, counting: Counting, threshold: int, top: int
) -> States:
    """Return the states of all runs at a threshold.

    Parameters
    ----------
    profiles, layout, counting
        The runs.
    threshold
        The threshold.
    top
        Rank of the open column: above every score.
    """
    import numpy as np

    names, easy = layout.names, layout.easy
    found = counting.records(threshold)
    plain = easy[layout.run[found.sequence]] if len(found.sequence) else np.zeros(0, dtype=bool)
    sequence, rank, place = (c[plain] for c in (found.sequence, found.rank, found.place))
    where, lost = layout.at[sequence] + place, layout.saved_at[sequence] + place
    rows: list[tuple[Any, ...]] = [(
        layout.run[sequence], rank, np.ones(len(rank), bool), layout.useful[lost],
        layout.number[where], np.zeros(len(rank), np.int64), layout.saved[lost],
    )]  # fmt: skip
    slow = [_slow(int(i), profiles[i], layout, found, counting, threshold, top, names)
            for i in np.flatnonzero(~easy).tolist()]  # fmt: skip
    rows += [layout.bases]
    rows += [_columns(part) for part in slow if part]
    joined = [np.concatenate(parts) for parts in zip(*rows, strict=True)]
    order = np.lexsort((joined[1], joined[0]))
    run, upto, stopped, harmful, number, rule, saved = (c[order] for c in joined)
    return States(run, upto, stopped, harmful, number, rule, saved, names)


def _bases(
    profiles: Sequence[Profile], runs: NDArray[np.intp], top: int, names: tuple[str, ...],
    first: NDArray[np.int64], at: NDArray[np.int64], saved_at: NDArray[np.int64],
    number: NDArray[np.int64], saved: NDArray[np.float64], useful: NDArray[np.bool_],
) -> tuple[Any, ...]:  # fmt: skip
    """Return what happens to runs of one sequence where no query is similar."""
    import numpy as np

    stops = [profiles[i].fixed[0] for i in runs]
    own = first[runs]
    cut = np.array([profiles[i].sizes[0] if s is None else s.cut
                    for s, i in zip(stops, runs, strict=True)], dtype=np.int64)  # fmt: skip
    lost = saved_at[own] + cut
    stopped = np.array([s is not None for s in stops], dtype=bool)
    rounds = np.array([-1 if s is None else number[at[q] + s.place]
                       for s, q in zip(stops, own, strict=True)], dtype=np.int64)  # fmt: skip
    rules = np.array([-1 if s is None else names.index(s.rule) for s in stops], dtype=np.int64)
    full = np.full(len(runs), top)
    return runs, full, stopped, useful[lost], rounds, rules, saved[lost]


def _columns(rows: list[tuple[object, ...]]) -> tuple[Any, ...]:
    import numpy as np

    kinds = (np.int64, np.int64, bool, bool, np.int64, np.int64, np.float64)
    return tuple(
        np.array(column, dtype=kind)
        for column, kind in zip(zip(*rows, strict=True), kinds, strict=True)
    )


def _slow(
    run: int, profile: Profile, layout: Layout, found: Records, counting: Counting, threshold: int,
    top: int, names: tuple[str, ...],
) -> list[tuple[object, ...]]:  # fmt: skip
    """Return the states of a run of several sequences (or none), one after the other."""
    import numpy as np

    lowest, highest = layout.first[run], layout.first[run + 1]
    part = slice(*np.searchsorted(found.sequence, [lowest, highest]))
    steps = steps_of(profile, found, part, int(lowest), counting, threshold)
    edges = sorted({rank for one in steps for rank, _ in one} | {top})
    return [(run, edge, *run_state(profile, steps, edge, names)) for edge in edges]
