"""Sub-agents: how deep, how many, how many at once; no goal twice; no waiting in a circle (R42)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from threading import RLock
from typing import Any

from agentlens.breaker.amounts import Limits
from agentlens.breaker.budgets import Budget
from agentlens.errors import PolicyError
from agentlens.progress.similarity import at_least, score
from agentlens.progress.text import tokenize

__all__ = ["STATUSES", "ChildResult", "Dispatch", "Family", "FamilyLimits", "goal_fingerprint"]

ROOT = "main"

#: How a sub-agent ends; `needs_more` is a wish for more research and no ground to get it.
STATUSES = ("completed", "partial", "failed", "waiting_human", "needs_more")


def goal_fingerprint(goal: str, profile: str = "safe@1") -> frozenset[str]:
    """Return the token set of a goal: order, case, width and punctuation do not matter.

    A goal without a token is its plain text.
    """
    plain = unicodedata.normalize("NFKC", goal).casefold().strip()
    return tokenize(goal, profile) or frozenset({plain})


@dataclass(frozen=True, slots=True)
class FamilyLimits:
    """How many levels below the main agent, how many sub-agents in all, how many at once.

    `similarity` is the containment from which on two goals are the same; None asks for equality.
    """

    depth: int = 2
    total: int = 8
    at_once: int = 4
    similarity: Fraction | None = None

    def __post_init__(self) -> None:
        for name in ("depth", "total", "at_once"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise PolicyError(f"{name}: {value!r} is no whole number from 0 on")


@dataclass(frozen=True, slots=True)
class ChildResult:
    """What a sub-agent returns: a status and fields, never only prose.

    Attributes
    ----------
    status
        One of `STATUSES`.
    facts
        What it found, by name.
    missing
        What it could not find.
    sources
        Sources, tools or constraints that it met and that could serve another try.
    """

    status: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise PolicyError(f"status: {self.status!r} is none of {', '.join(STATUSES)}")


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Whether a sub-agent may start: its name and budget, or the cause of the refusal.

    `cause` is one of ``depth``, ``total``, ``at_once``, ``same_goal``, ``nothing_new``,
    ``unknown_parent`` and ``budget``; empty where it may start.
    """

    name: str = ""
    budget: Budget | None = None
    cause: str = ""
    reason: str = ""

    @property
    def granted(self) -> bool:
        """True where it may start."""
        return not self.cause


@dataclass(frozen=True, slots=True)
class _Child:
    name: str
    parent: str
    depth: int
    goal: frozenset[str]
    brought: frozenset[str]
    budget: Budget | None
    result: ChildResult | None = None


class Family:
    """All sub-agents of one run, at every depth; threads may share it.

    Parameters
    ----------
    limits
        How deep, how many, how many at once.
    budget
        The main agent's budget; every sub-agent's is carved from its parent's.
    """

    def __init__(self, limits: FamilyLimits | None = None, budget: Budget | None = None) -> None:
        self.limits = limits or FamilyLimits()
        self._children: dict[str, _Child] = {}
        self._root = _Child(ROOT, "", 0, frozenset(), frozenset(), budget)
        self._waits: dict[str, set[str]] = {}
        self._lock = RLock()

    def dispatch(
        self,
        goal: str,
        *,
        parent: str = ROOT,
        wanted: Limits | None = None,
        brings: Iterable[str] = (),
    ) -> Dispatch:
        """Ask for a sub-agent.

        Parameters
        ----------
        goal
            What it shall do, in words.
        parent
            Who asks.
        wanted
            The part of the parent's budget that it gets; by default all that is left.
        brings
            For a goal that was dispatched before: new sources, tools or constraints. They must
            be named in what the earlier sub-agent returned, and be used for the first time; that
            it needs more research is no ground by itself.
        """
        with self._lock:
            mother = self._root if parent == ROOT else self._children.get(parent)
            if mother is None:
                return Dispatch(cause="unknown_parent", reason=f"there is no sub-agent {parent!r}")
            used = frozenset(brings)
            refusal = self._full(mother) or self._again(goal, used)
            if refusal:
                return refusal
            budget = None
            if mother.budget is not None:
                try:
                    budget = mother.budget.carve(wanted or Limits())
                except PolicyError as error:
                    return Dispatch(cause="budget", reason=str(error))
            name = f"{ROOT}/{len(self._children) + 1}"
            self._children[name] = _Child(
                name, parent, mother.depth + 1, goal_fingerprint(goal), used, budget
            )
            return Dispatch(name, budget)

    def _full(self, mother: _Child) -> Dispatch | None:
        limits, running = self.limits, sum(c.result is None for c in self._children.values())
        for cause, used, limit in (
            ("depth", mother.depth, limits.depth),
            ("total", len(self._children), limits.total),
            ("at_once", running, limits.at_once),
        ):
            if used >= limit:
                return Dispatch(cause=cause, reason=f"{cause}: {used} of {limit} are used")
        return None

    def _again(self, goal: str, brings: frozenset[str]) -> Dispatch | None:
        mine = goal_fingerprint(goal)
        earlier = [c for c in self._children.values() if self._same(mine, c.goal)]
        if not earlier:
            return None
        last = earlier[-1]
        if not brings:
            why = "is at work on it" if last.result is None else f"returned {last.result.status}"
            return Dispatch(cause="same_goal", reason=f"{last.name} {why}, with the same goal")
        offered = {s for c in earlier if c.result is not None for s in c.result.sources}
        used = {word for c in earlier for word in c.brought}
        if last.result is None or not (brings & offered) - used:
            reason = f"{last.name} named nothing new to try: {', '.join(sorted(brings))}"
            return Dispatch(cause="nothing_new", reason=reason)
        return None

    def _same(self, a: frozenset[str], b: frozenset[str]) -> bool:
        if a == b or self.limits.similarity is None:
            return a == b
        return at_least(*score(a, b, "containment"), self.limits.similarity)

    def finish(self, name: str, result: ChildResult) -> None:
        """Take a sub-agent's result; it waits for nobody any more, and its budget flows back.

        Raises
        ------
        KeyError
            If there is no such sub-agent.
        """
        with self._lock:
            child = self._children[name]
            self._children[name] = replace(child, result=result)
            self._waits.pop(name, None)
            for waiting in self._waits.values():
                waiting.discard(name)
            if child.budget is not None:
                child.budget.close()

    def wait(self, waiter: str, on: str) -> tuple[str, ...]:
        """Note that one waits for another.

        Returns
        -------
        tuple of str
            The circle that this closes, from the waiter on, and the edge is not kept; empty where
            it closes none. Waiting for one that is finished is no waiting.
        """
        import networkx as nx

        with self._lock:
            child = self._children.get(on)
            if child is not None and child.result is not None:
                return ()
            graph = nx.DiGraph([(a, b) for a, many in self._waits.items() for b in many])
            graph.add_edge(waiter, on)
            try:
                circle = nx.find_cycle(graph, waiter)
            except nx.NetworkXNoCycle:
                self._waits.setdefault(waiter, set()).add(on)
                return ()
            return tuple(a for a, _ in circle)

    @property
    def results(self) -> Mapping[str, ChildResult | None]:
        """What every sub-agent returned, or None while it works, in the order of their start."""
        with self._lock:
            return {name: child.result for name, child in self._children.items()}
