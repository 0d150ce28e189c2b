"""Trips of a replay: which call, what it would have saved, and why, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentlens.breaker.budgets.incidents import Incident, incident_words
from agentlens.breaker.budgets.spending import BUDGET_RULES
from agentlens.breaker.families.outcomes import Outcome, finding_of, phase_of
from agentlens.breaker.rules import Stop, threshold_of
from agentlens.breaker.seen import Finding
from agentlens.breaker.trip import Trip, saved_by
from agentlens.breaker.words import budget_reason, finding_words, query_reason, saving_words
from agentlens.trace.redact import BEGINNING
from agentlens.trace.redact_trace import masker_of

if TYPE_CHECKING:
    from agentlens.breaker.replay import Replay
    from agentlens.trace.model import Trace

__all__ = ["finding_at", "reason_of", "trip_of"]


def trip_of(made: Replay, rows: tuple[int, ...], stop: Stop, counted: Outcome) -> Trip:
    """Return the trip at the first of some rows, which reach to the end of their sequence."""
    rounds, row, rule = made.trace.tables["rounds"], rows[0], stop.rule.name
    count, finding = counted.counts[-1], finding_of(counted)
    saved = saved_by(made.trace, rows[stop.cut - stop.place :])
    return Trip(
        thread=rounds["thread"][row],
        request=rounds["request"][row],
        round=rounds["round"][row],
        row=row,
        call=_call_of(made.trace, row, stop.phase),
        rule=rule,
        phase=stop.phase,
        count=count,
        threshold=finding.threshold if finding else threshold_of(rule, made.policy) or 0,
        reason=reason_of(made, rows, rule, count, saved.seconds, "en"),
        saved_rounds=saved.rounds,
        saved_calls=saved.calls,
        saved_seconds=saved.seconds,
        saved_tokens=saved.tokens,
        saved_cost=saved.cost,
    )


def _call_of(trace: Trace, row: int, phase: str) -> int:
    """Return the number of the call at which a row trips: its first, or its last if it ran.

    A row without calls trips at the last call before it, 0 where there is none.
    """
    calls = trace.round_calls[row]
    if calls:
        number: int = trace.tables["calls"]["call"][calls[-1 if phase == "after" else 0]]
        return number
    before = [made[-1] for made in trace.round_calls[:row] if made]
    return trace.tables["calls"]["call"][before[-1]] if before else 0


def finding_at(made: Replay, row: int, rule: str) -> tuple[int, Finding] | None:
    """Return what a rule of a family said at the row of a trip, and whether the row ran."""
    for counted, rows in zip(made.outcomes[rule], made.signals.sequences, strict=True):
        finding = finding_of(counted)
        if finding is not None and counted.trip is not None and rows[counted.trip] == row:
            return int(phase_of(counted) == "after"), finding
    return None


def reason_of(
    made: Replay, rows: tuple[int, ...], rule: str, count: float, seconds: float | None, lang: str
) -> str:
    """Return why a trip happened, in one part of a sentence, and what stopping there saved."""
    rounds, row, signals = made.trace.tables["rounds"], rows[0], made.signals
    found = finding_at(made, row, rule)
    if found is not None:
        acting = [r for r in rows[found[0] :] if made.trace.round_calls[r]]
        said = finding_words(rounds["round"][row], found[1].reason, lang)
        if not acting:
            return said
        comma = "；" if lang == "zh" else "; "
        first, end = rounds["round"][acting[0]], rounds["round"][acting[-1]]
        return said + comma + saving_words(first, end, seconds, lang)
    last = rounds["round"][max(r for r in rows if made.trace.round_calls[r])]
    if rule in BUDGET_RULES:
        limit = threshold_of(rule, made.policy) or 0
        said = incident_words(
            rounds["round"][row], Incident(BUDGET_RULES[rule], count, limit), lang
        )
        comma = "；" if lang == "zh" else "; "
        return said + comma + saving_words(rounds["round"][row], last, seconds, lang)
    if rule == "budget":
        return budget_reason(rounds["round"][row], int(count), last, seconds, lang)
    query = signals.query[row]
    mask = masker_of(made.trace)
    mine, match = signals.queries[query], signals.queries[signals.scored.match[query]]
    return query_reason(
        round=rounds["round"][row],
        query=mask(mine.text[:BEGINNING]),  # before it is shortened: half a secret is a secret
        match_round=rounds["round"][match.row],
        match=mask(match.text[:BEGINNING]),
        num=signals.num[row],
        den=signals.den[row],
        measure=made.policy.measure,
        count=int(count),
        threshold=made.policy.threshold,
        last=last,
        seconds=seconds,
        lang=lang,
    )
