"""Langfuse: traces from its API or its page, and observations as the page or a bucket export them.

Facts that it rests on: a trace holds ``observations`` whose ``type`` is GENERATION, TOOL, AGENT,
SPAN, ...; what the page exports has input, output and metadata as JSON *text*, names in camel or
snake case; ``usageDetails`` are parts that add up (cached tokens beside ``input``); older ones have
``usage``; ``level`` ERROR with a ``statusMessage`` is a failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text
from agentlens.trace.formats.gather import Note, gather
from agentlens.trace.formats.part import Part, dicts, mapping, text_or_none
from agentlens.trace.formats.span import Span, loose
from agentlens.trace.formats.span_dialects import langfuse_columns, last_user
from agentlens.trace.formats.span_genai import plain_args, put_result
from agentlens.trace.formats.span_messages import answer_of, turns_of
from agentlens.trace.formats.span_records import describe, pick
from agentlens.trace.formats.spans import write_spans
from agentlens.trace.source import Document
from agentlens.trace.times import parse_time

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "langfuse"
_KINDS = {"GENERATION": "model", "TOOL": "tool", "AGENT": "agent"}
_TYPES = frozenset(
    "GENERATION TOOL AGENT SPAN EVENT CHAIN RETRIEVER EVALUATOR EMBEDDING GUARDRAIL".split()
)


def _is_observation(record: Any) -> bool:
    record = mapping(record)
    return (
        as_text(record.get("type")).upper() in _TYPES
        and bool({"traceId", "trace_id"} & set(record))
        and bool({"startTime", "start_time"} & set(record))
    )


def _observations(record: Any) -> list[Any] | None:
    record = mapping(record)
    found = loose(record.get("observations"))
    return found if isinstance(found, list) else None


def sniff(head: Sequence[Any]) -> float:
    """Fit: observations, bare or in a trace."""
    rows = list(dicts(list(head)))
    for row in rows:
        found = _observations(row)
        if found and any(map(_is_observation, found)):
            return 0.98
    fit = [row for row in rows if _is_observation(row)]
    return 0.97 if fit and len(fit) * 2 > len(rows) else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield one part for each trace."""
    yield from gather(document, _all)


def _all(record: Any, number: int, note: Note) -> Iterator[tuple[str | None, Mapping[str, Any]]]:
    inside = _observations(record)
    if inside is not None:
        head = {**mapping(record.get("trace")), **record}
        head.pop("observations", None)
        name = text_or_none(pick(head, "id", "traceId", "trace_id"))
        yield name, {"_head": head}
        for item in dicts(inside):
            yield text_or_none(pick(item, "traceId", "trace_id")) or name, item
    elif _is_observation(record):
        yield text_or_none(pick(record, "traceId", "trace_id")), record
    else:
        note("skipped", "a record is neither a trace nor an observation", number)


def _span(item: Mapping[str, Any], line: int) -> Span:
    kind = _KINDS.get(as_text(item.get("type")).upper(), "other")
    sent, came = item.get("input"), item.get("output")
    words = as_text(pick(item, "statusMessage", "status_message"))
    span = Span(
        text_or_none(item.get("id")) or f"item {line}",
        text_or_none(pick(item, "parentObservationId", "parent_observation_id")),
        as_text(item.get("name")), kind, parse_time(pick(item, "startTime", "start_time")),
        parse_time(pick(item, "endTime", "end_time")), line,
        failed=True if as_text(item.get("level")).upper() == "ERROR" else None, problem=words,
    )  # fmt: skip
    span.session = text_or_none(pick(item, "sessionId", "session_id"))
    if kind == "model":
        span.sent = turns_of(sent)
        span.answer = answer_of(came) if came else None
        usage = loose(pick(item, "usageDetails", "usage_details", "usage"))
        cost = mapping(loose(pick(item, "costDetails", "cost_details")))
        total = pick(item, "calculatedTotalCost", "calculated_total_cost", "totalCost")
        span.columns = langfuse_columns(usage, cost if "total" in cost else {"total": total})
        model = text_or_none(pick(item, "model", "providedModelName", "provided_model_name"))
        span.columns |= {"model": model} if model else {}
        return span
    if kind == "tool":
        span.tool = span.name
    elif kind == "agent":
        span.label, span.asked = span.name, last_user(sent)
    span.args = plain_args(sent)
    put_result(span, came)
    return span


def read(part: Part, build: TraceBuilder) -> None:
    """Read the observations of one trace, and what is told of it."""
    spans: list[Span] = []
    head: Mapping[str, Any] = {}
    for line, item in part.records:
        if "_head" in mapping(item):
            head = mapping(item["_head"])
        elif isinstance(item, Mapping):
            spans.append(_span(item, line))
    asked = last_user(head.get("input")) if head.get("input") else ""
    if asked and not any(s.asked for s in spans):
        top = min(spans, key=lambda s: s.started or float("inf"), default=None)
        if top is not None and top.kind == "other":
            top.asked = asked
    describe(spans, part, build)
    build.describe(session_id=text_or_none(pick(head, "sessionId", "session_id")))
    if not spans:
        build.note("info", "the trace has no observations")
        return
    write_spans(spans, build, part)
