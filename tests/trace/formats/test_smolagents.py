"""Steps of smolagents: recorded runs, and the traps of the format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load, load_many

RECORDED = Path(__file__).parent / "recorded" / "smolagents_code.json"


def step(number, *calls, **more):
    return {
        "step_number": number, "model_output": "said", "observations": "seen", "error": None,
        "tool_calls": [
            {"id": f"c{number}{i}", "type": "function", "function": {"name": n, "arguments": a}}
            for i, (n, a) in enumerate(calls)
        ], **more,
    }  # fmt: skip


def test_a_recorded_code_agent():
    trace = load(RECORDED)
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.format == "smolagents"
    assert trace.meta.task == "Will it rain?"
    assert calls["tool"] == ["web_search"] * 3 + ["python_interpreter", "final_answer"]
    assert calls["query"][:3] == ["rain", "rain today", "rain now"]
    assert calls["round"] == [1, 1, 2, 4, 5]
    assert calls["status"] == ["ok", "ok", "ok", "error", "ok"]
    assert calls["error_type"][3] == "AgentExecutionError"
    assert "ZeroDivisionError" in calls["result"][3]
    assert "nothing about rain now" in calls["result"][2]
    assert rounds["time_quality"] == ["real"] * 5
    steps = [s for s in json.loads(RECORDED.read_text("utf-8")) if "step_number" in s]
    assert rounds["seconds"] == [s["timing"]["duration"] for s in steps]
    assert rounds["tokens"] == [None] * 5
    assert trace.tables["events"]["kind"] == ["user_message", "other"]


def test_one_text_for_several_calls_goes_to_the_last():
    trace = load([{"task": "t"}, step(1, ("web_search", {"query": "a"}), ("visit", {"url": "u"}))])
    assert trace.tables["calls"]["result"] == ["", "seen"]
    assert any("share one result" in note.message for note in trace.notes)


def test_plans_results_and_wrapped_runs():
    usage = {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7}
    steps = [{"task": "t"}, {"plan": "first", "token_usage": usage}, step(1, token_usage=usage)]
    trace = load({"output": None, "state": "max_steps_error", "steps": steps})
    assert trace.tables["rounds"]["text"] == ["first", "said"]
    assert trace.tables["rounds"]["tokens"] == [7, 7]
    assert trace.meta.outcome["exit_reason"] == "max_steps_error"


def test_malformed_steps():
    odd = [5, {"x": 1}, step("?", timing=5, error="bad", tool_calls=[{"function": 5}, 7]),
           step(2, ("python_interpreter", "def oops(:")), step(3, observations=None)]  # fmt: skip
    trace = load(odd)
    assert {note.kind for note in trace.notes} >= {"skipped", "damaged"}
    assert trace.tables["calls"]["args"][1] == {"code": "def oops(:"}
    with pytest.raises(TraceError, match="holds no step"):
        load([{"task": "t"}], format="smolagents")


@pytest.mark.shared
def test_counts_of_the_real_file_made_otherwise_agree(shared: Path):
    path = shared / "data" / "traces" / "smolagents" / "smolagents_full_steps.json"
    steps = [s for s in json.loads(path.read_text("utf-8")) if "step_number" in s]
    (trace,) = load_many(path)
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    given = [c["function"] for s in steps for c in s["tool_calls"]]
    assert len(rounds["round"]) == len(steps) == 6
    assert calls["tool"] == [c["name"] for c in given]
    assert calls["args"] == [c["arguments"] for c in given]
    assert calls["result"] == [s["observations"] for s in steps]
    assert rounds["input_tokens"] == [s["token_usage"]["input_tokens"] for s in steps]
