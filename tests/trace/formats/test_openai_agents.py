"""Exports of the OpenAI Agents SDK: a real one, and hand-written ones with errors and MCP."""

from __future__ import annotations

import json

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load


@pytest.mark.shared
def test_a_real_export_agrees_with_a_plain_reading(shared):
    path = shared / "data" / "traces" / "openai_agents_sdk" / "openai_agents_sdk_export.jsonl"
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    spans = sorted((r for r in records if "span_data" in r), key=lambda r: r["started_at"])
    of = lambda kind: [s["span_data"] for s in spans if s["span_data"]["type"] == kind]  # noqa: E731
    trace = load(path)
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.format == "openai_agents"
    assert calls["tool"] == [f["name"] for f in of("function")]
    assert calls["args"] == [json.loads(f["input"]) for f in of("function")]
    assert calls["result"] == [f["output"] for f in of("function")]
    assert calls["status"].count("error") == sum(bool(s["error"]) for s in spans)
    assert len(rounds["round"]) == len(of("generation"))
    assert rounds["input_tokens"] == [g["usage"]["input_tokens"] for g in of("generation")]
    assert rounds["cost"] == [None] * 4
    assert calls["round"] == [1, 2, 3, 4]
    assert trace.tables["threads"]["thread"] == ["main"]
    assert trace.meta.session_id == records[-1]["group_id"]
    assert trace.meta.agent == of("agent")[0]["name"]


def span(number, kind, second, parent=None, error=None, **data):
    return {
        "object": "trace.span", "id": f"s{number}", "trace_id": "t", "parent_id": parent,
        "started_at": f"2026-01-01T00:00:{second:02}+00:00",
        "ended_at": f"2026-01-01T00:00:{second + 1:02}+00:00",
        "span_data": {"type": kind, **data}, "error": error,
    }  # fmt: skip


HEAD = {"object": "trace", "id": "t", "workflow_name": "w", "group_id": None}


def asked(*names):
    return [{"type": "function_call", "name": n, "arguments": "{}", "call_id": n} for n in names]


def test_an_agent_as_a_tool_is_a_thread_and_a_hand_over_is_none():
    trace = load([
        HEAD,
        span(1, "agent", 0, name="boss"),
        span(2, "response", 1, "s1", response_id="r1", usage={"input_tokens": 5},
             response={"object": "response", "output": asked("ask"), "model": "m"}),
        span(3, "function", 3, "s1", name="ask", input="{}", output="it"),
        span(4, "agent", 4, "s3", name="expert"),
        span(5, "generation", 5, "s4", output=[{"role": "assistant", "content": "it"}]),
        span(6, "agent", 9, name="writer"),
        span(7, "generation", 10, "s6", output=[{"role": "assistant", "content": "end"}]),
    ])  # fmt: skip
    assert trace.tables["threads"]["thread"] == ["main", "ask"]
    assert trace.tables["threads"]["parent_call"] == [None, "ask"]
    assert trace.tables["rounds"]["text"] == ["", "it", "end"]
    assert trace.tables["rounds"]["thread"] == ["main", "ask", "main"]
    assert trace.tables["rounds"]["message_id"] == ["r1", None, None]


def test_errors_and_mcp_servers(tmp_path):
    records = [
        span(1, "generation", 1, output=asked("f", "g")),
        span(2, "function", 3, name="f", input='{"a": 1', output=None,
             error={"message": "bad", "data": {}}),
        span(3, "function", 3, name="g", input="{}", output="ok", mcp_data={"server": "docs"}),
        HEAD, {"object": "other"},
    ]  # fmt: skip
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(map(json.dumps, records)) + '\n{"object": "trace.sp')
    trace = load(path)
    calls = trace.tables["calls"]
    assert [(t, s) for t, s in zip(calls["tool"], calls["status"], strict=True)] == [
        ("f", "error"), ("g", "missing"), ("g", "ok")]  # fmt: skip
    assert calls["namespace"] == [None, None, "docs"]
    assert calls["result"][0] == "bad"
    assert {"damaged", "skipped"} <= {note.kind for note in trace.notes}


def test_a_trace_without_spans_is_refused():
    with pytest.raises(TraceError, match="holds no span"):
        load([HEAD])
