"""A history of browser-use (`record_browser_use`): a real browser, and a page with one link."""

from __future__ import annotations

import json
from pathlib import Path

from agentlens.trace.load import load

RECORDED = Path(__file__).parent / "recorded" / "browser_use.json"
URL = "http://127.0.0.1:8765/"
#: The script's actions: name, what it searched for, step, status, what the result holds.
CALLS = [
    ("navigate", None, 1, "ok", URL),
    ("web_search", "rain Beijing", 2, "ok", "nothing about rain Beijing"),
    ("web_search", "北京今天下雨吗", 2, "ok", "nothing about 北京今天下雨吗"),
    ("click", None, 3, "ok", "The week"),
    ("web_search", "fail", 4, "error", "no network"),
    ("web_search", "Beijing rain today", 6, "ok", "nothing about Beijing rain today"),
    ("done", None, 7, "ok", "It stays dry."),
]


def test_an_agent_in_a_browser():
    trace = load(RECORDED)
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.format == "browser_use"
    for column, place in (("tool", 0), ("query", 1), ("round", 2), ("status", 3)):
        assert calls[column] == [row[place] for row in CALLS]
    assert all(row[4] in text for row, text in zip(CALLS, calls["result"], strict=True))
    assert calls["args"][0]["url"] == URL
    # The link, by its place on the page instead of the number that the page gave it.
    assert calls["args"][3] == {"element": "html/body/a", "url": URL}
    assert rounds["round"] == [1, 2, 3, 4, 5, 6, 7]
    assert [bool(text) for text in rounds["reasoning"]] == [n != 5 for n in range(1, 8)]
    assert rounds["reasoning"][0].startswith("thinking: Look.")
    steps = json.loads(RECORDED.read_text("utf-8"))["history"]
    assert rounds["started"] == [step["metadata"]["step_start_time"] for step in steps]
    assert rounds["time_quality"] == ["real"] * 7
    assert trace.tables["threads"]["thread"] == ["main"]
    # Of the fifth step the model's answer was no JSON.
    assert trace.tables["events"]["kind"] == ["user_message", "other"]
    assert trace.tables["events"]["text"][1] == "the answer is not JSON"
    assert [note.line for note in trace.notes] == [5]
    assert trace.meta.task == "Will it rain in Beijing?"
    assert trace.meta.outcome == {"status": "success", "exit_reason": "done", "raw": True}
