"""Cline and Roo: XML calls, hidden rows, details of the host, what a person says, the CLI."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.errors import TraceError
from agentlens.trace.load import load
from agentlens.trace.xml_calls import xml_calls

DETAILS = "<environment_details>\n# Time {}\n</environment_details>"


def user(ts, *texts):
    return {"role": "user", "ts": ts, "content": [{"type": "text", "text": t} for t in texts]}


def model(ts, text, **fields):
    return {"role": "assistant", "ts": ts, "content": [{"type": "text", "text": text}], **fields}


def test_xml_calls_of_old_tasks(tmp_path):
    messages = [
        user(1_700_000_000_000, "<task>\nFix it\n</task>", DETAILS.format(1)),
        model(1_700_000_001_000, "I look.\n<read_file>\n<path>a.py</path>\n</read_file>"),
        user(1_700_000_003_000, "[read_file for 'a.py'] Result:", "x = 1", DETAILS.format(2)),
        model(1_700_000_004_000, "<use_mcp_tool><server_name>tavily</server_name>"
              "<tool_name>search</tool_name>"
              '<arguments>{"query": "rain"}</arguments></use_mcp_tool>'),
        user(1_700_000_005_000, "[use_mcp_tool for 'tavily'] Result:", "[]", DETAILS.format(3)),
        model(1_700_000_006_000, "I think."),
        user(1_700_000_007_000, "[ERROR] You did not use a tool in your previous response!"),
        model(1_700_000_008_000, "<execute_command><command>rm x</command></execute_command>"),
        user(1_700_000_009_000, "[execute_command for 'rm x'] Result:",
             "The user denied this operation."),
        model(1_700_000_010_000, "<attempt_completion><result>Done</result></attempt_completion>"),
        user(1_700_000_011_000, "[attempt_completion] Result:",
             "The user has provided feedback.\n<feedback>\nNot yet\n</feedback>"),
        model(1_700_000_012_000, "<write_to_file><path>b</path><content>a </content> b</content>"
              "</write_to_file>"),
    ]  # fmt: skip
    folder = tmp_path / "1700000000000"
    folder.mkdir()
    path = folder / "api_conversation_history.json"
    path.write_text(json.dumps(messages))
    trace = load(path)
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.format == "cline"
    assert calls["tool"] == [
        "read_file", "search", "execute_command", "attempt_completion", "write_to_file",
    ]  # fmt: skip
    assert calls["namespace"][1] == "tavily"
    assert calls["query"][1] == "rain"
    assert calls["args"][4] == {"path": "b", "content": "a </content> b"}
    assert calls["result"][:3] == ["x = 1", "[]", "The user denied this operation."]
    assert calls["status"] == ["ok", "ok", "denied", "ok", "missing"]
    assert calls["seconds"][0] == 2.0
    assert rounds["text"][:3] == ["I look.", "", "I think."]
    assert rounds["request"] == [1, 1, 1, 1, 1, 2]
    events = trace.tables["events"]
    assert [t for k, t in zip(events["kind"], events["text"], strict=True)
            if k == "user_message"] == ["Fix it", "Not yet"]  # fmt: skip
    assert trace.meta.task == "Fix it"
    assert trace.meta.session_id == "1700000000000"


def test_rows_that_roo_hides_from_the_model():
    use = {"type": "tool_use", "id": "t1", "name": "read_file", "input": {"path": "a"}}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": f"text\n{DETAILS.format(9)}"}
    trace = load([
        user(1_700_000_000_000, "Fix it", DETAILS.format(1)),
        {"type": "reasoning", "ts": 1, "summary": [{"type": "summary_text", "text": "hm"}]},
        {"role": "assistant", "ts": 2, "content": [use], "condenseParent": "k"},
        {"role": "user", "ts": 3, "content": [answer], "condenseParent": "k"},
        {"role": "assistant", "ts": 4, "content": "so far", "isSummary": True, "condenseId": "k"},
        {"role": "assistant", "ts": 5, "content": "", "isTruncationMarker": True},
        model(6, "On it"),
    ])  # fmt: skip
    rounds = trace.tables["rounds"]
    assert trace.format == "cline"
    assert rounds["hidden"] == [True, False]
    assert rounds["reasoning"] == ["hm", ""]
    assert trace.tables["calls"]["result"] == ["text"]
    assert trace.tables["events"]["kind"] == ["user_message", "compaction", "compaction"]


def test_messages_of_the_cli():
    use = {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}}
    metrics = {"inputTokens": 10, "outputTokens": 2, "cacheReadTokens": 5, "cacheWriteTokens": 1,
               "cost": 0.25}  # fmt: skip
    trace = load({"sessionId": "s", "messages": [
        {"role": "user", "content": "Fix it", "ts": 1_700_000_000_000},
        {"role": "assistant", "content": [use], "ts": 1_700_000_001_000,
         "modelInfo": {"id": "m"}, "metrics": metrics},
        {"role": "user", "ts": 1_700_000_002_000, "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "a", "is_error": False}]},
    ]})  # fmt: skip
    rounds = trace.tables["rounds"]
    assert (trace.format, trace.meta.session_id) == ("cline", "s")
    assert (rounds["cost"], rounds["model"]) == ([0.25], ["m"])
    assert (rounds["input_tokens"], rounds["cached_tokens"]) == ([16], [5])
    assert trace.tables["calls"]["result"] == ["a"]


def test_no_message_is_an_error():
    with pytest.raises(TraceError, match="holds no message"):
        load([{"a": 1}], format="cline")


@given(st.text(alphabet="<>/read_filepth args\n[] Result:", max_size=120))
def test_no_text_crashes_it(text):
    assert isinstance(xml_calls(text)[1], list)
    load([user(1, "x"), model(2, f"<read_file>{text}</read_file>"), user(3, text)], format="cline")
