"""The engine of a `Run`: that of a guard, with one machine, budget, ledger and goal a task."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from agentlens.breaker.budgets.incidents import Incident
from agentlens.breaker.budgets.limits import Budget, ToolTimeouts
from agentlens.breaker.families.panel import Panel
from agentlens.breaker.live.decision import Decision
from agentlens.breaker.live.engine import GuardRun
from agentlens.breaker.live.thread import GuardThread
from agentlens.breaker.machine import Machine, arcs_of
from agentlens.breaker.rules import rule_of
from agentlens.breaker.seen import SeenRound, Stepper
from agentlens.breaker.task.goal import Goal
from agentlens.breaker.task.ledger import Entry, Ledger
from agentlens.breaker.task.replan import Action, Replanner
from agentlens.breaker.task.stall import Stall
from agentlens.breaker.task.sub_agents import ROOT, Family
from agentlens.breaker.task.watch import BudgetWatch, LedgerWatch, Probe

if TYPE_CHECKING:
    from agentlens.breaker.policy import Policy
    from agentlens.trace.tools import ToolSpec

__all__ = ["Task", "TaskRun"]


@dataclass(slots=True)
class Task:
    """What a task has besides a policy; see `agentlens.Run`."""

    name: str
    path: str | os.PathLike[str]
    goal: Goal
    facts: Callable[[], Mapping[str, Any]]
    machine: Machine
    budget: Budget
    ledger: Ledger
    family: Family
    replanner: Replanner
    timeouts: ToolTimeouts
    stall_rounds: int
    query: Callable[[Entry], bool | None] | None = None
    done: list[Action] = field(default_factory=list)
    measured: bool = True


class TaskRun(GuardRun):
    """One live run of a task."""

    def __init__(
        self,
        task: Task,
        policy: Policy,
        mode: str,
        tools: Mapping[str, ToolSpec] | None,
        clock: Callable[[], float] | None,
        record: str | os.PathLike[str] | None,
    ):
        super().__init__(policy, mode, tools, clock, record)
        self.task = task
        task.machine.clock = self.log.now
        self.stall = (
            Stall(task.goal, task.facts, task.stall_rounds, self._waits) if task.measured else None
        )
        self._ledger = LedgerWatch(task.ledger, task.query)
        self._budgets: dict[str, BudgetWatch] = {}
        self._known = {action.fingerprint for action in task.done}
        self._rule = "ended"
        self.incidents: tuple[Incident, ...] = ()

    def latched(self, thread: GuardThread, calls: int = 0) -> Decision | None:
        """Return the stop that holds already: of the thread, or because the task does not run."""
        old = super().latched(thread, calls)
        state = self.task.machine.state
        if old is not None or self.mode != "enforce" or state in ("running", "stalled"):
            return old
        rule = "human" if state == "waiting_human" else self._rule
        path = self.task.machine.path
        reason = path[-1].cause if path else f"the task is {state}"
        return Decision("stop", True, reason, tuple(range(calls)), "stop", rule)

    def move(self, event: str, cause: str, thread: GuardThread | None = None, **how: Any) -> str:
        """Move a thread's machine (the task's by default) where it may, and tell of it.

        Raises
        ------
        IllegalTransitionError
            If the state does not allow the event.
        """
        thread = thread or self.threads[ROOT]
        machine = self._machine(thread)
        known = len(machine.path)
        try:
            machine.fire(event, cause=cause, round=thread.round or None, **how)
            last = self.task.replanner.count >= self.task.replanner.limit
            if machine.state == "stalled" and (last or machine is not self.task.machine):
                why = "no replan is left" if last else "a sub-agent is granted no replan"
                machine.fire("replan_exhausted", cause=why, round=thread.round or None)
        finally:
            self.tell(thread, known)
        return machine.state

    def tell(self, thread: GuardThread, known: int) -> None:
        """Put a machine's steps from a place on, and what it refused, into the log."""
        now = self.log.now()
        for step in self._machine(thread).path[known:]:
            self.log.emit(
                "transition", now, thread, source=step.source, cause=step.cause, by=step.event,
                target=step.target,
            )  # fmt: skip
        self.log.flush(now)

    def release(self) -> None:
        """Let the main thread go on: counts at zero, history kept, nothing paid back."""
        sequence = self.threads[ROOT].sequence
        if sequence is None:
            return
        sequence.stopped = None
        if self.stall is not None:
            self.stall.count = 0
        for stepper in sequence.rules:
            if not isinstance(stepper, BudgetWatch):
                stepper.count = 0
        for rule in self._panel(ROOT).rules:
            rule.reset()
            rule.count = 0

    def moved(self) -> bool:
        """Say whether the latest round moved the task: by its goal, else by what is new."""
        if self.stall is not None and self.stall.answers:
            return self.stall.answers[-1].moved
        return self._panel(ROOT).fresh

    def _waits(self) -> bool:
        return self._panel(ROOT).board.signs.waits

    def _machine(self, thread: GuardThread) -> Machine:
        if thread.name == ROOT or thread.sequence is None:
            return self.task.machine
        return thread.sequence.machine

    def _panel(self, name: str) -> Panel:
        if name not in self._panels:
            session = self.policy.scope == "session"
            self._panels[name] = Panel(self.policy.rules, signs=True, session=session)
        return self._panels[name]

    def _number(self, thread: GuardThread, now: float | None) -> None:
        old = thread.sequence
        self._panel(thread.name)
        super()._number(thread, now)
        sequence = thread.sequence
        if sequence is None or sequence is old or not self.policy.enabled:
            return
        watch = self._budgets.get(thread.name)
        if watch is None:
            budget = self.task.family.budget_of(thread.name) or self.task.budget
            watch = self._budgets[thread.name] = BudgetWatch(budget, self.task.timeouts)
        rules: list[Stepper] = [watch, *sequence.rules, self._ledger]
        if thread.name == ROOT:
            sequence.machine = self.task.machine
            if self.stall is not None:
                rules.append(self.stall)
            rules.append(Probe(self.task.replanner, lambda: tuple(self.task.done), self.moved))
        sequence.rules = rules

    def _keep(self, thread: GuardThread, decision: Decision, now: float | None) -> None:  # noqa: ARG002
        sequence = thread.sequence
        if sequence is None or not decision.stop:
            return
        sequence.stopped = decision
        watch = self._budgets.get(thread.name)
        self._rule = decision.rule or self._rule
        self.incidents = watch.incidents if watch is not None else ()
        event = rule_of(decision.rule or "", self.policy).event
        if self.mode == "enforce" and arcs_of(self._machine(thread).state, event):
            self.move(event, decision.reason, thread)

    def _let_through(
        self, thread: GuardThread, seen: SeenRound, decision: Decision, now: float | None
    ) -> None:
        watch = self._budgets.get(thread.name)
        try:
            if watch is not None:
                watch.decided(seen, decision.blocked, stop=decision.stop)
            if not decision.stop:
                self._ledger.decided(seen, decision.blocked)
                self._note(thread, seen, decision.blocked)
        except Exception as error:
            self.log.fault("task", error, thread, moment=now)
        super()._let_through(thread, seen, decision, now)

    def _note(self, thread: GuardThread, seen: SeenRound, blocked: Sequence[int]) -> None:
        """Keep what was done, once each: a new plan may not do it again."""
        for index, call in enumerate(seen.calls):
            action = Action(call.tool, call.args or {"": call.args_raw})
            if index in blocked or thread.name != ROOT or action.fingerprint in self._known:
                continue
            self._known.add(action.fingerprint)
            self.task.done.append(action)
