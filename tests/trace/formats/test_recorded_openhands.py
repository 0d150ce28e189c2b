"""A conversation of the OpenHands SDK (`record_openhands`), as it is persisted: a file an event."""

from __future__ import annotations

import json
from pathlib import Path

from agentlens.trace.load import load

FOLDER = Path(__file__).parent / "recorded" / "openhands"
#: The script's calls: id, query, round, status, what the result holds.
CALLS = [
    ("c-rain Beijing", "rain Beijing", 1, "ok", "nothing about rain Beijing"),
    ("c-北京今天下雨吗", "北京今天下雨吗", 2, "ok", "nothing about 北京今天下雨吗"),
    ("c-fail", "fail", 2, "error", "no network"),
    ("c-Beijing rain today", "Beijing rain today", 3, "ok", "nothing about Beijing rain today"),
    ("c-none", None, 4, "error", "'no_such_tool' not found"),
    ("c-nowhere", "nowhere", 5, "error", "no such place"),
    ("c-end", None, 6, "ok", "It stays dry."),
]


def check(trace):
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.format == "openhands"
    assert not trace.notes
    for column, place in (("call_id", 0), ("query", 1), ("round", 2), ("status", 3)):
        assert calls[column] == [row[place] for row in CALLS]
    assert all(row[4] in text for row, text in zip(CALLS, calls["result"], strict=True))
    assert calls["tool"] == ["web_search"] * 4 + ["no_such_tool", "web_search", "finish"]
    assert calls["args"][0]["summary"] == "Try number 1"
    assert calls["paired_by"] == ["id"] * 7
    assert all(0 <= seconds < 60 for seconds in calls["seconds"])
    assert rounds["round"] == [1, 2, 3, 4, 5, 6]
    assert rounds["text"] == ["Look."] * 6
    assert rounds["message_id"] == [f"test-response-{n}" for n in range(1, 7)]
    assert all(a < b for a, b in zip(rounds["started"], rounds["started"][1:], strict=False))
    assert trace.tables["threads"]["thread"] == ["main"]
    assert trace.tables["events"]["kind"] == ["user_message"]
    assert trace.meta.task == "Will it rain in Beijing?"


def test_a_folder_of_events():
    check(load(FOLDER))


def test_the_same_events_in_one_list():
    files = sorted((FOLDER / "events").glob("*.json"))
    assert len(files) == 2 + 7 + 7  # the system's words and the user's, calls, results
    check(load([json.loads(file.read_text("utf-8")) for file in files]))
