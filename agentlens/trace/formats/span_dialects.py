"""Attributes of spans by OpenInference, MLflow, Monocle and Langfuse; and the choice among all.

Facts that it rests on: OpenInference's tool spans keep arguments in ``input.value`` (some
libraries in ``tool.parameters``, which others use for the schema) and have no call id of their
own; MLflow writes each attribute's value as JSON, Monocle keeps what went in and out in events.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentlens.trace.content import as_text, text_of
from agentlens.trace.formats.part import mapping
from agentlens.trace.formats.span import Attributes, Raw, Span, loose
from agentlens.trace.formats.span_genai import genai, plain_args, put_result, vercel
from agentlens.trace.formats.span_messages import answer_of, turns_of
from agentlens.trace.formats.turns import usage_columns

__all__ = ["interpret", "last_user", "mlflow_columns"]


def interpret(raw: Raw) -> Span:
    """Return what a span is, by the first convention that it follows."""
    for dialect in (openinference, mlflow, langfuse, vercel, genai, monocle):
        span = dialect(raw)
        if span is not None:
            return span
    return raw.span()


def last_user(value: Any) -> str:
    """Return the last words of a user in an input; bare text is a user's."""
    turns = turns_of(value)
    return next((turn.text for turn in reversed(turns) if turn.role == "user" and turn.text), "")


def openinference(raw: Raw) -> Span | None:
    """Read a span of OpenInference; None where it is none."""
    a = raw.attributes
    given = a.get("openinference.span.kind")
    if not isinstance(given, str):
        return None
    kind = {"LLM": "model", "TOOL": "tool", "AGENT": "agent"}.get(given.upper(), "other")
    span = raw.span(kind)
    span.session = a.text("session.id")
    if kind == "model":
        _openinference_model(span, a)
    elif kind == "tool":
        span.tool = a.text("tool.name") or raw.name
        span.call_id = a.text("tool_call.id", "tool.id", "tool.call_id", "gen_ai.tool.call.id")
        span.args = plain_args(a.first("input.value"))
        named = loose(a.first("tool.parameters"))
        schema = isinstance(named, Mapping) and ({"properties", "$schema"} & set(named))
        if not isinstance(span.args, Mapping) and isinstance(named, Mapping) and not schema:
            span.args = named
        put_result(span, a.get("output.value"))
    else:
        span.label = a.text("agent.name", "graph.node.id") if kind == "agent" else None
        span.asked = last_user(a.first("input.value"))
    return span


def _openinference_model(span: Span, a: Attributes) -> None:
    use = "llm.token_count."
    columns = {
        "input_tokens": a.count(use + "prompt"),
        "cached_tokens": a.count(use + "prompt_details.cache_read"),
        "cache_write_tokens": a.count(use + "prompt_details.cache_write"),
        "output_tokens": a.count(use + "completion"),
        "reasoning_tokens": a.count(use + "completion_details.reasoning"),
        "tokens": a.count(use + "total"),
        "cost": a.number("llm.cost.total"),
        "model": a.text("llm.model_name"),
    }
    span.sent = turns_of(a.first("llm.input_messages", "input.value"))
    span.answer = answer_of(a.first("llm.output_messages", "output.value"))
    span.columns = {name: value for name, value in columns.items() if value is not None}


def mlflow(raw: Raw) -> Span | None:
    """Read a span of MLflow, whose attribute values are JSON; None where it is none."""
    a = raw.attributes
    if a.get("mlflow.spanType") is None and a.get("mlflow.traceRequestId") is None:
        return None
    given = as_text(loose(a.get("mlflow.spanType"))).upper()
    kind = {"LLM": "model", "CHAT_MODEL": "model", "TOOL": "tool", "AGENT": "agent"}.get(given)
    span = raw.span(kind or "other")
    sent, came = (loose(a.get("mlflow.spanInputs")), a.get("mlflow.spanOutputs"))
    if kind == "model":
        kept = loose(a.first("mlflow.chat.messages"))
        span.sent = turns_of(kept if isinstance(kept, list) and kept else sent)
        span.answer = answer_of(came)
        span.columns = mlflow_columns(a, sent)
        if not isinstance(kept, list) or not span.sent or span.sent[-1].role != "assistant":
            return span
        span.answer = span.answer or span.sent[-1]  # older versions append the answer
        del span.sent[-1]
    elif kind == "tool":
        span.tool, span.args = raw.name, plain_args(sent)
        value = loose(came) if isinstance(came, str) and came[:1] == '"' else came
        put_result(span, None if value == "null" and span.failed else value)
    else:
        span.label = raw.name if kind else None
        inner = mapping(sent)
        only = next(iter(inner.values())) if len(inner) == 1 else sent
        span.asked = last_user(only)
    return span


def mlflow_columns(a: Attributes, sent: Any) -> dict[str, Any]:
    """Return usage, cost and model of an MLflow span."""
    columns: dict[str, Any] = dict(
        usage_columns(loose(a.get("mlflow.chat.tokenUsage")), cached_apart=False)
    )
    cost = mapping(loose(a.get("mlflow.llm.cost"))).get("total_cost")
    if isinstance(cost, int | float) and not isinstance(cost, bool):
        columns["cost"] = cost
    model = loose(a.get("mlflow.llm.model")) or mapping(sent).get("model")
    return {**columns, "model": model} if isinstance(model, str) and model else columns


def langfuse(raw: Raw) -> Span | None:
    """Read a span of Langfuse as it goes over OpenTelemetry; None where it is none."""
    a = raw.attributes
    given = a.text("langfuse.observation.type")
    if given is None:
        return None
    kind = {"generation": "model", "tool": "tool", "agent": "agent"}.get(given.lower(), "other")
    span = raw.span(kind)
    span.session = a.text("session.id", "langfuse.session.id")
    sent, came = a.get("langfuse.observation.input"), a.get("langfuse.observation.output")
    if kind == "model":
        span.sent, span.answer = turns_of(sent), answer_of(came)
        usage = loose(a.get("langfuse.observation.usage_details"))
        span.columns = langfuse_columns(usage, loose(a.get("langfuse.observation.cost_details")))
        model = a.text("langfuse.observation.model.name")
        if model:
            span.columns["model"] = model
    elif kind == "tool":
        span.tool, span.args = raw.name, plain_args(sent)
        put_result(span, came)
    else:
        span.label = raw.name if kind == "agent" else None
        span.asked = last_user(sent)
    return span


def langfuse_columns(usage: Any, cost: Any) -> dict[str, Any]:
    """Return columns of Langfuse's ``usageDetails`` and ``costDetails``.

    ``input`` leaves out what stands under ``input_cached_tokens`` and the like, since Langfuse
    wants its parts to add up.
    """
    usage, cost = mapping(usage), mapping(cost)

    def count(*names: str) -> int | None:
        return next(
            (int(usage[n]) for n in names if isinstance(usage.get(n), int | float)
             and not isinstance(usage[n], bool) and 0 <= usage[n] < 10**15), None
        )  # fmt: skip

    plain = count("input", "promptTokens", "prompt_tokens", "input_tokens")
    read = count("input_cached_tokens", "cache_read_input_tokens", "input_cache_read")
    written = count("cache_creation_input_tokens", "input_cache_creation")
    answer = count("output", "completionTokens", "completion_tokens", "output_tokens")
    thought = count("output_reasoning_tokens", "output_reasoning", "reasoning_tokens")
    total = count("total", "totalTokens", "total_tokens")
    if total is not None and total == (plain or 0) + (answer or 0):
        apart, thinking = 0, 0  # written by a library whose parts overlap
    else:
        apart, thinking = (read or 0) + (written or 0), thought or 0
    prompt = None if plain is None else plain + apart
    columns: dict[str, Any] = {
        "input_tokens": prompt,
        "cached_tokens": read,
        "cache_write_tokens": written,
        "output_tokens": None if answer is None else answer + thinking,
        "reasoning_tokens": thought,
        "tokens": total,
    }
    spent = Attributes(cost).number("total")
    if spent is not None:
        columns["cost"] = spent
    return {name: value for name, value in columns.items() if value is not None}


def monocle(raw: Raw) -> Span | None:
    """Read a span of Monocle, which keeps inputs and outputs in events; None where it is none."""
    a = raw.attributes
    given = a.text("span.type")
    if given is None or a.text("monocle_apptrace.version") is None:
        return None
    kind = "other"
    if given.startswith("inference"):
        kind = "model"
    elif given in ("agentic.tool.invocation", "agentic.mcp.invocation"):
        kind = "tool"
    elif given == "agentic.invocation":
        kind = "agent"
    span = raw.span(kind)
    span.session = a.text("scope.agentic.session")
    sent = next((e.get("input") for e in raw.event("data.input")), None)
    came = next((e.get("response") for e in raw.event("data.output")), None)
    if kind == "model":
        span.sent, span.answer = turns_of(sent), answer_of(came)
        for facts in raw.event("metadata"):
            span.columns.update(usage_columns(facts.tree, cached_apart=False))
        model = _entity(a, "model.")
        if model:
            span.columns["model"] = model.removeprefix("model.llm.")
    elif kind == "tool":
        span.tool, span.args = _entity(a, "tool.") or raw.name, plain_args(sent)
        put_result(span, came)
    else:
        span.label = _entity(a, "agent.") if kind == "agent" else None
        span.asked = last_user(sent) or text_of(sent)
    return span


def _entity(a: Attributes, kind: str) -> str | None:
    """Return the name of the entity of a kind; entities are numbered."""
    entities = a.get("entity")
    rows = entities if isinstance(entities, list) else list(mapping(entities).values())
    return next(
        (as_text(row.get("name")) for row in rows if isinstance(row, Mapping)
         and as_text(row.get("type")).startswith(kind) and row.get("name")), None
    )  # fmt: skip
