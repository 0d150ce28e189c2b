"""What a run leaves to its finalizer: why it stopped, what it holds, what may go on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agentlens.breaker.rules import rule_of
from agentlens.breaker.task.goal import Judgement
from agentlens.breaker.task.messages import EndSlots
from agentlens.breaker.task.sub_agents import ROOT
from agentlens.breaker.task.work import Work

if TYPE_CHECKING:
    from agentlens.breaker.task.engine import TaskRun

__all__ = ["work_of"]

#: What must hold before a task goes on, by the machine's event that led to its end.
_RESUME = {
    "hard_budget_hit": "a person grants more of the budget that is used up",
    "no_progress": "a source, tool or constraint that the run did not have",
    "replan_exhausted": "a source, tool or constraint that the run did not have",
    "approval_required": "a person confirms",
    "denied": "a person allows it",
    "timeout": "a person answers",
}
_SLOTS = ("missing", "product", "without", "advice", "attempts")


def work_of(
    run: TaskRun, judged: Judgement, results: Sequence[Any], said: Mapping[str, Any]
) -> Work:
    """Return the work that a finalizer is given.

    Parameters
    ----------
    run
        The run as it stands.
    judged
        Which conditions hold.
    results
        What the host found.
    said
        What the host says of it: see `agentlens.Run.end`.

    Raises
    ------
    TypeError
        If it says something that has no place.
    """
    own, sequence = run.task, run.threads[ROOT].sequence
    stop = sequence.stopped if sequence is not None else None
    known = {*_SLOTS, "verified", "consistent", "conditions"}
    if unknown := [name for name in said if name not in known]:
        raise TypeError(f"end: {unknown[0]!r} is none of {', '.join(sorted(known))}")
    event = next((s.event for s in reversed(own.machine.path) if s.event in _RESUME), "")
    waits = own.machine.state == "waiting_human"
    rounds, causes = 0, []
    if stop is not None and own.machine.path:
        causes = [f.rule for f in stop.findings if f.level == "stop"]
        first = next((f for f in stop.findings if f.rule == stop.rule), None)
        if first is not None and rule_of(first.rule, run.policy).event == "no_progress":
            rounds = first.count
    slots = EndSlots(
        "partial",
        rounds=rounds,
        verified=tuple(said.get("verified", judged.met)),
        incidents=run.incidents,
        ask=own.machine.path[-1].cause if waits else "",
        **{"without": "progress", **{k: said[k] for k in _SLOTS if k in said}},
    )
    conditions = said.get("conditions") or ([_RESUME[event]] if event else [])
    return Work(
        results=results,
        facts=own.facts(),
        consistent=said.get("consistent") or {},
        slots=slots,
        conditions=conditions,
        forbidden=[{"tool": a.tool, "args": dict(a.args)} for a in own.done],
        replans=own.replanner.count,
        causes=causes,
    )
