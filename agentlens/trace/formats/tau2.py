"""tau2-bench simulations: an agent and a simulated user, who calls tools as well.

Facts that it rests on: ``{tasks, simulations: [...]}`` or one simulation; messages have
`tool_calls` ``{id, name, arguments, requestor}`` whose requestor is assistant or user, results
``{role: "tool", id, content, requestor, error}``, `timestamp` (naive), `cost` and `usage`; results
of several calls may come as one message with `tool_messages`; `reward_info.reward` is the outcome
and `termination_reason` why it ended; a voice run has `ticks` instead of messages, each with a
chunk of either side, whose speech goes on over many ticks and whose words may not be kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text, text_of
from agentlens.trace.formats.part import Part, dicts, first_dict, mapping, text_or_none
from agentlens.trace.formats.tau2_ticks import read_ticks
from agentlens.trace.formats.turns import CallItem, ResultItem, Turn, feed, usage_columns
from agentlens.trace.source import Document
from agentlens.trace.times import parse_time

__all__ = ["NAME", "USER", "read", "sniff", "split"]

NAME = "tau2"
USER = "user"
_SIGNS = {"termination_reason", "reward_info", "trial", "seed", "agent_cost"}


def _is_simulation(value: Any) -> bool:
    if not isinstance(value, Mapping) or "task_id" not in value:
        return False
    runs = isinstance(value.get("messages"), list) or isinstance(value.get("ticks"), list)
    return runs and "traj" not in value and len(_SIGNS & set(value)) > 1


def sniff(head: Sequence[Any]) -> float:
    """Fit: simulations with a task and why they ended, alone or under ``simulations``."""
    first = first_dict(head)
    inner = first.get("simulations")
    if isinstance(inner, list) and any(_is_simulation(each) for each in inner[:5]):
        return 0.98
    return 0.98 if _is_simulation(first) else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield one part for each simulation."""
    for number, record in document.records():
        inner = mapping(record).get("simulations")
        tasks = {as_text(task.get("id")): task for task in dicts(mapping(record).get("tasks"))}
        for simulation in inner if isinstance(inner, list) else [record]:
            if not _is_simulation(simulation):
                document.note("skipped", "a record is not a simulation", number)
                continue
            task_id = as_text(simulation.get("task_id"))
            name = f"task {task_id} trial {as_text(simulation.get('trial'))}"
            about = {"task": tasks.get(task_id), "info": mapping(record).get("info")}
            yield Part([(number, simulation)], document.name, name, about)


def read(part: Part, build: TraceBuilder) -> None:
    """Read one simulation; the simulated user's own calls are a thread of their own."""
    _, simulation = next(iter(part.records))
    _describe(part, simulation, build)
    messages = list(dicts(simulation.get("messages")))
    if not messages and isinstance(simulation.get("ticks"), list):
        read_ticks(simulation["ticks"], build)
        return
    if not messages:
        raise part.error("holds no message")
    for number, message in enumerate(messages, 1):
        inner = [m for m in dicts(message.get("tool_messages")) if message.get("role") == "tool"]
        for each in inner or [message]:
            turn, thread = turn_of(each)
            if turn is None:
                build.note("skipped", "a record is not a message", number)
                continue
            if thread == USER:
                build.thread(USER, kind="simulated_user", name="simulated user")
            feed(turn, build, number, thread)


def turn_of(message: Mapping[str, Any]) -> tuple[Turn | None, str]:
    """Return what one message holds, and whose thread it belongs to."""
    role, text = message.get("role"), text_of(message.get("content"))
    started = parse_time(message.get("timestamp"))
    calls = [
        CallItem(as_text(call.get("name")) or "?", call.get("arguments"),
                 text_or_none(call.get("id")))
        for call in dicts(message.get("tool_calls"))
    ]  # fmt: skip
    if role == "tool":
        flag = message.get("error")
        item = ResultItem(
            text, text_or_none(message.get("id")), error=flag if isinstance(flag, bool) else None
        )
        thread = USER if message.get("requestor") == "user" else "main"
        return Turn("tool", results=[item], started=started), thread
    if role == "assistant" or (role == "user" and calls):
        columns: dict[str, Any] = dict(usage_columns(message.get("usage"), cached_apart=False))
        cost = message.get("cost")
        if isinstance(cost, int | float) and not isinstance(cost, bool) and cost >= 0:
            columns["cost"] = float(cost)
        turn = Turn("assistant", text, calls=calls, started=started, columns=columns)
        return turn, USER if role == "user" else "main"
    return (Turn(role, text, started=started), "main") if role in ("user", "system") else (None, "")


def _describe(part: Part, simulation: Mapping[str, Any], build: TraceBuilder) -> None:
    reward = mapping(simulation.get("reward_info")).get("reward")
    outcome: dict[str, Any] = {"status": "unknown"}
    if isinstance(reward, int | float) and not isinstance(reward, bool):
        outcome = {"status": "success" if reward >= 1 else "failure", "score": float(reward)}
    reason = text_or_none(simulation.get("termination_reason"))
    if reason:
        outcome["exit_reason"] = reason
    outcome["raw"] = mapping(simulation.get("reward_info")).get("reward_breakdown")
    totals = {
        name: simulation[key]
        for name, key in (("cost", "agent_cost"), ("seconds", "duration"))
        if isinstance(simulation.get(key), int | float)
    }
    info = mapping(part.about.get("info"))
    scenario = mapping(mapping(part.about.get("task")).get("user_scenario"))
    steps = info.get("max_steps")
    agent = mapping(info.get("agent_info"))
    build.describe(
        trace_id=text_or_none(simulation.get("id")) or part.name,
        task=text_of(scenario.get("instructions")) or None,
        agent=text_or_none(agent.get("implementation")),
        models=(agent["llm"],) if isinstance(agent.get("llm"), str) else None,
        outcome=outcome,
        limits={"max_steps": steps} if isinstance(steps, int) else None,
        totals=totals or None,
        totals_source="reported" if totals else None,
        extra={k: simulation[k] for k in ("task_id", "trial", "seed", "mode") if k in simulation},
    )
