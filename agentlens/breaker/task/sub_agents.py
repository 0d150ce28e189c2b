"""Sub-agents: how deep, how many, how many at once; no goal twice; no waiting in a circle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from threading import RLock

from agentlens.breaker.budgets.amounts import Limits
from agentlens.breaker.budgets.limits import Budget
from agentlens.breaker.budgets.shares import ChildResult, Dispatch, FamilyLimits, goal_fingerprint
from agentlens.errors import PolicyError
from agentlens.progress.similarity import at_least, score

__all__ = ["ROOT", "ChildResult", "Family", "FamilyLimits"]

#: Name of the main agent.
ROOT = "main"


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
        self._stopping = False
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
            if self._stopping:
                return Dispatch(cause="stopping", reason="the run is stopping")
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

    def block(self) -> None:
        """Let no new sub-agent start; those at work may finish."""
        with self._lock:
            self._stopping = True

    def allow(self) -> None:
        """Let sub-agents start again, because a person let the task go on."""
        with self._lock:
            self._stopping = False

    def budget_of(self, name: str) -> Budget | None:
        """Return the budget of a sub-agent; of any other name, that of the main agent."""
        with self._lock:
            return self._children.get(name, self._root).budget

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
