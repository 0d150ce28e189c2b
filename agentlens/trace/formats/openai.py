"""OpenAI chat messages, in the many ways in which they are kept.

Facts that it rests on, each seen in a real log: `arguments` is JSON text, or already a mapping
(Inspect, smolagents); ``tool_calls[].function`` may be plain text with a sibling `arguments`
(Inspect); older logs have ``function_call`` and role ``function``; SWE-agent answers with
``tool_call_ids`` (a list); some logs write results as the user's; DeepSeek adds
``reasoning_content``; content is text, a list of parts, or null. They come as a bare list,
``{"messages": [...]}``, JSONL of messages, JSONL of conversations, or a LiteLLM log
``{kwargs | messages, response}`` whose lines send the history again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text, content_of, text_of
from agentlens.trace.formats.part import (
    Part,
    dicts,
    mapping,
    numbered,
    one_part,
    text_or_none,
)
from agentlens.trace.formats.requests import merge_requests, request_of
from agentlens.trace.formats.turns import CallItem, ResultItem, Turn, feed_all, usage_columns
from agentlens.trace.source import Document
from agentlens.trace.times import parse_time

__all__ = [
    "NAME",
    "calls_of",
    "conversation",
    "conversations",
    "describe",
    "read",
    "sniff",
    "split",
    "turn_of",
]

NAME = "openai"
ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_SIGNS = ("tool_calls", "tool_call_id", "tool_call_ids", "function_call", "reasoning_content")


def conversation(record: Any) -> list[Any] | None:
    """Return the messages of a record that wraps them, or None."""
    if isinstance(record, list):
        return record
    if not isinstance(record, Mapping):
        return None
    for key in ("messages", "history", "conversation"):
        inner = record.get(key)
        if isinstance(inner, list) and (key != "history" or "trajectory" not in record):
            return inner
    return None


def _score(messages: Sequence[Any]) -> float:
    rows = list(dicts(list(messages)))[:30]
    known = [m for m in rows if m.get("role") in ROLES and "round" not in m]
    if not rows or len(known) < len(rows) or any("trace" in m for m in rows):
        return 0.0
    if any(m.get(sign) for m in rows for sign in _SIGNS) or any(
        m["role"] in ("tool", "function", "developer") for m in rows
    ):
        return 0.92
    blocks = (b for m in rows if isinstance(m.get("content"), list) for b in dicts(m["content"]))
    return 0.5 if not any(b.get("type") in ("tool_use", "tool_result") for b in blocks) else 0.2


def sniff(head: Sequence[Any]) -> float:
    """Fit: messages with roles; sure only where a tool is called or answers."""
    if not head:
        return 0.0
    first = head[0]
    request = request_of(first)
    if request is not None:
        return 0.95 if _score(request.messages) else 0.0
    inner = conversation(first)
    if inner is None:
        return _score(head)
    score = max(_score(conversation(item) or []) for item in head[:10])
    if isinstance(first, Mapping) and "history" in first and "messages" not in first:
        return score if score > 0.9 else 0.0
    return score


def split(document: Document) -> Iterator[Part]:
    """Yield the list of messages as one part, or one part a conversation."""
    first = document.head[0] if document.head else None
    if request_of(first) is not None:
        yield from merge_requests(document)
    elif conversation(first) is None:
        yield one_part(document)
    else:
        yield from conversations(document)


def conversations(document: Document) -> Iterator[Part]:
    """Yield one part for each record that wraps messages."""
    for number, record in document.records():
        messages = conversation(record)
        if messages is None:
            document.note("skipped", "a record holds no messages", number)
            continue
        about = (
            {k: v for k, v in record.items() if v is not messages}
            if isinstance(record, Mapping)
            else {}
        )
        name = next(
            (about[k] for k in ("id", "task_id", "session_id", "sessionId") if k in about), None
        )
        yield Part(
            numbered(messages), document.name, as_text(name) if name is not None else None, about
        )


def turn_of(message: Any) -> Turn | None:
    """Return what one message holds, or None where it is no message."""
    if not isinstance(message, Mapping) or message.get("role") not in ROLES:
        return None
    role = message["role"]
    text, parts = content_of(message.get("content"))
    started = parse_time(
        next(
            (message[k] for k in ("timestamp", "created_at", "ts", "time") if message.get(k)), None
        )
    )
    if role == "user" and (message.get("tool_call_id") or message.get("tool_call_ids")):
        role = "tool"
    if role in ("tool", "function"):
        return Turn("tool", results=list(_results(message, text, parts)), started=started)
    if role != "assistant":
        return Turn("system" if role == "developer" else role, text, started=started)
    columns = usage_columns(message.get("usage"), cached_apart=False)
    model = message.get("model")
    if isinstance(model, str):
        columns["model"] = model  # type: ignore[assignment]
    if isinstance(message.get("cost"), int | float):
        columns["cost"] = message["cost"]
    reasoning = (
        message.get("reasoning_content") or message.get("reasoning") or message.get("thought")
    )
    return Turn(
        role, text, _reasoning(reasoning, message.get("content")), list(calls_of(message)),
        started=started, columns=columns,
    )  # fmt: skip


def _reasoning(given: Any, content: Any) -> str:
    if given:
        return text_of(given)
    parts = [p.get("reasoning") or p.get("thinking") for p in dicts(content)]
    return "\n".join(p for p in parts if isinstance(p, str) and p)


def calls_of(message: Mapping[str, Any]) -> Iterator[CallItem]:
    """Yield the calls of a message, in any of the shapes in which they are kept."""
    for call in dicts(message.get("tool_calls")):
        function = call.get("function")
        if isinstance(function, Mapping):
            name, args = function.get("name"), function.get("arguments")
        elif isinstance(function, str):
            name, args = function, call.get("arguments")
        else:
            inner = mapping(call.get("custom")) or call
            name = inner.get("name")
            args = inner.get("arguments", inner.get("args", inner.get("input")))
        yield CallItem(as_text(name) or "?", args, text_or_none(call.get("id")))
    legacy = message.get("function_call")
    if isinstance(legacy, Mapping):
        yield CallItem(as_text(legacy.get("name")) or "?", legacy.get("arguments"))


def _results(message: Mapping[str, Any], text: str, parts: tuple[str, ...]) -> Iterator[ResultItem]:
    many = message.get("tool_call_ids")
    ids = many if isinstance(many, list) and many else [message.get("tool_call_id")]
    name = message.get("name") or message.get("function")
    failure = message.get("error")
    flag: bool | None = None
    kind = None
    if failure is not None and failure is not False and failure != "":
        flag = True
        kind = as_text(failure.get("type")) if isinstance(failure, Mapping) else None
        text = text or as_text(failure.get("message") if isinstance(failure, Mapping) else failure)
    elif isinstance(message.get("is_error"), bool):
        flag = message["is_error"]
    elif message.get("status") in ("success", "error"):
        flag = message["status"] == "error"
    for call_id in ids:
        yield ResultItem(
            text, call_id if isinstance(call_id, str) else None,
            name if isinstance(name, str) else None, flag, kind, parts,
        )  # fmt: skip


def read(part: Part, build: TraceBuilder) -> None:
    """Read the messages of one conversation."""
    describe(part, build)
    feed_all(part, build, turn_of)


def describe(part: Part, build: TraceBuilder) -> None:
    """Keep what stands beside the messages of a wrapped conversation."""
    about = {k: v for k, v in part.about.items() if k not in ("tools", "functions", "response")}
    if not about:
        return
    session = next((about[k] for k in ("session_id", "sessionId", "thread_id") if k in about), None)
    model = about.get("model")
    build.describe(
        trace_id=part.name,
        session_id=session if isinstance(session, str) else None,
        models=(model,) if isinstance(model, str) else None,
        extra={k: v for k, v in about.items() if isinstance(v, str | int | float | bool)},
    )
