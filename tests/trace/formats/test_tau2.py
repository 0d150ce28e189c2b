"""tau2-bench simulations: the real voice run recounted by hand, and the traps of the format."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path

import pytest

from agentlens.trace.load import load, load_many

T = "2026-03-02T09:00:0{}.5"


def call(name, requestor, call_id):
    return {"id": call_id, "name": name, "arguments": {"a": 1}, "requestor": requestor}


def result(call_id, requestor, text="r", error=False):
    return {"role": "tool", "id": call_id, "content": text, "requestor": requestor, "error": error,
            "timestamp": T.format(3)}  # fmt: skip


def simulation(*messages, **more):
    return {
        "id": "s1", "task_id": "20", "trial": 0, "seed": 1, "termination_reason": "max_steps",
        "agent_cost": 0.5, "duration": 9.0, "reward_info": {"reward": 0.0},
        "messages": list(messages), **more,
    }  # fmt: skip


MESSAGES = (
    {"role": "assistant", "content": "Hi", "timestamp": T.format(0)},
    {"role": "user", "content": "My phone", "timestamp": T.format(1)},
    {"role": "assistant", "content": None, "tool_calls": [call("lookup", "assistant", "c1")],
     "timestamp": T.format(2), "cost": 0.1,
     "usage": {"prompt_tokens": 10, "completion_tokens": 2}},
    result("c1", "assistant", "Error: none", True),
    {"role": "user", "content": None, "tool_calls": [call("toggle", "user", "u1"),
                                                     call("check", "user", "u2")]},
    {"role": "tool", "tool_messages": [result("u1", "user", "on"), result("u2", "user", "bars 0")]},
    {"role": "user", "content": "It is on"},
    {"role": "assistant", "content": "bye"},
)  # fmt: skip


def test_the_simulated_users_calls_are_a_thread_of_their_own():
    trace = load(simulation(*MESSAGES))
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.format == "tau2"
    assert calls["tool"] == ["lookup", "toggle", "check"]
    assert calls["thread"] == ["main", "user", "user"]
    assert calls["result"] == ["Error: none", "on", "bars 0"]
    assert calls["status"] == ["error", "ok", "ok"]
    assert trace.tables["threads"]["kind"] == ["main", "simulated_user"]
    main = [r for r, t in zip(rounds["request"], rounds["thread"], strict=True) if t == "main"]
    assert main == [1, 2, 3]
    assert rounds["cost"][1] == 0.1
    assert rounds["input_tokens"][1] == 10
    assert trace.meta.outcome["exit_reason"] == "max_steps"
    assert trace.meta.totals == {"cost": 0.5, "seconds": 9.0}


def test_a_file_of_many_with_its_tasks():
    task = {"id": "20", "user_scenario": {"instructions": "call about it"}}
    log = {"info": {"max_steps": 7, "agent_info": {"llm": "m"}}, "tasks": [task],
           "simulations": [simulation(*MESSAGES), 5, simulation(*MESSAGES, trial=1)]}  # fmt: skip
    traces = list(load_many(log))
    assert len(traces) == 2
    assert traces[0].meta.task == "call about it"
    assert traces[0].meta.limits == {"max_steps": 7}
    assert traces[0].meta.models == ("m",)


def test_ticks_with_words_and_calls():
    ticks = [
        {"agent_chunk": {"contains_speech": True, "content": "Hel"}},
        {"agent_chunk": {"contains_speech": True, "content": "lo"}},
        {"agent_chunk": {}, "user_chunk": {"contains_speech": True, "content": "hi"}},
        {"agent_tool_calls": [call("lookup", "assistant", "c1")],
         "user_tool_calls": [call("toggle", "user", "u1")]},
        {"agent_tool_results": [result("c1", "assistant")],
         "user_tool_results": [result("u1", "user", "no", True), result("u9", "user")]}, 5,
    ]  # fmt: skip
    trace = load(simulation(messages=[], ticks=ticks))
    calls = trace.tables["calls"]
    assert trace.tables["rounds"]["text"][0] == "Hel\nlo"
    assert calls["thread"] == ["main", "user"]
    assert calls["status"] == ["ok", "error"]
    assert {note.kind for note in trace.notes} >= {"skipped", "guessed"}


def test_malformed_simulations():
    odd = simulation({"role": 5}, {"role": "tool"}, {"role": "assistant", "tool_calls": [{}]},
                     reward_info=5, duration="x")  # fmt: skip
    trace = load(odd)
    assert trace.tables["calls"]["tool"] == ["?"]
    assert trace.meta.outcome["status"] == "unknown"


@pytest.mark.shared
def test_counts_of_the_real_voice_run_made_otherwise_agree(shared: Path):
    path = shared / "data" / "traces" / "tau2" / "voice_sim_cd9c5ed2.json"
    ticks = json.loads(path.read_text("utf-8"))["ticks"]
    (trace,) = load_many(path)

    def runs(side):
        return sum(k for k, _ in groupby(t[f"{side}_chunk"]["contains_speech"] for t in ticks))

    assert trace.format == "tau2"
    assert len(trace) == 0
    assert len(trace.tables["rounds"]["round"]) == runs("agent")
    assert trace.tables["events"]["kind"].count("user_message") == runs("user")
    assert any(trace.tables["rounds"]["started"])
    assert any("not in the log" in note.message for note in trace.notes)
    assert trace.meta.outcome["exit_reason"] == "user_stop"
