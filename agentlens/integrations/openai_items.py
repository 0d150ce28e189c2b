"""What the items of the OpenAI Agents SDK say to a guard, and what the model is asked instead."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from agentlens.integrations.rounds import Rounds

__all__ = ["added_usage", "arriving_with", "asks_for_a_call", "closing_request", "said_by"]

Items = list[Any]


def asks_for_a_call(item: Any) -> bool:
    """Return whether an item asks this process for something; a server's own tools do not."""
    return bool(_of(item, "call_id")) and str(_of(item, "type")).endswith("_call")


def arriving_with(rounds: Rounds, input: str | Items) -> str | Items:
    """Tell what stands in a request to the model; return the request, with nudges behind it."""
    last = input[-1] if isinstance(input, list) and input else input
    if (isinstance(last, str) or _of(last, "role") == "user") and not rounds.awaiting:
        rounds.request(lambda: _words(last))
    rounds.tell(lambda: _results_in(_listed(input)))
    nudges = rounds.nudges()
    return [*_listed(input), *map(_told, nudges)] if nudges else input


def said_by(output: Iterable[Any], usage: Any) -> dict[str, Any]:
    """Return what the guard is to see of a response."""
    output = list(output)
    calls = [
        {"id": item.call_id, "tool": _name(item), "args": _args(item)}
        for item in output
        if asks_for_a_call(item)
    ]
    text = "".join(_words(item) for item in output if _of(item, "type") == "message")
    return {"calls": calls, "text": text, "tokens": _of(usage, "total_tokens")}


def closing_request(
    prompt: str, input: str | Items, output: Iterable[Any], args: tuple[Any, ...], kwargs: Any
) -> tuple[Items, tuple[Any, ...], dict[str, Any]]:
    """Return the input and the further arguments of a model after a stop.

    A conversation that the server keeps holds the calls already: there they are answered, and
    what it holds is not sent again.

    Parameters
    ----------
    input, args, kwargs
        Those of the request whose response was stopped; `args` begins with the settings.
    output
        The items of that response.
    """
    names = ("model_settings", "tools", "output_schema", "handoffs", "tracing")
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    settings = given["model_settings"]
    given["model_settings"] = dataclasses.replace(
        settings, tool_choice=None, parallel_tool_calls=None
    )
    given["tools"], given["handoffs"] = [], []
    asked = [*_listed(input), _told(prompt)]
    if given.get("conversation_id"):
        asked = [
            {"type": f"{item.type}_output", "call_id": item.call_id, "output": "Not run."}
            for item in output
            if asks_for_a_call(item)
        ]
        asked.append(_told(prompt))
    return asked, (), given


def added_usage(usage: Any, more: Any) -> Any:
    """Return the usage of a streamed answer with that of the response that was dropped."""
    if usage is None or more is None:
        return usage or more
    counts = ("input_tokens", "output_tokens", "total_tokens")
    both = {name: getattr(usage, name) + getattr(more, name) for name in counts}
    return type(usage).model_validate({**usage.model_dump(), **both})  # without hidden totals


def _results_in(items: Items) -> dict[str, Any]:
    return {
        str(_of(item, "call_id")): {"result": _of(item, "output")}
        for item in items
        if str(_of(item, "type")).endswith("_call_output")
    }


def _listed(input: str | Items) -> Items:
    return [_told(input)] if isinstance(input, str) else input


def _told(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def _of(item: Any, key: str) -> Any:
    return item.get(key) if isinstance(item, Mapping) else getattr(item, key, None)


def _words(item: Any) -> str:
    content = item if isinstance(item, str) else _of(item, "content")
    if isinstance(content, str):
        return content
    return "".join(_of(part, "text") or "" for part in content or ())


def _name(item: Any) -> str:
    return str(_of(item, "name") or _of(item, "type").removesuffix("_call"))


def _args(item: Any) -> Any:
    found: Any = next((v for k in ("arguments", "input", "action") if (v := _of(item, k))), None)
    return found.model_dump() if hasattr(found, "model_dump") else found
