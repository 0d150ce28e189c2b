"""A loop without a framework, over chat messages: ask the model, run its tools, until it answers.

It is short enough to be copied; with ``guard=None`` it is the same loop without a guard.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from agentlens.breaker.live.guard import Guard
from agentlens.integrations.rounds import Rounds

__all__ = ["converse"]

Message = dict[str, Any]


def converse(
    messages: list[Message],
    model: Callable[[list[Message], bool], Message],
    tools: Mapping[str, Callable[..., Any]],
    guard: Guard | None = None,
    *,
    lang: str = "zh",
) -> str:
    """Answer the last user message; everything that is said and done is appended to `messages`.

    Parameters
    ----------
    messages
        The conversation, as chat completion APIs have it; the last one is the user's.
    model
        ``model(messages, with_tools)`` returns the assistant's message, with its ``tool_calls``
        where it wants any. `messages` is not to be changed there.
    tools
        For each name the function to call. One that raises gives the model its error to read.
    guard
        The guard of this conversation, or None.
    lang
        Language of what the model is told after a stop, ``zh`` or ``en``.

    Returns
    -------
    str
        The answer.
    """
    rounds = Rounds(guard, lang) if guard is not None else None
    if rounds is not None:
        rounds.request(lambda: messages[-1]["content"])
    while True:
        response = model(messages, True)
        asked = response.get("tool_calls") or []
        prompt = rounds.ask(partial(_said, response)) if rounds is not None else None
        if prompt is not None:
            messages.append({"role": "user", "content": prompt})
            response, asked = dict(model(messages, False)), []
            response.pop("tool_calls", None)
        messages.append(response)
        if not asked:
            return response.get("content") or ""
        results: dict[str, dict[str, Any]] = {}
        for call in asked:
            reason = rounds.blocked(call["id"]) if rounds is not None else None
            if reason is None:
                results[call["id"]] = _run(call, tools)
                reason = results[call["id"]]["result"]
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": reason})
        if rounds is not None:
            rounds.tell(partial(dict, results))
            messages.extend({"role": "user", "content": text} for text in rounds.nudges())


def _run(call: Message, tools: Mapping[str, Callable[..., Any]]) -> dict[str, Any]:
    """Run a call and return its result, whatever happens in it."""
    function = call["function"]
    try:
        result = tools[function["name"]](**json.loads(function["arguments"] or "{}"))
    except Exception as error:
        return {"result": f"{type(error).__name__}: {error}", "error": True}
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    return {"result": text, "error": False}


def _said(response: Message) -> dict[str, Any]:
    """Return what the guard is to see of a response."""
    calls = [
        {"id": call["id"], "tool": call["function"]["name"], "args": call["function"]["arguments"]}
        for call in response.get("tool_calls") or []
    ]
    return {"calls": calls, "text": response.get("content") or ""}
