"""LangChain and LangGraph messages, in each of the three ways in which they are serialised.

Facts that it rests on: ``messages_to_dict`` writes ``{"type": "ai", "data": {...}}``, ``dumpd``
writes ``{"lc": 1, "type": "constructor", "id": [..., "AIMessage"], "kwargs": {...}}`` and
``model_dump`` a flat mapping; the role stands in ``type``; arguments that could not be parsed are
in ``invalid_tool_calls``; a ``ToolMessage`` has a ``status``; streaming may leave chunks; a
LangGraph thread keeps its messages under ``values.messages`` and no time for each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text, content_of, text_of
from agentlens.trace.formats.openai import calls_of as openai_calls
from agentlens.trace.formats.part import Part, dicts, mapping, numbered, one_part, text_or_none
from agentlens.trace.formats.turns import CallItem, ResultItem, Turn, feed_all, usage_columns
from agentlens.trace.source import Document
from agentlens.trace.times import parse_time

__all__ = ["NAME", "read", "sniff", "split", "turn_of"]

NAME = "langchain"
_ROLES = {
    "human": "user", "ai": "assistant", "tool": "tool", "system": "system", "function": "tool",
    "chat": "chat",
    "remove": "remove", "developer": "system",
}  # fmt: skip


def _unwrap(message: Any) -> tuple[str, Mapping[str, Any]] | None:
    """Return role and fields of a message in any of the three serialisations."""
    if not isinstance(message, Mapping):
        return None
    kind = message.get("type")
    if kind == "constructor" or message.get("lc"):
        path, fields = message.get("id"), message.get("kwargs")
        if not isinstance(path, list) or not path or not isinstance(fields, Mapping):
            return None
        kind = as_text(path[-1])
    elif isinstance(message.get("data"), Mapping):
        fields = message["data"]
    elif "content" in message and not {"role", "sessionId"} & set(message):
        fields = message
    else:
        return None
    name = as_text(kind).removesuffix("Chunk").removesuffix("Message").lower()
    return (_ROLES[name], fields) if name in _ROLES else None


def _messages(record: Any) -> list[Any] | None:
    """Return the messages that a record wraps: a thread, its state, or a list."""
    if isinstance(record, list):
        return record
    if not isinstance(record, Mapping):
        return None
    for inner in (record.get("values"), record.get("state"), record.get("channel_values"), record):
        if isinstance(inner, Mapping) and isinstance(inner.get("messages"), list):
            return list(inner["messages"])
    return None


def _score(messages: Sequence[Any]) -> float:
    rows = messages[:30]
    fit = sum(_unwrap(m) is not None for m in rows)
    return 0.95 * fit / len(rows) if rows and fit * 2 > len(rows) else 0.0


def _named_lists(record: Any) -> dict[str, list[Any]]:
    """Return the lists of messages of an object that holds nothing else."""
    if not isinstance(record, Mapping) or not record:
        return {}
    lists = {str(k): v for k, v in record.items() if isinstance(v, list) and _score(v)}
    return lists if len(lists) == len(record) else {}


def sniff(head: Sequence[Any]) -> float:
    """Fit: records whose type is human, ai, tool or system, bare or in a thread's values."""
    if not head:
        return 0.0
    if _named_lists(head[0]):
        return 0.95
    return _score(head) or max(_score(_messages(item) or []) for item in head[:10])


def split(document: Document) -> Iterator[Part]:
    """Yield the list of messages as one part, or one part a thread."""
    first = document.head[0] if document.head else None
    named = _named_lists(first)
    if document.shape == "object" and named and "messages" not in named:
        for name, messages in named.items():
            yield Part(numbered(messages), document.name, name)
        return
    if _messages(first) is None:
        yield one_part(document)
        return
    for number, record in document.records():
        messages_of = _messages(record)
        if messages_of is None:
            document.note("skipped", "a record holds no messages", number)
            continue
        about = mapping(record)
        thread = about.get("thread_id") or mapping(about.get("metadata")).get("thread_id")
        yield Part(numbered(messages_of), document.name, text_or_none(thread), about)


def turn_of(message: Any) -> Turn | None:
    """Return what one message holds, or None where it is no message."""
    found = _unwrap(message)
    if found is None:
        return None
    role, fields = found
    if role == "chat":
        role = {"user": "user", "human": "user"}.get(as_text(fields.get("role")), "assistant")
    text, parts = content_of(fields.get("content"))
    extra = fields.get("additional_kwargs")
    extra = extra if isinstance(extra, Mapping) else {}
    facts = fields.get("response_metadata")
    facts = facts if isinstance(facts, Mapping) else {}
    started = parse_time(
        facts.get("created_at") or extra.get("timestamp") or extra.get("created_at")
    )
    if role == "remove":
        return Turn("event", "a message was removed from the state", event="other")
    if role == "tool":
        status, given = fields.get("status"), fields.get("tool_call_id")
        # Hosts of old versions write no status, and newer ones "success" whatever happened inside.
        flag = True if status == "error" else None
        name = fields.get("name")
        item = ResultItem(
            text,
            given if isinstance(given, str) else None,
            name if isinstance(name, str) else None,
            flag,
            parts=parts,
        )
        return Turn("tool", results=[item], started=started)
    if role != "assistant":
        return Turn(role, text, started=started)
    columns: dict[str, Any] = dict(
        usage_columns(fields.get("usage_metadata") or facts.get("token_usage"), cached_apart=False)
    )
    model = facts.get("model_name") or facts.get("model")
    if isinstance(model, str):
        columns["model"] = model
    if isinstance(fields.get("id"), str):
        columns["message_id"] = fields["id"]
    reasoning = text_of(extra.get("reasoning_content") or extra.get("reasoning")) or _thoughts(
        fields
    )
    return Turn(
        "assistant", text, reasoning, list(_calls(fields, extra)), started=started, columns=columns
    )


def _thoughts(fields: Mapping[str, Any]) -> str:
    found = (p.get("thinking") or p.get("reasoning") for p in dicts(fields.get("content")))
    return "\n".join(t for t in found if isinstance(t, str) and t)


def _calls(fields: Mapping[str, Any], extra: Mapping[str, Any]) -> Iterator[CallItem]:
    given = [*dicts(fields.get("tool_calls")), *dicts(fields.get("invalid_tool_calls"))]
    if not given:
        yield from openai_calls(extra)  # old versions keep only the provider's raw copy
        return
    for call in given:
        call_id = call.get("id")
        yield CallItem(
            as_text(call.get("name")) or "?",
            call.get("args"),
            call_id if isinstance(call_id, str) else None,
        )


def read(part: Part, build: TraceBuilder) -> None:
    """Read one list of messages, or one thread."""
    about = part.about
    meta = about.get("metadata") if isinstance(about.get("metadata"), Mapping) else {}
    if isinstance(meta, Mapping) and (meta or part.name):
        model = meta.get("model_name")
        build.describe(
            trace_id=part.name,
            session_id=part.name,
            models=(model,) if isinstance(model, str) else None,
            extra={k: v for k, v in meta.items() if isinstance(v, str | int | float | bool)},
        )
    feed_all(part, build, turn_of)
