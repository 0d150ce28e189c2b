"""OTLP in JSON: the GenAI conventions, the names before them, OpenLLMetry and the Vercel AI SDK."""

from __future__ import annotations

import json

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load, load_many

SEC = 10**9


def value(given):
    if isinstance(given, bool):
        return {"boolValue": given}
    if isinstance(given, int):
        return {"intValue": str(given)}
    if isinstance(given, float):
        return {"doubleValue": given}
    if isinstance(given, list):
        return {"arrayValue": {"values": [value(v) for v in given]}}
    if isinstance(given, dict):
        return {"kvlistValue": {"values": pairs(given)}}
    return {"stringValue": given}


def pairs(given):
    return [{"key": k, "value": value(v)} for k, v in given.items()]


def span(number, start, attributes, parent=0, name="s", trace="ab" * 16, status=None, events=()):
    return {
        "traceId": trace, "spanId": f"{number:016x}",
        "parentSpanId": f"{parent:016x}" if parent else "",
        "name": name, "startTimeUnixNano": str(1_700_000_000 * SEC + start * SEC),
        "endTimeUnixNano": str(1_700_000_000 * SEC + (start + 1) * SEC),
        "attributes": pairs(attributes), "status": status or {},
        "events": [{"name": n, "attributes": pairs(a)} for n, a in events],
    }  # fmt: skip


def otlp(*spans):
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": list(spans)}]}]}


def told(trace):
    calls = trace.tables["calls"]
    rows = zip(calls["tool"], calls["args"], calls["result"], calls["status"], strict=True)
    return [tuple(row) for row in rows]


def parts(role, *items):
    return {"role": role, "parts": list(items)}


HELLO = parts("user", {"type": "text", "content": "hello"})
ASKED = parts("assistant", {"type": "tool_call", "id": "c1", "name": "find",
                            "arguments": {"q": "x"}})  # fmt: skip
CAME = parts("tool", {"type": "tool_call_response", "id": "c1", "response": "none"})
END = parts("assistant", {"type": "text", "content": "end"})
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1",
        "gen_ai.conversation.id": "conv"}  # fmt: skip


def conventions(with_tool=True):
    yield span(1, 0, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "bot"})
    yield span(2, 1, CHAT | {
        "gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 3,
        "gen_ai.usage.cache_read.input_tokens": 4,
        "gen_ai.input.messages": json.dumps([HELLO]),
        "gen_ai.output.messages": json.dumps([ASKED])}, 1)  # fmt: skip
    if with_tool:
        yield span(3, 3, {
            "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find",
            "gen_ai.tool.call.id": "c1", "gen_ai.tool.call.arguments": '{"q": "x"}',
            "gen_ai.tool.call.result": "none"}, 1)  # fmt: skip
    yield span(4, 5, CHAT | {
        "gen_ai.input.messages": json.dumps([HELLO, ASKED, CAME]),
        "gen_ai.output.messages": json.dumps([END])}, 1)  # fmt: skip


@pytest.mark.parametrize("with_tool", [True, False])
def test_the_conventions(with_tool):
    trace = load(otlp(*conventions(with_tool)))
    assert trace.format == "otlp"
    assert told(trace) == [("find", {"q": "x"}, "none", "ok")]
    rounds = trace.tables["rounds"]
    assert rounds["text"] == ["", "end"]
    assert (rounds["input_tokens"], rounds["cached_tokens"]) == ([10, None], [4, None])
    assert rounds["cost"] == [None, None]
    assert rounds["started"] == [1_700_000_002, 1_700_000_006]
    assert trace.tables["events"]["text"] == ["hello"]
    assert (trace.meta.session_id, trace.meta.agent, trace.meta.models) == ("conv", "bot", ("m-1",))
    assert trace.meta.trace_id == "ab" * 16


def test_the_spans_of_a_trace_lie_in_several_lines_and_out_of_order(tmp_path):
    path = tmp_path / "spans.jsonl"
    lines = [json.dumps(otlp(s)) for s in reversed(list(conventions()))]
    path.write_text("\n".join(lines))
    trace = load(path)
    assert told(trace) == [("find", {"q": "x"}, "none", "ok")]
    assert trace.tables["rounds"]["line"] == [3, 1]


def test_older_conventions_keep_messages_in_events():
    trace = load(otlp(
        span(1, 0, {"gen_ai.system": "openai", "gen_ai.operation.name": "chat",
                    "gen_ai.usage.prompt_tokens": 5, "gen_ai.usage.completion_tokens": 2},
             events=[("gen_ai.user.message", {"content": "hello"}),
                     ("gen_ai.choice", {"index": 0, "message": json.dumps({"tool_calls": [
                         {"id": "c1", "type": "function",
                          "function": {"name": "find", "arguments": '{"q": "x"}'}}]})})]),
        span(2, 2, {"gen_ai.operation.name": "chat"},
             events=[("gen_ai.user.message", {"content": "hello"}),
                     ("gen_ai.assistant.message", {"tool_calls": json.dumps([
                         {"id": "c1", "function": {"name": "find", "arguments": '{"q": "x"}'}}])}),
                     ("gen_ai.tool.message", {"id": "c1", "content": "Error: none"}),
                     ("gen_ai.choice", {"message": json.dumps({"content": "end"})})]),
    ))  # fmt: skip
    assert told(trace) == [("find", {"q": "x"}, "Error: none", "error")]
    assert trace.tables["rounds"]["input_tokens"] == [5, None]
    assert trace.tables["rounds"]["text"] == ["", "end"]


def test_openllmetry_numbers_prompts_and_completions():
    first = {
        "llm.request.type": "chat", "gen_ai.request.model": "m", "llm.usage.total_tokens": 9,
        "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "hello",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.tool_calls.0.id": "c1",
        "gen_ai.completion.0.tool_calls.0.name": "find",
        "gen_ai.completion.0.tool_calls.0.arguments": '{"q": "x"}',
    }  # fmt: skip
    tool = {
        "traceloop.span.kind": "tool", "traceloop.entity.name": "find",
        "traceloop.entity.input": json.dumps({"input_str": "{'q': 'x'}", "tags": []}),
        "traceloop.entity.output": json.dumps({"output": "none"}),
    }  # fmt: skip
    trace = load(otlp(span(1, 0, first), span(2, 2, tool), span(3, 9, {
        "traceloop.span.kind": "workflow"})))  # fmt: skip
    assert told(trace) == [("find", {"q": "x"}, "none", "ok")]
    assert trace.tables["rounds"]["tokens"] == [9]
    assert trace.tables["calls"]["call_id"] == ["c1"]


def test_the_vercel_sdk_wraps_responses_and_tools_in_one_span():
    prompt = [{"role": "user", "content": [{"type": "text", "text": "hello"}]}]
    again = [
        *prompt,
        {"role": "assistant", "content": [
            {"type": "tool-call", "toolCallId": "c1", "toolName": "find", "input": {"q": "x"}}]},
        {"role": "tool", "content": [
            {"type": "tool-result", "toolCallId": "c1", "toolName": "find",
             "output": {"type": "text", "value": "none"}}]},
    ]  # fmt: skip
    trace = load(otlp(
        span(1, 0, {"ai.operationId": "ai.generateText", "ai.usage.promptTokens": 30,
                    "ai.prompt": json.dumps({"prompt": "hello"}), "ai.response.text": "end"}),
        span(2, 1, {"ai.operationId": "ai.generateText.doGenerate", "ai.usage.promptTokens": 10,
                    "ai.model.id": "m", "ai.prompt.messages": json.dumps(prompt),
                    "ai.response.toolCalls": json.dumps([
                        {"toolCallId": "c1", "toolName": "find", "args": '{"q":"x"}'}])}, 1),
        span(3, 2, {"ai.operationId": "ai.toolCall", "ai.toolCall.name": "find",
                    "ai.toolCall.id": "c1", "ai.toolCall.args": '{"q":"x"}',
                    "ai.toolCall.result": '"none"'}, 1),
        span(4, 3, {"ai.operationId": "ai.generateText.doGenerate", "ai.usage.promptTokens": 20,
                    "ai.prompt.messages": json.dumps(again), "ai.response.text": "end"}, 1),
    ))  # fmt: skip
    assert told(trace) == [("find", {"q": "x"}, "none", "ok")]
    assert trace.tables["rounds"]["input_tokens"] == [10, 20]
    assert trace.tables["events"]["text"] == ["hello"]


def test_errors_stand_in_the_status_the_type_and_the_exception():
    trace = load(otlp(span(
        1, 0, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find"},
        status={"code": 2, "message": ""},
        events=[("exception", {"exception.type": "TimeoutError", "exception.message": "late"})],
    )))  # fmt: skip
    assert told(trace) == [("find", None, "late", "error")]
    assert trace.tables["calls"]["error_type"] == ["TimeoutError"]


def test_a_result_that_was_not_recorded_is_missing_not_empty():
    trace = load(otlp(span(1, 0, {"gen_ai.operation.name": "execute_tool",
                                  "gen_ai.tool.name": "find"})))  # fmt: skip
    assert trace.tables["calls"]["status"] == ["missing"]
    assert any("does not hold its result" in n.message for n in trace.notes)


def test_traces_of_a_web_server_are_left_out_and_noted(tmp_path):
    other = span(9, 0, {"http.method": "GET"}, trace="cd" * 16)
    trace = load(otlp(other, *conventions()))
    assert trace.meta.trace_id == "ab" * 16
    assert any("without any model" in n.message for n in trace.notes)
    only = load(otlp(other))
    assert len(only.tables["rounds"]["round"]) == 0


def test_many_traces_are_many():
    source = otlp(*conventions(), *(s | {"traceId": "cd" * 16} for s in conventions()))
    with pytest.raises(TraceError, match="holds 2 traces"):
        load(source)
    assert [len(t) for t in load_many(source)] == [1, 1]


@pytest.mark.parametrize(
    "source",
    [
        {"resourceSpans": [None, {"scopeSpans": {}}, {"scopeSpans": [{"spans": [1, {}]}]}]},
        {"resourceSpans": []},
    ],
)
def test_nothing_to_read_is_one_line(source):
    with pytest.raises(TraceError, match="holds no trace") as caught:
        load(source)
    assert "\n" not in str(caught.value)


def test_base64_ids_and_snake_case():
    one = span(1, 0, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "a"})
    snake = {
        "trace_id": "q6urq6urq6urq6urq6urqw==", "span_id": "AAAAAAAAAAE=", "name": "s",
        "start_time_unix_nano": one["startTimeUnixNano"], "attributes": one["attributes"],
    }  # fmt: skip
    trace = load({"resource_spans": [{"scope_spans": [{"spans": [snake]}]}]})
    assert trace.meta.trace_id == "ab" * 16
    assert len(trace) == 1
