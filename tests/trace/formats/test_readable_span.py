"""`ReadableSpan.to_json()`: a real run by Monocle, and hand-written spans."""

from __future__ import annotations

import ast
import json
from collections import Counter

import pytest

from agentlens.trace.load import load


@pytest.mark.shared
def test_a_real_run_of_monocle_agrees_with_a_plain_reading_of_its_spans(shared):
    path = shared / "data" / "traces" / "otel_monocle" / "web_research_ev_battery.json"
    spans = json.loads(path.read_text("utf-8"))
    kinds = Counter(s["attributes"]["span.type"] for s in spans)

    def event(span, name, key):
        return next(e["attributes"][key] for e in span["events"] if e["name"] == name)

    tools = sorted(
        (s for s in spans if s["attributes"]["span.type"] == "agentic.tool.invocation"),
        key=lambda s: s["start_time"],
    )
    models = sorted(
        (s for s in spans if s["attributes"]["span.type"] == "inference.framework"),
        key=lambda s: s["start_time"],
    )
    trace = load(path)
    assert trace.format == "readable_span"
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert len(trace) == kinds["agentic.tool.invocation"] == 6
    assert len(rounds["round"]) == kinds["inference.framework"] == 4
    assert rounds["output_tokens"] == [event(s, "metadata", "completion_tokens") for s in models]
    assert Counter(calls["result"]) == Counter(event(s, "data.output", "response") for s in tools)
    ran = [ast.literal_eval(event(s, "data.input", "input")) for s in tools]
    urls = Counter(args.get("url") for args in ran)
    assert Counter((args or {}).get("url") for args in calls["args"]) == urls
    assert calls["status"].count("error") == sum(
        event(s, "data.output", "response").startswith("Error:") for s in tools
    )
    assert trace.tables["threads"]["thread"] == ["main"]
    assert trace.meta.session_id == models[0]["attributes"]["scope.agentic.session"]
    assert max(rounds["request"]) == 1


def span(name, span_id, parent, second, **attributes):
    return {
        "name": name, "kind": "SpanKind.INTERNAL", "parent_id": parent,
        "context": {"trace_id": "0xab", "span_id": span_id, "trace_state": "[]"},
        "start_time": f"2026-01-01T00:00:{second:02}.000000Z",
        "end_time": f"2026-01-01T00:00:{second + 1:02}.000000Z",
        "status": {"status_code": "UNSET"}, "attributes": attributes, "events": [], "links": [],
    }  # fmt: skip


def test_pydantic_ai_keeps_messages_in_an_attribute_named_events():
    asked = [
        {"event.name": "gen_ai.user.message", "role": "user", "content": "hello"},
        {"event.name": "gen_ai.choice", "index": 0, "message": {
            "role": "assistant", "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "f", "arguments": {"q": 1}}}
            ]}},
    ]  # fmt: skip
    trace = load([
        span("agent run", "0x1", None, 0, agent_name="bot"),
        span("chat m", "0x2", "0x1", 1, **{"gen_ai.operation.name": "chat", "events":
             json.dumps(asked), "gen_ai.usage.input_tokens": 3, "operation.cost": 0.25}),
        span("running tool", "0x3", "0x1", 3, **{"gen_ai.tool.name": "f", "gen_ai.tool.call.id":
             "c1", "tool_arguments": '{"q": 1}', "tool_response": "r"}),
    ])  # fmt: skip
    assert trace.format == "readable_span"
    assert trace.tables["calls"]["paired_by"] == ["id"]
    assert trace.tables["calls"]["result"] == ["r"]
    assert trace.tables["calls"]["args"] == [{"q": 1}]
    assert trace.tables["rounds"]["cost"] == [0.25]
    assert trace.tables["events"]["text"] == ["hello"]
    assert trace.meta.agent == "bot"


def test_records_that_are_no_spans_are_noted():
    good = span("t", "1", None, 0, **{"gen_ai.operation.name": "execute_tool"})
    trace = load([good, good, {"x": 1}])
    assert any("not a span" in note.message for note in trace.notes)
