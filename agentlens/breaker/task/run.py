"""Run: a task under the whole design, from its first round to its saved end, and back."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from agentlens.breaker.budgets.amounts import Limits
from agentlens.breaker.budgets.limits import Budget, ToolTimeouts
from agentlens.breaker.budgets.spending import budget_of
from agentlens.breaker.live.view import checked_mode
from agentlens.breaker.machine import TERMINALS, Machine
from agentlens.breaker.policy import Policy, as_policy
from agentlens.breaker.task.checkpoint import resume
from agentlens.breaker.task.engine import Task, TaskRun
from agentlens.breaker.task.finalizer import Finalizer
from agentlens.breaker.task.goal import Goal
from agentlens.breaker.task.ledger import Entry, Ledger
from agentlens.breaker.task.replan import Action, Replanner
from agentlens.breaker.task.run_end import work_of
from agentlens.breaker.task.run_steps import RunSteps
from agentlens.breaker.task.stall import STALL_ROUNDS
from agentlens.breaker.task.sub_agents import Family, FamilyLimits
from agentlens.breaker.task.work import Ended
from agentlens.trace.run_log import MAIN

__all__ = ["Run"]


class Run(RunSteps):
    """A `Guard` for a whole task: with a goal, a budget, a ledger, one more plan, and an end.

    Everything that takes a `Guard` takes a `Run`. A host asks `before` and tells `after`; after
    a stop it looks at `state`: ``stalled`` lets it ask the model for a plan (`handover`,
    `replan`), anything else is for `end`, which saves all and says what the user is told.

    Parameters
    ----------
    policy, mode, tools, clock, record
        As for `Guard`. The policy's budgets are the task's, unless `budget` says otherwise.
    task
        Its id; a resumed task keeps it.
    path
        Where the checkpoint goes; its folder must exist.
    goal
        The completion conditions. Without any, the end says that there is no end state.
    facts
        What the goal's conditions look at: a mapping that the host changes, or a function.
    budget
        What the task may use, the finalizer's reserve included.
    timeouts
        How long one call may take, by tool.
    family
        How many sub-agents, how deep, how many at once.
    replans
        How many new plans a stalled run may try.
    query
        Says whether a write took effect, None where it cannot tell; it is asked before a write is
        tried again and at the end. It must be quick and must not write.
    stall_rounds
        So many rounds without a step towards the goal are a stall.
    """

    def __init__(
        self,
        policy: Policy | str | None = None,
        *,
        task: str,
        path: str | os.PathLike[str],
        goal: Goal | None = None,
        facts: Mapping[str, Any] | Callable[[], Mapping[str, Any]] | None = None,
        budget: Limits | Budget | None = None,
        timeouts: ToolTimeouts | None = None,
        family: FamilyLimits | None = None,
        replans: int = 1,
        query: Callable[[Entry], bool | None] | None = None,
        stall_rounds: int = STALL_ROUNDS,
        mode: str = "enforce",
        tools: Mapping[str, Any] | None = None,
        clock: Callable[[], float] | None = None,
        record: str | os.PathLike[str] | None = None,
    ):
        made = as_policy(policy)
        tick = clock or time.monotonic
        if isinstance(budget, Limits):
            budget = Budget(budget, clock=tick)
        elif budget is None:
            budget = budget_of(made, clock=tick)
            made = made.with_(
                max_rounds=None, max_seconds=None, max_tokens=None, max_calls=None, max_cost=None
            )
        known = facts if callable(facts) else lambda: facts or {}
        own = Task(
            task, path, goal or Goal(), known, Machine(), budget, Ledger(),
            Family(family, budget), Replanner(replans), timeouts or ToolTimeouts(), stall_rounds,
            query, measured=goal is not None or facts is not None,
        )  # fmt: skip
        self._run = TaskRun(own, made, checked_mode(mode), tools, clock, record)
        self._thread = self._run.threads[MAIN]

    @classmethod
    def resume(
        cls, path: str | os.PathLike[str], policy: Policy | str | None = None, **options: Any
    ) -> Self:
        """Take up a saved task: the same id, what is left of its budget, its side effects.

        Parameters
        ----------
        path
            Its checkpoint, which goes on being written there.
        policy, options
            As for `Run`; functions cannot be saved, so the goal is given again.

        Returns
        -------
        Run
            The same task, not started anew.

        Raises
        ------
        CheckpointError
            If it cannot be read, is completed, or has expired.
        """
        clock = options.get("clock")
        saved = resume(path, clock=clock or time.time, monotonic=clock or time.monotonic)
        made = cls(policy, task=saved.task, path=path, budget=saved.budget, **options)
        own = made._run.task
        saved.machine.clock = made._run.log.now
        own.machine, own.ledger = saved.machine, saved.ledger
        made._run._ledger.ledger = saved.ledger
        own.replanner.count = saved.checkpoint.replans
        own.done += [Action(a["tool"], a["args"]) for a in saved.checkpoint.forbidden]
        return made

    def end(
        self,
        results: Sequence[Any] = (),
        *,
        summarise: Callable[[Limits | None], Any] | None = None,
        unsafe: str = "",
        **said: Any,
    ) -> Ended:
        """End the run in its order: block, look, summarise, save; then the terminal.

        A run that waits for a person is saved as it is. One that still runs has met its goal, or
        has given up: then what is missing is its cause.

        Parameters
        ----------
        results
            What was found, as plain values.
        summarise
            Makes the summary within what is left to spend, by reading only.
        unsafe
            Why there is no safe way on, where that is so.
        said
            ``verified``, ``missing``, ``product``, ``without``, ``advice``, ``attempts``,
            ``consistent``, ``conditions``: see `EndSlots` and `Work`.

        Returns
        -------
        Ended
            The terminal, and what was saved.

        Raises
        ------
        RuntimeError, OSError
            If it has ended; if the checkpoint cannot be written (it can then be called again).
        """
        run, own = self._run, self._run.task
        if own.machine.state in TERMINALS:
            raise RuntimeError(f"the task {own.name!r} is {own.machine.state} already")
        with run.lock:
            if own.machine.state == "running" and not unsafe:
                judged = self.judge()
                done = judged.outcome == "completed" or not own.goal.conditions
                missing = f"given up without {', '.join(judged.missing)}"
                run.move("goal_met" if done else "no_progress", "" if done else missing)
            if own.machine.state == "stalled":
                run.move("replan_exhausted", "no plan was given")
        work = work_of(run, self.judge(), results, said)
        last = Finalizer(
            task=own.name, machine=own.machine, ledger=own.ledger, budget=own.budget,
            goal=own.goal, family=own.family, path=own.path, clock=lambda: run.log.now() or 0.0,
        )  # fmt: skip
        known = len(own.machine.path)
        if own.machine.state == "waiting_human" or unsafe:
            ended = last.park(work, unsafe)
        else:
            ended = last.run(work, query=own.query, summarise=summarise)
        with run.lock:
            run.tell(run.threads[MAIN], known)
        run.log.tell()
        return ended
