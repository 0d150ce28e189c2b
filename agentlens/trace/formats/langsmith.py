"""LangSmith runs: one object a run, as the client exports them, flat or nested in ``child_runs``.

Facts that it rests on: ``run_type`` is llm, tool, chain, retriever, ...; ``trace_id`` and
``parent_run_id`` may be missing, but ``dotted_order`` (``<time>Z<id>.<time>Z<id>``) holds both;
``session_id`` is the *project*, the conversation stands in ``extra.metadata``; a tool's input is
often the repr of a Python dict; costs are decimals written as text; LangGraph's ToolMessage comes
as the output and knows the call's id.
"""

from __future__ import annotations

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
from agentlens.trace.source import Document
from agentlens.trace.times import parse_time

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "langsmith"
_KINDS = {"llm": "model", "chat_model": "model", "tool": "tool"}
_SESSION = ("thread_id", "session_id", "conversation_id")


def sniff(head: Sequence[Any]) -> float:
    """Fit: runs with a run type and an id."""
    rows = list(dicts(list(head)))
    fit = [r for r in rows if _is_run(r) or any(map(_is_run, dicts(r.get("runs"))))]
    return 0.97 if fit and len(fit) * 2 > len(rows) else 0.0


def _is_run(record: Mapping[str, Any]) -> bool:
    return isinstance(record.get("run_type"), str) and bool(
        {"id", "run_id", "dotted_order"} & set(record)
    )


def _lineage(run: Mapping[str, Any]) -> list[str]:
    """Return the ids in a run's dotted order: the trace first, the run itself last."""
    pieces = as_text(run.get("dotted_order")).split(".")
    return [piece.partition("Z")[2] for piece in pieces if "Z" in piece]


def _runs(record: Any, number: int, note: Note) -> Iterator[tuple[str | None, Mapping[str, Any]]]:
    inner = record.get("runs") if isinstance(record, Mapping) else None
    waiting: list[tuple[Any, str | None, str | None]] = [
        (run, None, None) for run in (inner if isinstance(inner, list) else [record])
    ]
    while waiting:
        run, above, trace = waiting.pop(0)
        if not isinstance(run, Mapping) or not _is_run(run):
            note("skipped", "a record is not a run", number)
            continue
        line = _lineage(run)
        own = text_or_none(run.get("id") or run.get("run_id")) or (line[-1] if line else None)
        parent = text_or_none(run.get("parent_run_id")) or above
        parent = parent or (line[-2] if len(line) > 1 else None)
        trace = text_or_none(run.get("trace_id")) or (line[0] if line else None) or trace
        trace = trace or (own if parent is None else None)
        yield trace, {**run, "id": own, "parent_run_id": parent}
        children = loose(run.get("child_runs"))
        waiting[:0] = [(child, own, trace) for child in dicts(children)]


def split(document: Document) -> Iterator[Part]:
    """Yield one part for each trace id."""
    yield from gather(document, _runs)


def _span(run: Mapping[str, Any], line: int) -> Span:
    kind = _KINDS.get(as_text(run.get("run_type")).lower(), "other")
    sent, came = loose(run.get("inputs")), loose(run.get("outputs"))
    error = run.get("error")
    span = Span(
        as_text(run["id"]) or f"item {line}", run["parent_run_id"], as_text(run.get("name")), kind,
        parse_time(run.get("start_time")), parse_time(run.get("end_time")), line,
        failed=True if error or run.get("status") == "error" else None, problem=as_text(error),
    )  # fmt: skip
    extra = mapping(loose(run.get("extra")))
    facts = {**mapping(run.get("metadata")), **mapping(extra.get("metadata"))}
    span.session = next((v for v in map(text_or_none, map(facts.get, _SESSION)) if v), None)
    if kind == "model":
        span.sent = turns_of(sent)
        span.answer = answer_of(came) if came else None
        asked = mapping(extra.get("invocation_params"))
        names = (facts.get("ls_model_name"), asked.get("model"), asked.get("model_name"))
        model = next((name for name in map(text_or_none, names) if name), None)
        answered = span.answer is not None and span.answer.columns.get("model")
        span.columns = _columns(run) | ({"model": model} if model and not answered else {})
        return span
    if kind == "tool":
        span.tool = span.name
    else:
        span.asked = last_user(sent) if run["parent_run_id"] is None else ""
    args = plain_args(sent)
    if isinstance(args, Mapping) and set(args) == {"input"}:
        inside = loose(args["input"])
        args = inside if isinstance(inside, Mapping) else args
    span.args = args
    put_result(span, came)
    return span


def _columns(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return columns of the rounds table; costs may be text."""
    a = Attributes({k: v for k, v in run.items() if k.endswith(("_tokens", "_cost", "_details"))})
    columns = {
        "input_tokens": a.count("prompt_tokens"),
        "output_tokens": a.count("completion_tokens"),
        "cached_tokens": a.count("prompt_token_details.cache_read"),
        "cache_write_tokens": a.count("prompt_token_details.cache_creation"),
        "reasoning_tokens": a.count("completion_token_details.reasoning"),
        "tokens": a.count("total_tokens"),
        "cost": a.number("total_cost"),
    }
    return {name: value for name, value in columns.items() if value is not None}


def read(part: Part, build: TraceBuilder) -> None:
    """Read the runs of one trace."""
    records = [(line, run) for line, run in part.records if isinstance(run, Mapping)]
    spans = [_span(run, line) for line, run in records]
    describe(spans, part, build)
    projects = (text_or_none(run.get("session_name") or run.get("session_id"))
                for _, run in records)  # fmt: skip
    project = next((name for name in projects if name), None)
    build.describe(extra={"project": project} if project else None)
    write_spans(spans, build, part)
