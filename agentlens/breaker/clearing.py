"""`clear_on_progress` (A-10): the history depends on the setting: scores are found on the way."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from agentlens.breaker.classic import COUNT, RESET
from agentlens.breaker.history import Scored, pair_score
from agentlens.breaker.signals import QuerySignals, aggregate, history_groups
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
    of_row: dict[int, list[int]] = {}
    for index, query in enumerate(signals.queries):
        of_row.setdefault(query.row, []).append(index)
    history: dict[Hashable, list[int]] = {}
    num, den, best = list(signals.num), list(signals.den), list(signals.query)
    for row, role in enumerate(signals.role):
        seen = history.setdefault(groups[row], [])
        mine = of_row.get(row, [])
        for place, i in enumerate(mine):
            pool = seen + (mine[:place] if policy.intra else [])
            _best_of(i, pool, signals, policy, scored)
        if mine:
            part = aggregate(
                signals.queries[mine[0] : mine[-1] + 1], _part(scored, mine), row + 1, policy.agg
            )
            num[row], den[row] = part[0][row], part[1][row]
            best[row] = mine[0] + part[2][row] if part[2][row] >= 0 else -1
        similar = num[row] > 0 and at_least(num[row], den[row], bound, strict=policy.strict)
        if role == RESET or (role == COUNT and not similar):
            seen.clear()
        if policy.mixed_join_history or signals.kind[row] != "mixed":
            seen.extend(mine)
    return replace(signals, num=num, den=den, query=best, scored=scored)


def _best_of(i: int, pool: list[int], signals: QuerySignals, policy: Policy, out: Scored) -> None:
    best = Fraction(0)
    for j in pool:
        num, den = pair_score(signals.queries[i], signals.queries[j], policy)
        if num and Fraction(num, den) >= best:
            best = Fraction(num, den)
            out.num[i], out.den[i], out.match[i] = num, den, j


def _part(scored: Scored, mine: list[int]) -> Scored:
    cut = slice(mine[0], mine[-1] + 1)
    return Scored(scored.num[cut], scored.den[cut], scored.match[cut], scored.excused[cut])


def pair_scores(trace: Trace, policy: Policy, signals: QuerySignals) -> set[Fraction]:
    """Return every score that two queries of one history can have: all possible breakpoints."""
    groups = history_groups(trace, policy)
    pools: dict[Hashable, list[int]] = {}
    scores: set[Fraction] = set()
    for index, query in enumerate(signals.queries):
        pool = pools.setdefault(groups[query.row], [])
        for j in pool:
            num, den = pair_score(query, signals.queries[j], policy)
            if num:
                scores.add(Fraction(num, den))
        pool.append(index)
    return scores
