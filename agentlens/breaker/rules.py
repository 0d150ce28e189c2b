"""The rules of a policy, in the order in which they speak: each counts and trips by itself."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentlens.breaker.budgets.round_limit import RoundBudget, count_budget
from agentlens.breaker.budgets.spending import BUDGET_RULES, Spending, count_spending, main_limits
from agentlens.breaker.families.outcomes import Outcome, count_findings, phase_of
from agentlens.breaker.families.panel import Panel
from agentlens.breaker.families.spec import FAMILIES
from agentlens.breaker.query.counting import bound_of, count_trace
from agentlens.breaker.query.live_history import LiveHistory
from agentlens.breaker.query.live_query import LiveQuery

if TYPE_CHECKING:
    from agentlens.breaker.policy import Policy
    from agentlens.breaker.query.signals import QuerySignals
    from agentlens.breaker.seen import Stepper
    from agentlens.trace.model import Trace

__all__ = [
    "LIVE", "RULES", "Rule", "Stop", "first_stop", "panel_of", "rule_of", "run_rules",
    "start_rules", "threshold_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rule:
    """What a rule is called, the machine's event of its trip, and whether that means a loop."""

    name: str
    event: str
    means_loop: bool
    sees: str


#: When two trip at the same round the first one is named: a hard budget goes first.
RULES: Mapping[str, Rule] = {
    rule.name: rule
    for rule in (
        Rule("budget", "hard_budget_hit", False, "how many rounds were used"),
        Rule("budget_seconds", "hard_budget_hit", False, "how long the request has taken"),
        Rule("budget_tokens", "hard_budget_hit", False, "how many tokens were used"),
        Rule("budget_calls", "hard_budget_hit", False, "how many calls were made"),
        Rule("budget_cost", "hard_budget_hit", False, "what the request has cost"),
        Rule("query", "no_progress", True, "searches that repeat earlier ones in other words"),
    )
}

#: What stops a task besides the rules of its policy (`agentlens.Run`); a replay knows none of it.
LIVE: Mapping[str, Rule] = {
    rule.name: rule
    for rule in (
        Rule("budget_steps", "hard_budget_hit", False, "how many rounds the task has used"),
        Rule("stall", "no_progress", True, "rounds that bring the task no nearer to its goal"),
        Rule("probe", "no_progress", True, "a new plan whose first action brought nothing"),
        Rule("circle", "no_progress", True, "sub-agents that wait for each other"),
        Rule("unconfirmed", "approval_required", False, "a write that nobody can confirm"),
        Rule("human", "approval_required", False, "what a person must allow or choose"),
        Rule("ended", "no_progress", False, "that the task has ended"),
    )
}


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a sequence stops: the round's place in it, the rule, and whether that round ran."""

    place: int
    rule: Rule
    phase: str = "before"

    @property
    def cut(self) -> int:
        """Place of the first round that would not have happened."""
        return self.place + (self.phase == "after")


def rule_of(name: str, policy: Policy) -> Rule:
    """Return what is known of a rule: of `RULES` or `LIVE`, or one of the policy's own."""
    known = RULES.get(name) or LIVE.get(name)
    if known is not None:
        return known
    spec = next(spec for spec in policy.rules if spec.name == name)
    event = "hard_budget_hit" if spec.family == "budget" else "no_progress"
    return Rule(name, event, spec.means_loop, FAMILIES[spec.family])


def threshold_of(rule: str, policy: Policy) -> float | None:
    """Return the count at which a rule trips under a policy, or None where it cannot."""
    if rule in BUDGET_RULES:
        limit: float | None = getattr(main_limits(policy), BUDGET_RULES[rule])
        return limit
    if rule in RULES:
        return policy.max_rounds if rule == "budget" else policy.threshold
    return next(spec.stop for spec in policy.rules if spec.name == rule)


def run_rules(
    trace: Trace, policy: Policy
) -> tuple[QuerySignals, Mapping[str, tuple[Outcome, ...]]]:
    """Run every rule over every sequence of a trace.

    Returns
    -------
    signals
        The query signals, whose ``sequences`` are counted.
    outcomes
        For each rule its counts, one `Counted` a sequence.
    """
    signals, queries = count_trace(trace, policy, bound_of(policy), policy.threshold)
    limit = policy.max_rounds if policy.enabled else None
    budget = tuple(
        count_budget((bool(trace.round_calls[row]) for row in rows), limit)
        for rows in signals.sequences
    )
    spending = count_spending(trace, policy, signals.sequences)
    own = count_findings(trace, policy, signals.sequences) if policy.rules else {}
    return signals, {"budget": budget, **spending, "query": queries, **own}


def first_stop(
    outcomes: Mapping[str, tuple[Outcome, ...]], sequence: int, policy: Policy
) -> Stop | None:
    """Return where a sequence stops: the earliest trip of any rule, or None."""
    best: Stop | None = None
    for name, counted in outcomes.items():
        made = counted[sequence]
        if made.trip is None:
            continue
        cut = made.trip + (phase_of(made) == "after")
        if best is None or (made.trip, cut) < (best.place, best.cut):
            best = Stop(made.trip, rule_of(name, policy), phase_of(made))
    return best


def start_rules(
    policy: Policy,
    *,
    group: Hashable = None,
    shared: MutableMapping[Hashable, LiveHistory] | None = None,
    panel: Panel | None = None,
) -> list[Stepper]:
    """Return the rules of a policy, ready for the first round of one sequence.

    They come in the order of `RULES`: of two that stop at the same round the first is named.

    Parameters
    ----------
    group
        Name of the history that the sequence's queries belong to.
    shared
        Histories by group; pass the same mapping for all threads of a run, so that those of one
        group share theirs.
    panel
        The panel of the thread, from `panel_of`, which lives on from request to request; by
        default one of its own.
    """
    if not policy.enabled:
        return []
    shared = {} if shared is None else shared
    history = shared.setdefault(group, LiveHistory(policy))
    steppers: list[Stepper] = []
    if policy.max_rounds is not None:
        steppers.append(RoundBudget(policy.max_rounds))
    if any(threshold_of(rule, policy) is not None for rule in BUDGET_RULES):
        steppers.append(Spending(policy))
    panel = panel or panel_of(policy)
    steppers.append(panel.eyes)
    if policy.query:
        steppers.append(LiveQuery(policy, history, panel))
    if policy.rules:
        steppers.append(panel)
    return steppers


def panel_of(policy: Policy) -> Panel:
    """Return the panel of a policy's own rules for one thread of a live run."""
    return Panel(policy.rules, signs=policy.staged, session=policy.scope == "session")
