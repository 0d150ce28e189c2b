"""OTLP in JSON, as a collector's file exporter writes it: ``resourceSpans`` of many services.

Facts that it rests on: attributes are a list of ``{key, value: {stringValue: ...}}``, 64-bit
integers are text, times are nanoseconds, a status code is 2 or ``STATUS_CODE_ERROR``; the spans of
one trace are spread over batches and lines; names may be in snake case; what a span means is told
by its attributes (`span_dialects`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text
from agentlens.trace.formats.gather import Note, gather
from agentlens.trace.formats.part import Part, dicts, first_dict, mapping
from agentlens.trace.formats.span import Attributes, Raw
from agentlens.trace.formats.span_dialects import interpret
from agentlens.trace.formats.span_records import hex_id, pick, read_raw
from agentlens.trace.source import Document
from agentlens.trace.times import parse_time

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "otlp"
_TOPS = ("resourceSpans", "resource_spans", "batches")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_VALUES = ("stringValue", "string_value", "boolValue", "bool_value", "doubleValue", "double_value",
           "bytesValue", "bytes_value")  # fmt: skip


def sniff(head: Sequence[Any]) -> float:
    """Fit: objects with resource spans."""
    return 0.99 if _batches(first_dict(head)) is not None else 0.0


def _batches(record: Any) -> list[Any] | None:
    record = mapping(record)
    for inner in (record, mapping(record.get("trace")), mapping(record.get("data"))):
        for key in _TOPS:
            if isinstance(inner.get(key), list):
                return list(inner[key])
    return None


def _value(value: Any, depth: int = 0) -> Any:
    """Return what an ``AnyValue`` holds."""
    if not isinstance(value, Mapping) or depth > 40:
        return value
    for key in _VALUES:
        if key in value:
            return value[key]
    for key in ("intValue", "int_value"):
        if key in value:
            try:
                return int(value[key])
            except (TypeError, ValueError, OverflowError):
                return value[key]
    for key in ("arrayValue", "array_value"):
        if key in value:
            items = mapping(value[key]).get("values")
            return [_value(v, depth + 1) for v in items] if isinstance(items, list) else []
    for key in ("kvlistValue", "kvlist_value"):
        if key in value:
            return _pairs(mapping(value[key]).get("values"), depth + 1)
    return None


def _pairs(pairs: Any, depth: int = 0) -> dict[str, Any]:
    if isinstance(pairs, Mapping):  # some writers keep attributes as a mapping
        return {str(k): v for k, v in pairs.items()}
    return {as_text(p.get("key")): _value(p.get("value"), depth) for p in dicts(pairs)}


def _raw(span: Mapping[str, Any], line: int) -> tuple[str | None, Raw] | None:
    span_id = hex_id(pick(span, "spanId", "span_id"))
    if span_id is None:
        return None
    status = mapping(span.get("status"))
    code = as_text(status.get("code"))
    raw = Raw(
        span_id, hex_id(pick(span, "parentSpanId", "parent_span_id")), as_text(span.get("name")),
        parse_time(pick(span, "startTimeUnixNano", "start_time_unix_nano")),
        parse_time(pick(span, "endTimeUnixNano", "end_time_unix_nano")),
        Attributes(_pairs(span.get("attributes"))),
        [
            (as_text(event.get("name")), Attributes(_pairs(event.get("attributes"))))
            for event in dicts(span.get("events"))
        ],
        True if code in ("2", "STATUS_CODE_ERROR", "ERROR") else None,
        as_text(status.get("message")), line,
    )  # fmt: skip
    return hex_id(pick(span, "traceId", "trace_id")), raw


def _spans(record: Any, number: int, note: Note) -> Iterator[tuple[str | None, Raw]]:
    batches = _batches(record)
    if batches is None:
        note("skipped", "a record holds no resource spans", number)
        return
    for batch in dicts(batches):
        for scope in dicts(next((batch[k] for k in _SCOPES if k in batch), None)):
            for span in dicts(scope.get("spans")):
                found = _raw(span, number)
                if found is None:
                    note("skipped", "a span has no id", number)
                else:
                    yield found


def split(document: Document) -> Iterator[Part]:
    """Yield one part for each trace id."""
    yield from gather(document, _spans, lambda raw: interpret(raw).kind != "other")


def read(part: Part, build: TraceBuilder) -> None:
    """Read the spans of one trace."""
    read_raw(part, build)
