"""W&B Weave calls, one object a call, as ``client.get_calls()`` or the export gives them.

Facts that it rests on: ``op_name`` is ``weave:///<entity>/<project>/op/<name>:<digest>``; newer
ops say their kind in ``attributes.weave.kind``; a provider's op has ``summary.usage`` by model,
which the calls above it repeat as a sum: only the innermost count; ``exception`` is a failure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text
from agentlens.trace.formats.gather import Note, gather
from agentlens.trace.formats.part import Part, dicts, mapping, text_or_none
from agentlens.trace.formats.span import Attributes, Span, loose
from agentlens.trace.formats.span_dialects import last_user
from agentlens.trace.formats.span_genai import plain_args, put_result
from agentlens.trace.formats.span_messages import answer_of, turns_of
from agentlens.trace.formats.span_records import describe
from agentlens.trace.formats.spans import write_spans
from agentlens.trace.formats.turns import usage_columns
from agentlens.trace.source import Document
from agentlens.trace.times import parse_time

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "weave"
_OP = re.compile(r"weave(?:-trace-internal)?:///.*/op/([^/:]+)(?::[^/]*)?$")
_KINDS = {"llm": "model", "tool": "tool", "agent": "agent"}
#: Ops of providers' clients, by the last part of their name.
_MODEL = re.compile(
    r"(?:completions?|messages|responses|models|chat|litellm)\.(?:a?create|a?parse|a?completion|"
    r"(?:a?sync_)?generate_content(?:_stream)?|a?complete|stream|chat)$|^langchain\.(?:Llm|ChatModel)\.",
    re.IGNORECASE,
)
_TOOL = re.compile(r"^langchain\.Tool\.|(?:^|[._])tool\.", re.IGNORECASE)


def sniff(head: Sequence[Any]) -> float:
    """Fit: calls with an op's name and a start."""
    rows = list(dicts(list(head)))
    fit = [r for r in rows if _is_call(r)]
    return 0.98 if fit and len(fit) * 2 > len(rows) else 0.0


def _is_call(record: Mapping[str, Any]) -> bool:
    return isinstance(record.get("op_name"), str) and bool(
        {"started_at", "trace_id", "inputs"} & set(record)
    )


def _calls(record: Any, number: int, note: Note) -> Iterator[tuple[str | None, Mapping[str, Any]]]:
    if isinstance(record, Mapping) and _is_call(record):
        yield text_or_none(record.get("trace_id")), record
    else:
        note("skipped", "a record is not a call", number)


def split(document: Document) -> Iterator[Part]:
    """Yield one part for each trace id."""
    yield from gather(document, _calls)


def _name(record: Mapping[str, Any]) -> str:
    match = _OP.match(as_text(record["op_name"]))
    return match[1] if match else as_text(record["op_name"])


def _span(record: Mapping[str, Any], line: int) -> Span:
    name = _name(record)
    a = Attributes(mapping(loose(record.get("attributes"))))
    given = as_text(a.get("weave.kind") or a.get("kind")).lower()
    kind = _KINDS.get(given) or (
        "model" if _MODEL.search(name) else "tool" if _TOOL.search(name) else "other"
    )
    error = record.get("exception")
    span = Span(
        text_or_none(record.get("id")) or f"item {line}", text_or_none(record.get("parent_id")),
        name, kind, parse_time(record.get("started_at")), parse_time(record.get("ended_at")), line,
        failed=True if error else None, problem=as_text(error),
    )  # fmt: skip
    span.session = text_or_none(record.get("thread_id"))
    inputs = loose(record.get("inputs"))
    sent = {k: v for k, v in inputs.items() if k != "self"} if isinstance(inputs, Mapping) else (
        inputs)  # fmt: skip
    came = loose(record.get("output"))
    if kind == "model":
        span.sent = turns_of(sent)
        span.answer = answer_of(came) if came else None
        span.columns = _columns(record)
        return span
    span.tool = re.sub(r"^langchain\.Tool\.", "", name) if kind == "tool" else ""
    span.label = name if kind == "agent" else None
    span.asked = last_user(sent) if record.get("parent_id") is None else ""
    span.args = plain_args(sent)
    put_result(span, came)
    return span


def _columns(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return usage and model of a provider's op: the summary holds them by model."""
    summary = mapping(loose(record.get("summary")))
    by_model = mapping(summary.get("usage"))
    costs = mapping(mapping(summary.get("weave")).get("costs"))
    columns: dict[str, Any] = {}
    for model, usage in by_model.items():
        if not isinstance(usage, dict):
            continue
        columns.update(usage_columns(usage, cached_apart=False))
        columns["model"] = str(model)
        cost = Attributes(mapping(costs.get(model)))
        parts = [cost.number(f"{side}_tokens_total_cost") for side in ("prompt", "completion")]
        if any(part is not None for part in parts):
            columns["cost"] = sum(part or 0.0 for part in parts)
    return columns if len(by_model) == 1 else {}


def read(part: Part, build: TraceBuilder) -> None:
    """Read the calls of one trace."""
    spans = [_span(r, line) for line, r in part.records if isinstance(r, Mapping)]
    describe(spans, part, build)
    write_spans(spans, build, part)
