"""A guard in a LangGraph graph that is built by hand: around its model node and its tool node."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from agentlens.breaker.live.guard import Guard
from agentlens.integrations.extras import missing
from agentlens.integrations.rounds import rounds_of

try:
    import langgraph.prebuilt  # noqa: F401  (what is asked for is the whole of it)
except ImportError as error:
    raise missing("langgraph", "langgraph", error) from None

from agentlens.integrations.langchain_messages import (
    arriving_with,
    refusal,
    said_by,
    spoken,
    without_calls,
)

__all__ = ["guarded", "skip_blocked"]

Node = Callable[..., Any]


def guarded(
    call_model: Node, answer: Node, guard: Guard, *, lang: str = "zh", key: str = "messages"
) -> Node:
    """Return a model node that asks the guard before any of the calls that it wants is run.

    Parameters
    ----------
    call_model
        The node as it is: it gets the state, and whatever else it names, and returns its update.
    answer
        The same with a model that has no tools. After a stop it is called instead, with the
        closing prompt behind the state's messages; calls in its answer are taken out.
    guard
        The guard of this conversation.
    lang
        Language of what the model is told after a stop, ``zh`` or ``en``.
    key
        Where the state and the update hold messages.
    """
    rounds = rounds_of(guard, lang)

    def arriving(state: Any) -> Any:
        nudges = arriving_with(rounds, _held(state, key))
        return _behind(state, key, nudges) if nudges else state

    def closing(state: Any, update: Any) -> Any:
        prompt = rounds.ask(lambda: said_by(_held(update, key)))
        return None if prompt is None else _behind(state, key, [prompt])

    def answered(update: Mapping[str, Any]) -> dict[str, Any]:
        return {**update, key: [without_calls(m) for m in _held(update, key)]}

    @functools.wraps(call_model)  # what the node names beside the state is still handed to it
    def node(state: Any, *args: Any, **kwargs: Any) -> Any:
        state = arriving(state)
        update = call_model(state, *args, **kwargs)
        last = closing(state, update)
        return update if last is None else answered(answer(last, *args, **kwargs))

    @functools.wraps(call_model)
    async def anode(state: Any, *args: Any, **kwargs: Any) -> Any:
        state = arriving(state)
        update = await call_model(state, *args, **kwargs)
        last = closing(state, update)
        return update if last is None else answered(await answer(last, *args, **kwargs))

    return anode if inspect.iscoroutinefunction(call_model) else node


def skip_blocked(guard: Guard) -> dict[str, Any]:
    """Return the options of a `ToolNode` with which it skips the calls that a guard blocks.

    Used as ``ToolNode(tools, **skip_blocked(guard))``.
    """
    rounds = rounds_of(guard)

    def wrap(request: Any, run: Callable[[Any], Any]) -> Any:
        return refusal(rounds, request.tool_call) or run(request)

    async def awrap(request: Any, run: Callable[[Any], Any]) -> Any:
        return refusal(rounds, request.tool_call) or await run(request)

    return {"wrap_tool_call": wrap, "awrap_tool_call": awrap}


def _held(state: Any, key: str) -> list[Any]:
    """Return the messages of a state or an update, of whatever class a graph has for it."""
    value = state.get(key) if isinstance(state, Mapping) else getattr(state, key, None)
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _behind(state: Any, key: str, texts: list[str]) -> Any:
    """Return a state with messages to the model behind its own."""
    messages = [*_held(state, key), *spoken(texts)]
    if isinstance(state, Mapping):
        return {**state, key: messages}
    changed = copy.copy(state)
    setattr(changed, key, messages)
    return changed
