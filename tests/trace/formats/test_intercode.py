"""InterCode results: real files recounted by hand, and the traps of the format."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load, load_many


def record(actions, observations, valid=None, environment="ic_bash", **more):
    history = {"actions": actions, "observations": observations, "rewards": [0] * len(actions)}
    if valid is not None:
        history["valid_action"] = valid
    history.update(more.pop("history", {}))
    summary = {"max_reward": 0, "turns_taken": len(actions), "turns_max": 3}
    return {
        "environment": environment,
        "task_id": 7,
        "query": "count files",
        "turn_history": history,
        "summary": {**summary, **more.pop("summary", {})},
        **more,
    }


def test_turns_become_rounds_and_the_reward_the_outcome():
    trace = load(record(["ls", "ls", "ls"], ["a", "no such file", "a"], [True, False, True]))
    calls = trace.tables["calls"]
    assert calls["tool"] == ["bash"] * 3
    assert calls["effect"] == ["run"] * 3
    assert calls["args"] == [{"command": "ls"}] * 3
    assert calls["status"] == ["ok", "error", "ok"]
    assert trace.tables["rounds"]["round"] == [1, 2, 3]
    assert trace.tables["rounds"]["time_quality"] == ["none"] * 3
    assert trace.meta.outcome["status"] == "failure"
    assert trace.meta.outcome["exit_reason"] == "turns_max"
    assert trace.meta.limits == {"max_steps": 3}
    assert trace.meta.task == "count files"
    assert [label["value"] for label in trace.meta.labels] == [0, 0, 0]
    assert trace.tables["events"]["kind"] == ["user_message"]


def test_a_reasoning_agents_actions_are_unwrapped():
    trace = load(
        record(
            ["execute[ls | wc -l]", "submit"],
            ["3", "3"],
            [True, True],
            history={"thoughts": ["count them", "done"]},
            summary={"max_reward": 1.0},
        )
    )
    calls = trace.tables["calls"]
    assert calls["tool"] == ["bash", "submit"]
    assert calls["args"] == [{"command": "ls | wc -l"}, {}]
    assert calls["effect"] == ["run", "finish"]
    assert trace.tables["rounds"]["text"] == ["count them", "done"]
    assert trace.meta.outcome["status"] == "success"
    assert "exit_reason" not in trace.meta.outcome


def test_python_observations_are_taken_out_of_their_mapping():
    text = str({"output": "", "error": "NameError: name 'x' is not defined"})
    trace = load(
        record(
            ["x", "1", "2"],
            [text, "{'output': '1', 'error': ''}", "{'output': oops}"],
            [None, None, None],
            "ic_python",
        )
    )
    calls = trace.tables["calls"]
    assert calls["result"] == ["NameError: name 'x' is not defined", "1", "{'output': oops}"]
    assert calls["status"] == ["error", "ok", "ok"]


def test_an_action_without_observation_stays_without_result():
    trace = load(record(["ls", "blocked"], ["a"], [True]))
    assert trace.tables["calls"]["status"] == ["ok", "missing"]
    assert any("no observation" in note.message for note in trace.notes)


@pytest.mark.parametrize("wrap", [lambda r: {"0": r, "1": r}, lambda r: {"logs": {"0": r, "1": r}}])
def test_a_file_of_many(wrap):
    with pytest.raises(TraceError, match="holds 2 traces"):
        load(wrap(record(["ls"], ["a"])))
    assert len(list(load_many(wrap(record(["ls"], ["a"]))))) == 2


def test_malformed_records_cost_themselves_only():
    bad = {"0": record(["ls"], ["a"]), "1": {"turn_history": None}, "2": 5}
    trace = load(bad)
    assert any("no turn history" in note.message and note.count == 2 for note in trace.notes)
    odd = record([None, 3, {"a": 1}], "none", "none")
    odd["summary"] = "?"
    assert len(load(odd)) == 3
    assert load(odd).meta.outcome["status"] == "unknown"


@pytest.mark.shared
def test_counts_of_all_real_files_made_otherwise_agree(shared: Path):
    folder = shared / "data" / "traces"
    files = [p for p in folder.rglob("*.json") if "intercode" in f"{p.parent.name}/{p.name}"]
    assert len(files) > 100
    for path in sorted(files):
        data = json.loads(path.read_text("utf-8"))
        records = [data] if "query" in data else list(data.get("logs", data).values())
        traces = list(load_many(path))
        assert {t.format for t in traces} == {"intercode"}
        assert len(traces) == len(records)
        for one, trace in zip(records, traces, strict=True):
            history = one["turn_history"]
            status = Counter(trace.tables["calls"]["status"])
            assert len(trace) == len(history["actions"])
            assert len(trace) - status["missing"] == len(history["observations"])
            flags = history.get("valid_action")
            if flags and None not in flags:
                failed = status["error"] + status["timeout"]
                assert failed == flags[: len(history["observations"])].count(False)
            solved = one["summary"]["max_reward"] >= 1
            assert (trace.meta.outcome["status"] == "success") == solved
            assert trace.meta.limits.get("max_steps") == one["summary"].get("turns_max")
