"""A guard in the agents of smolagents: before their model's calls run, and around their tools.

A `ToolCallingAgent` says which calls it wants before any of them runs: each of its steps is a
round. The code of a `CodeAgent` is known only while it runs: each call of a tool is a round.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from agentlens.breaker.live.guard import Guard
from agentlens.integrations.extras import missing
from agentlens.integrations.rounds import Rounds, rounds_of

try:
    from smolagents import ActionStep, CodeAgent, TaskStep, ToolCallingAgent
    from smolagents.models import ChatMessageStreamDelta, agglomerate_stream_deltas
except ImportError as error:
    raise missing("smolagents", "smolagents", error) from None

from agentlens.integrations.smolagents_messages import (
    Claims,
    as_code,
    as_deltas,
    as_final_call,
    said_by,
    spoken,
    with_usage,
)

__all__ = ["StoppedError", "guarded"]

A = TypeVar("A", "ToolCallingAgent", "CodeAgent")


class StoppedError(Exception):
    """What ends the code of a `CodeAgent` whose next call must not run."""


def guarded(agent: A, guard: Guard, *, lang: str = "zh") -> A:
    """Return the agent with a guard put into it.

    After a stop the model gives its final answer as it does when the steps are used up, by the
    agent's own templates and without tools, with the closing prompt behind them. The agent's model
    and tools are replaced by copies, so that others that share them are left alone.

    Parameters
    ----------
    agent
        A `ToolCallingAgent`, or a `CodeAgent` whose code runs in this process.
    guard
        The guard of this agent's runs, or, for a managed agent, ``guard.thread(name)``.
    lang
        Language of what the model is told after a stop, ``zh`` or ``en``.
    """
    host = _Host(agent, rounds_of(guard, lang))
    model = copy.copy(agent.model)
    model.generate = host.generate
    if hasattr(model, "generate_stream"):
        model.generate_stream = host.generate_stream
    agent.model = model
    agent.step_callbacks.register(ActionStep, host.finished)
    if host.codes:
        for name, tool in agent.tools.items():
            if name != "final_answer":
                agent.tools[name] = made = copy.copy(tool)
                made.forward = host.around_call(made)
    else:
        agent.execute_tool_call = host.around_execution(agent.execute_tool_call)
    return agent


class _Host:
    """What stands between one agent, its model, its tools and its guard."""

    def __init__(self, agent: Any, rounds: Rounds):
        self.agent, self.rounds, self.model = agent, rounds, agent.model
        self.codes = isinstance(agent, CodeAgent)
        self.claims = Claims()
        self._task: Any = None
        self._stopped: str | None = None  # the prompt with which the next step must answer
        self._closing: str | None = None  # the prompt while that answer is asked for

    def generate(self, messages: list[Any], *args: Any, **kwargs: Any) -> Any:
        """Ask the model, and, of a step, the guard."""
        if not self._is_step(kwargs):
            return self.model.generate(self._closed(messages), *args, **kwargs)
        if self._stopped is not None:
            return self._answer(self._stopped)
        message = self.model.generate([*messages, *spoken(self.rounds.nudges())], *args, **kwargs)
        prompt = None if self.codes else self._ask(message)
        return message if prompt is None else with_usage(self._answer(prompt), message)

    def generate_stream(self, messages: list[Any], *args: Any, **kwargs: Any) -> Iterator[Any]:
        """Ask the model, and, of a step, the guard once the response is whole."""
        if not self._is_step(kwargs):
            yield from self.model.generate_stream(self._closed(messages), *args, **kwargs)
            return
        if self._stopped is not None:
            yield from as_deltas(self._answer(self._stopped))
            return
        watching = self.rounds.guard.mode in ("enforce", "forced_open") and not self.codes
        deltas: list[ChatMessageStreamDelta] = []
        held: list[ChatMessageStreamDelta] = []
        messages = [*messages, *spoken(self.rounds.nudges())]
        for delta in self.model.generate_stream(messages, *args, **kwargs):
            deltas.append(delta)
            if watching and (held or delta.tool_calls):
                held.append(delta)
            else:
                yield delta
        prompt = None if self.codes else self._ask(agglomerate_stream_deltas(deltas))
        if prompt is None:
            yield from held
        else:
            dropped = agglomerate_stream_deltas(held)
            yield from as_deltas(with_usage(self._answer(prompt), dropped))

    def finished(self, memory_step: Any, agent: Any = None) -> None:  # noqa: ARG002
        """Tell what a step brought: a step callback."""
        if not self.codes:
            self.rounds.tell(self.claims.found)

    def around_execution(self, execute: Callable[..., Any]) -> Callable[..., Any]:
        """Return how a `ToolCallingAgent` executes a call."""

        def run(tool_name: str, arguments: Any) -> Any:
            call_id = self.claims.claim(tool_name, arguments)
            reason = self.rounds.blocked(call_id)
            if reason is not None:
                return reason
            return self.claims.kept(call_id, lambda: execute(tool_name, arguments))

        return run

    def around_call(self, tool: Any) -> Callable[..., Any]:
        """Return how the code of a `CodeAgent` calls a tool."""
        forward = tool.forward

        def run(*args: Any, **kwargs: Any) -> Any:
            self.claims.open([])
            call_id = self.claims.next_id()
            given = {**dict(zip(tool.inputs, args, strict=False)), **kwargs}
            call = {"id": call_id, "tool": tool.name, "args": given}
            self._stopped = self.rounds.ask(lambda: {"calls": [call]})
            if self._stopped is not None:
                raise StoppedError(self._stopped)
            reason = self.rounds.blocked(call_id)
            try:
                if reason is not None:
                    return reason
                return self.claims.kept(call_id, lambda: forward(*args, **kwargs))
            finally:
                self.rounds.tell(self.claims.found)

        return run

    def _is_step(self, asked: dict[str, Any]) -> bool:
        """Return whether the model is asked for a step; a new task is a new request."""
        task = next((s for s in reversed(self.agent.memory.steps) if isinstance(s, TaskStep)), None)
        if task is not self._task:
            self._task, self._stopped = task, None
            self.rounds.request(lambda: task.task if task else "")
        return "Observation:" in (asked.get("stop_sequences") or ())

    def _ask(self, message: Any) -> str | None:
        def read() -> dict[str, Any]:
            said = said_by(message, self.model)
            self.claims.open(said["calls"])
            return said

        return self.rounds.ask(read)

    def _closed(self, messages: list[Any]) -> list[Any]:
        return messages if self._closing is None else [*messages, *spoken([self._closing])]

    def _answer(self, prompt: str) -> Any:
        """Return the final answer, in the form in which the agent ends its run."""
        self._closing = prompt
        try:
            answer = self.agent.provide_final_answer(self.agent.task)
        finally:
            self._closing = None
        return as_code(answer, self.agent) if self.codes else as_final_call(answer)
