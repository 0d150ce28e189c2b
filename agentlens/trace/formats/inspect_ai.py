"""Inspect AI logs: ``.json``, or ``.eval`` (a ZIP of samples); one trace a sample.

Facts that it rests on, each seen in a real file: a sample has `messages` (the conversation as it
ended) and `events` (``model``, ``tool``, ``span_begin`` …) with times and usage; each model event
sends the history again, in newer logs as ranges of a pool; big texts are replaced by
``attachment://<hash>``; a tool's `error` has a type and a message; scorers call models too; a
sample's `limit` or `error` says why it ended, its `scores` how. Inspect's input tokens leave out
those that were read from or written to a cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text
from agentlens.trace.formats.inspect_events import read_events, resolver
from agentlens.trace.formats.openai import turn_of
from agentlens.trace.formats.part import Part, dicts, first_dict, mapping, text_or_none
from agentlens.trace.formats.turns import feed
from agentlens.trace.source import Document

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "inspect_ai"
_GOOD = ("C", "c", True, 1, 1.0)
_BAD = ("I", "i", "N", False, 0, 0.0)
_LIMITS = {"message_limit": "max_messages", "token_limit": "max_tokens",
           "time_limit": "max_seconds", "working_limit": "max_working_seconds",
           "cost_limit": "max_cost"}  # fmt: skip


def _is_sample(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and "epoch" in value
        and {"messages", "events"} & set(value) != set()
    )


def sniff(head: Sequence[Any]) -> float:
    """Fit: an evaluation's header, alone with its samples or first in an archive."""
    first = first_dict(head)
    if {"header", "complete", "samples"} == set(first):
        return 0.98
    if isinstance(first.get("eval"), Mapping) and {"plan", "samples", "results"} & set(first):
        return 0.98
    return 0.9 if _is_sample(first) else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield one part for each sample and epoch."""
    header: Mapping[str, Any] = {}
    for number, record in document.records():
        if _is_sample(record):
            yield _part(document, number, record, header)
            continue
        fields = mapping(record)
        header = mapping(fields.get("header")) if document.shape == "archive" else fields
        if fields.get("complete") is False:
            document.note("info", "the evaluation has no header yet: it was still running")
        if document.shape == "archive":
            continue
        samples = list(dicts(fields.get("samples")))
        if not samples:
            document.note("info", f"an evaluation ({as_text(fields.get('status'))}) has no samples")
        for place, sample in enumerate(samples, 1):
            yield _part(document, place, sample, header)


def _part(
    document: Document, number: int, sample: Mapping[str, Any], header: Mapping[str, Any]
) -> Part:
    name = f"sample {as_text(sample.get('id'))} epoch {as_text(sample.get('epoch'))}"
    about = {k: header[k] for k in ("eval", "version", "status") if k in header}
    return Part([(number, sample)], document.name, name, about)


def read(part: Part, build: TraceBuilder) -> None:
    """Read one sample: from its events where it has any of a model, else from its messages."""
    _, sample = next(iter(part.records))
    resolve = resolver(sample)
    _describe(part, sample, resolve, build)
    events = list(dicts(sample.get("events")))
    if any(event.get("event") == "model" for event in events):
        read_events(sample, events, resolve, build)
        return
    messages = list(dicts(sample.get("messages")))
    if not messages:
        build.note("info", "the sample holds no message")
    for number, message in enumerate(messages, 1):
        turn = turn_of(resolve(message))
        if turn is None:
            build.note("skipped", "a record is not a message", number)
        else:
            feed(turn, build, number)


def _describe(part: Part, sample: Mapping[str, Any], resolve: Any, build: TraceBuilder) -> None:
    evaluation = mapping(part.about.get("eval"))
    config = mapping(evaluation.get("config"))
    limits = {ours: config[theirs] for theirs, ours in _LIMITS.items()
              if isinstance(config.get(theirs), int | float)}  # fmt: skip
    task = resolve(sample.get("input"))
    if isinstance(task, list):
        task = next((m.get("content") for m in dicts(task) if m.get("role") == "user"), None)
    tokens = [mapping(v).get("total_tokens") for v in mapping(sample.get("model_usage")).values()]
    counted = [n for n in tokens if isinstance(n, int)]
    packages = mapping(evaluation.get("packages"))
    build.describe(
        trace_id=text_or_none(sample.get("uuid")) or part.name,
        format_version=as_text(part.about.get("version")) or None,
        session_id=text_or_none(evaluation.get("run_id")),
        task=text_or_none(task),
        agent=text_or_none(evaluation.get("solver")),
        agent_version=text_or_none(packages.get("inspect_ai")),
        outcome=_outcome(sample),
        limits=limits,
        totals={"tokens": sum(counted)} if counted else None,
        totals_source="reported" if counted else None,
        extra={
            "sample": sample.get("id"), "epoch": sample.get("epoch"),
            "task": evaluation.get("task"), "model": evaluation.get("model"),
            "run_status": part.about.get("status"),
        },
    )  # fmt: skip


def _outcome(sample: Mapping[str, Any]) -> dict[str, Any]:
    scores = {as_text(k): mapping(v).get("value") for k, v in mapping(sample.get("scores")).items()}
    verdicts = [v for v in scores.values() if isinstance(v, str | int | float)]
    outcome: dict[str, Any] = {"status": "unknown", "raw": scores}
    if verdicts and all(v in _GOOD for v in verdicts):
        outcome["status"] = "success"
    elif verdicts and all(v in _BAD for v in verdicts):
        outcome["status"] = "failure"
    numbers = [v for v in verdicts if isinstance(v, int | float)]
    if len(scores) == 1 and numbers:
        outcome["score"] = float(numbers[0])
    limit, error = mapping(sample.get("limit")), mapping(sample.get("error"))
    if limit:
        outcome["exit_reason"] = f"limit: {as_text(limit.get('type'))}"
    elif error:
        outcome["exit_reason"] = f"error: {as_text(error.get('message'))[:200]}"
    return outcome
