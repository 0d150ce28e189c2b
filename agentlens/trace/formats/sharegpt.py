"""ShareGPT-like conversations: ``{"conversations": [{"from": "human", "value": "…"}]}``.

Facts that it rests on: roles are human, gpt, system, ``function_call`` and ``observation`` or
``tool``; a call is JSON of a name and arguments, alone in a ``function_call`` or between
``<tool_call>`` marks in the model's text, a result perhaps between ``<tool_response>`` marks;
there are no ids, so results pair by their place. There are no times and no tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text, text_of
from agentlens.trace.formats.part import Part, dicts, first_dict, mapping, numbered, one_part
from agentlens.trace.formats.turns import CallItem, ResultItem, Turn, feed_all
from agentlens.trace.source import Document

__all__ = ["NAME", "read", "sniff", "split", "turn_of"]

NAME = "sharegpt"
_ROLES = {
    "human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant",
    "chatgpt": "assistant", "model": "assistant", "system": "system", "function_call": "call",
    "tool_call": "call", "observation": "tool", "tool": "tool", "function_response": "tool",
    "tool_response": "tool",
}  # fmt: skip
_KEYS = ("conversations", "conversation")
_CALL = re.compile(r"<tool_call>([^<]*(?:<(?!/?tool_call>)[^<]*)*)</tool_call>")
_RESPONSE = re.compile(r"<tool_response>([^<]*(?:<(?!/?tool_response>)[^<]*)*)</tool_response>")
_ABOUT = ("id", "system", "tools", "source", "model")


def _is_row(value: Any) -> bool:
    if not isinstance(value, Mapping) or not isinstance(value.get("from"), str):
        return False
    return value["from"] in _ROLES and "value" in value


def _rows(record: Any) -> list[Any]:
    for key in _KEYS:
        rows = mapping(record).get(key)
        if isinstance(rows, list) and any(map(_is_row, rows[:5])):
            return rows
    return []


def sniff(head: Sequence[Any]) -> float:
    """Fit: rows with ``from`` and ``value``, bare or under ``conversations``."""
    rows = _rows(first_dict(head)) or list(head[:10])
    return 0.96 if rows and sum(map(_is_row, rows[:10])) * 2 > len(rows[:10]) else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield one part for each conversation."""
    if _is_row(first_dict(document.head)):
        yield one_part(document)
        return
    for number, record in document.records():
        rows = _rows(record)
        if not rows:
            document.note("skipped", "a record holds no conversation", number)
            continue
        about = {key: record[key] for key in _ABOUT if key in record}
        name = as_text(about.get("id")) or None
        yield Part(numbered(rows), document.name, name, about)


def turn_of(row: Any) -> Turn | None:
    """Return what one row holds, or None where it is none."""
    if not _is_row(row):
        return None
    role, text = _ROLES[row["from"]], text_of(row.get("value"))
    if role == "call":
        return Turn("assistant", calls=list(_calls(text)))
    if role == "tool":
        inside = _RESPONSE.findall(text) or [text]
        return Turn("tool", results=[ResultItem(each.strip()) for each in inside])
    if role == "user" and "<tool_response>" in text:
        inside = _RESPONSE.findall(text)
        if inside:
            return Turn("tool", results=[ResultItem(each.strip()) for each in inside])
    if role != "assistant":
        return Turn(role, text)
    calls = [call for block in _CALL.findall(text) for call in _calls(block)]
    return Turn("assistant", _CALL.sub("", text).strip() if calls else text, calls=calls)


def _calls(text: str) -> Iterator[CallItem]:
    """Yield the calls in a text that is JSON, or a line a call; what is neither stays text."""
    pieces: list[str] = [text] if _parsed(text) is not None else text.strip().split("\n")
    for piece in pieces[:100]:
        value = _parsed(piece)
        found = list(dicts(value if isinstance(value, list) else [value]))
        for call in found:
            inner = mapping(call.get("function")) or call
            name = inner.get("name") or inner.get("action") or inner.get("tool")
            args = next((inner[k] for k in ("arguments", "args", "parameters", "input", "params")
                         if k in inner), None)  # fmt: skip
            yield CallItem(as_text(name) or "?", args)
        if not found and piece.strip():
            yield CallItem("?", piece)


def _parsed(text: str) -> Any:
    try:
        value = orjson.loads(text)
    except (orjson.JSONDecodeError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def read(part: Part, build: TraceBuilder) -> None:
    """Read one conversation."""
    model = part.about.get("model")
    build.describe(
        trace_id=part.name,
        models=(model,) if isinstance(model, str) else None,
        extra={k: v for k, v in part.about.items() if isinstance(v, str | int | float)},
    )
    feed_all(part, build, turn_of)
