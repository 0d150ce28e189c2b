"""What a host asks of a `Run` between rounds: its state, a new plan, a person, sub-agents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from agentlens.breaker.budgets.amounts import Limits
from agentlens.breaker.budgets.limits import Budget
from agentlens.breaker.live.guard import Guard
from agentlens.breaker.machine import Transition
from agentlens.breaker.task.endings import overdue
from agentlens.breaker.task.engine import TaskRun
from agentlens.breaker.task.goal import Judgement
from agentlens.breaker.task.ledger import Ledger
from agentlens.breaker.task.replan import Handover, Plan, PlanVerdict
from agentlens.breaker.task.sub_agents import ChildResult, Family

if TYPE_CHECKING:
    from agentlens.breaker.budgets.shares import Dispatch

__all__ = ["PATIENCE", "RunSteps"]

#: How long a person is waited for, in seconds: a day.
PATIENCE = 24 * 3600.0


class RunSteps(Guard):
    """The half of `agentlens.Run` that goes on; the other half begins and ends."""

    _run: TaskRun

    @property
    def task(self) -> str:
        """The id of the task."""
        return self._run.task.name

    @property
    def budget(self) -> Budget:
        """What the task may use and has used."""
        return self._run.task.budget

    @property
    def ledger(self) -> Ledger:
        """Its side effects."""
        return self._run.task.ledger

    @property
    def family(self) -> Family:
        """Its sub-agents."""
        return self._run.task.family

    @property
    def state(self) -> str:
        """Where the task's machine is; of a sub-agent, where its own is."""
        return self._run._machine(self._thread).state

    @property
    def path(self) -> tuple[Transition, ...]:
        """Every transition so far."""
        return tuple(self._run._machine(self._thread).path)

    def judge(self) -> Judgement:
        """Say which completion conditions hold now."""
        return self._run.task.goal.judge(self._run.task.facts())

    def handover(self) -> Handover:
        """Return what the model is told when it shall plan anew."""
        own = self._run.task
        return own.replanner.handover(
            facts=self.judge().met, forbidden=own.done, left=own.budget.left()
        )

    def replan(self, plan: Plan, *, evidence: Iterable[str] = ()) -> PlanVerdict:
        """Judge a plan; a granted one runs on with one call as its probe.

        Raises
        ------
        IllegalTransitionError
            If the run is not stalled.
        """
        run = self._run
        with run.lock:
            verdict = PlanVerdict(False, "the run is not stalled")
            if run.task.machine.state == "stalled":
                verdict = run.task.replanner.judge(plan, self.handover(), evidence=evidence)
            run.move(verdict.event, verdict.reason)
            if verdict.granted:
                run.release()
        run.log.tell()
        return verdict

    def ask(self, what: str) -> None:
        """Wait for a person, for this one thing; every round is stopped until `answer`."""
        self._fire("approval_required", what)

    def answer(self, *, approved: bool, why: str = "") -> str:
        """Take a person's answer and return the state; approved, the same task goes on."""
        self._fire("approved" if approved else "denied", why)
        if approved:
            self.ledger.allow()
            self.family.allow()
            self._run.release()
        return self.state

    def check(self, patience: float = PATIENCE) -> str:
        """Do what time alone decides, and return the state: a wait that is over, a used budget."""
        now = self._run.log.now()
        if now is not None and overdue(self.path, now, patience):
            self._fire("timeout", f"no answer within {patience:g} s")
        elif self.state in ("running", "stalled", "waiting_human") and (hit := self.budget.hit()):
            self._run.incidents = hit
            self._fire("hard_budget_hit", hit[0].kind)
        return self.state

    def dispatch(
        self, goal: str, *, wanted: Limits | None = None, brings: Iterable[str] = ()
    ) -> Dispatch:
        """Ask for a sub-agent; `thread(dispatch.name)` is its guard, `family.finish` its end."""
        return self.family.dispatch(goal, parent=self._thread.name, wanted=wanted, brings=brings)

    def finish(self, result: ChildResult) -> None:
        """Return a sub-agent's result, from its own thread."""
        self.family.finish(self._thread.name, result)

    def wait(self, on: str) -> tuple[str, ...]:
        """Note that this thread waits for another one; a circle stalls the task.

        Returns
        -------
        tuple of str
            The circle that this closes; empty where it closes none.
        """
        circle = self.family.wait(self._thread.name, on)
        if circle and self._run.task.machine.state == "running":
            cause = " → ".join((*circle, circle[0]))
            self._fire("no_progress", f"sub-agents wait for each other: {cause}")
        return circle

    def _fire(self, event: str, cause: str) -> None:
        with self._run.lock:
            self._run.move(event, cause)
        self._run.log.tell()
