"""Runs of mini-swe-agent (`record_mini_swe_agent`), whose models run commands in three ways."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentlens.trace.load import load

RECORDED = Path(__file__).parent / "recorded"
#: The script's commands, and what running them in its folder with its two lines of notes gives.
COMMANDS = [
    "grep -rn 'rain' notes", "grep -rn '今天下雨' notes", "cat missing.txt", "sleep 5",
    "grep -rn 'rain today' notes", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; echo dry",
]  # fmt: skip
OUTPUTS = [
    "notes/week.txt:1:no rain today", "notes/week.txt:2:北京今天下雨吗",
    "cat: missing.txt: No such file or directory", "timed out after 1 seconds",
    "notes/week.txt:1:no rain today", "dry",
]  # fmt: skip


def check(trace, number):
    """Check the first calls of a run and what holds for all runs."""
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.format == "mini_swe_agent"
    assert not trace.notes
    assert calls["tool"] == ["bash"] * number
    assert [args["command"] for args in calls["args"]] == COMMANDS[:number]
    assert all(o in r for o, r in zip(OUTPUTS[:number], calls["result"], strict=True))
    assert calls["round"] == list(range(1, number + 1))
    assert rounds["round"] == calls["round"]
    assert all(text.startswith(f"Step {n}.") for n, text in enumerate(rounds["text"], 1))
    assert trace.tables["threads"]["thread"] == ["main"]
    assert all(a < b for a, b in zip(rounds["started"], rounds["started"][1:], strict=False))
    assert (trace.meta.agent, trace.meta.agent_version) == ("mini-swe-agent", "2.4.6")
    assert trace.meta.task == "Solve this: Will it rain?"


@pytest.mark.parametrize(("name", "letter"), [("calls", "c"), ("responses", "r")])
def test_a_model_that_calls_the_shell(name, letter):
    trace = load(RECORDED / f"mini_{name}.traj.json")
    check(trace, 6)
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert calls["call_id"] == [f"{letter}{n}" for n in range(1, 7)]
    assert calls["paired_by"] == ["id"] * 5 + ["adjacency"]
    assert calls["status"] == ["ok", "ok", "error", "timeout", "ok", "ok"]
    assert calls["error_type"] == [None, None, "exit 1", "TimeoutExpired", None, None]
    assert calls["exit_code"] == [0, 0, 1, None, 0, None]
    assert 1 <= calls["seconds"][3] < 5
    assert max(s for n, s in enumerate(calls["seconds"][:5]) if n != 3) < 1
    assert rounds["cost"] == [1.0] * 6
    assert trace.meta.outcome["exit_reason"] == "Submitted"
    assert trace.meta.totals == {"instance_cost": 6.0, "api_calls": 6}


def test_a_model_that_writes_commands_and_meets_the_limit():
    trace = load(RECORDED / "mini_text.traj.json")
    check(trace, 3)
    calls = trace.tables["calls"]
    assert calls["paired_by"] == ["adjacency"] * 3
    assert calls["status"] == ["ok", "ok", "error"]
    assert trace.tables["rounds"]["cost"] == [0.25] * 3
    assert trace.tables["events"]["kind"] == ["user_message", "guard_fired"]
    assert trace.meta.limits == {"max_steps": 3}
    assert trace.meta.outcome["exit_reason"] == "LimitsExceeded"
