"""Runs of Pydantic AI's agents (`record_pydantic_ai`) as OpenTelemetry sees them."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentlens.trace.load import load

RECORDED = Path(__file__).parent / "recorded"
#: The script's calls: query, round, thread.
CALLS = [
    ("rain Beijing", 1, "main"), ("北京今天下雨吗", 2, "main"), ("fail", 2, "main"),
    ("Beijing rain today", 3, "main"), (None, 4, "main"), ("umbrella", 1, "delegate"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("pydantic_ai_otlp.json", "otlp"),
        ("pydantic_ai_spans.jsonl", "readable_span"),
        ("pydantic_ai_v2_otlp.json", "otlp"),
    ],
)
def test_an_agent_that_lets_another_one_answer(name, format):
    trace = load(RECORDED / name)
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    threads = trace.tables["threads"]
    assert trace.format == format
    # Each agent of the library has a conversation of its own.
    assert [note.message for note in trace.notes] == ["spans name 2 sessions; the first is kept"]
    assert (threads["thread"], threads["parent"]) == (["main", "delegate"], [None, "main"])
    assert threads["parent_call"] == [None, "c-delegate"]
    assert threads["name"] == [None, "helper"]
    assert list(zip(calls["query"], calls["round"], calls["thread"], strict=True)) == CALLS
    assert calls["tool"] == ["web_search"] * 4 + ["delegate", "web_search"]
    assert calls["args"][4] == {"about": "an umbrella"}
    assert calls["call_id"] == [f"c-{query}" for query, *_ in CALLS[:4]] + ["c-delegate", "h1"]
    assert calls["paired_by"] == ["id"] * 6
    assert calls["status"] == ["ok", "ok", "error", "ok", "ok", "ok"]
    assert calls["error_type"][2].endswith("ToolRetryError")
    assert calls["result"] == [
        "nothing about rain Beijing", "nothing about 北京今天下雨吗", "no network",
        "nothing about Beijing rain today", "take one", "nothing about umbrella",
    ]  # fmt: skip
    assert all(seconds > 0 for seconds in calls["seconds"])
    assert len(rounds["round"]) == 5 + 2
    assert sorted(rounds["text"]) == ["", "", "", "", "", "It stays dry.", "take one"]
    assert sorted(rounds["reasoning"]) == ["", ""] + ["Look."] * 5
    assert {(r, m) for r, m in zip(rounds["thread"], rounds["model"], strict=True)} == {
        ("main", "outer"), ("delegate", "inner"),
    }  # fmt: skip
    assert rounds["input_tokens"] == [20] * 7
    assert rounds["cached_tokens"] == [6] * 7
    assert rounds["output_tokens"] == [4] * 7
    assert all(a <= b for a, b in zip(rounds["started"], rounds["started"][1:], strict=False))
    assert trace.tables["events"]["text"] == ["Will it rain in Beijing?", "Do I need an umbrella?"]
    assert trace.meta.task == "Will it rain in Beijing?"
    assert trace.meta.agent == "weather"


def test_one_run_in_two_files_is_the_same_run():
    one, other = (load(RECORDED / f"pydantic_ai_{n}") for n in ("otlp.json", "spans.jsonl"))
    assert one.meta.trace_id == other.meta.trace_id
    assert one.meta.session_id == other.meta.session_id
    for column in ("call_id", "thread", "round", "result", "status", "paired_by"):
        assert one.tables["calls"][column] == other.tables["calls"][column]
    assert one.tables["threads"] == other.tables["threads"]
