"""Spans as files hold them: OTLP, `ReadableSpan.to_json`, Phoenix's rows, TRAIL's nested spans."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text
from agentlens.trace.formats.gather import Note
from agentlens.trace.formats.part import Part, dicts, mapping, text_or_none
from agentlens.trace.formats.span import Attributes, Raw, Span, loose
from agentlens.trace.formats.span_dialects import interpret
from agentlens.trace.formats.spans import write_spans
from agentlens.trace.times import parse_time

__all__ = ["describe", "flat_spans", "hex_id", "pick", "raw_of", "read_raw", "undot"]

_HEX = re.compile(r"(?:0x)?([0-9a-fA-F]+)$")
_DURATION = re.compile(r"P(?:(\d+)D)?T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?$")
_KINDS = frozenset(
    "LLM TOOL AGENT CHAIN RETRIEVER RERANKER EMBEDDING GUARDRAIL EVALUATOR UNKNOWN PROMPT".split()
)
_NESTED = 200


def hex_id(value: Any) -> str | None:
    """Return an id in hex, whether it is kept in hex, with ``0x``, or in base64; None if empty."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:x}"
    text = text_or_none(value)
    if text is None or text == "None":
        return None
    match = _HEX.match(text)
    if match:
        return None if set(match[1]) == {"0"} else match[1].lower()
    if text.endswith("="):
        try:
            data = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            return text
        if len(data) in (8, 16):
            return data.hex()
    return text


def read_raw(part: Part, build: TraceBuilder) -> None:
    """Read a part whose records are `Raw` spans."""
    spans = [interpret(raw) for _, raw in part.records if isinstance(raw, Raw)]
    describe(spans, part, build)
    write_spans(spans, build, part)


def describe(spans: Iterable[Span], part: Part, build: TraceBuilder) -> None:
    """Tell the trace's id, session and agent, as far as its spans name them."""
    # Exporters write spans when they end, an agent that was called before the one that called it.
    begun = sorted(spans, key=lambda s: (s.started is None, s.started or 0.0))
    sessions = dict.fromkeys(s.session for s in begun if s.session)
    label = next((s.label for s in begun if s.kind == "agent" and s.label), None)
    build.describe(trace_id=part.name, session_id=next(iter(sessions), None), agent=label)
    if len(sessions) > 1:
        build.note("info", f"spans name {len(sessions)} sessions; the first is kept")


def undot(value: Any, depth: int = 0) -> Any:
    """Nest the dotted names of mappings inside lists, as Phoenix keeps messages in a frame."""
    if depth > 20 or isinstance(value, str) or value is None:
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return [undot(item, depth + 1) for item in value]
    if isinstance(value, Mapping):
        kept = {str(k): undot(v, depth + 1) for k, v in value.items() if v is not None}
        return Attributes(kept).tree if any("." in key for key in kept) else kept
    return value


def pick(record: Mapping[str, Any], *names: str) -> Any:
    """Return the value of the first of names that a record has one for."""
    return next((record[n] for n in names if record.get(n) is not None), None)


def raw_of(
    record: Any, line: int | None, parent: str | None = None
) -> tuple[str | None, Raw] | None:
    """Return trace id and span of a record of `ReadableSpan.to_json`, Phoenix or TRAIL."""
    if not isinstance(record, Mapping):
        return None
    context = mapping(record.get("context"))
    span_id = hex_id(context.get("span_id") or pick(record, "context.span_id", "span_id", "spanId"))
    if span_id is None:
        return None
    trace_id = hex_id(
        context.get("trace_id") or pick(record, "context.trace_id", "trace_id", "traceId")
    )
    attributes: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(key, str) and key.startswith("attributes.") and value is not None:
            attributes[key[11:]] = undot(value)
    for key in ("attributes", "span_attributes"):
        given = loose(record.get(key))
        attributes.update(undot(given) if isinstance(given, Mapping) else {})
    kind = record.get("span_kind")
    a = Attributes(attributes)
    if isinstance(kind, str) and kind.upper() in _KINDS and not a.get("openinference.span.kind"):
        attributes["openinference.span.kind"] = kind
        a = Attributes(attributes)
    started = parse_time(pick(record, "start_time", "start_time_unix_nano", "timestamp"))
    ended = parse_time(pick(record, "end_time", "end_time_unix_nano"))
    match = _DURATION.match(as_text(record.get("duration")))
    if ended is None and started is not None and match:
        days, hours, minutes, seconds = (float(g or 0) for g in match.groups())
        ended = started + days * 86400 + hours * 3600 + minutes * 60 + seconds
    status = mapping(record.get("status"))
    code = as_text(status.get("status_code") or status.get("code") or record.get("status_code"))
    words = as_text(status.get("description") or status.get("message")
                    or record.get("status_message"))  # fmt: skip
    raw = Raw(
        span_id, hex_id(pick(record, "parent_id", "parent_span_id", "parentSpanId")) or parent,
        as_text(pick(record, "name", "span_name")), started, ended, a, list(_events(record)),
        True if code.upper().endswith("ERROR") or code == "2" else None, words, line,
    )  # fmt: skip
    return trace_id, raw


def _events(record: Mapping[str, Any]) -> Iterator[tuple[str, Attributes]]:
    events = loose(record.get("events"))
    if hasattr(events, "tolist") and not isinstance(events, str):
        events = events.tolist()
    for event in dicts(events):
        attributes = loose(event.get("attributes") or event.get("Attributes"))
        name = as_text(event.get("name") or event.get("Name"))
        yield name, Attributes(mapping(attributes))


def flat_spans(record: Any, number: int, note: Note) -> Iterator[tuple[str | None, Raw]]:
    """Yield the spans of such a record, nested ones too."""
    tops = record.get("spans") if isinstance(record, Mapping) else record
    given = hex_id(record.get("trace_id")) if isinstance(record, Mapping) else None
    items = list(dicts(tops)) if isinstance(tops, list) else [record]
    waiting: list[tuple[Any, str | None, int]] = [(item, None, 0) for item in items]
    while waiting:
        item, parent, depth = waiting.pop(0)
        found = raw_of(item, number, parent)
        if found is None:
            note("skipped", "a record is not a span", number)
            continue
        trace_id, raw = found
        yield trace_id or given, raw
        inner = mapping(item).get("child_spans") or mapping(item).get("children")
        if depth < _NESTED:
            waiting[:0] = [(child, raw.span_id, depth + 1) for child in dicts(inner)]
