"""mini-swe-agent trajectories of every version: where commands and answers stand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load

INFO = {
    "exit_status": "Submitted",
    "submission": "",
    "mini_version": "2.4.6",
    "model_stats": {"instance_cost": 0.5, "api_calls": 2},
    "config": {"model": {"model_name": "m"}, "agent": {"step_limit": 9, "cost_limit": 0.0}},
}


def run(*messages, **fields):
    start = [{"role": "system", "content": "S"}, {"role": "user", "content": "Fix it"}]
    return load({"info": INFO, "messages": [*start, *messages], **fields})


def test_the_text_of_version_1_holds_the_command():
    trace = run(
        {"role": "assistant", "content": "THOUGHT: x\n\n```bash\nls -a\n```", "timestamp": 1.7e9},
        {"role": "user", "content": "<returncode>0</returncode>\n<output>\na</output>"},
        {"role": "assistant", "content": "no command"},
        {"role": "user", "content": "Please provide EXACTLY ONE action"},
        {"role": "assistant", "content": "```bash\nmake\n```"},
        {"role": "user", "content": "<returncode>2</returncode>"},
        {"role": "assistant", "content": "```bash\necho COMPLETE\n```"},
        trajectory_format="mini-swe-agent-1",
    )
    calls = trace.tables["calls"]
    assert trace.format == "mini_swe_agent"
    assert [args["command"] for args in calls["args"]] == ["ls -a", "make", "echo COMPLETE"]
    assert calls["status"] == ["ok", "error", "missing"]
    assert calls["exit_code"] == [0, 2, None]
    assert trace.tables["rounds"]["request"] == [1, 1, 1, 1]
    assert trace.tables["rounds"]["started"][0] == 1.7e9
    assert trace.meta.limits == {"max_steps": 9}
    assert trace.meta.outcome["exit_reason"] == "Submitted"


def test_calls_of_version_2_pair_by_id_and_cost_once():
    call = lambda n: {"id": n, "function": {"name": "bash", "arguments": '{"command": "a"}'}}  # noqa: E731
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12,
             "prompt_tokens_details": {"cached_tokens": 4}}  # fmt: skip
    trace = run(
        {"role": "assistant", "content": None, "tool_calls": [call("c1"), call("c2")],
         "extra": {"actions": [{"command": "a", "tool_call_id": "c1"}], "cost": 0.25,
                   "timestamp": 100.0, "response": {"model": "m-1", "usage": usage}}},
        {"role": "tool", "tool_call_id": "c2", "content": "B",
         "extra": {"returncode": -1, "exception_info": "timed out", "timestamp": 103.0}},
        {"role": "tool", "tool_call_id": "c1", "content": "A",
         "extra": {"returncode": 0, "exception_info": "", "timestamp": 104.0}},
        {"role": "user", "content": "bad", "extra": {"interrupt_type": "FormatError"}},
        {"role": "user", "content": "Stop that", "extra": {"interrupt_type": "UserInterruption"}},
        {"role": "assistant", "content": "x", "extra": {"actions": [], "cost": 0.0}},
        {"role": "exit", "content": "LimitsExceeded", "extra": {"exit_status": "LimitsExceeded"}},
    )  # fmt: skip
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert calls["result"] == ["A", "B"]
    assert calls["status"] == ["ok", "error"]
    assert calls["seconds"] == [4.0, 3.0]
    assert rounds["cost"] == [0.25, None]
    assert (rounds["input_tokens"][0], rounds["cached_tokens"][0]) == (10, 4)
    assert rounds["request"] == [1, 2]
    assert rounds["model"] == ["m-1", "m"]
    assert trace.tables["events"]["kind"] == [
        "user_message",
        "other",
        "user_message",
        "guard_fired",
    ]


def test_responses_turns_have_no_role():
    trace = run(
        {"object": "response", "usage": {"input_tokens": 7, "output_tokens": 1},
         "output": [{"type": "reasoning", "summary": [{"text": "hm"}]},
                    {"type": "message", "content": [{"type": "output_text", "text": "I look"}]},
                    {"type": "function_call", "call_id": "c1", "name": "bash",
                     "arguments": '{"command": "ls"}'}],
         "extra": {"cost": 1.0}},
        {"type": "function_call_output", "call_id": "c1", "output": "a",
         "extra": {"returncode": 0}},
    )  # fmt: skip
    rounds = trace.tables["rounds"]
    assert (rounds["text"], rounds["reasoning"], rounds["input_tokens"]) == (
        ["I look"],
        ["hm"],
        [7],
    )
    assert trace.tables["calls"]["result"] == ["a"]
    assert trace.tables["calls"]["paired_by"] == ["id"]


def test_nothing_to_read_is_an_error():
    with pytest.raises(TraceError, match="holds no message"):
        load({"info": INFO, "messages": [1]})


@pytest.mark.shared
def test_a_real_file_counted_otherwise(shared: Path):
    path = shared / "data" / "traces" / "mini_swe_agent" / "mini_swe_agent_1.1.traj.json"
    messages = json.loads(path.read_text("utf-8"))["messages"]
    answers = [m for m in messages if m["role"] == "assistant"]
    commands = [a["command"] for m in answers for a in m["extra"]["actions"]]
    codes = [m["extra"]["returncode"] for m in messages[2:] if m["role"] == "user"]
    trace = load(path)
    calls = trace.tables["calls"]
    assert [args["command"] for args in calls["args"]] == commands
    assert calls["exit_code"] == [*codes, None]
    assert calls["status"] == ["error" if code else "ok" for code in codes] + ["ok"]
    assert sum(trace.tables["rounds"]["cost"]) == pytest.approx(0.05)
    assert trace.meta.totals["instance_cost"] == 0.05
