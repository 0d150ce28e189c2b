"""Logs of whole model calls (request and response), whose requests send the history again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agentlens.trace.formats.part import Part, dicts, numbered
from agentlens.trace.source import Document

__all__ = ["Request", "merge_requests", "request_of"]


@dataclass(slots=True)
class Request:
    """One call of a model: the messages sent, and the one that came back (or None)."""

    messages: list[Any]
    answer: dict[str, Any] | None


def request_of(record: Any) -> Request | None:
    """Return the request that a record logs, or None where it is no such record."""
    if not isinstance(record, Mapping):
        return None
    response = record.get("response") or record.get("original_response")
    sent = record.get("messages")
    for key in ("kwargs", "request", "body", "model_call_dict"):
        inside = record.get(key)
        if isinstance(inside, Mapping) and isinstance(inside.get("messages"), list):
            sent = inside["messages"]
    if not isinstance(sent, list) or not isinstance(response, Mapping):
        return None
    choice = next(dicts(response.get("choices")), None)
    message = choice.get("message") if choice else response.get("message", response)
    if not isinstance(message, Mapping) or not {"content", "tool_calls"} & set(message):
        return Request(sent, None)
    answer = {"role": "assistant", **message}
    for key, value in (
        ("usage", response.get("usage")),
        ("model", response.get("model") or record.get("model")),
        ("cost", record.get("response_cost") or record.get("cost")),
        ("timestamp", record.get("endTime") or record.get("timestamp") or response.get("created")),
    ):
        if value is not None and key not in answer:
            answer[key] = value
    return Request(sent, answer)


def _shape(message: Any) -> tuple[Any, ...]:
    """Return what tells a message apart when it is sent again, perhaps cleaned a little."""
    if not isinstance(message, Mapping):
        return (None,)
    calls = tuple(call.get("id") for call in dicts(message.get("tool_calls")))
    content = message.get("content")
    return (
        message.get("role"), message.get("tool_call_id"), calls,
        content if message.get("role") == "user" and isinstance(content, str) else None,
    )  # fmt: skip


def merge_requests(document: Document) -> Iterator[Part]:
    """Yield one part a conversation: a request that continues the last one only adds to it."""
    told: list[Any] = []
    start = 0

    def part() -> Part:
        return Part(numbered(told), document.name, f"line {start}", unit="item")

    for number, record in document.records():
        request = request_of(record)
        if request is None:
            document.note("skipped", "a record is not a logged request", number)
            continue
        sent = request.messages
        continues = len(sent) >= len(told) and all(
            _shape(a) == _shape(b) for a, b in zip(told, sent, strict=False)
        )
        if told and not continues:
            yield part()
            told = []
        if not told:
            start = number
        told = told + sent[len(told) :]
        if request.answer is not None:
            told.append(request.answer)
    if told:
        yield part()
