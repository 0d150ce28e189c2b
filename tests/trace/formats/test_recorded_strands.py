"""An agent of Strands (`record_strands`), whose messages are events in the blocks of Bedrock."""

from __future__ import annotations

import json
from pathlib import Path

from agentlens.trace.load import load

RECORDED = Path(__file__).parent / "recorded" / "strands_otlp.json"
#: What the script's model asked.
QUERIES = ["rain Beijing", "北京今天下雨吗", "fail", "Beijing rain today"]


def test_messages_in_blocks_of_bedrock():
    trace = load(RECORDED)
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.format == "otlp"
    assert not trace.notes
    assert calls["query"] == QUERIES
    assert calls["tool"] == ["web_search"] * 4
    assert calls["round"] == [1, 2, 2, 3]
    assert calls["call_id"] == [f"c-{query}" for query in QUERIES]
    assert calls["paired_by"] == ["id"] * 4
    assert calls["status"] == ["ok", "ok", "error", "ok"]
    for place in (0, 1, 3):
        assert calls["result"][place] == f"nothing about {QUERIES[place]}"
    assert "no network" in calls["result"][2]
    assert calls["error_type"][2] == "ConnectionError"
    assert rounds["text"] == ["Look.", "Look.", "Look.", "It stays dry."]
    assert (rounds["input_tokens"], rounds["output_tokens"]) == ([20] * 4, [4] * 4)
    assert rounds["tokens"] == [24] * 4
    assert all(a < b for a, b in zip(rounds["started"], rounds["started"][1:], strict=False))
    assert trace.tables["threads"]["thread"] == ["main"]
    assert trace.tables["events"]["text"] == ["Will it rain in Beijing?"]
    assert trace.meta.agent == "weather"


def test_results_that_failed_are_known_from_a_later_request_alone():
    """The last request holds all results; without the tools' spans they say which one failed."""
    spans = json.loads(RECORDED.read_text("utf-8"))
    for resource in spans["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            scope["spans"] = [s for s in scope["spans"] if not s["name"].startswith("execute_")]
    calls = load(spans).tables["calls"]
    assert calls["query"] == QUERIES
    assert calls["status"] == ["ok", "ok", "error", "ok"]
    assert calls["result"][0] == "nothing about rain Beijing"
