"""How a scenario is played under a guard: ours as a whole task, or any callable of a user."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from agentlens.breaker.budgets.amounts import Limits
from agentlens.breaker.budgets.limits import Budget
from agentlens.breaker.budgets.shares import ChildResult, FamilyLimits
from agentlens.breaker.machine import Machine
from agentlens.breaker.policy import Policy
from agentlens.breaker.task.checkpoint import resume
from agentlens.breaker.task.finalizer import Finalizer
from agentlens.breaker.task.ledger import Ledger
from agentlens.breaker.task.messages import EndSlots
from agentlens.breaker.task.run import Run
from agentlens.breaker.task.work import Work
from agentlens.teach.scripted import Turn, World
from agentlens.trace.tools import ToolTable

__all__ = ["Driver", "OwnDriver", "RunDriver", "Told"]

#: How many rounds any of them may use, the finalizer's included.
STEPS = 20
#: Whether to stop, the indices of calls not to run, and why.
Told = tuple[bool, tuple[int, ...], str]


class Driver(Protocol):
    """What plays a scenario."""

    def before(self, turn: Turn) -> Told:
        """Ask about a turn that has not run."""

    def after(self, turn: Turn, results: Sequence[Mapping[str, Any]]) -> bool:
        """Tell what it brought, and say whether to stop."""

    def end(self) -> str:
        """End the run, save it, and return its terminal."""

    def resumed(self) -> Driver:
        """Return what plays the saved task on, what was in the way being gone."""


class RunDriver:
    """`agentlens.Run`: the whole design."""

    def __init__(self, world: World, path: Path, policy: Policy | str | None = None) -> None:
        self.world, self.path, self.policy = world, path, policy
        family = FamilyLimits(similarity=Fraction(4, 5))
        self.run = Run(
            policy, task="scenario", path=path, budget=Limits(steps=STEPS), family=family,
            **self._options(),
        )  # fmt: skip
        self._names: dict[str, str] = {}

    def _options(self) -> dict[str, Any]:
        world = self.world
        return {"goal": world.goal, "facts": world.facts, "query": world.query,
                "tools": world.tools}  # fmt: skip

    def before(self, turn: Turn) -> Told:
        """Ask the run; a stalled one is asked for a plan."""
        guard = self._guard(turn)
        decision = guard.before(turn.calls, text=turn.text)
        if decision.stop or self.run.state == "stalled":
            return self._planned(), (), decision.reason
        refused: dict[int, str] = {}
        for place, asked in enumerate(turn.calls):
            if asked["tool"] == "task" and place not in decision.blocked:
                sent = self.run.dispatch(str(asked["args"]["goal"]), wanted=Limits(steps=4))
                name = asked["args"].get("name")
                if not sent.granted:
                    refused[place] = sent.reason
                elif name:
                    self._names[name] = sent.name
                else:  # it returns at once, with nothing
                    self.run.family.finish(sent.name, ChildResult("needs_more"))
        if turn.waits_on and guard.wait(self._names[turn.waits_on]):
            return self._planned(), (), self.run.path[-1].cause
        blocked = tuple(sorted({*decision.blocked, *refused}))
        return False, blocked, "; ".join(filter(None, [decision.reason, *refused.values()]))

    def after(self, turn: Turn, results: Sequence[Mapping[str, Any]]) -> bool:
        """Tell the run; a question that nobody answers is for a person."""
        told = self._guard(turn).after(results)
        if any(c["tool"] == "ask_user" for c in turn.calls) and results[0].get("result") is None:
            self.run.ask(str(turn.calls[0]["args"]["question"]))
            return True
        return self._planned() if told.stop else False

    def _guard(self, turn: Turn) -> Run:
        if turn.thread == "main":
            return self.run
        return self.run.thread(self._names[turn.thread])

    def _planned(self) -> bool:
        """Offer the agent's plan to a stalled run; say whether the run stops."""
        if self.run.state == "stalled":
            return not self.run.replan(self.world.plan()).granted
        return True

    def end(self) -> str:
        """End the run."""
        found = list(self.world.found)
        return self.run.end(found, summarise=lambda _: "; ".join(found) or None).state

    def resumed(self) -> RunDriver:
        """Take the saved task up."""
        made = object.__new__(RunDriver)
        made.world, made.path, made.policy = self.world, self.path, self.policy
        made._names = {}
        made.run = Run.resume(self.path, self.policy, **self._options())
        if made.run.state == "waiting_human":
            made.run.answer(approved=True)
        return made


class OwnDriver:
    """Any callable as a guard; what it lacks (ledger, finalizer) is lent to it for the end.

    Parameters
    ----------
    guard
        ``guard(calls, history)`` is asked before every round, where `history` lists the rounds so
        far as ``{"calls", "results", "thread"}``. It returns True or ``"stop"`` to stop, a list of
        indices of calls not to run, an object with ``stop`` and ``blocked``, or nothing. One that
        takes no argument is a factory: it returns such a callable, or an `agentlens.Guard`, anew
        for each run.
    """

    def __init__(self, world: World, path: Path, guard: Callable[..., Any]) -> None:
        self.world, self.path, self.made = world, path, guard
        self.guard = guard() if _is_factory(guard) else guard
        self.machine, self.ledger, self.budget = Machine(), Ledger(), Budget(Limits(steps=STEPS))
        self.history: list[dict[str, Any]] = []
        self._waits = self._stopped = False
        self._begun: dict[int, str] = {}
        self._table = ToolTable(world.tools)

    def before(self, turn: Turn) -> Told:
        """Ask the guard, and write down the writes that then run."""
        if hasattr(self.guard, "before"):
            said = self.guard.before(turn.calls)
        else:
            said = self.guard(turn.calls, self.history)
        stop, blocked, why = _understood(said)
        self._begun, self._stopped = {}, stop
        for place, asked in enumerate(() if stop else turn.calls):
            effect = self._table.describe((asked["tool"],) * 2, asked["args"], None)[0]
            if effect == "write" and place not in blocked:
                begun = self.ledger.begin(asked["tool"], asked["args"])
                self._begun[place] = begun.entry.key
        return stop, blocked, why

    def after(self, turn: Turn, results: Sequence[Mapping[str, Any]]) -> bool:
        """Tell the guard where it listens."""
        self.history.append({"calls": turn.calls, "results": results, "thread": turn.thread})
        for place, key in self._begun.items():
            status = "unknown" if results[place].get("status") == "timeout" else "done"
            self.ledger.settle(key, status)
        asked = turn.calls[-1]["tool"] if turn.calls else ""
        self._waits = asked == "ask_user" and results[-1].get("result") is None
        if hasattr(self.guard, "after"):
            self._stopped = _understood(self.guard.after(results))[0]
        return self._stopped

    def end(self) -> str:
        """End the run in order, with what it was lent."""
        judged = self.world.goal.judge(self.world.facts)
        finalizer = Finalizer(task="scenario", machine=self.machine, ledger=self.ledger,
                              budget=self.budget, goal=self.world.goal, path=self.path)  # fmt: skip
        work = Work(list(self.world.found), self.world.facts, slots=EndSlots("partial"))
        if self._waits:
            self.machine.fire("approval_required")
            return finalizer.park(work).state
        if judged.outcome == "completed":
            self.machine.fire("goal_met")
        else:
            self.machine.fire("no_progress")
            self.machine.fire("replan_exhausted")
        return finalizer.run(work, query=self.world.query).state

    def resumed(self) -> OwnDriver:
        """Take the saved task up with the guard anew."""
        again, saved = OwnDriver(self.world, self.path, self.made), resume(self.path)
        again.machine, again.ledger = saved.machine, saved.ledger
        if again.machine.state == "waiting_human":
            again.machine.fire("approved")
        return again


def _is_factory(guard: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(guard).parameters.values()
    except (TypeError, ValueError):
        return False
    return not [p for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD]


def _understood(said: Any) -> Told:
    if isinstance(said, list | tuple | set | frozenset):
        return False, tuple(sorted(int(place) for place in said)), "blocked"
    blocked, reason = getattr(said, "blocked", ()), getattr(said, "reason", "")
    stop = said is True or said == "stop" or getattr(said, "stop", False) is True
    return stop, tuple(blocked or ()), str(reason or "")
