"""Runs recorded with the real libraries (`tests/recorders`), read by a few plain lines as well."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentlens.trace.load import load

RECORDED = Path(__file__).parent / "recorded"
#: What the scripted models of `record_langgraph` said and got.
QUERIES = ["rain", "rain today", "rain now"]


def lines(name):
    return [json.loads(line) for line in (RECORDED / name).read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("langgraph_openinference.jsonl", "openinference"),
        ("langgraph_otlp.json", "otlp"),
        ("langgraph_langsmith.jsonl", "langsmith"),
    ],
)
def test_three_systems_that_saw_one_run_of_langgraph_agree(name, format):
    trace = load(RECORDED / name)
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.format == format
    assert not trace.notes
    assert calls["query"] == QUERIES
    assert calls["result"] == [f"nothing about {query}" for query in QUERIES]
    assert calls["call_id"] == [f"c-{query}" for query in QUERIES]
    assert calls["paired_by"] == ["id"] * 3
    assert calls["round"] == [1, 1, 2]
    assert rounds["text"] == ["", "again", "dry"]
    assert (rounds["input_tokens"], rounds["output_tokens"]) == ([10] * 3, [3] * 3)
    assert trace.tables["events"]["text"] == ["Will it rain?"]
    assert trace.tables["threads"]["thread"] == ["main"]
    assert trace.meta.session_id == "T1"
    assert all(a < b for a, b in zip(rounds["started"], rounds["started"][1:], strict=False))


def test_counts_of_the_spans_made_otherwise_agree():
    kinds = [s["attributes"].get("openinference.span.kind") for s in
             lines("langgraph_openinference.jsonl")]  # fmt: skip
    runs = [r["run_type"] for r in lines("langgraph_langsmith.jsonl")]
    assert (kinds.count("LLM"), kinds.count("TOOL")) == (runs.count("llm"), runs.count("tool"))
    trace = load(RECORDED / "langgraph_openinference.jsonl")
    assert len(trace.tables["rounds"]["round"]) == kinds.count("LLM")
    assert len(trace) == kinds.count("TOOL")


def test_an_agent_of_the_openai_sdk_and_its_items_agree():
    exported = load(RECORDED / "openai_agents.jsonl")
    items = load(RECORDED / "responses_items.json")
    spans = [r["span_data"] for r in lines("openai_agents.jsonl") if "span_data" in r]
    for trace in (exported, items):
        calls = trace.tables["calls"]
        assert calls["args"] == [json.loads(s["input"]) for s in spans if s["type"] == "function"]
        assert calls["result"] == [s["output"] for s in spans if s["type"] == "function"]
        assert trace.tables["rounds"]["text"] == ["", "", "dry"]
        assert trace.meta.task == "Will it rain?"
    assert exported.tables["rounds"]["input_tokens"] == [5, 5, 5]
    assert exported.meta.agent == "Weather"


def test_an_agent_traced_by_mlflow():
    trace = load(RECORDED / "mlflow.json")
    spans = json.loads((RECORDED / "mlflow.json").read_text("utf-8"))["data"]["spans"]
    kinds = [json.loads(span["attributes"]["mlflow.spanType"]) for span in spans]
    assert len(trace) == kinds.count("TOOL") == 2
    assert len(trace.tables["rounds"]["round"]) == kinds.count("CHAT_MODEL") == 3
    assert trace.tables["calls"]["query"] == ["rain 0", "rain 1"]
    assert trace.tables["calls"]["result"] == ["nothing about rain 0", "nothing about rain 1"]
    assert trace.tables["rounds"]["tokens"] == [8, 8, 8]
    assert trace.meta.task == "Will it rain?"
