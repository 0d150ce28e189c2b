"""Anthropic messages: content is a list of blocks, results come in the user's next message.

Facts that it rests on: ``tool_use.id`` pairs with ``tool_result.tool_use_id``; tools that run at
the provider (``server_tool_use``) answer inside the same message; input tokens leave out what the
cache gave and took; Cline and Roo add ``ts`` in ms, ``modelInfo`` and ``metrics`` to each
message; Roo keeps condensed messages in the file with a ``condenseParent`` or
``truncationParent``: the model no longer saw them, so they are marked hidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text, content_of
from agentlens.trace.formats.openai import conversation, describe, split
from agentlens.trace.formats.part import Part, dicts, mapping, text_or_none
from agentlens.trace.formats.requests import request_of
from agentlens.trace.formats.turns import CallItem, ResultItem, Turn, feed_all, usage_columns
from agentlens.trace.times import parse_time

__all__ = ["CALL_BLOCKS", "NAME", "blocks_of", "calls_of", "read", "sniff", "split", "turn_of"]

NAME = "anthropic"
CALL_BLOCKS = ("tool_use", "server_tool_use", "mcp_tool_use")
_HIDDEN = ("condenseParent", "truncationParent")


def _score(messages: Sequence[Any]) -> float:
    rows = list(dicts(list(messages)))[:30]
    ours = [m for m in rows if m.get("role") in ("user", "assistant") and "content" in m]
    others = [
        m for m in rows if m.get("type") in ("reasoning", "message") or m.get("role") == "system"
    ]
    if (
        not ours
        or len(ours) + len(others) < len(rows)
        or any("tool_calls" in m or "round" in m for m in rows)
    ):
        return 0.0
    kinds = {text_or_none(b.get("type")) for m in ours for b in dicts(m["content"])}
    if kinds.intersection(CALL_BLOCKS) or "tool_result" in kinds:
        return 0.94
    marked = any("modelInfo" in m or "stop_reason" in m or set(_HIDDEN) & set(m) for m in ours)
    return 0.9 if "thinking" in kinds or marked else 0.46


def sniff(head: Sequence[Any]) -> float:
    """Fit: messages of users and assistants; sure only where blocks call tools or answer them."""
    if not head:
        return 0.0
    request = request_of(head[0])
    if request is not None:
        return 0.96 if _score([*request.messages, request.answer]) > 0.9 else 0.0
    if isinstance(head[0], Mapping) and "history" in head[0]:
        return 0.0
    if conversation(head[0]) is None:
        return _score(head)
    return max(_score(conversation(item) or []) for item in head[:10])


def blocks_of(content: Any) -> list[Any]:
    """Return the blocks of a message's content; text is one block."""
    return content if isinstance(content, list) else [content]


def calls_of(blocks: list[Any]) -> list[CallItem]:
    """Return the calls among blocks."""
    return [
        CallItem(
            as_text(block.get("name")) or "?", block.get("input"), text_or_none(block.get("id"))
        )
        for block in dicts(blocks)
        if block.get("type") in CALL_BLOCKS
    ]


def _results(blocks: list[Any]) -> Iterator[ResultItem]:
    for block in dicts(blocks):
        kind = block.get("type")
        if not isinstance(kind, str) or not kind.endswith("tool_result"):
            continue
        content = block.get("content")
        text, parts = content_of(content)
        flag = block.get("is_error")
        failed = as_text(mapping(content).get("type")).endswith("_error")
        yield ResultItem(
            text,
            text_or_none(block.get("tool_use_id")),
            error=True if failed else flag if isinstance(flag, bool) else None,
            error_type=text_or_none(mapping(content).get("error_code")) if failed else None,
            parts=parts,
        )


def turn_of(message: Any) -> Turn | None:
    """Return what one message holds, or None where it is no message."""
    if not isinstance(message, Mapping) or message.get("role") not in (
        "user",
        "assistant",
        "system",
    ):
        return None
    blocks = blocks_of(message.get("content"))
    started = parse_time(
        next((message[k] for k in ("ts", "timestamp", "created_at") if message.get(k)), None)
    )
    spoken = [
        b
        for b in blocks
        if not (isinstance(b, Mapping) and as_text(b.get("type")).endswith("tool_result"))
    ]
    text, _ = content_of(spoken)
    if message.get("isSummary"):
        return Turn("event", text, started=started, event="compaction")
    results = list(_results(blocks))
    if message["role"] != "assistant":
        return Turn(message["role"], text, results=results, started=started)
    return Turn(
        "assistant", text, _thinking(blocks), calls_of(blocks), results, started, _columns(message)
    )


def _thinking(blocks: list[Any]) -> str:
    thoughts = (b.get("thinking") for b in dicts(blocks) if b.get("type") == "thinking")
    return "\n".join(t for t in thoughts if isinstance(t, str) and t)


def _columns(message: Mapping[str, Any]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    metrics = message.get("metrics")
    columns.update(usage_columns(message.get("usage") or metrics, cached_apart=True))
    if isinstance(metrics, Mapping) and isinstance(metrics.get("cost"), int | float):
        columns["cost"] = metrics["cost"]
    info = message.get("modelInfo")
    model = message.get("model") or (info.get("id") if isinstance(info, Mapping) else None)
    if isinstance(model, str):
        columns["model"] = model
    if isinstance(message.get("id"), str):
        columns["message_id"] = message["id"]
    if any(message.get(key) for key in _HIDDEN):
        columns["hidden"] = True
    return columns


def read(part: Part, build: TraceBuilder) -> None:
    """Read the messages of one conversation."""
    describe(part, build)
    feed_all(part, build, turn_of)
