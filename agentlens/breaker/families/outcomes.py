"""Findings over a recorded trace as outcomes: for each rule its counts and its own trip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from agentlens.breaker.families.recorded import Spoken, run_panel
from agentlens.breaker.query.classic import Counted
from agentlens.breaker.seen import Finding

if TYPE_CHECKING:
    from agentlens.breaker.policy import Policy
    from agentlens.trace.model import Trace

__all__ = ["Found", "Outcome", "count_findings", "finding_of", "phase_of", "spoken_of"]


class Found(NamedTuple):
    """As `Counted`, of a rule of a family: with what it said at its trip, and when."""

    counts: Sequence[float]
    trip: int | None
    phase: str = "before"
    finding: Finding | None = None


Outcome: TypeAlias = Counted | Found


def phase_of(outcome: Outcome) -> str:
    """Return whether the round at a trip runs (``after``) or not."""
    return outcome.phase if isinstance(outcome, Found) else "before"


def finding_of(outcome: Outcome) -> Finding | None:
    """Return what a rule of a family said at its trip."""
    return outcome.finding if isinstance(outcome, Found) else None


def spoken_of(trace: Trace, policy: Policy) -> tuple[Spoken, ...]:
    """Return everything that a policy's own rules say of a trace."""
    if not (policy.enabled and policy.rules):
        return ()
    return run_panel(trace, policy.rules, policy.scope).spoken


def count_findings(
    trace: Trace, policy: Policy, sequences: Sequence[Sequence[int]]
) -> Mapping[str, tuple[Found, ...]]:
    """Return for each of a policy's own rules its counts and first stop, one a sequence.

    A rule's counts reach up to and including the round of its stop.
    """
    key = ("outcomes", policy.rules, policy.scope, policy.enabled)
    if key not in trace.cache:
        trace.cache[key] = _outcomes(trace, policy, sequences)
    found: Mapping[str, tuple[Found, ...]] = trace.cache[key]
    return found


def _places(
    trace: Trace, scope: str, sequences: Sequence[Sequence[int]]
) -> dict[int, tuple[int, int]]:
    """Return for each row its sequence and its place there."""
    key = ("places", scope)
    if key not in trace.cache:
        trace.cache[key] = {
            row: (n, at) for n, rows in enumerate(sequences) for at, row in enumerate(rows)
        }
    found: dict[int, tuple[int, int]] = trace.cache[key]
    return found


def _outcomes(
    trace: Trace, policy: Policy, sequences: Sequence[Sequence[int]]
) -> dict[str, tuple[Found, ...]]:
    if not policy.enabled:
        idle = tuple(Found([0] * len(rows), None) for rows in sequences)
        return {rule.name: idle for rule in policy.rules}
    recorded = run_panel(trace, policy.rules, policy.scope)
    stops = [spoken for spoken in recorded.spoken if spoken.finding.level == "stop"]
    where: dict[int, tuple[int, int]] = {}
    if stops:
        where = _places(trace, policy.scope, sequences)
    first: dict[tuple[str, int], tuple[int, Spoken]] = {}
    for spoken in stops:
        if spoken.row in where:
            n, place = where[spoken.row]
            first.setdefault((spoken.finding.rule, n), (place, spoken))
    out: dict[str, tuple[Found, ...]] = {}
    for rule in policy.rules:
        counts = recorded.counts[rule.name]
        made = []
        for n, rows in enumerate(sequences):
            stop = first.get((rule.name, n))
            if stop is None:
                made.append(Found(list(map(counts.__getitem__, rows)), None))
                continue
            place, spoken = stop
            shown = [counts[row] for row in rows[:place]] + [spoken.finding.count]
            made.append(Found(shown, place, spoken.phase, spoken.finding))
        out[rule.name] = tuple(made)
    return out
