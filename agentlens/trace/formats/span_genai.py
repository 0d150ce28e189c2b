"""Attributes of spans by OpenTelemetry's GenAI conventions, OpenLLMetry and the Vercel AI SDK.

Facts that it rests on: ``gen_ai.operation.name`` says what a span is; messages lie in
``gen_ai.input.messages`` as JSON, before that in events ``gen_ai.user.message`` ...
``gen_ai.choice``, and in OpenLLMetry in ``gen_ai.prompt.0.content``; contents are opt-in and often
absent; input tokens include cached ones; Vercel's ``ai.generateText`` wraps one
``ai.generateText.doGenerate`` for each response and one ``ai.toolCall`` for each call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentlens.trace.content import as_text
from agentlens.trace.formats.part import mapping, text_or_none
from agentlens.trace.formats.span import Attributes, Raw, Span, loose
from agentlens.trace.formats.span_messages import answer_of, turns_of
from agentlens.trace.formats.span_parts import result_of
from agentlens.trace.formats.turns import CallItem, Turn

__all__ = ["genai", "plain_args", "put_result", "vercel"]

_MODEL = frozenset(("chat", "generate_content", "text_completion", "completion", "responses"))
_KINDS = {"execute_tool": "tool", "invoke_agent": "agent"}
_LOOM = {"tool": "tool", "agent": "agent"}  # traceloop.span.kind; workflow and task are neither


def plain_args(value: Any) -> Any:
    """Return a call's arguments without the frame that an instrumentation puts around them."""
    value = loose(value)
    if isinstance(value, Mapping):
        names = set(value)
        if {"args", "kwargs"} <= names <= {"args", "kwargs", "sanitize_inputs_outputs"}:
            return value["kwargs"] or value["args"] or {}
        for key in ("input_str", "inputs"):
            if key in names and names <= {"input_str", "inputs", "tags", "metadata", "kwargs"}:
                return plain_args(value[key]) if key == "input_str" else value["inputs"]
    return value


def put_result(span: Span, value: Any) -> None:
    """Give a tool's span its result, and the call id where that stands in the result."""
    if value is None:
        return
    item = result_of(value)
    span.result, span.parts = item.text, item.parts
    span.call_id = span.call_id or item.call_id
    if item.error and span.failed is None:
        span.failed = True


def _usage(a: Attributes) -> dict[str, Any]:
    """Return columns of the rounds table; what the span does not say is left out."""
    use = "gen_ai.usage."
    columns: dict[str, Any] = {
        "input_tokens": a.count(
            use + "input_tokens", use + "prompt_tokens", "llm.usage.prompt_tokens",
            "ai.usage.inputTokens", "ai.usage.promptTokens",
        ),
        "cached_tokens": a.count(
            use + "cache_read.input_tokens", use + "cache_read_input_tokens",
            use + "details.cache_read_tokens", "ai.usage.cachedInputTokens",
        ),
        "cache_write_tokens": a.count(
            use + "cache_creation.input_tokens", use + "cache_creation_input_tokens",
            use + "details.cache_write_tokens",
        ),
        "output_tokens": a.count(
            use + "output_tokens", use + "completion_tokens", "llm.usage.completion_tokens",
            "ai.usage.outputTokens", "ai.usage.completionTokens",
        ),
        "reasoning_tokens": a.count(
            use + "reasoning.output_tokens", use + "reasoning_tokens", "ai.usage.reasoningTokens",
            use + "details.reasoning_tokens",
        ),
        "tokens": a.count(use + "total_tokens", "llm.usage.total_tokens", "ai.usage.totalTokens"),
        "cost": a.number(use + "cost", "operation.cost"),
        "model": a.text("gen_ai.response.model", "ai.response.model", "gen_ai.request.model",
                        "ai.model.id", "llm.request.model"),
        "message_id": a.text("gen_ai.response.id", "ai.response.id"),
    }  # fmt: skip
    return {name: value for name, value in columns.items() if value is not None}


def genai(raw: Raw) -> Span | None:
    """Read a span of the GenAI conventions or of OpenLLMetry; None where it is neither."""
    a = raw.attributes
    operation = a.text("gen_ai.operation.name") or ""
    kind = _KINDS.get(operation) or ("model" if operation in _MODEL else None)
    if not kind and not operation:
        loom = a.text("traceloop.span.kind")
        if a.text("gen_ai.tool.name"):
            kind = "tool"
        elif a.text("llm.request.type") in _MODEL or (
            loom is None and a.text("gen_ai.request.model", "gen_ai.response.model")
            and not a.text("agent_name", "gen_ai.agent.name")
        ):  # fmt: skip
            kind = "model"
        elif loom is not None:
            kind = _LOOM.get(loom, "other")
        elif a.text("agent_name", "gen_ai.agent.name"):
            kind = "agent"
    if not kind:
        return raw.span() if operation or a.get("gen_ai") else None
    span = raw.span(kind)
    span.session = a.text("gen_ai.conversation.id", "session.id", "traceloop.association."
                          "properties.session_id")  # fmt: skip
    if kind == "model":
        _model(span, raw)
    elif kind == "tool":
        _tool(span, raw)
    else:
        span.label = a.text("gen_ai.agent.name", "agent_name", "traceloop.entity.name")
        sent = a.first("gen_ai.input.messages", "traceloop.entity.input", "gen_ai.prompt")
        span.asked = next((t.text for t in turns_of(sent) if t.role == "user"), "")
    return span


def _model(span: Span, raw: Raw) -> None:
    a = raw.attributes
    span.columns = _usage(a)
    details = next(raw.event("gen_ai.client.inference.operation.details"), a)
    sent = a.first("gen_ai.input.messages") or details.first("gen_ai.input.messages")
    came = a.first("gen_ai.output.messages") or details.first("gen_ai.output.messages")
    sent = sent or a.first("gen_ai.prompt", "llm.prompts", "traceloop.entity.input")
    came = came or a.first("gen_ai.completion", "traceloop.entity.output")
    if sent is None and came is None:
        told = list(_events(raw))
        sent = [m for name, m in told if name != "gen_ai.choice"]
        came = [m for name, m in told if name == "gen_ai.choice"]
    span.sent = turns_of([_tidy(m) for m in s] if isinstance(s := loose(sent), list) else s)
    answer = answer_of([_tidy(m) for m in c] if isinstance(c := loose(came), list) else c)
    span.answer = answer


def _tidy(message: Any) -> Any:
    """Return an OpenLLMetry message, whose calls are bare, as others write it."""
    if not isinstance(message, Mapping):
        return message
    if "role" not in message and ("content" in message or "tool_calls" in message):
        return {"role": "assistant", **message}
    return message


def _events(raw: Raw) -> Iterator[tuple[str, Any]]:
    """Yield messages that are kept as events, of the span or in an attribute of that name."""
    kept = loose(raw.attributes.get("events"))
    events: list[tuple[str, Mapping[str, Any]]] = [
        (as_text(mapping(e).get("event.name")), mapping(e)) for e in
        (kept if isinstance(kept, list) else [])
    ]  # fmt: skip
    events += [(name, attributes.tree) for name, attributes in raw.events]
    for name, body in events:
        if not name.startswith("gen_ai.") or not name.endswith((".message", ".choice")):
            continue
        role = name.split(".")[1]
        inner = loose(body.get("message")) if name == "gen_ai.choice" else None
        message = {k: loose(v) if k in ("tool_calls", "content") else v for k, v in body.items()}
        if isinstance(inner, Mapping):
            message = dict(inner)
        elif inner is not None:
            message = {"content": inner, "tool_calls": loose(body.get("tool_calls"))}
        message.setdefault("role", "assistant" if role == "choice" else role)
        if role == "tool":
            message.setdefault("tool_call_id", body.get("id"))
        yield name, message


def _tool(span: Span, raw: Raw) -> None:
    a = raw.attributes
    span.tool = a.text("gen_ai.tool.name", "traceloop.entity.name") or raw.name
    span.call_id = a.text("gen_ai.tool.call.id")
    span.args = plain_args(
        a.first("gen_ai.tool.call.arguments", "tool_arguments", "gen_ai.tool.arguments",
                "traceloop.entity.input", "input.value")
    )  # fmt: skip
    result = a.get("gen_ai.tool.call.result")
    for name in ("tool_response", "gen_ai.tool.result", "traceloop.entity.output", "output.value"):
        result = a.get(name) if result is None else result
    for sent in raw.event("gen_ai.tool.message"):
        span.args = plain_args(sent.get("content")) if span.args is None else span.args
        span.call_id = span.call_id or sent.text("id")
    for came in raw.event("gen_ai.choice"):
        result = came.get("message") if result is None else result
    put_result(span, result)


def vercel(raw: Raw) -> Span | None:
    """Read a span of the Vercel AI SDK; None where it is none."""
    a = raw.attributes
    operation = a.text("ai.operationId") or ""
    if a.text("ai.toolCall.name"):
        span = raw.span("tool")
        span.tool = a.text("ai.toolCall.name") or "?"
        span.call_id = a.text("ai.toolCall.id")
        span.args = a.first("ai.toolCall.args", "ai.toolCall.input")
        result = a.get("ai.toolCall.result")
        put_result(span, a.get("ai.toolCall.output") if result is None else result)
        return span
    if not operation.startswith("ai."):
        return None
    if operation.endswith((".doGenerate", ".doStream")):
        span = raw.span("model")
        span.columns = _usage(a)
        span.sent = turns_of(a.first("ai.prompt.messages", "ai.prompt"))
        given = loose(a.first("ai.response.toolCalls", "ai.result.toolCalls"))
        calls = [
            CallItem(
                as_text(call.get("toolName")) or "?", call.get("args", call.get("input")),
                text_or_none(call.get("toolCallId")),
            )
            for call in map(mapping, given if isinstance(given, list) else [])
        ]  # fmt: skip
        text = a.text("ai.response.text", "ai.result.text", "ai.response.object",
                      "ai.result.object")  # fmt: skip
        reasoning = a.text("ai.response.reasoning")
        if text or calls or reasoning:
            span.answer = Turn("assistant", text or "", reasoning or "", calls)
    else:
        kinds = ("ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject")
        span = raw.span("agent" if operation in kinds else "other")
        span.label = a.text("ai.telemetry.functionId")
        asked = turns_of(a.first("ai.prompt"))
        span.asked = next((t.text for t in reversed(asked) if t.role == "user"), "")
    span.session = a.text("ai.telemetry.metadata.sessionId", "session.id")
    return span
