"""The exact trip surface: for each threshold the trip as a step function of similarity, no grid.

Its steps come from `agentlens.thresholds.steps`. Where the history itself depends on the setting
(`clear_on_progress`), every score that two queries can have is replayed instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, overload

from agentlens.breaker.policy import Policy, as_policy
from agentlens.breaker.query.classic import RESET
from agentlens.breaker.query.clearing import pair_scores
from agentlens.breaker.query.counting import count_trace, longest_count, starts_anew
from agentlens.breaker.query.signals import QuerySignals, query_signals
from agentlens.breaker.rules import first_stop, run_rules
from agentlens.breaker.switches import as_fraction
from agentlens.errors import PolicyError
from agentlens.progress.similarity import limit
from agentlens.thresholds.steps import Steps, window_records
from agentlens.trace.corpus import Corpus
from agentlens.trace.model import Trace

if TYPE_CHECKING:
    import pandas as pd

    from agentlens.thresholds.corpus_surface import CorpusSurface

__all__ = ["Surface", "surface"]


@dataclass(frozen=True, eq=False)
class Surface:
    """Where a policy trips, for every similarity and threshold; made by `agentlens.surface`.

    Attributes
    ----------
    trace, policy
        What it was made from; the policy's own similarity and threshold do not matter.
    signals
        The queries' scores.
    max_threshold
        Above this threshold the query rule trips at no similarity.
    fixed
        For each sequence the row at which a rule that knows no similarity stops it, or None.
    """

    trace: Trace
    policy: Policy
    signals: QuerySignals
    max_threshold: int
    fixed: tuple[int | None, ...]
    _steps: dict[int, tuple[Steps, ...]] = field(default_factory=dict, repr=False)

    def steps(self, threshold: int) -> tuple[Steps, ...]:
        """Return the steps at a threshold, one `Steps` for each of the signals' sequences.

        Parameters
        ----------
        threshold
            A whole number from 1 on.

        Raises
        ------
        PolicyError
            If it is none.
        """
        if isinstance(threshold, bool) or not isinstance(threshold, int) or threshold < 1:
            raise PolicyError(f"threshold: {threshold!r} is not a whole number from 1 on")
        if threshold not in self._steps:
            make = _replayed_steps if self.policy.clear_on_progress else _recorded_steps
            self._steps[threshold] = make(self, threshold)
        return self._steps[threshold]

    def breakpoints(self, threshold: int | None = None) -> list[Fraction]:
        """Return all similarities at which the trip changes, rising (for cosine, their squares).

        Parameters
        ----------
        threshold
            One threshold, or all that can trip.
        """
        chosen = range(1, self.max_threshold + 1) if threshold is None else [threshold]
        return sorted({v for k in chosen for steps in self.steps(k) for v in steps.values})

    def trip_rows(self, similarity: Any, threshold: int) -> list[int | None]:
        """Return for each sequence the row of the rounds table at which it trips, or None.

        Parameters
        ----------
        similarity, threshold
            The setting, as `Policy` takes it.

        Raises
        ------
        PolicyError
            If it cannot be.
        """
        return self._rows_at(limit(as_fraction(similarity), self.policy.measure), threshold)

    def _rows_at(self, bound: Fraction, threshold: int) -> list[int | None]:
        """Return the first of the query rule's trip and the other rules', for each sequence."""
        found = [steps.at(bound, self.policy.strict) for steps in self.steps(threshold)]
        return [
            min((r for r in pair if r is not None), default=None)
            for pair in zip(found, self.fixed, strict=True)
        ]

    def trip_row(self, similarity: Any, threshold: int) -> int | None:
        """Return the row of the earliest trip, as `Replay.trip` has it, or None.

        Parameters
        ----------
        similarity, threshold
            As for `trip_rows`.
        """
        found = [row for row in self.trip_rows(similarity, threshold) if row is not None]
        return min(found, key=self._first_call) if found else None

    def trip_round(self, similarity: Any, threshold: int) -> int | None:
        """Return the number of the round of the earliest trip, or None; asked as `trip_row`."""
        row = self.trip_row(similarity, threshold)
        return None if row is None else self.trace.tables["rounds"]["round"][row]

    def _first_call(self, row: int) -> int:
        calls = self.trace.round_calls
        return next((made[0] for made in calls[row:] if made), len(self.trace))

    def cells(self, threshold: int) -> list[tuple[Fraction, Fraction, int | None]]:
        """Return the exact cells of a threshold: ``(low, high, row)``, from similarity 0 to 1.

        A cell reaches from above `low` up to `high` (with `strict`: from `low` to below `high`);
        neighbours with the same row are one cell. For cosine the bounds are squares.

        Parameters
        ----------
        threshold
            A whole number from 1 on.
        """
        edges = [v for v in self.breakpoints(threshold) if v < 1]
        bounds = [Fraction(0), *edges, Fraction(1)]
        cells: list[tuple[Fraction, Fraction, int | None]] = []
        for low, high in pairwise(bounds):
            probe = low if self.policy.strict else high
            found = [r for r in self._rows_at(probe, threshold) if r is not None]
            row = min(found, key=self._first_call) if found else None
            if cells and cells[-1][2] == row:
                cells[-1] = (cells[-1][0], high, row)
            else:
                cells.append((low, high, row))
        return cells

    def to_frame(self, max_threshold: int | None = None) -> pd.DataFrame:
        """Return the cells of every threshold that can trip a row each.

        Columns: threshold, above, up_to (fractions as text; for cosine squares), trip_round,
        thread.

        Parameters
        ----------
        max_threshold
            The last threshold that has rows.
        """
        import pandas as pd

        rounds = self.trace.tables["rounds"]
        last = (
            self.max_threshold if max_threshold is None else min(max_threshold, self.max_threshold)
        )
        rows = [
            (k, str(low), str(high), None if row is None else rounds["round"][row],
             None if row is None else rounds["thread"][row])
            for k in range(1, last + 1)
            for low, high, row in self.cells(k)
        ]  # fmt: skip
        frame = pd.DataFrame(rows, columns=["threshold", "above", "up_to", "trip_round", "thread"])
        return frame.astype({"trip_round": "Int64"})


@overload
def surface(trace: Trace, policy: Policy | str | None = None) -> Surface: ...
@overload
def surface(trace: Corpus, policy: Policy | str | None = None) -> CorpusSurface: ...
def surface(trace: Trace | Corpus, policy: Policy | str | None = None) -> Surface | CorpusSurface:
    """Return the exact trip surface of a trace, or of all runs of a corpus.

    Parameters
    ----------
    trace
        A trace, or a `Corpus`, whose traces are read one at a time.
    policy
        Its switches other than similarity and threshold; the default policy where none is given.

    Raises
    ------
    TypeError
        If it is neither.
    """
    if isinstance(trace, Corpus):
        from agentlens.thresholds.corpus_surface import corpus_surface

        return corpus_surface(trace, policy)
    if not isinstance(trace, Trace):
        raise TypeError(f"surface() takes a Trace or a Corpus, not {type(trace).__name__}")
    policy = as_policy(policy)
    signals = query_signals(trace, policy)
    _, outcomes = run_rules(trace, policy)
    others = {name: outcome for name, outcome in outcomes.items() if name != "query"}
    stops = [first_stop(others, n, policy) for n in range(len(signals.sequences))]
    fixed = tuple(
        None if stop is None else rows[stop.place]
        for rows, stop in zip(signals.sequences, stops, strict=True)
    )
    active = policy.enabled and policy.query
    anew = starts_anew(trace, policy)
    longest = longest_count(signals, signals.sequences, anew) if active else 0
    return Surface(trace, policy, signals, longest, fixed)


def _recorded_steps(surface: Surface, threshold: int) -> tuple[Steps, ...]:
    s = surface.signals
    if not (surface.policy.enabled and surface.policy.query):
        return tuple(Steps((), ()) for _ in s.sequences)
    anew = starts_anew(surface.trace, surface.policy)
    return tuple(window_records(_scores(s, rows, anew), threshold) for rows in s.sequences)


def _scores(
    signals: QuerySignals, rows: Sequence[int], anew: Sequence[bool]
) -> Iterator[tuple[int, str, Fraction]]:
    """Yield each row with its role and score, and a reset after one that brought news."""
    for row in rows:
        yield row, signals.role[row], Fraction(signals.num[row], signals.den[row])
        if anew and anew[row]:
            yield row, RESET, Fraction(0)


def _replayed_steps(surface: Surface, threshold: int) -> tuple[Steps, ...]:
    """Replay at every score that two queries can have."""
    values = sorted(pair_scores(surface.trace, surface.policy, surface.signals))
    columns: list[list[int | None]] = [[] for _ in surface.signals.sequences]
    for low, value in zip([Fraction(0), *values], values, strict=False):
        _, counted = count_trace(surface.trace, surface.policy, (low + value) / 2, threshold)
        for column, rows, made in zip(columns, surface.signals.sequences, counted, strict=True):
            column.append(None if made.trip is None else rows[made.trip])
    return tuple(Steps(tuple(values), tuple(column)) for column in columns)
