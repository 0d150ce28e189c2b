"""Parts of messages and results of tools, as tracing systems keep them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.content import as_text, content_of, text_of
from agentlens.trace.formats import langchain, openai
from agentlens.trace.formats.part import mapping, text_or_none
from agentlens.trace.formats.span import loose
from agentlens.trace.formats.turns import CallItem, ResultItem, Turn, usage_columns

__all__ = ["converse", "parts_turn", "result_of"]

_REPR = re.compile(r"""content=('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?=\s\w+=|\s*$)""", re.DOTALL)
_REPR_ID = re.compile(r"""\stool_call_id='([^']+)'""")


def parts_turn(parts: Sequence[Any], role: str, message: Mapping[str, Any]) -> Turn:
    """Read parts as the GenAI conventions, Gemini and the Vercel AI SDK write them."""
    turn = Turn(role)
    texts: list[str] = []
    thoughts: list[str] = []
    for part in parts:
        if not isinstance(part, Mapping):
            texts += [part] if isinstance(part, str) else []
            continue
        kind = as_text(part.get("type")).replace("-", "_")
        called = mapping(part.get("functionCall") or part.get("function_call"))
        answered = mapping(part.get("functionResponse") or part.get("function_response"))
        if kind in ("tool_call", "function_call") or called:
            turn.calls.append(_call({**part, **called}))
        elif kind in ("tool_call_response", "tool_result", "tool_response") or answered:
            turn.results.append(_result({**part, **answered}))
        elif kind in ("reasoning", "thinking") or part.get("thought") is True:
            thoughts.append(text_of(part.get("content") or part.get("text")))
        else:
            texts.append(content_of([_texted(part)])[0])
    turn.text = "\n".join(t for t in texts if t)
    turn.reasoning = "\n".join(t for t in thoughts if t)
    if turn.results and role != "assistant" and not turn.text:
        turn.role = "tool"
    usage = message.get("usage")
    turn.columns = dict(usage_columns(usage, cached_apart=False))
    return turn


def converse(content: Any) -> Any:
    """Return content of Bedrock's Converse API (``toolUse``, ``toolResult``) as others write it."""
    if not isinstance(content, list):
        return content
    parts: list[Any] = []
    for part in content:
        used = mapping(mapping(part).get("toolUse"))
        came = mapping(mapping(part).get("toolResult"))
        if used:
            parts.append({**used, "type": "tool_call", "id": used.get("toolUseId")})
        elif came:
            flag = True if came.get("status") == "error" else None
            kind = "tool_call_response"
            parts.append({**came, "type": kind, "id": came.get("toolUseId"), "isError": flag})
        else:
            parts.append(part)
    return parts


def _texted(part: Mapping[str, Any]) -> Any:
    """Return a text part of the GenAI conventions (``content``) as others write it (``text``)."""
    if part.get("type") == "text" and "text" not in part:
        return {"type": "text", "text": text_of(part.get("content"))}
    return part


def _pick(part: Mapping[str, Any], *names: str) -> Any:
    return next((part[name] for name in names if part.get(name) is not None), None)


def _call(part: Mapping[str, Any]) -> CallItem:
    name = as_text(_pick(part, "name", "toolName", "tool_name")) or "?"
    args = _pick(part, "arguments", "args", "input")
    return CallItem(name, args, text_or_none(_pick(part, "id", "toolCallId", "tool_call_id")))


def _result(part: Mapping[str, Any]) -> ResultItem:
    value = _pick(part, "response", "result", "output", "content")
    flag = _pick(part, "isError", "is_error")
    if isinstance(value, Mapping):  # Vercel: {"type": "text" | "json" | "error-text", "value": ...}
        kind = text_or_none(value.get("type"))
        if kind in ("error-text", "error-json"):
            flag = True
        if kind and "value" in value:
            value = value["value"]
    text, parts = content_of(value)
    return ResultItem(
        text, text_or_none(_pick(part, "id", "toolCallId", "tool_call_id")),
        text_or_none(_pick(part, "name", "toolName")),
        flag if isinstance(flag, bool) else None, parts=parts,
    )  # fmt: skip


def result_of(value: Any) -> ResultItem:
    """Return a tool's result: a LangChain message, its repr, a wrapped or a bare value."""
    inner = loose(value) if isinstance(value, str) and value[:1] in ("{", "[", '"') else value
    for _ in range(3):
        if not isinstance(inner, Mapping) or len(inner) != 1:
            break
        key = next(iter(inner))
        if key not in ("output", "result", "value", "messages"):
            break
        inner = inner[key]
    if isinstance(inner, str):
        return _from_repr(inner) or ResultItem(inner)
    items = list(_tool_messages(inner))
    if items:
        first = items[0]
        first.text = "\n".join(item.text for item in items)
        return first
    text, parts = content_of(inner)
    if isinstance(inner, list) and inner and all(_only_text(item) for item in inner):
        return ResultItem(text)
    if parts or not isinstance(value, str):
        return ResultItem(text, parts=parts)
    return ResultItem(value)  # the text as it stands, not as it was encoded again


def _only_text(item: Any) -> bool:
    """Say whether a value is a bare block of text, as Bedrock's tools return them."""
    return isinstance(item, Mapping) and set(item) == {"text"} and isinstance(item["text"], str)


def _from_repr(text: str) -> ResultItem | None:
    """Read ``content='...' name='...' tool_call_id='...'``, a message that was written as text."""
    match = _REPR.match(text) if "tool_call_id=" in text else None
    if match is None:
        return None
    named = _REPR_ID.search(text, match.end())
    return ResultItem(text_of(loose(f"[{match[1]}]")), named[1] if named else None)


def _tool_messages(value: Any) -> Iterator[ResultItem]:
    for item in value if isinstance(value, list) else [value]:
        if not isinstance(item, Mapping):
            continue
        ours = item.get("type") == "tool" and isinstance(item.get("data"), Mapping)
        if "lc" in item or ours or (item.get("type") == "tool" and "content" in item):
            turn = langchain.turn_of(item)
        elif "tool_call_id" in item:
            turn = openai.turn_of({**item, "role": "tool"})
        else:
            continue
        yield from turn.results if turn else ()
