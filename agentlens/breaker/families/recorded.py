"""The rules of a policy over a recorded trace: every finding, and every count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agentlens.breaker.families.board import Known, known_of
from agentlens.breaker.families.facts import Facts
from agentlens.breaker.families.panel import SIGNED, Panel
from agentlens.breaker.live.seeing import results_of, seen_round
from agentlens.breaker.seen import Finding, SeenResult, SeenRound

if TYPE_CHECKING:
    from agentlens.breaker.families.spec import RuleSpec
    from agentlens.trace.model import Trace

__all__ = ["Recorded", "Spoken", "fresh_rows", "run_panel"]


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
class _Thread:
    rows: list[int]
    seen: list[SeenRound]
    results: list[tuple[SeenResult, ...]]
    known: list[Known] | None = None


@dataclass(slots=True)
class _Views:
    """A trace as rules see it: made once, for however many policies."""

    facts: Facts
    threads: list[_Thread]


def _views(trace: Trace, scope: str) -> _Views:
    key = ("seen", scope)
    if key not in trace.cache:
        threads: dict[str, _Thread] = {}
        rounds = trace.tables["rounds"]
        for row, name in enumerate(rounds["thread"]):
            if rounds["copied"][row]:
                continue
            thread = threads.setdefault(name, _Thread([], [], []))
            seen = seen_round(trace, row)
            if scope == "session":
                seen = replace(seen, request=0)
            thread.rows.append(row)
            thread.seen.append(seen)
            thread.results.append(results_of(trace, row))
        trace.cache[key] = _Views(Facts(), list(threads.values()))
    found: _Views = trace.cache[key]
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
        views = _views(trace, scope)
        counts = {rule.name: [0] * len(trace.tables["rounds"]["round"]) for rule in rules}
        spoken = [s for thread in views.threads for s in _run(thread, rules, views, counts)]
        trace.cache[key] = Recorded(tuple(spoken), counts)
    found: Recorded = trace.cache[key]
    return found


def _run(
    thread: _Thread, rules: Sequence[RuleSpec], views: _Views, counts: dict[str, list[int]]
) -> list[Spoken]:
    if any(rule.family in SIGNED for rule in rules):
        _take_signs(thread, views.facts)
        panel = Panel(rules, views.facts, quiet=True, known=thread.known)
    else:
        panel = Panel(rules, views.facts, quiet=True)
    columns = [(rule, counts[rule.spec.name]) for rule in panel.rules]
    spoken: list[Spoken] = []
    eyes, before, after = panel.eyes, panel.speak_before, panel.speak_after
    for row, seen, results in zip(thread.rows, thread.seen, thread.results, strict=True):
        eyes.before(seen)
        for finding in before(seen):
            spoken.append(Spoken(row, "before", finding))
        eyes.after(seen, results)
        for finding in after(seen, results):
            spoken.append(Spoken(row, "after", finding))
        for rule, column in columns:
            column[row] = rule.count
    return spoken


def _take_signs(thread: _Thread, facts: Facts) -> None:
    if thread.known is None:
        thread.known = known_of(zip(thread.seen, thread.results, strict=True), facts)


def fresh_rows(trace: Trace, scope: str = "request") -> list[bool]:
    """Return for each row whether it brought news, changed something, or only waited."""
    key = ("fresh", scope)
    if key not in trace.cache:
        views = _views(trace, scope)
        flags = [False] * len(trace.tables["rounds"]["round"])
        for thread in views.threads:
            _take_signs(thread, views.facts)
            for row, (_, _, signs) in zip(thread.rows, thread.known or (), strict=True):
                flags[row] = signs.fresh or signs.waits
        trace.cache[key] = flags
    found: list[bool] = trace.cache[key]
    return found
