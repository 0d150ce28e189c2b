"""SWE-agent trajectories: steps, histories, demonstrations, the shell's prompt, limits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load, load_many

PROMPT = "\n(Open file: /a b.py)\n(Current directory: /repo)\nbash-$"


def step(action, observation="", **fields):
    return {
        "action": action, "observation": observation, "response": f"I do\n```\n{action}\n```",
        "thought": "I do", "state": "{}", **fields,
    }  # fmt: skip


def test_steps_hold_calls_and_results():
    trace = load({
        "environment": "swe_main",
        "trajectory": [
            step('find_file "a.py"\n', "Found 1", execution_time=0.5, query=[{"role": "user"}]),
            step("python a.py", f"Traceback (most recent call last)\n…{PROMPT}"),
            step(""),
            step("exit_cost", thought="Exit due to cost limit"),
        ],
        "history": [
            {"role": "system", "content": "SETTING"},
            {"role": "user", "content": "a demonstration", "is_demo": True, "agent": "primary"},
            {"role": "user", "content": "Fix the bug", "agent": "primary"},
        ],
        "info": {"exit_status": "exit_cost",
                 "model_stats": {"instance_cost": 1.5, "tokens_sent": 100, "api_calls": 3}},
    })  # fmt: skip
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.format == "sweagent"
    assert calls["tool"] == ["find_file", "python"]
    assert calls["args_raw"] == ['find_file "a.py"', "python a.py"]
    assert calls["result"] == ["Found 1", "Traceback (most recent call last)\n…"]
    assert calls["status"] == ["ok", "error"]
    assert calls["seconds"] == [0.5, None]
    assert rounds["round"] == [1, 2, 3]
    assert rounds["reasoning"] == ["", "", ""]
    assert rounds["cost"] == [None, None, None]
    assert trace.meta.task == "Fix the bug"
    assert trace.meta.outcome == {"status": "unknown", "exit_reason": "exit_cost"}
    assert trace.meta.totals == {"instance_cost": 1.5, "tokens_sent": 100, "api_calls": 3}
    assert trace.tables["events"]["kind"] == ["user_message", "guard_fired"]
    assert any("demonstration" in note.message for note in trace.notes)


def test_an_old_history_without_calls_pairs_by_place():
    trace = load({"history": [
        {"role": "system", "content": "S", "agent": "primary"},
        {"role": "user", "content": "Fix", "agent": "primary"},
        {"role": "assistant", "content": "look", "thought": "look", "action": "ls -a"},
        {"role": "user", "content": f"a.py{PROMPT}", "agent": "primary"},
    ]})  # fmt: skip
    assert trace.tables["calls"]["result"] == ["a.py"]
    assert trace.tables["calls"]["paired_by"] == ["adjacency"]
    assert trace.tables["rounds"]["request"] == [1]


@pytest.mark.parametrize(
    "bad",
    [
        {"trajectory": [], "history": []},
        {"trajectory": 7, "history": None},
        {"history": [{"a": 1}]},
    ],
)
def test_nothing_to_read_is_an_error(bad):
    with pytest.raises(TraceError, match="holds no step and no message"):
        load(bad, format="sweagent")


@pytest.mark.shared
def test_real_files_counted_otherwise(shared: Path):
    folder = shared / "data" / "traces"
    paths = [*folder.glob("sweagent_traj/*.traj"), *folder.glob("clean/**/sweagent*.json")]
    assert len(paths) >= 7
    for path in paths:
        data = json.loads(path.read_text("utf-8"))
        trace = load(path)
        assert trace.format == "sweagent", path
        calls = trace.tables["calls"]
        if "trajectory" in data:
            steps = data["trajectory"]
            assert calls["tool"] == [s["action"].split()[0] for s in steps], path
            assert calls["result"] == [s["observation"] for s in steps], path
            assert trace.meta.outcome["exit_reason"] == "submitted"
        else:
            answers = [m for m in data["history"] if m["role"] == "assistant"]
            names = [c["function"]["name"] for m in answers for c in m["tool_calls"]]
            assert calls["tool"] == names, path
            assert set(calls["paired_by"]) == {"id"}
            assert not any("bash-$" in text for text in calls["result"])
        assert len(trace.tables["rounds"]["round"]) == len(calls["tool"])
        assert trace.meta.task.startswith("We're currently solving")
    assert len(list(load_many(folder / "sweagent_traj"))) == 4
