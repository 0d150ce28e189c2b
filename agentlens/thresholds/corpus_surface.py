"""The exact trip surface of many runs: every breakpoint of similarity and threshold, no grid."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from agentlens.breaker.policy import Policy, as_policy
from agentlens.breaker.switches import as_fraction
from agentlens.errors import PolicyError
from agentlens.progress.similarity import limit
from agentlens.thresholds.profile import AMOUNTS, Profile, profile_of
from agentlens.thresholds.records import Counting, counting_of
from agentlens.thresholds.states import Layout, States, layout_of, states_at
from agentlens.thresholds.totals import Ground, Totals, ground_of, totals_of

if TYPE_CHECKING:
    import pandas as pd

    from agentlens.trace.corpus import Corpus

__all__ = ["CorpusSurface", "corpus_surface", "profiles_of"]


@dataclass(frozen=True, eq=False)
class CorpusSurface:
    """What a policy does to every run of a corpus, for every similarity and threshold.

    Attributes
    ----------
    policy
        Its own similarity and threshold are the current setting, and do not move the surface.
    profiles
        One for each run, in the order of the corpus.
    """

    policy: Policy
    profiles: tuple[Profile, ...]
    _states: dict[int, States] = field(default_factory=dict, repr=False)
    _totals: dict[int, Totals] = field(default_factory=dict, repr=False)

    @cached_property
    def counting(self) -> Counting:
        """All counting rounds; its `values` are every score at which anything may change."""
        made = counting_of(self.profiles)
        replayed = {
            value
            for profile in self.profiles
            for steps in profile.replayed.values()
            for one in steps
            for value in one.values
        }
        if replayed:  # the scores themselves depend on the setting: these alone are breakpoints
            made.values[:] = sorted(replayed)
        return made

    @property
    def values(self) -> list[Fraction]:
        """Every score above 0 that a round reaches, rising (for cosine, their squares)."""
        return self.counting.values

    @cached_property
    def layout(self) -> Layout:
        """Where everything lies in the joined arrays."""
        return layout_of(self.profiles, len(self.values) + 1)

    @cached_property
    def ground(self) -> Ground:
        """Which runs are good, which loops, and their tasks."""
        return ground_of(self.profiles)

    @cached_property
    def max_threshold(self) -> int:
        """Above this threshold the query rule stops no run at any similarity."""
        return max((profile.longest for profile in self.profiles), default=0)

    def states(self, threshold: int) -> States:
        """Return what happens to each run at a threshold, for every similarity."""
        if isinstance(threshold, bool) or not isinstance(threshold, int) or threshold < 1:
            raise PolicyError(f"threshold: {threshold!r} is not a whole number from 1 on")
        threshold = min(threshold, self.max_threshold + 1)  # from there on nothing changes
        if threshold not in self._states:
            self._states[threshold] = states_at(
                self.profiles, self.layout, self.counting, threshold, len(self.values) + 1
            )
        return self._states[threshold]

    def totals(self, threshold: int) -> Totals:
        """Return the counts at a threshold, one column for each rank of similarity."""
        states = self.states(threshold)
        threshold = min(threshold, self.max_threshold + 1)
        if threshold not in self._totals:
            self._totals[threshold] = totals_of(self.ground, states, len(self.values) + 1)
        return self._totals[threshold]

    def column(self, similarity: Any) -> int:
        """Return the rank of the lowest score that is similar at a similarity, from 1 on."""
        bound = limit(as_fraction(similarity), self.policy.measure)
        place = bisect_right if self.policy.strict else bisect_left
        return place(self.values, bound) + 1

    def breakpoints(self, threshold: int | None = None) -> list[Fraction]:
        """Return all similarities at which the stop of some run changes, rising.

        Parameters
        ----------
        threshold
            One threshold, or all that can trip. For cosine they are squares.
        """
        import numpy as np

        chosen = range(1, self.max_threshold + 1) if threshold is None else [threshold]
        top = len(self.values) + 1
        ranks = {r for k in chosen for r in np.unique(self.states(k).upto).tolist()}
        return [self.values[rank - 1] for rank in sorted(ranks) if rank < top]

    def plateau(self, similarity: Any, threshold: int) -> tuple[Fraction, Fraction]:
        """Return the similarities around one, between which no run is stopped otherwise.

        From above the first up to the second (with `strict`: from the first on and below the
        second); for cosine, squares.
        """
        edges = [Fraction(0), *(v for v in self.breakpoints(threshold) if v < 1), Fraction(1)]
        bound = limit(as_fraction(similarity), self.policy.measure)
        place = bisect_right(edges, bound) if self.policy.strict else bisect_left(edges, bound)
        place = min(max(place, 1), len(edges) - 1)
        return edges[place - 1], edges[place]

    def region(self, similarity: Any, threshold: int) -> str:
        """Return ``stops``, ``none``, ``dead`` or ``unreachable``, for the query rule.

        ``none``: nothing is stopped here, though another threshold would; ``dead``: nothing is
        stopped at this similarity and any threshold; ``unreachable``: nothing at this threshold.
        """
        if threshold > self.max_threshold:
            return "unreachable"
        column = self.column(similarity)
        if self.totals(threshold).first_rule[column - 1].get("query"):
            return "stops"
        alive = any(self.totals(k).first_rule[column - 1].get("query")
                    for k in range(1, self.max_threshold + 1))  # fmt: skip
        return "none" if alive else "dead"

    def at(self, similarity: Any, threshold: int) -> dict[str, Any]:
        """Return the counts of one setting: see `agentlens.thresholds.totals.Totals`."""
        return self.totals(threshold).at(self.column(similarity))

    def runs(self, similarity: Any, threshold: int) -> pd.DataFrame:
        """Return one row a run at one setting: whether and where it stops, and what that saves."""
        import numpy as np
        import pandas as pd

        states = self.states(threshold)
        chosen = np.flatnonzero(states.upto >= self.column(similarity))
        _, first = np.unique(states.run[chosen], return_index=True)
        rows = chosen[first]
        names = np.array([*states.names, ""], dtype=object)
        return pd.DataFrame({
            "source": [p.source for p in self.profiles],
            "label": [p.mark.label for p in self.profiles],
            "task": [p.task for p in self.profiles],
            "stopped": states.stopped[rows], "harmful": states.harmful[rows],
            "trip_round": pd.array([None if n < 0 else n for n in states.round[rows].tolist()],
                                   dtype="Int64"),
            "rule": names[states.rule[rows]],
            **{f"saved_{name}": states.saved[rows, at]
               for at, name in enumerate(AMOUNTS)},
        })  # fmt: skip

    def cells(self, threshold: int) -> list[tuple[Fraction, Fraction, dict[str, Any]]]:
        """Return the exact cells of a threshold: from above, up to, and the counts there.

        Parameters
        ----------
        threshold
            A whole number from 1 on.
        """
        edges = [v for v in self.breakpoints(threshold) if v < 1]
        totals = self.totals(threshold)
        found = []
        for low, high in pairwise([Fraction(0), *edges, Fraction(1)]):
            column = bisect_right(self.values, low) if self.policy.strict else bisect_left(
                self.values, high)  # fmt: skip
            found.append((low, high, totals.at(column + 1)))
        return found

    def to_frame(self, max_threshold: int | None = None) -> pd.DataFrame:
        """Return the cells of every threshold (or the first few), one row each.

        Parameters
        ----------
        max_threshold
            The last threshold; by default all that can trip.
        """
        import pandas as pd

        last = self.max_threshold if max_threshold is None else max_threshold
        rows = [
            {"threshold": k, "above": str(low), "up_to": str(high), **counts}
            for k in range(1, min(last, self.max_threshold) + 1)
            for low, high, counts in self.cells(k)
        ]
        return pd.DataFrame(rows).drop(columns="first_rule", errors="ignore")

    def relabelled(self, marks: Sequence[Any]) -> CorpusSurface:
        """Return the same runs under other labels; nothing is read or computed anew."""
        profiles = tuple(p.with_mark(m) for p, m in zip(self.profiles, marks, strict=True))
        made = CorpusSurface(self.policy, profiles, self._states)
        made.__dict__.update(counting=self.counting, layout=self.layout)
        return made

    def __repr__(self) -> str:
        runs, points = len(self.profiles), len(self.values)
        return (
            f"CorpusSurface({runs:,} runs, {points:,} scores, thresholds to {self.max_threshold})"
        )


def profiles_of(corpus: Corpus | Iterable[Any], policy: Policy) -> tuple[Profile, ...]:
    """Read a corpus once, one trace at a time, and return the profiles of its runs."""
    from agentlens.trace.corpus import Corpus

    runs = corpus if isinstance(corpus, Corpus) else Corpus(corpus)
    return tuple(
        profile_of(trace, mark, policy, n) for n, (trace, mark) in enumerate(runs.labelled())
    )


def corpus_surface(
    corpus: Corpus | Iterable[Any], policy: Policy | str | None = None
) -> CorpusSurface:
    """Return the exact surface of a corpus; `agentlens.surface` calls this for a `Corpus`."""
    policy = as_policy(policy)
    return CorpusSurface(policy, profiles_of(corpus, policy))
