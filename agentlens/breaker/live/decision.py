"""What a guard answers, from what the rules of its policy found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agentlens.breaker.seen import Finding

__all__ = ["ACTIONS", "PROCEED", "Decision", "decide", "in_shadow"]

#: Mildest first; of several findings the strongest decides, of equals the first.
ACTIONS = ("proceed", "nudge", "block", "stop")


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do with a round.

    Attributes
    ----------
    action
        ``proceed``, ``nudge`` (run it, and tell the model the reason), ``block`` (run all calls
        but the blocked ones) or ``stop`` (run nothing; answer without tools).
    stop
        True for ``stop``.
    reason
        Why, as part of an English sentence; empty for ``proceed``. In shadow, why enforcing
        would have done what `would` says.
    blocked
        Indices, within the round, of the calls not to run.
    would
        What enforcing does or had done: the action itself, except in shadow.
    rule
        The rule that decided, or None.
    findings
        Everything that the rules found, in the order in which they speak.
    """

    action: str = "proceed"
    stop: bool = False
    reason: str = ""
    blocked: tuple[int, ...] = ()
    would: str = "proceed"
    rule: str | None = None
    findings: tuple[Finding, ...] = ()


PROCEED = Decision()


def decide(findings: Sequence[Finding], calls: int) -> Decision:
    """Return what findings come to, for a round of so many calls."""
    if not findings:
        return PROCEED
    asking = [f for f in findings if f.level in ACTIONS]
    found = tuple(findings)
    if not asking:  # the run waits for something: that is no reason to interfere
        return Decision(findings=found)
    chosen = max(asking, key=lambda f: ACTIONS.index(f.level))  # of equals the first
    blocked: tuple[int, ...] = ()
    if chosen.level == "stop":
        blocked = tuple(range(calls))
    elif chosen.level == "block":
        blocked = _within((i for f in asking if f.level == "block" for i in f.blocked), calls)
    return Decision(
        chosen.level, chosen.level == "stop", chosen.reason, blocked, chosen.level, chosen.rule,
        found,
    )  # fmt: skip


def in_shadow(decision: Decision) -> Decision:
    """Return the decision that changes nothing and says what enforcing had done."""
    return Decision(
        reason=decision.reason, would=decision.action, rule=decision.rule,
        findings=decision.findings,
    )  # fmt: skip


def _within(indices: Iterable[int], calls: int) -> tuple[int, ...]:
    return tuple(sorted({i for i in indices if 0 <= i < calls}))
