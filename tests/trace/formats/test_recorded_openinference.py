"""Agents of openai-agents that OpenInference traced (`record_openinference`)."""

from __future__ import annotations

import json
from pathlib import Path

from agentlens.trace.load import load

RECORDED = Path(__file__).parent / "recorded" / "openai_agents_openinference.jsonl"
#: The script's calls: id, query, round, thread, status.
CALLS = [
    ("c1", "rain Beijing", 1, "main", "ok"), ("c2", "北京今天下雨吗", 2, "main", "ok"),
    ("c3", "fail", 2, "main", "error"), ("c4", "Beijing rain today", 3, "main", "ok"),
    ("c5", None, 4, "main", "ok"), ("h1", "umbrella", 1, "delegate", "ok"),
]  # fmt: skip


def check(trace):
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    threads = trace.tables["threads"]
    assert trace.format == "openinference"
    assert not trace.notes
    named = ("call_id", "query", "round", "thread", "status")
    assert list(zip(*(calls[name] for name in named), strict=True)) == CALLS
    assert calls["tool"] == ["web_search"] * 4 + ["delegate", "web_search"]
    assert calls["args"][4] == {"input": "Do I need an umbrella?"}
    for place in (0, 1, 3, 5):
        assert calls["result"][place] == f"nothing about {CALLS[place][1]}"
    assert calls["result"][4] == "take one"
    assert all(0 < seconds < 60 for seconds in calls["seconds"])
    assert (threads["thread"], threads["parent"]) == (["main", "delegate"], [None, "main"])
    assert (threads["parent_call"], threads["name"]) == ([None, "c5"], [None, "helper"])
    assert rounds["text"] == ["", "", "", "", "", "take one", "It stays dry."]
    assert (rounds["input_tokens"], rounds["output_tokens"]) == ([20] * 7, [4] * 7)
    assert rounds["tokens"] == [24] * 7
    assert rounds["model"] == ["scripted"] * 7
    assert all(a < b for a, b in zip(rounds["started"], rounds["started"][1:], strict=False))
    assert trace.tables["events"]["text"] == ["Will it rain in Beijing?", "Do I need an umbrella?"]
    assert trace.meta.agent == "weather"


def test_spans_of_two_agents_one_of_them_a_tool():
    check(load(RECORDED))


def test_the_same_spans_as_rows_of_a_frame():
    """Columns as Phoenix names them in its frames: dots, attributes flat, times of pandas."""
    import pandas as pd

    spans = [json.loads(line) for line in RECORDED.read_text("utf-8").splitlines()]
    rows = [
        {
            "name": span["name"],
            "span_kind": span["attributes"]["openinference.span.kind"],
            "parent_id": span["parent_id"] and span["parent_id"].removeprefix("0x"),
            "start_time": pd.Timestamp(span["start_time"]),
            "end_time": pd.Timestamp(span["end_time"]),
            "status_code": span["status"]["status_code"],
            "status_message": span["status"].get("description", ""),
            "events": [],
            "context.span_id": span["context"]["span_id"].removeprefix("0x"),
            "context.trace_id": span["context"]["trace_id"].removeprefix("0x"),
            **{f"attributes.{name}": value for name, value in span["attributes"].items()},
        }
        for span in spans
    ]
    check(load(pd.DataFrame(rows)))
