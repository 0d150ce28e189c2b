"""A guard as the middleware of a LangChain agent (`langchain.agents.create_agent`)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from agentlens.breaker.live.guard import Guard
from agentlens.integrations.extras import missing
from agentlens.integrations.rounds import Rounds, rounds_of

try:
    from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
except ImportError as error:
    raise missing("langchain", "langchain", error) from None

from agentlens.integrations.langchain_messages import (
    arriving_with,
    refusal,
    said_by,
    spoken,
    without_calls,
)

__all__ = ["GuardMiddleware"]


class GuardMiddleware(AgentMiddleware):
    """Ask a guard about each response of the model before any of its calls is run.

    After a stop the response is dropped, and the model answers from what there is: it is asked
    once more with the closing prompt and without tools. Neither the prompt nor a nudge is kept
    among the messages of the conversation. Put it last among the middleware: it then sees what
    the model was really asked, and said.

    Parameters
    ----------
    guard
        The guard of the conversation; or, for an agent that serves many, a function that is given
        ``runtime.context`` and returns the guard of that conversation.
    lang
        Language of what the model is told after a stop, ``zh`` or ``en``.
    """

    def __init__(self, guard: Guard | Callable[[Any], Guard], *, lang: str = "zh"):
        super().__init__()
        self._guard, self._lang = guard, lang
        if isinstance(guard, Guard):
            rounds_of(guard, lang)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Tell what the round before brought, ask the model, and ask the guard."""
        request = self._arriving(request)
        response = handler(request)
        last = self._closing(request, response)
        return response if last is None else _answered(handler(last))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Do as `wrap_model_call`."""
        request = self._arriving(request)
        response = await handler(request)
        last = self._closing(request, response)
        return response if last is None else _answered(await handler(last))

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Run a call, unless the guard blocked it."""
        return refusal(self._rounds(request.runtime), request.tool_call) or handler(request)

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Do as `wrap_tool_call`."""
        return refusal(self._rounds(request.runtime), request.tool_call) or await handler(request)

    def _rounds(self, runtime: Any) -> Rounds:
        guard = self._guard
        return rounds_of(guard if isinstance(guard, Guard) else guard(runtime.context), self._lang)

    def _arriving(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        nudges = arriving_with(self._rounds(request.runtime), request.messages)
        if not nudges:
            return request
        return request.override(messages=[*request.messages, *spoken(nudges)])

    def _closing(
        self, request: ModelRequest[Any], response: ModelResponse[Any]
    ) -> ModelRequest[Any] | None:
        """Return what to ask the model instead, after a stop."""
        if response.structured_response is not None:  # its call is the answer
            return None
        prompt = self._rounds(request.runtime).ask(lambda: said_by(response.result))
        if prompt is None:
            return None
        messages = [*request.messages, *spoken([prompt])]
        return request.override(messages=messages, tools=[], tool_choice=None)


def _answered(response: ModelResponse[Any]) -> ModelResponse[Any]:
    if response.structured_response is not None:
        return response
    return replace(response, result=[without_calls(message) for message in response.result])
