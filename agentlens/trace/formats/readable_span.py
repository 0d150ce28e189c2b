"""Spans of Python's OpenTelemetry SDK, as ``ReadableSpan.to_json()`` writes them.

Facts that it rests on: ids stand under ``context``, often with ``0x``; times are ISO 8601; the
attributes are one flat mapping; the file is JSON lines or an array. Console exporters and Monocle
write this. What a span means is told by its attributes (`span_dialects`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.formats.gather import gather
from agentlens.trace.formats.part import Part, dicts, mapping
from agentlens.trace.formats.span_dialects import interpret
from agentlens.trace.formats.span_records import flat_spans, read_raw
from agentlens.trace.source import Document

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "readable_span"


def sniff(head: Sequence[Any]) -> float:
    """Fit: spans with a context, a name and attributes."""
    rows = list(dicts(list(head)))
    fit = [r for r in rows if _is_span(r)]
    return 0.9 if fit and len(fit) * 2 > len(rows) else 0.0


def _is_span(record: Mapping[str, Any]) -> bool:
    context = mapping(record.get("context"))
    return (
        "span_id" in context
        and isinstance(record.get("attributes"), Mapping)
        and {"start_time", "parent_id"} <= set(record)
        and not isinstance(record.get("start_time"), int)
    )


def split(document: Document) -> Iterator[Part]:
    """Yield one part for each trace id."""
    yield from gather(document, flat_spans, lambda raw: interpret(raw).kind != "other")


def read(part: Part, build: TraceBuilder) -> None:
    """Read the spans of one trace."""
    read_raw(part, build)
