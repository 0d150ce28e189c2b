"""The rules of a policy over a recorded trace: every finding, and every count."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from agentlens.breaker.families.board import Known, known_of
from agentlens.breaker.families.facts import Facts
from agentlens.breaker.families.panel import SIGNED
from agentlens.breaker.families.sweep import BEFORE, sweep
from agentlens.breaker.live.seeing import results_of, seen_round
from agentlens.breaker.seen import Finding, SeenResult, SeenRound

if TYPE_CHECKING:
    from agentlens.breaker.families.spec import RuleSpec
    from agentlens.trace.model import Trace

__all__ = [
    "Recorded", "SeenThread", "Spoken", "Views", "fresh_rows", "run_panel", "take_signs",
    "views_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Spoken:
    """A finding, the row of the rounds table at which it was made, and whether before it ran."""

    row: int
    phase: str
    finding: Finding


@dataclass(frozen=True, slots=True)
class Recorded:
    """What rules say of a trace.

    Attributes
    ----------
    spoken
        All findings, in the order in which rows stand in their threads.
    counts
        For each rule its count after each row of the rounds table.
    """

    spoken: tuple[Spoken, ...]
    counts: dict[str, list[int]]


@dataclass(slots=True)
class SeenThread:
    """One thread as rules see it: its rows, their rounds and results.

    `known` are its signs, once taken, and `layouts` what `sweep` keeps for the next rule.
    """

    rows: list[int]
    seen: list[SeenRound]
    results: list[tuple[SeenResult, ...]]
    known: list[Known] | None = None
    layouts: dict[Hashable, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Views:
    """A trace as rules see it: made once, for however many policies."""

    facts: Facts
    threads: list[SeenThread]


def views_of(trace: Trace, scope: str) -> Views:
    """Return what rules see of a trace; kept on it."""
    key = ("seen", scope)
    if key not in trace.cache:
        threads: dict[str, SeenThread] = {}
        rounds = trace.tables["rounds"]
        for row, name in enumerate(rounds["thread"]):
            if rounds["copied"][row]:
                continue
            thread = threads.setdefault(name, SeenThread([], [], []))
            seen = seen_round(trace, row)
            if scope == "session":
                seen = replace(seen, request=0)
            thread.rows.append(row)
            thread.seen.append(seen)
            thread.results.append(results_of(trace, row))
        trace.cache[key] = Views(Facts(), list(threads.values()))
    found: Views = trace.cache[key]
    return found


def run_panel(trace: Trace, rules: Sequence[RuleSpec], scope: str = "request") -> Recorded:
    """Run rules over every thread of a trace; cached on the trace.

    Parameters
    ----------
    trace
        The trace.
    rules
        A policy's rules.
    scope
        ``request``: counts begin anew at a user message; ``session``: they do not.
    """
    key = ("rules", tuple(rules), scope)
    if key not in trace.cache:
        views = views_of(trace, scope)
        counts = {rule.name: [0] * len(trace.tables["rounds"]["round"]) for rule in rules}
        spoken = [s for thread in views.threads for s in _run(thread, rules, views, counts)]
        trace.cache[key] = Recorded(tuple(spoken), counts)
    found: Recorded = trace.cache[key]
    return found


def _run(
    thread: SeenThread, rules: Sequence[RuleSpec], views: Views, counts: dict[str, list[int]]
) -> list[Spoken]:
    signed = any(rule.family in SIGNED for rule in rules)
    if signed:
        take_signs(thread, views.facts)
    found: list[tuple[int, int, int, Finding]] = []
    for number, rule in enumerate(rules):
        said, counted = sweep(rule, thread, views.facts, signed=signed)
        found += [(place, phase, number, finding) for place, phase, finding in said]
        column = counts[rule.name]
        if len(column) == len(counted):
            column[:] = counted
            continue
        for row, count in zip(thread.rows, counted, strict=True):
            column[row] = count
    found.sort(key=lambda spoken: spoken[:3])  # as they were said: round after round
    phases = {BEFORE: "before"}
    return [
        Spoken(thread.rows[place], phases.get(phase, "after"), finding)
        for place, phase, _, finding in found
    ]


def take_signs(thread: SeenThread, facts: Facts) -> None:
    """Take the signs of a thread, unless they were taken."""
    if thread.known is None:
        thread.known = known_of(zip(thread.seen, thread.results, strict=True), facts)


def fresh_rows(trace: Trace, scope: str = "request") -> list[bool]:
    """Return for each row whether it brought news, changed something, or only waited."""
    key = ("fresh", scope)
    if key not in trace.cache:
        views = views_of(trace, scope)
        flags = [False] * len(trace.tables["rounds"]["round"])
        for thread in views.threads:
            take_signs(thread, views.facts)
            for row, (_, _, signs) in zip(thread.rows, thread.known or (), strict=True):
                flags[row] = signs.fresh or signs.waits
        trace.cache[key] = flags
    found: list[bool] = trace.cache[key]
    return found
