"""A crew of CrewAI (`record_crewai`): the events of its bus, and its own log."""

from __future__ import annotations

import json
from pathlib import Path

from agentlens.trace.load import load

RECORDED = Path(__file__).parent / "recorded"
EVENTS = RECORDED / "crewai_events.jsonl"
#: The script's calls: query, round, request (one a task), status, result.
CALLS = [
    ("rain Beijing", 1, 1, "ok", "nothing about rain Beijing"),
    ("北京今天下雨吗", 2, 1, "ok", "nothing about 北京今天下雨吗"),
    ("fail", 3, 1, "error", "ConnectionError('no network')"),
    ("Beijing rain today", 4, 1, "ok", "nothing about Beijing rain today"),
    ("umbrella", 6, 2, "ok", "nothing about umbrella"),
    ("fail", 6, 2, "error", "ConnectionError('no network')"),
    ("rain coat", 7, 2, "ok", "nothing about rain coat"),
]


def rows(trace, *columns):
    return list(zip(*(trace.tables["calls"][column] for column in columns), strict=True))


def test_events_of_a_crew_of_two():
    trace = load(EVENTS)
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.format == "crewai"
    assert rows(trace, "query", "round", "request", "status", "result") == CALLS
    assert calls["tool"] == ["web_search"] * 7
    assert calls["paired_by"] == ["id"] * 7
    assert all(0 < seconds < 5 for seconds in calls["seconds"])
    assert len(rounds["round"]) == 5 + 3
    assert rounds["text"][0].startswith("Thought: look.\nAction: web_search")
    assert rounds["text"][4].endswith("Final Answer: It stays dry.")
    assert rounds["text"][5:] == ["", "", "Take neither."]
    assert (rounds["input_tokens"], rounds["output_tokens"]) == ([20] * 8, [4] * 8)
    assert rounds["tokens"] == [24] * 8
    assert rounds["model"] == ["scripted"] * 8
    assert all(a < b for a, b in zip(rounds["started"], rounds["started"][1:], strict=False))
    assert trace.tables["threads"]["thread"] == ["main"]
    tasks = ["Will it rain in Beijing?", "What shall I wear?"]
    assert trace.tables["events"]["text"] == tasks
    assert trace.meta.task == tasks[0]
    assert trace.meta.agent == "Finder"
    # The crew tries a tool three times before it asks the model again, and one result of the
    # script's has the crew's reminder of its format at its end.
    notes = {note.message.split(" of ")[0]: note.count for note in trace.notes}
    assert notes == {"a call that failed was tried again by the crew": 2, "the crew's reminder": 1}


def test_a_listener_that_hears_only_of_tools():
    events = [json.loads(line) for line in EVENTS.read_text("utf-8").splitlines()]
    trace = load([e for e in events if e["type"].startswith("tool_usage")])
    assert trace.format == "crewai"
    assert rows(trace, "query", "status", "result") == [(q, s, r) for q, _, _, s, r in CALLS]
    assert trace.tables["calls"]["round"] == [1, 2, 3, 4, 5, 5, 6]


def test_the_log_of_the_same_crew():
    trace = load(RECORDED / "crewai_log.json")
    assert trace.format == "crewai"
    assert len(trace) == 0
    assert trace.tables["rounds"]["text"] == ["It stays dry.", "Take neither."]
    assert trace.tables["rounds"]["request"] == [1, 2]
    assert trace.tables["events"]["text"] == ["Will it rain in Beijing?", "What shall I wear?"]
    assert any("no calls of tools" in note.message for note in trace.notes)
