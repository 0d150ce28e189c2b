"""The end of a run in its order: block, look, summarise, save, and only then the terminal."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from threading import Thread
from typing import Any

from agentlens.breaker.budgets.amounts import Limits
from agentlens.breaker.budgets.limits import Budget
from agentlens.breaker.machine import EVENTS, Machine, Transition
from agentlens.breaker.task.checkpoint import Checkpoint
from agentlens.breaker.task.goal import Goal, Judgement
from agentlens.breaker.task.ledger import Entry, Ledger
from agentlens.breaker.task.messages import EndSlots, end_message
from agentlens.breaker.task.sub_agents import Family
from agentlens.breaker.task.work import MAY, Ended, Work

__all__ = ["LIFETIME", "Finalizer"]

#: How long a stopped task can be resumed, in seconds: 14 days.
LIFETIME = 14 * 24 * 3600.0


class Finalizer:
    """Ends a run whose machine is `finalizing`.

    Parameters
    ----------
    task
        Its id; a resumed task keeps it.
    machine, ledger, budget
        Those of the run; the budget's reserve is the finalizer's.
    path
        Where the checkpoint goes; its folder must exist.
    goal, family
        Its completion conditions, and its sub-agents, where there are any.
    clock
        Seconds since the epoch.
    lifetime
        For how many seconds it can be resumed; None for ever.
    """

    def __init__(
        self,
        *,
        task: str,
        machine: Machine,
        ledger: Ledger,
        path: str | os.PathLike[str],
        budget: Budget | None = None,
        goal: Goal | None = None,
        family: Family | None = None,
        clock: Callable[[], float] = time.time,
        lifetime: float | None = LIFETIME,
    ) -> None:
        self.task, self.machine, self.ledger, self.budget = task, machine, ledger, budget
        self.path, self.goal, self.family = Path(path), goal or Goal(), family
        self._clock, self._lifetime = clock, lifetime
        self._problems: list[str] = []

    @staticmethod
    def permits(effect: str) -> bool:
        """Say whether a call of some effect may be made while finalizing.

        Searching, writing, running, asking and starting sub-agents may not; what a tool does not
        say that it does counts as all of these.
        """
        return effect in MAY

    @property
    def allowance(self) -> Limits | None:
        """What is left for the finalizer, its reserve included; None without a budget."""
        return None if self.budget is None else self.budget.left(finalizer=True)

    def run(
        self,
        work: Work,
        *,
        query: Callable[[Entry], bool | None] | None = None,
        summarise: Callable[[Limits | None], Any] | None = None,
    ) -> Ended:
        """End the run.

        In order: new side effects are blocked; what there is is saved; writes of which nobody
        knows whether they took effect are asked for, and go to a person where that does not tell;
        `summarise` is run within the reserve; all is saved; the machine moves to its terminal.

        Parameters
        ----------
        work
            What there is.
        query
            Asks whether a write took effect; None for "cannot tell". Must not write.
        summarise
            Makes the summary from what is left to spend. Where seconds are limited it runs in a
            thread of its own, and is given up when they are gone.

        Raises
        ------
        RuntimeError
            If the machine is not `finalizing`.
        OSError
            If the checkpoint cannot be written: then the terminal is not reached, and this can be
            called again.
        """
        if self.machine.state != "finalizing":
            raise RuntimeError(f"the machine is {self.machine.state}, not finalizing")
        self._problems.clear()
        self.ledger.block()
        if self.family is not None:
            self.family.block()
        judged = self.goal.judge(work.facts, usable=bool(work.results))
        self._save(work, judged, None, None)
        self._look(query)
        judged = self.goal.judge(work.facts, usable=bool(work.results))  # a write may be confirmed
        summary, spent = self._summary(summarise)
        usable = judged.outcome != "failed" or summary is not None
        event, state = self._ending(judged, usable, spent)
        cause = "; ".join(self._problems) or EVENTS[event]
        step = Transition("finalizing", event, state, cause, time=self._clock())
        checkpoint = self._save(work, judged, step, summary)
        self.machine.fire(event, cause=cause, time=step.time, usable=usable)
        return Ended(self.machine.state, checkpoint, judged, tuple(self._problems))

    def park(self, work: Work, unsafe: str = "") -> Ended:
        """Save a run that ends without a summary: it waits for a person, or no way on is safe.

        Parameters
        ----------
        unsafe
            Why there is no safe way on; the run then moves to `failed`, once all is saved.

        Raises
        ------
        RuntimeError, OSError
            If the machine is where neither is possible; if the checkpoint cannot be written.
        """
        if self.machine.state != ("running" if unsafe else "waiting_human"):
            raise RuntimeError(f"the machine is {self.machine.state}")
        judged = self.goal.judge(work.facts, usable=bool(work.results))
        step = None
        if unsafe:
            self.ledger.block()
            step = Transition("running", "no_safe_path", "failed", unsafe, time=self._clock())
        checkpoint = self._save(work, judged, step, None)
        if step is not None:
            self.machine.fire(step.event, cause=unsafe, time=step.time)
        return Ended(self.machine.state, checkpoint, judged)

    def _look(self, query: Callable[[Entry], bool | None] | None) -> None:
        """Ask about each unconfirmed write; one that cannot be asked about stays unknown."""
        for entry in self.ledger.unconfirmed if query else ():
            try:
                found = query(entry) if query else None
            except Exception as error:  # the host's own query
                self._problems.append(f"{entry.tool} could not be asked about: {error}")
                continue
            self.ledger.confirm(entry.key, took_effect=found)

    def _summary(self, summarise: Callable[[Limits | None], Any] | None) -> tuple[Any, bool]:
        """Return the summary, or None; and whether the reserve ran out before there was one."""
        if self.budget is not None and self.budget.exhausted():
            return None, True
        if summarise is None:
            return None, False
        allowance, box = self.allowance, list[Any]()

        def work() -> None:
            try:
                box.append(summarise(allowance))
            except Exception as error:  # a model's own fault
                self._problems.append(f"no summary: {type(error).__name__}: {error}")

        seconds = None if allowance is None else allowance.seconds
        if seconds is None:
            work()
        else:  # a thread cannot be killed, but it need not be waited for
            thread = Thread(target=work, name=f"finalizer of {self.task}", daemon=True)
            thread.start()
            thread.join(seconds)
            if thread.is_alive():
                self._problems.append(f"no summary within {seconds:g} s")
                return None, True
        found = box[0] if box else None
        out = found is None and self.budget is not None and bool(self.budget.exhausted())
        return found, out

    def _ending(self, judged: Judgement, usable: bool, spent: bool) -> tuple[str, str]:
        """Return the event of the end and the state that it leads to."""
        if self.ledger.unconfirmed:
            return "write_unconfirmed", "waiting_human"
        met = judged.outcome == "completed"
        if not self.goal.conditions and self.machine.path:  # nobody checks: the run itself said so
            met = self.machine.path[-1].event == "goal_met"
        if met:
            return "result_saved", "completed"
        if spent:
            return "finalizer_budget_hit", "partial" if usable else "failed"
        return ("partial_saved", "partial") if usable else ("nothing_usable", "failed")

    def _save(
        self, work: Work, judged: Judgement, step: Transition | None, summary: Any
    ) -> Checkpoint:
        """Write the five things, and what resuming needs, as one file.

        `step` is the transition to come: a file that is there says where the machine is.
        """
        path = (*self.machine.path, *(() if step is None else (step,)))
        state = self.machine.state if step is None else step.target
        unknown = self.ledger.unconfirmed
        ask = f"{unknown[0].tool} {unknown[0].target}".strip() if unknown else work.slots.ask
        shown = "partial" if state == "finalizing" else state
        said = asdict(work.slots) | {"terminal": shown, "ask": ask}
        said["incidents"] = work.slots.incidents
        said["missing"] = tuple(dict.fromkeys((*work.slots.missing, *judged.missing)))
        slots, now = EndSlots(**said), self._clock()
        made = Checkpoint(
            results=(*work.results, *(() if summary is None else ({"summary": summary},))),
            consistent=work.consistent,
            unconfirmed=tuple(asdict(entry) for entry in unknown),
            stop=self._stop(work),
            conditions=tuple(work.conditions),
            task=self.task,
            state=state,
            ask=ask if shown == "waiting_human" else "",
            messages={
                lang: end_message(slots, lang, self.goal.warning(lang)) for lang in ("zh", "en")
            },
            budget=None if self.budget is None else self.budget.to_dict(),
            ledger=tuple(self.ledger.to_list()),
            path=tuple(asdict(one) for one in path),
            forbidden=tuple(work.forbidden),
            replans=work.replans,
            saved=now,
            expires=None if self._lifetime is None else now + self._lifetime,
        )
        made.write(self.path)
        return made

    def _stop(self, work: Work) -> dict[str, Any]:
        last = next((s for s in reversed(self.machine.path) if s.source != "finalizing"), None)
        causes = list(dict.fromkeys([*(i.kind for i in work.slots.incidents), *work.causes]))
        if last is None:
            return {"event": "", "cause": "", "round": None, "causes": causes}
        return {"event": last.event, "cause": last.cause, "round": last.round, "causes": causes}
