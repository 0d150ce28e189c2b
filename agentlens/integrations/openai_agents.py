"""A guard before a model of the OpenAI Agents SDK.

The SDK's hooks may watch a run, but can neither replace a response nor take tools away; the model
is where both can be done, for whole and for streamed runs alike.
"""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from agentlens.breaker.live.guard import Guard
from agentlens.integrations.extras import missing
from agentlens.integrations.rounds import Rounds, rounds_of

try:
    from agents import Model, ModelProvider, MultiProvider
    from agents.tool_guardrails import ToolGuardrailFunctionOutput, ToolInputGuardrail
except ImportError as error:
    raise missing("openai_agents", "openai-agents", error) from None

from agentlens.integrations.openai_items import (
    added_usage,
    arriving_with,
    asks_for_a_call,
    closing_request,
    said_by,
)

__all__ = ["GuardedModel", "GuardedModels", "skip_blocked"]


class GuardedModel(Model):
    """A model whose responses a guard sees before any of their calls is run.

    After a stop the response is dropped, and the model answers from what there is: it is asked
    once more with the closing prompt, without tools and without handoffs. While it enforces, a
    stream holds back what follows the first call until the response is whole.

    Parameters
    ----------
    model
        The model as it is.
    guard
        The guard of this run, or, for an agent that is a tool, ``guard.thread(name)``.
    lang
        Language of what the model is told after a stop, ``zh`` or ``en``.
    """

    def __init__(self, model: Model, guard: Guard, *, lang: str = "zh"):
        self._model, self._rounds = model, rounds_of(guard, lang)

    def __getattr__(self, name: str) -> Any:
        if name == "_model":  # while it is copied
            raise AttributeError(name)
        return getattr(self._model, name)

    async def get_response(
        self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """Ask the model, and the guard."""
        input = arriving_with(self._rounds, input)
        response = await self._model.get_response(system_instructions, input, *args, **kwargs)
        prompt = self._rounds.ask(lambda: said_by(response.output, response.usage))
        if prompt is None:
            return response
        last, args, kwargs = closing_request(prompt, input, response.output, args, kwargs)
        answer = await self._model.get_response(system_instructions, last, *args, **kwargs)
        answer.usage.add(response.usage)
        output = [item for item in answer.output if not asks_for_a_call(item)]
        return dataclasses.replace(answer, output=output)

    async def stream_response(
        self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any
    ) -> AsyncIterator[Any]:
        """Ask the model, and, before its last event, the guard."""
        input = arriving_with(self._rounds, input)
        watching = self._rounds.guard.mode in ("enforce", "forced_open")
        held: list[Any] = []
        done: list[Any] = []
        used: Any = None
        prompt: str | None = None
        async for event in self._model.stream_response(system_instructions, input, *args, **kwargs):
            item = getattr(event, "item", None)
            if event.type == "response.output_item.done":
                done.append(item)
            if event.type == "response.completed":
                output, used = event.response.output or done, event.response.usage
                prompt = self._rounds.ask(partial(said_by, output, used))
                done = output
            if prompt is not None:
                continue
            if watching and (held or asks_for_a_call(item)):
                held.append(event)
                if event.type != "response.completed":
                    continue
                for kept in held:
                    yield kept
                continue
            yield event
        if prompt is None:
            return
        last, args, kwargs = closing_request(prompt, input, done, args, kwargs)
        async for event in self._model.stream_response(system_instructions, last, *args, **kwargs):
            arguments = event.type.startswith("response.function_call_arguments")
            if arguments or asks_for_a_call(getattr(event, "item", None)):
                continue
            if event.type == "response.completed":
                output = [i for i in event.response.output if not asks_for_a_call(i)]
                usage = added_usage(event.response.usage, used)
                said = event.response.model_copy(update={"output": output, "usage": usage})
                event = event.model_copy(update={"response": said})  # noqa: PLW2901
            yield event

    def get_retry_advice(self, request: Any) -> Any:
        """Ask the model."""
        return self._model.get_retry_advice(request)

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()

    async def _cleanup_on_run_end(self, owner: object) -> None:
        await self._model._cleanup_on_run_end(owner)


class GuardedModels(ModelProvider):
    """All models of a run behind one guard: ``RunConfig(model_provider=GuardedModels(guard))``.

    It finds models that agents name; one that is an object stands in a `GuardedModel` itself.

    Parameters
    ----------
    guard, lang
        As for `GuardedModel`.
    provider
        Who finds models by their names; the SDK's own by default.
    """

    def __init__(self, guard: Guard, provider: ModelProvider | None = None, *, lang: str = "zh"):
        self._guard, self._lang = guard, lang
        self._provider = MultiProvider() if provider is None else provider

    def get_model(self, model_name: str | None) -> Model:
        """Return the model of that name, guarded."""
        return GuardedModel(self._provider.get_model(model_name), self._guard, lang=self._lang)

    async def aclose(self) -> None:
        """Close the provider."""
        await self._provider.aclose()


def skip_blocked(guard: Guard) -> ToolInputGuardrail[Any]:
    """Return a guardrail that keeps the calls that a guard blocks from running.

    Used as ``function_tool(..., tool_input_guardrails=[skip_blocked(guard)])``.
    """
    rounds: Rounds = rounds_of(guard)

    def look(data: Any) -> Any:
        reason = rounds.blocked(data.context.tool_call_id)
        if reason is None:
            return ToolGuardrailFunctionOutput.allow()
        return ToolGuardrailFunctionOutput.reject_content(reason)

    return ToolInputGuardrail(guardrail_function=look, name="agentlens")
