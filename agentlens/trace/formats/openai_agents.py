"""Traces of the OpenAI Agents SDK, as its span exporters write them, one object a line.

Facts that it rests on: ``{"object": "trace"}`` heads a trace (and may come last), ``{"object":
"trace.span"}`` are its spans in the order in which they ended; ``span_data.type`` is agent,
generation, response, function, handoff, guardrail, mcp_tools, ...; a function's arguments are JSON
text; a response span holds an id and usage, and its items only where an exporter adds them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text
from agentlens.trace.formats.gather import Note, gather
from agentlens.trace.formats.part import Part, dicts, mapping, text_or_none
from agentlens.trace.formats.span import Span, loose
from agentlens.trace.formats.span_genai import put_result
from agentlens.trace.formats.span_messages import answer_of, turns_of
from agentlens.trace.formats.span_records import describe
from agentlens.trace.formats.spans import write_spans
from agentlens.trace.formats.turns import usage_columns
from agentlens.trace.source import Document
from agentlens.trace.times import parse_time

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "openai_agents"
_KINDS = {"generation": "model", "response": "model", "function": "tool", "agent": "agent"}


def sniff(head: Sequence[Any]) -> float:
    """Fit: objects that call themselves traces and their spans."""
    rows = [record for _, record in _unwrapped(enumerate(head, 1))]
    fit = [r for r in rows if r.get("object") in ("trace", "trace.span")]
    return 0.99 if fit and len(fit) * 2 > len(rows) else 0.0


def _unwrapped(records: Any) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield objects; the exporter's request body keeps a batch of them under ``data``."""
    for number, record in records:
        batch = record.get("data") if isinstance(record, Mapping) else None
        for item in dicts(batch if isinstance(batch, list) else [record]):
            yield number, item


def _spans(record: Any, number: int, note: Note) -> Iterator[tuple[str | None, Mapping[str, Any]]]:
    for _, item in _unwrapped([(number, record)]):
        kind = item.get("object")
        if kind == "trace":
            yield text_or_none(item.get("id")), item
        elif kind == "trace.span":
            yield text_or_none(item.get("trace_id")), item
        else:
            note("skipped", "a record is neither a trace nor a span", number)


def split(document: Document) -> Iterator[Part]:
    """Yield one part for each trace id."""
    yield from gather(document, _spans, lambda r: r.get("object") == "trace.span")


def _span(record: Mapping[str, Any], line: int) -> Span:
    data = mapping(record.get("span_data"))
    kind = _KINDS.get(as_text(data.get("type")), "other")
    error = record.get("error")
    name = as_text(data.get("name")) or as_text(data.get("type"))
    span = Span(
        text_or_none(record.get("id")) or f"item {line}", text_or_none(record.get("parent_id")),
        name, kind, parse_time(record.get("started_at")), parse_time(record.get("ended_at")), line,
        failed=True if error else None,
        problem=as_text(mapping(error).get("message") or error),
    )  # fmt: skip
    if kind == "tool":
        server = text_or_none(mapping(data.get("mcp_data")).get("server"))
        span.tool = f"mcp__{server}__{name}" if server else name
        span.args = data.get("input")
        put_result(span, data.get("output"))
    elif kind == "agent":
        span.label = name
    elif kind == "model":
        response = mapping(loose(data.get("response")))
        span.sent = turns_of(data.get("input"))
        came = response or data.get("output")
        span.answer = answer_of(came) if came else None
        span.columns = dict(usage_columns(data.get("usage"), cached_apart=False))
        model = text_or_none(data.get("model"))
        span.columns |= {"model": model} if model else {}
        given = text_or_none(data.get("response_id"))
        span.columns |= {"message_id": given} if given else {}
    return span


def read(part: Part, build: TraceBuilder) -> None:
    """Read the spans of one trace, and what its head tells."""
    spans: list[Span] = []
    head: Mapping[str, Any] = {}
    for line, record in part.records:
        if mapping(record).get("object") == "trace":
            head = record
        elif isinstance(record, Mapping):
            spans.append(_span(record, line))
    describe(spans, part, build)
    build.describe(
        session_id=text_or_none(head.get("group_id")),
        extra={"workflow": head["workflow_name"]} if head.get("workflow_name") else None,
    )
    write_spans(spans, build, part)
