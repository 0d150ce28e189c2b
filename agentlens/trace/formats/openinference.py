"""OpenInference spans: Phoenix's exports and frames, JSON lines, and TRAIL's nested spans.

Facts that it rests on: ``openinference.span.kind`` (or Phoenix's column ``span_kind``) says what a
span is; attributes are dotted names, nested mappings, or columns ``attributes.…`` of a frame, in
which messages are lists of mappings with dotted names; TRAIL nests spans under ``child_spans``
with ``span_attributes`` and an ISO 8601 duration instead of an end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.formats.gather import gather
from agentlens.trace.formats.part import Part, dicts
from agentlens.trace.formats.span_dialects import interpret
from agentlens.trace.formats.span_records import flat_spans, raw_of, read_raw
from agentlens.trace.source import Document

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "openinference"


def sniff(head: Sequence[Any]) -> float:
    """Fit: spans that say their OpenInference kind, or nested ``child_spans``."""
    rows = [r for r in dicts(list(head)) if isinstance(r.get("spans"), list) or _has_id(r)]
    if not rows:
        return 0.0
    for row in rows:
        spans = list(dicts(row.get("spans"))) if isinstance(row.get("spans"), list) else [row]
        for span in spans:
            if isinstance(span.get("child_spans"), list) and "span_id" in span:
                return 0.97
            found = raw_of(span, None)
            if found and found[1].attributes.get("openinference.span.kind"):
                return 0.98
    return 0.0


def _has_id(row: Mapping[str, Any]) -> bool:
    return bool({"context", "context.span_id", "span_id"} & set(row))


def split(document: Document) -> Iterator[Part]:
    """Yield one part for each trace id."""
    yield from gather(document, flat_spans, lambda raw: interpret(raw).kind != "other")


def read(part: Part, build: TraceBuilder) -> None:
    """Read the spans of one trace."""
    read_raw(part, build)
