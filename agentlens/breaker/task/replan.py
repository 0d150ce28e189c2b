"""Replan: one more try after a stall, if it is new in substance and not in words."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from threading import Lock
from typing import Any

from agentlens.breaker.budgets.amounts import Limits
from agentlens.breaker.task.side_effects import hash_of
from agentlens.progress.canonical import canonical
from agentlens.progress.similarity import at_least, score
from agentlens.progress.text import tokenize
from agentlens.trace.tools import queries_of

__all__ = ["Action", "Handover", "Plan", "PlanVerdict", "Replanner", "same_action"]

_KINDS = ("source", "tool", "constraint")


@dataclass(frozen=True, slots=True)
class Action:
    """A call as a plan names it: a tool and its arguments."""

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """A hash that does not depend on the order of its arguments."""
        return hash_of([self.tool, self.args])

    @property
    def queries(self) -> tuple[str, ...]:
        """What it searches for."""
        return queries_of(self.args, None)


def same_action(a: Action, b: Action, similarity: Fraction = Fraction(4, 5)) -> bool:
    """Say whether two actions are one: equal, or searches for the same in other words."""
    if a.fingerprint == b.fingerprint:
        return True
    if a.tool != b.tool or not (a.queries and b.queries):
        return False

    def known(query: str) -> bool:
        mine = tokenize(query)
        others = (tokenize(other) for other in b.queries)
        return any(
            mine and other and at_least(*score(mine, other, "containment"), similarity)
            for other in others
        )

    return all(map(known, a.queries))


@dataclass(frozen=True, slots=True)
class Plan:
    """What the model wants to do instead.

    Attributes
    ----------
    actions
        What it would do first.
    source, tool, constraint
        Its substantive difference: a source, a tool or a constraint that the run did not have.
        One is enough.
    """

    actions: Sequence[Action]
    source: str = ""
    tool: str = ""
    constraint: str = ""


@dataclass(frozen=True, slots=True)
class Handover:
    """What a replan is given: what is done, what is forbidden, what is left."""

    facts: tuple[str, ...]
    forbidden: tuple[Action, ...]
    left: Limits | None
    replans_left: int

    def prompt(self, lang: str = "zh") -> str:
        """Say it to the model; the actions as canonical JSON, at most twenty of them."""
        shown = [f"{a.tool} {canonical(dict(a.args)).decode()}"[:200] for a in self.forbidden[:20]]
        left = {
            k: v for k, v in (self.left.to_dict() if self.left else {}).items() if v is not None
        }
        budget = ", ".join(f"{k} {v}" for k, v in left.items())
        if lang == "zh":
            lines = [
                "已停滞。请给出一个实质不同的计划：写明新的来源、新的工具或新的约束；换词不算。",
                f"已完成：{'；'.join(self.facts) or '无'}",
                f"不得再做：{'；'.join(shown) or '无'}",
                f"剩余预算：{budget or '不限'}",
                f"剩余重规划次数：{self.replans_left}",
            ]
        else:
            lines = [
                "The run has stalled. Give a plan that differs in substance: name a new source, "
                "tool or constraint; other words are not enough.",
                f"Done: {'; '.join(self.facts) or 'nothing'}",
                f"Not to be done again: {'; '.join(shown) or 'nothing'}",
                f"Budget left: {budget or 'no limit'}",
                f"Replans left: {self.replans_left}",
            ]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class PlanVerdict:
    """Whether a plan is granted, the machine's event of that, and why."""

    granted: bool
    reason: str

    @property
    def event(self) -> str:
        """``novel_plan`` or ``replan_exhausted``."""
        return "novel_plan" if self.granted else "replan_exhausted"


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


class Replanner:
    """The replans of one request, counted by themselves and not by any budget.

    A granted plan is a probe: its first action, and no more, shows whether it moves. What the
    budget has used is not given back. The list of forbidden actions that a stall hands over is a
    new constraint once; under ``new_evidence`` it is not, and a plan needs evidence that
    came after the last replan.

    Parameters
    ----------
    limit
        How many replans a request may have.
    policy
        ``stall_report`` or ``new_evidence``.
    similarity
        From which containment on two searches are the same.
    """

    def __init__(
        self, limit: int = 1, *, policy: str = "stall_report", similarity: Fraction = Fraction(4, 5)
    ) -> None:
        if policy not in ("stall_report", "new_evidence"):
            raise ValueError(f"policy: {policy!r} is none of stall_report, new_evidence")
        self.limit, self.policy, self.similarity = limit, policy, similarity
        self.count = 0
        self.probing = False
        self._known: set[str] = set()
        self._evidence: set[str] = set()
        self._lock = Lock()

    def handover(
        self, *, facts: Iterable[str] = (), forbidden: Iterable[Action] = (), left: Limits | None
    ) -> Handover:
        """Return what a replan is given."""
        return Handover(tuple(facts), tuple(forbidden), left, max(0, self.limit - self.count))

    def judge(self, plan: Plan, given: Handover, *, evidence: Iterable[str] = ()) -> PlanVerdict:
        """Say whether a plan may be tried, and count it if so.

        Parameters
        ----------
        plan
            What the model wants.
        given
            What it was given.
        evidence
            Ids of what was found since the run began; only what no replan had before is new.
        """
        with self._lock:
            why = self._refusal(plan, given, set(evidence))
            if why:
                return PlanVerdict(False, why)
            self.count += 1
            self.probing = True
            self._evidence |= set(evidence)
            self._known |= {_plain(t) for t in (plan.source, plan.tool, plan.constraint) if t}
            return PlanVerdict(True, "the plan differs in substance")

    def _refusal(self, plan: Plan, given: Handover, evidence: set[str]) -> str:
        if self.count >= self.limit:
            return f"{self.count} of {self.limit} replans are used"
        if self.policy == "new_evidence" and not evidence - self._evidence:
            return "nothing was found since the last plan"
        if not plan.actions:
            return "it names no action"
        for action in plan.actions:
            if any(same_action(action, old, self.similarity) for old in given.forbidden):
                return f"{action.tool} was done already, in the same or in other words"
        return self._sameness(plan, given)

    def _sameness(self, plan: Plan, given: Handover) -> str:
        """Return why a plan's difference is only claimed; empty where one is there."""
        used = {_plain(action.tool) for action in given.forbidden}
        asked = _plain(" ".join(canonical(dict(a.args)).decode() for a in plan.actions))
        done = _plain(" ".join(canonical(dict(a.args)).decode() for a in given.forbidden))
        tool, source, rule = _plain(plan.tool), _plain(plan.source), _plain(plan.constraint)
        if tool and tool not in used and tool in {_plain(a.tool) for a in plan.actions}:
            return ""
        if source and source not in done and source in asked:
            return ""
        if rule and rule not in self._known:
            return ""
        if not (tool or source or rule):
            return f"it names no new {', '.join(_KINDS[:-1])} or {_KINDS[-1]}"
        return "what it calls new is not: it was used before, or its actions do not use it"

    def probed(self, *, progress: bool) -> str | None:
        """Say how the probe went.

        Returns
        -------
        str or None
            None where it moved: counting starts at zero, the history is kept. Otherwise the
            machine's event ``no_progress``; after it `judge` grants no more than `limit` allows.
        """
        with self._lock:
            self.probing = False
            return None if progress else "no_progress"
