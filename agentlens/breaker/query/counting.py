"""Signals plus a bound and a threshold make counts: shared by the replay and the trip surface."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from agentlens.breaker.families.recorded import fresh_rows
from agentlens.breaker.query.classic import COUNT, RESET, Counted, count_rounds
from agentlens.breaker.query.clearing import with_clearing
from agentlens.breaker.query.signals import QuerySignals, query_signals
from agentlens.progress.similarity import limit

if TYPE_CHECKING:
    from agentlens.breaker.policy import Policy
    from agentlens.trace.model import Trace

__all__ = ["bound_of", "count_trace", "longest_count", "similar_rows", "starts_anew"]


def bound_of(policy: Policy) -> Fraction:
    """Return what a score must reach: the similarity, or for cosine its square."""
    return limit(policy.similarity, policy.measure)


def similar_rows(
    num: Sequence[int], den: Sequence[int], bound: Fraction, strict: bool
) -> list[bool]:
    """Return for each score whether it reaches a bound (above 0), as exact integers compare."""
    p, q = bound.numerator, bound.denominator  # a drag waits for this: no call for each round
    if strict:
        return [n * q > p * d for n, d in zip(num, den, strict=True)]
    return [n * q >= p * d for n, d in zip(num, den, strict=True)]


def starts_anew(trace: Trace, policy: Policy) -> Sequence[bool]:
    """Return for each row whether the count starts anew after it; empty where it never does."""
    return fresh_rows(trace, policy.scope) if policy.staged else ()


def count_trace(
    trace: Trace, policy: Policy, bound: Fraction, threshold: int
) -> tuple[QuerySignals, tuple[Counted, ...]]:
    """Count every sequence of a trace.

    Parameters
    ----------
    trace, policy
        What to count, and its switches; the policy's own similarity and threshold are not read.
    bound
        What a score must reach, from `bound_of` or between two breakpoints.
    threshold
        The count at which it trips.

    Returns
    -------
    signals, counted
        The signals under this setting, and the counts of each of their sequences.
    """
    signals = query_signals(trace, policy)
    if policy.clear_on_progress:
        signals = with_clearing(trace, policy, signals, bound)
    if not (policy.enabled and policy.query):
        return signals, tuple(Counted([0] * len(rows), None) for rows in signals.sequences)
    similar = similar_rows(signals.num, signals.den, bound, policy.strict)
    anew = starts_anew(trace, policy)
    if anew:
        return signals, tuple(
            count_rounds(
                ((signals.role[row], similar[row]) for row in rows),
                threshold,
                [anew[row] for row in rows],
            )
            for rows in signals.sequences
        )
    return signals, tuple(
        count_rounds(((signals.role[row], similar[row]) for row in rows), threshold)
        for rows in signals.sequences
    )


def longest_count(
    signals: QuerySignals, sequences: Iterable[Sequence[int]], anew: Sequence[bool]
) -> int:
    """Return the highest count that the query rule can reach, at any similarity.

    Parameters
    ----------
    signals
        The queries' scores.
    sequences
        Rows that are counted together, in their order.
    anew
        As `starts_anew` returns it.
    """
    longest = 0
    for rows in sequences:
        run = 0
        for row in rows:
            role = signals.role[row]
            if role == RESET or (role == COUNT and not signals.num[row]):
                run = 0
            elif role == COUNT:
                run += 1
                longest = max(longest, run)
            if anew and anew[row]:
                run = 0
    return longest
