"""What the picker's page needs of a corpus surface: counts by cell, states by run, a baseline."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from agentlens.widgets.escape import clean

if TYPE_CHECKING:
    from agentlens.breaker.policy import Policy
    from agentlens.thresholds.corpus_surface import CorpusSurface

__all__ = ["MOST_RUNS", "MOST_THRESHOLD", "columns_of", "picker_payload", "setting_of"]

#: So many runs have a row of their own; the counts are of all.
MOST_RUNS = 2000
#: So many thresholds are drawn; beyond them the map repeats its last row more or less.
MOST_THRESHOLD = 12


def setting_of(surface: CorpusSurface, rank: int) -> Fraction:
    """Return a similarity whose lowest similar score has a rank: the upper end of its plateau."""
    values, squared = surface.values, surface.policy.measure == "cosine"
    if rank > len(values) and not surface.policy.strict:
        return Fraction(1)
    low = values[rank - 2] if rank > 1 else Fraction(0)
    high = values[rank - 1] if rank <= len(values) else Fraction(1)
    tries = [low if surface.policy.strict else high, (low + high) / 2, (low + 3 * high) / 4]
    for value in tries:
        exact = Fraction(math.sqrt(value)) if squared else value
        exact = exact.limit_denominator(10**6)
        for near in (exact, exact - Fraction(1, 10**6), exact + Fraction(1, 10**6)):
            if 0 < near <= 1 and surface.column(near) == rank:
                return near
    return Fraction(1)


def columns_of(surface: CorpusSurface) -> list[int]:
    """Return the rank at the upper end of each plateau that some threshold tells apart, rising."""
    top = len(surface.values) + 1
    places = {value: at + 1 for at, value in enumerate(surface.values)}
    ranks = sorted(places[value] for value in surface.breakpoints())
    reachable = not surface.values or surface.values[-1] < 1 or surface.policy.strict
    if reachable or not ranks or ranks[-1] < len(surface.values):
        ranks.append(top)
    return ranks


def picker_payload(surface: CorpusSurface, default: Policy) -> dict[str, Any]:
    """Return the payload.

    Parameters
    ----------
    surface
        Of the corpus, with the policy whose setting is shown first.
    default
        The policy that the present setting is compared with.
    """
    columns = columns_of(surface)
    rows = max(surface.policy.threshold, default.threshold, min(MOST_THRESHOLD,
               surface.max_threshold + 1))  # fmt: skip
    settings = [setting_of(surface, rank) for rank in columns]
    grid = []
    for k in range(1, rows + 1):
        totals = surface.totals(k)
        grid.append([
            [int(totals.stopped_good_tasks[r - 1]), int(totals.harmful_tasks[r - 1]),
             int(totals.stopped_loop_tasks[r - 1]), round(float(totals.saved[r - 1, 0])),
             totals.first_rule[r - 1]]
            for r in columns
        ])  # fmt: skip
    first = surface.totals(1)
    loops = [p for p in surface.profiles if p.mark.label == "loop" and not p.waits]
    unit = (first.good, first.loops) == (first.good_tasks, first.loop_tasks)
    return {
        "columns": [[s.numerator, s.denominator] for s in settings],
        "edges": [_number(surface, rank) for rank in columns],
        "grid": grid,
        "longest": surface.max_threshold,
        "good": first.good_tasks,
        "loops": first.loop_tasks,
        "loop_rounds": sum(p.rounds for p in loops),
        "unit": "runs" if unit else "tasks",
        "labelled": first.good + first.loops,
        "all": len(surface.profiles),
        "runs": _runs(surface, columns, rows),
        "steps": _baseline(surface),
        "start": _cell(surface, columns, surface.policy),
        "default": _cell(surface, columns, default),
        "own": [
            [*_cell(surface, columns, one), [one.similarity.numerator, one.similarity.denominator]]
            for one in (surface.policy, default)
        ],
        "z": NormalDist().inv_cdf(0.975),
    }


def _number(surface: CorpusSurface, rank: int) -> float:
    """Return the similarity at the upper border of a column, for its label."""
    if rank > len(surface.values):
        return 1.0
    value = surface.values[rank - 1]
    return math.sqrt(value) if surface.policy.measure == "cosine" else float(value)


def _cell(surface: CorpusSurface, columns: list[int], policy: Policy) -> list[int]:
    rank = surface.column(policy.similarity)
    place = next((at for at, one in enumerate(columns) if one >= rank), len(columns) - 1)
    return [place, policy.threshold]


def _runs(surface: CorpusSurface, columns: list[int], rows: int) -> list[dict[str, Any]]:
    shown = surface.profiles[:MOST_RUNS]
    made: list[dict[str, Any]] = [
        {"name": clean(p.source)[-80:], "task": clean(p.task)[:120], "label": p.mark.label,
         "last": p.last_round, "waits": p.waits, "s": []}
        for p in shown
    ]  # fmt: skip
    ends = {rank: at for at, rank in enumerate(columns)}
    for k in range(1, rows + 1):
        states = surface.states(k)
        table = [c.tolist() for c in (states.run, states.upto, states.stopped, states.harmful,
                                      states.round, states.rule, states.saved[:, 0])]  # fmt: skip
        parts: list[list[list[Any]]] = [[] for _ in shown]
        for run, upto, stopped, harmful, number, rule, saved in zip(*table, strict=True):
            if run < len(shown):
                name = states.names[rule] if rule >= 0 else ""
                last = ends.get(upto, len(columns) - 1)
                parts[run].append(
                    [last, number if stopped else 0, int(harmful), round(saved), name]
                )
        for run, steps in zip(made, parts, strict=True):
            run["s"].append(steps)
    return made


def _baseline(surface: CorpusSurface) -> list[list[int]]:
    """Return for each number of rounds what a plain limit would do: the honest baseline.

    ``[limit, good tasks stopped, loop tasks stopped, rounds saved in loops]``.
    """
    good = [p for p in surface.profiles if p.mark.label == "good"]
    loops = [p for p in surface.profiles if p.mark.label == "loop" and not p.waits]
    longest = min(200, max((p.rounds for p in (*good, *loops)), default=0))
    return [
        [n, len({p.task for p in good if p.rounds > n}), len({p.task for p in loops
         if p.rounds > n}), sum(max(0, p.rounds - n) for p in loops)]
        for n in range(longest + 1)
    ]  # fmt: skip
