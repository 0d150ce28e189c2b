"""A guard as a capability of a Pydantic AI agent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from agentlens.breaker.live.guard import Guard
from agentlens.integrations.extras import missing
from agentlens.integrations.rounds import Rounds, rounds_of

try:
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        RetryPromptPart,
        TextPart,
        ThinkingPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )
except ImportError as error:
    raise missing("pydantic_ai", "pydantic-ai", error) from None

__all__ = ["GuardCapability"]


class GuardCapability(AbstractCapability[Any]):
    """Ask a guard about each response of the model before any of its calls is run.

    After a stop the response is dropped, and the model answers from what there is: it is asked
    once more with the closing prompt and without tools; those in whose form the agent wants its
    output stay. That answer is not streamed, and neither the prompt nor a nudge is kept among the
    messages of the run.

    Parameters
    ----------
    guard
        The guard of the conversation; or, for an agent that serves many, a function that is given
        the run's ``deps`` and returns the guard of that conversation.
    lang
        Language of what the model is told after a stop, ``zh`` or ``en``.
    """

    def __init__(self, guard: Guard | Callable[[Any], Guard], *, lang: str = "zh"):
        self._guard, self._lang = guard, lang
        if isinstance(guard, Guard):
            rounds_of(guard, lang)

    async def wrap_model_request(
        self, ctx: Any, *, request_context: Any, handler: Callable[[Any], Awaitable[Any]]
    ) -> Any:
        """Tell what the round before brought, ask the model, and ask the guard."""
        rounds = self._rounds(ctx)
        messages = list(request_context.messages)
        _arrive(rounds, messages)
        nudges = rounds.nudges()
        if nudges:
            messages = _behind(messages, nudges)
            request_context = replace(request_context, messages=messages)
        response = await handler(request_context)
        wanted = request_context.model_request_parameters
        outputs = {tool.name for tool in wanted.output_tools}
        prompt = rounds.ask(lambda: _said_by(response, outputs))
        if prompt is None:
            return response
        settings = dict(request_context.model_settings or {})
        settings.pop("tool_choice", None)
        answer = await request_context.model.request(
            _behind(messages, [prompt]),
            settings or None,
            replace(wanted, function_tools=[], native_tools=[]),
        )
        ctx.usage.incr(answer.usage)  # the run counts those of its own requests
        return replace(answer, parts=[part for part in answer.parts if not _asks(part, outputs)])

    async def wrap_tool_execute(
        self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Callable[..., Any]
    ) -> Any:
        """Run a call, unless the guard blocked it."""
        del tool_def
        reason = self._rounds(ctx).blocked(call.tool_call_id)
        return await handler(args) if reason is None else reason

    def _rounds(self, ctx: Any) -> Rounds:
        guard = self._guard
        return rounds_of(guard if isinstance(guard, Guard) else guard(ctx.deps), self._lang)


def _arrive(rounds: Rounds, messages: Sequence[Any]) -> None:
    """Tell what stands behind the last response: a user's words, or results."""
    parts: list[Any] = []
    for message in reversed(messages):
        if isinstance(message, ModelResponse):
            break
        parts = [*message.parts, *parts]
    said = [part.content for part in parts if isinstance(part, UserPromptPart)]
    if said and not rounds.awaiting:
        rounds.request(lambda: _words(said[-1]))
    rounds.tell(lambda: _results_in(parts))


def _results_in(parts: Iterable[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in parts:
        if isinstance(part, ToolReturnPart):
            failed = part.outcome in ("failed", "retried") or None
            found[part.tool_call_id] = {
                "result": part.content, "error": failed, "status": part.outcome,
            }  # fmt: skip
        elif isinstance(part, RetryPromptPart) and part.tool_name:
            found[part.tool_call_id] = {"result": part.model_response(), "error": True}
    return found


def _said_by(response: Any, outputs: set[str]) -> dict[str, Any]:
    """Return what the guard is to see of a response; the call of an output is the answer."""
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    if any(call.tool_name in outputs for call in calls):
        calls = []
    text, thought = (
        "".join(part.content for part in response.parts if isinstance(part, kind))
        for kind in (TextPart, ThinkingPart)
    )
    return {
        "calls": [{"id": c.tool_call_id, "tool": c.tool_name, "args": c.args} for c in calls],
        "text": text,
        "reasoning": thought,
        "tokens": response.usage.total_tokens or None,
    }


def _asks(part: Any, outputs: set[str]) -> bool:
    return isinstance(part, ToolCallPart) and part.tool_name not in outputs


def _behind(messages: Sequence[Any], texts: Iterable[str]) -> list[Any]:
    """Return the messages with more words of the user in the last request."""
    more = [UserPromptPart(text) for text in texts]
    last = messages[-1]
    if not isinstance(last, ModelRequest):
        return [*messages, ModelRequest(parts=more)]
    return [*messages[:-1], replace(last, parts=[*last.parts, *more])]


def _words(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(part for part in content if isinstance(part, str))
