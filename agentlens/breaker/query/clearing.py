"""`clear_on_progress`: the history depends on the setting: scores are found on the way."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from agentlens.breaker.query.classic import COUNT, RESET
from agentlens.breaker.query.history import Scored, ages_of, faded_score, window_of
from agentlens.breaker.query.signals import QuerySignals, aggregate, history_groups
from agentlens.progress.similarity import at_least

if TYPE_CHECKING:
    from agentlens.breaker.policy import Policy
    from agentlens.trace.model import Trace

__all__ = ["pair_scores", "with_clearing"]


def with_clearing(
    trace: Trace, policy: Policy, signals: QuerySignals, bound: Fraction
) -> QuerySignals:
    """Return the signals rescored with a history that is emptied whenever the count is reset.

    A round is similar where its score reaches `bound` (for cosine, the similarity's square).
    """
    groups = history_groups(trace, policy)
    scored = Scored(
        [0] * len(signals.queries),
        [1] * len(signals.queries),
        [-1] * len(signals.queries),
        list(signals.scored.excused),
    )
    ages = _all_ages(groups, policy, signals)
    of_row: dict[int, list[int]] = {}
    for index, query in enumerate(signals.queries):
        of_row.setdefault(query.row, []).append(index)
    history: dict[Hashable, list[int]] = {}
    num, den, best = list(signals.num), list(signals.den), list(signals.query)
    for row, role in enumerate(signals.role):
        seen = history.setdefault(groups[row], [])
        mine = of_row.get(row, [])
        for place, i in enumerate(mine):
            within = [j for j in mine[:place] if policy.intra and _is_joined(j, policy, signals)]
            _best_of(i, seen + within, ages, signals, policy, scored)
        if mine:
            part = aggregate(
                signals.queries[mine[0] : mine[-1] + 1], _part(scored, mine), row + 1, policy.agg
            )
            num[row], den[row] = part[0][row], part[1][row]
            best[row] = mine[0] + part[2][row] if part[2][row] >= 0 else -1
        similar = num[row] > 0 and at_least(num[row], den[row], bound, strict=policy.strict)
        if role == RESET or (role == COUNT and not similar):
            seen.clear()
        seen.extend(i for i in mine if _is_joined(i, policy, signals))
    return replace(signals, num=num, den=den, query=best, scored=scored)


def _is_joined(index: int, policy: Policy, signals: QuerySignals) -> bool:
    return policy.mixed_join_history or signals.kind[signals.queries[index].row] != "mixed"


def _all_ages(groups: Sequence[Hashable], policy: Policy, signals: QuerySignals) -> list[int]:
    """Return for each query how many remembered rounds its whole history held before its own.

    Clearing only takes the oldest away, so that the distance of two queries stays the same.
    """
    members: dict[Hashable, list[int]] = {}
    for index, query in enumerate(signals.queries):
        members.setdefault(groups[query.row], []).append(index)
    ages = [0] * len(signals.queries)
    for indices in members.values():
        rows = [signals.queries[i].row for i in indices]
        found = ages_of(rows, [_is_joined(i, policy, signals) for i in indices])
        for i, age in zip(indices, found, strict=True):
            ages[i] = age
    return ages


def _best_of(
    i: int, pool: list[int], ages: list[int], signals: QuerySignals, policy: Policy, out: Scored
) -> None:
    best, window = Fraction(0), window_of(policy)
    for j in pool:
        age = ages[i] - ages[j]
        if window is not None and age > window:
            continue
        num, den = faded_score(signals.queries[i], signals.queries[j], age, policy)
        if num and Fraction(num, den) >= best:
            best = Fraction(num, den)
            out.num[i], out.den[i], out.match[i] = num, den, j


def _part(scored: Scored, mine: list[int]) -> Scored:
    cut = slice(mine[0], mine[-1] + 1)
    return Scored(scored.num[cut], scored.den[cut], scored.match[cut], scored.excused[cut])


def pair_scores(trace: Trace, policy: Policy, signals: QuerySignals) -> set[Fraction]:
    """Return every score that two queries of one history can have: all possible breakpoints."""
    groups = history_groups(trace, policy)
    ages = _all_ages(groups, policy, signals)
    pools: dict[Hashable, list[int]] = {}
    scores: set[Fraction] = set()
    for index, query in enumerate(signals.queries):
        pool = pools.setdefault(groups[query.row], [])
        for j in pool:
            num, den = faded_score(query, signals.queries[j], ages[index] - ages[j], policy)
            if num:
                scores.add(Fraction(num, den))
        pool.append(index)
    return scores
