"""CrewAI: its log file, and events of its bus."""

from __future__ import annotations

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load


def event(kind, name="web_search", **more):
    return {"type": kind, "tool_name": name, "tool_args": {"query": "a"}, "agent_role": "r",
            "timestamp": "2026-03-02T09:00:00Z", **more}  # fmt: skip


def test_a_start_and_an_end_are_one_call():
    trace = load([
        event("tool_usage_started"),
        event("tool_usage_finished", output="r", started_at="2026-03-02T09:00:00Z",
              finished_at="2026-03-02T09:00:02Z", from_cache=True),
        event("tool_usage_started", tool_args='{"query": "b"}'),
        event("tool_usage_error", error="no network"),
        event("tool_usage_finished", "visit", output="alone"),
        {"type": "crew_kickoff_completed"},
    ])  # fmt: skip
    calls = trace.tables["calls"]
    assert trace.format == "crewai"
    assert calls["tool"] == ["web_search", "web_search", "visit"]
    assert calls["query"][:2] == ["a", "b"]
    assert calls["status"] == ["ok", "error", "ok"]
    assert calls["result"] == ["r", "no network", "alone"]
    assert calls["seconds"][0] == 2.0
    assert trace.tables["rounds"]["round"] == [1, 2, 3]
    assert any("cache" in note.message for note in trace.notes)


def test_the_log_file_holds_tasks_and_answers():
    entry = {"timestamp": "2026-03-02 09:00:00", "task_name": "t", "task": "find", "agent": "r"}
    trace = load([{**entry, "status": "started"}, {**entry, "status": "completed", "output": "x"}])
    assert trace.format == "crewai"
    assert trace.meta.task == "find"
    assert trace.tables["rounds"]["text"] == ["x"]
    assert trace.tables["rounds"]["request"] == [1]
    assert len(trace) == 0


def test_malformed_records():
    trace = load([event("ToolUsageErrorEvent", None, tool_args=5), 5, {"type": 7}])
    assert trace.tables["calls"]["tool"] == ["?"]
    with pytest.raises(TraceError, match="holds no entry"):
        load([5], format="crewai")
