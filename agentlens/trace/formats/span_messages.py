"""Messages as spans hold them, whichever library wrote them, as turns.

One tracing system carries the messages of many providers: OpenAI's and Anthropic's, items of the
Responses API, LangChain's three serialisations, Gemini's parts, the parts of OpenTelemetry's GenAI
conventions, the Vercel AI SDK's and OpenInference's. They are told apart message by message.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentlens.trace.content import as_text, content_of, text_of
from agentlens.trace.formats import anthropic, langchain, openai, responses
from agentlens.trace.formats.part import dicts, mapping, text_or_none
from agentlens.trace.formats.span import loose
from agentlens.trace.formats.span_parts import converse, parts_turn
from agentlens.trace.formats.turns import CallItem, ResultItem, Turn, usage_columns

__all__ = ["answer_of", "turn_of", "turns_of"]

_ROLES = {
    "human": "user", "ai": "assistant", "model": "assistant", "developer": "system", "bot":
    "assistant",
}  # fmt: skip
_WRAPS = ("messages", "input", "contents", "prompt", "history", "chat_history")
_DEPTH = 5


def turns_of(value: Any, *, role: str = "user", depth: int = 0) -> list[Turn]:
    """Return the turns of a value: messages, what wraps them, JSON of either, or bare text.

    Parameters
    ----------
    role
        Whose words bare text is.
    """
    value = loose(value)
    if isinstance(value, str):
        return [Turn(role, value)] if value.strip() else []
    if isinstance(value, list):
        turns: list[Turn] = []
        for item in value:
            found = turn_of(item) if isinstance(item, Mapping) else None
            if found is not None:
                turns.append(found)
            elif isinstance(item, str | list | Mapping) and depth < _DEPTH:
                turns += turns_of(item, role=role, depth=depth + 1)
        return turns
    if not isinstance(value, Mapping):
        return []
    found = turn_of(value)
    if found is not None:
        return [found]
    before = []
    system = value.get("system") or value.get("instructions") or value.get("system_instruction")
    if system:
        before = [Turn("system", text_of(system))]
    for key in _WRAPS:
        if value.get(key) and depth < _DEPTH:
            return before + turns_of(value[key], role=role, depth=depth + 1)
    for key in ("kwargs", "data", "value"):
        if isinstance(value.get(key), Mapping) and depth < _DEPTH:
            return turns_of(value[key], role=role, depth=depth + 1)
    return before


def answer_of(value: Any, depth: int = 0) -> Turn | None:
    """Return the one answer of a model that a value holds, or None."""
    value = loose(value)
    if isinstance(value, str):
        return Turn("assistant", value) if value else None
    if isinstance(value, list):
        while len(value) == 1 and isinstance(value[0], list):
            value = value[0]
        whole = [answer_of(item, depth + 1) for item in value] if depth < _DEPTH else []
        found = [turn for turn in whole if turn is not None]
        return responses.join(found) if found else None
    if not isinstance(value, Mapping):
        return None
    own = turn_of(value)
    if own is not None:
        if own.role not in ("assistant", "chat"):
            return None
        own.columns = {**usage_columns(value.get("usage"), cached_apart=_apart(value)),
                       **own.columns}  # fmt: skip
        return own
    if isinstance(value.get("output"), list) and value.get("object", "response") == "response":
        own = responses.answer_of(value)
        if own is not None and (own.text or own.calls or own.columns):
            return own
    return _wrapped(value, depth)


def _wrapped(value: Mapping[str, Any], depth: int) -> Turn | None:
    """Return the answer inside an object that a provider or a framework puts around it."""
    if depth >= _DEPTH:
        return None
    inner: Any = None
    choice = next(dicts(value.get("choices")), None) or next(dicts(value.get("candidates")), None)
    if choice is not None:
        inner = choice.get("message") or choice.get("content") or choice.get("delta")
        inner = choice.get("text") if inner is None else inner
    for key in ("generations", "message", "messages", "output", "content", "text", "response",
                "completion", "result"):  # fmt: skip
        if inner is None:
            inner = value.get(key)
    if isinstance(inner, list) and "messages" in value:  # a state: its last message is the answer
        inner = inner[-1:]
    answer = answer_of(inner, depth + 1) if inner is not None else None
    calls = value.get("tool_calls")
    if isinstance(calls, list) and calls and (answer is None or not answer.calls):
        answer = answer or Turn("assistant")
        answer.calls = list(openai.calls_of(value))
    if answer is None:
        return None
    outer = mapping(value.get("llm_output"))
    usage = value.get("usage") or outer.get("token_usage") or value.get("usage_metadata")
    answer.columns = {
        **usage_columns(usage, cached_apart=_apart(value)), **answer.columns,
    }  # fmt: skip
    model = text_or_none(value.get("model")) or text_or_none(outer.get("model_name"))
    if model:
        answer.columns.setdefault("model", model)
    return answer


def _apart(value: Mapping[str, Any]) -> bool:
    """Say whether a usage record is Anthropic's, which counts cached tokens apart."""
    return "cache_read_input_tokens" in mapping(value.get("usage"))


def turn_of(message: Any) -> Turn | None:
    """Return what one message holds, or None where it is no message."""
    message = loose(message)
    if not isinstance(message, Mapping):
        return None
    if isinstance(message.get("message"), Mapping) and "role" not in message:
        return turn_of(message["message"])
    if "lc" in message or (
        message.get("type") in ("human", "ai", "tool", "AIMessageChunk", "system")
        and ("content" in message or isinstance(message.get("data"), Mapping))
    ):
        return langchain.turn_of(message)
    if responses.is_item(message):
        return responses.turn_of(message)
    if len(message) == 1:  # {"ai": ...}, {"user": ...}
        ((key, inner),) = message.items()
        if key in ("ai", "assistant", "user", "human", "system", "tool"):
            return _keyed(_ROLES.get(as_text(key), as_text(key)), loose(inner))
    role = message.get("role")
    if not isinstance(role, str):
        return None
    role = _ROLES.get(role.lower(), role.lower())
    return _by_role(message, role)


def _by_role(message: Mapping[str, Any], role: str) -> Turn | None:
    content = converse(loose(message.get("content")))
    if isinstance(message.get("parts"), list):
        return parts_turn(message["parts"], role, message)
    if isinstance(content, Mapping) and isinstance(content.get("parts"), list):
        return parts_turn(content["parts"], role, message)
    if content is None and isinstance(message.get("contents"), list):  # OpenInference
        inner = [mapping(c).get("message_content", c) for c in message["contents"]]
        content = inner
    kinds = {text_or_none(part.get("type")) for part in dicts(content)}
    if kinds & {"tool-call", "tool-result", "tool_call", "tool_call_response"}:
        return parts_turn(list(dicts(content)), role, message)
    if kinds & {"tool_use", "tool_result", "server_tool_use"} and role in ("user", "assistant"):
        return anthropic.turn_of({**message, "role": role, "content": content})
    calls = [mapping(call.get("tool_call")) or call for call in dicts(message.get("tool_calls"))]
    plain = {**message, "role": role, "tool_calls": calls}
    if isinstance(content, list | Mapping):
        plain["content"] = content if isinstance(content, list) else as_text(content)
    if role not in openai.ROLES:
        text, _ = content_of(content)
        return Turn(role if role == "system" else "user" if role == "user" else "event", text)
    return openai.turn_of(plain)


def _keyed(role: str, inner: Any) -> Turn:
    """Read ``{"ai": {"name": ..., "args": ...}}`` or ``{"ai": "text"}``."""
    items = inner if isinstance(inner, list) else [inner]
    calls = [i for i in dicts(items) if "name" in i and ("args" in i or "arguments" in i)]
    if role == "assistant" and calls:
        turn = Turn(role)
        turn.calls = [
            CallItem(as_text(c["name"]) or "?", c.get("args", c.get("arguments")),
                     text_or_none(c.get("id")))
            for c in calls
        ]  # fmt: skip
        return turn
    text = inner if isinstance(inner, str) else text_of(inner)
    return Turn(role, text, results=[ResultItem(text)] if role == "tool" else [])
