"""AutoGen: a recorded run of AgentChat, events of the core, and the traps of both."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load

RECORDED = Path(__file__).parent / "recorded" / "autogen_agentchat.json"


def test_a_recorded_run_of_agentchat():
    trace = load(RECORDED)
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.format == "autogen"
    assert trace.meta.task == "Will it rain?"
    assert calls["query"] == ["rain", "rain today", "fail"]
    assert calls["round"] == [1, 2, 2]
    assert calls["status"] == ["ok", "ok", "error"]
    assert calls["result"][2] == "no network"
    assert calls["paired_by"] == ["id"] * 3
    messages = json.loads(RECORDED.read_text("utf-8"))["messages"]
    used = [m["models_usage"]["prompt_tokens"] for m in messages if m["models_usage"]]
    assert rounds["input_tokens"] == used
    assert rounds["text"][2] == "It will not rain."
    assert None not in rounds["started"]
    assert load(json.loads(RECORDED.read_text("utf-8"))["messages"]).tables["calls"] == calls


def message(kind, content, source="helper", **more):
    return {"type": kind, "source": source, "content": content, **more}


def test_thoughts_summaries_code_and_handoffs():
    code = {"code_blocks": [{"code": "1/0", "language": "python"}], "retry_attempt": 0}
    trace = load([
        message("TextMessage", "q", "user"), message("ThoughtEvent", "hm"),
        message("CodeGenerationEvent", "try", **code),
        message("CodeExecutionEvent", None, result={"exit_code": 1, "output": "bad"}),
        message("ToolCallSummaryMessage", "again"), message("HandoffMessage", "to b"),
        message("TextMessage", "done"),
    ])  # fmt: skip
    assert trace.tables["rounds"]["reasoning"] == ["hm", ""]
    assert trace.tables["calls"]["args"] == [{"code": "1/0"}]
    assert trace.tables["calls"]["exit_code"] == [1]
    assert trace.tables["calls"]["status"] == ["error"]
    assert trace.tables["events"]["kind"] == ["user_message", "other"]
    assert any("repeats" in note.message for note in trace.notes)


def test_events_of_the_core_have_no_ids_and_send_the_history_again():
    function = {"name": "web_search", "arguments": '{"query": "a"}'}
    answer = {
        "choices": [
            {
                "message": {
                    "content": None,
                    "tool_calls": [{"id": "c1", "type": "function", "function": function}],
                }
            }
        ],
        "model": "m",
    }
    user = {"role": "user", "content": "q"}
    trace = load(
        [
            {
                "type": "LLMCall",
                "messages": [user],
                "response": answer,
                "prompt_tokens": 7,
                "completion_tokens": 2,
                "agent_id": "helper/1",
            },
            {
                "type": "ToolCall",
                "tool_name": "web_search",
                "arguments": {"query": "a"},
                "result": "Error: no",
                "agent_id": "helper/1",
            },
            {
                "type": "LLMCall",
                "messages": [user],
                "response": {"choices": []},
                "agent_id": "helper/1",
            },
            {
                "type": "ToolCall",
                "tool_name": "visit",
                "arguments": {},
                "result": "x",
                "agent_id": None,
            },
            {"type": "Message", "payload": "?"},
        ]
    )
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert calls["tool"] == ["web_search", "visit"]
    assert calls["status"] == ["error", "ok"]
    assert calls["paired_by"] == ["adjacency", "same_record"]
    assert rounds["input_tokens"] == [7, None]
    assert rounds["request"] == [1, 1]
    assert any(note.kind == "skipped" for note in trace.notes)


def test_malformed_messages():
    odd = [
        message("TextMessage", None),
        message("ToolCallRequestEvent", "x"),
        message("ToolCallRequestEvent", [{"name": None}, 5]),
        message("CodeExecutionEvent", []),
    ]
    assert load(odd).tables["calls"]["tool"] == ["?"]
    with pytest.raises(TraceError, match="holds no message"):
        load([{"type": 5}], format="autogen")
