"""Real logs: every file of the formats that are read loads, and counts made otherwise agree."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from agentlens.errors import TraceError
from agentlens.trace.formats import FORMATS
from agentlens.trace.load import load, load_many

pytestmark = pytest.mark.shared

#: Files of formats that are read, by pattern, and the format each of them is.
OURS = {
    "openai_chat/*.json": "tau",
    "langchain/*.json": "langchain",
    "langgraph_thread/*.json": "langchain",
    "claude_code/*.jsonl": "claude_code",
    "labelled/tau_bench/*.json": "tau",
    "clean/deerflow_*.json": "langchain",
    "clean/tau_*.json": "tau",
    "loops/tau_*.json": "tau",
    "clean/looks_like_loop_but_ok/tau_*.json": "tau",
    "clean/livemcp_*.json": "livemcp",
    "loops/livemcp_*.json": "livemcp",
    "clean/looks_like_loop_but_ok/livemcp_*.json": "livemcp",
    "openhands/litellm*.json": "openai",
    "openhands/events.jsonl": "openhands",
    "codex_rollout/*.json*": "codex",
    "sweagent_traj/*.traj": "sweagent",
    "clean/sweagent_*.json": "sweagent",
    "mini_swe_agent/*.json": "mini_swe_agent",
    "mlflow/*.json": "mlflow",
    "otel_monocle/*.json": "readable_span",
    "openai_agents_sdk/*.jsonl": "openai_agents",
}


@pytest.mark.parametrize("pattern", OURS)
def test_every_file_of_these_formats_loads(shared: Path, pattern: str):
    files = sorted((shared / "data" / "traces").glob(pattern))
    assert files
    for path in files:
        traces = list(load_many(path))
        assert traces, path
        assert {trace.format for trace in traces} == {OURS[pattern]}, path
        for trace in traces:
            assert len(trace.calls) == len(trace)
            assert (trace.rounds["round"] >= 0).all()


def test_all_cases_load(shared: Path):
    path = shared / "data" / "cases.jsonl"
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    traces = list(load_many(path))
    assert len(traces) == 32
    for record, trace in zip(records, traces, strict=True):
        rows = record["trace"]
        assert len(trace) == sum(row["tool"] is not None for row in rows)
        assert trace.tables["rounds"]["round"] == list(
            dict.fromkeys(row["round"] for row in rows if "event" not in row)
        )
        assert not trace.notes


def counted(path: Path) -> tuple[int, int, int]:
    """Count rounds, calls and requests of a log, by the plainest reading of its JSON."""
    data = json.loads(path.read_text("utf-8"))
    messages = data.get("traj") or data.get("messages") or data["values"]["messages"]
    role = lambda m: m.get("role") or {"ai": "assistant", "human": "user"}.get(m["type"], m["type"])  # noqa: E731
    answers = [m for m in messages if role(m) == "assistant"]
    calls = sum(
        len(m.get("tool_calls") or []) + len(m.get("invalid_tool_calls") or []) for m in answers
    )
    requests, before = 0, "user"
    for m in messages:
        requests += role(m) == "assistant" and (before == "user" or requests == 0)
        before = role(m) if role(m) in ("assistant", "user") else before
    return len(answers), calls, requests


TEN = (
    "openai_chat/tau_airline_sample.json",
    "loops/tau_airline_t3_trial0_r0.json",
    "loops/tau_airline_t9_trial2_r0.json",
    "clean/tau_airline_t40_trial0_r1.json",
    "langgraph_thread/thread_5aa47db1_zh.json",
    "langgraph_thread/thread_fe3f7974.json",
    "clean/deerflow_thread_b83fbb2a.json",
    "clean/deerflow_thread_d3e5adaf.json",
    "clean/livemcp_14_success.json",
    "clean/looks_like_loop_but_ok/livemcp_24_success_10_similar_searches.json",
    "loops/livemcp_23_failure.json",
)


@pytest.mark.parametrize("name", TEN)
def test_counts_made_otherwise_agree(shared: Path, name: str):
    path = shared / "data" / "traces" / name
    trace = load(path)
    rounds = trace.tables["rounds"]
    assert (len(rounds["round"]), len(trace), max(rounds["request"])) == counted(path)


def test_counts_of_claude_code_made_otherwise_agree(shared: Path):
    path = shared / "data" / "traces" / "claude_code" / "representative_messages.jsonl"
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    answers = [r["message"] for r in records if r["type"] == "assistant"]
    calls = [b for m in answers for b in m["content"] if b["type"] == "tool_use"]
    trace = load(path)
    assert len(trace.tables["rounds"]["round"]) == len({m["id"] for m in answers})
    assert trace.tables["calls"]["tool"] == [b["name"] for b in calls]
    assert sum(trace.tables["rounds"]["output_tokens"]) == sum(
        m["usage"]["output_tokens"] for m in answers
    )


def test_counts_of_200_tau_runs_made_otherwise_agree(shared: Path):
    path = shared / "data" / "traces" / "labelled" / "tau_bench" / "gpt-4o-airline.json"
    records = json.loads(path.read_text("utf-8"))
    traces = list(load_many(path))
    assert len(traces) == len(records) == 200
    for record, trace in zip(records, traces, strict=True):
        answers = [m for m in record["traj"] if m["role"] == "assistant"]
        assert len(trace.tables["rounds"]["round"]) == len(answers)
        assert len(trace) == sum(len(m.get("tool_calls") or []) for m in answers)
        texts = [m["content"] for m in record["traj"] if m["role"] == "tool"]
        assert Counter(trace.tables["calls"]["result"]) == Counter(texts)
        assert (trace.meta.outcome["status"] == "success") == (record["reward"] == 1)
    with pytest.raises(TraceError, match="holds 200 traces"):
        load(path)


def test_a_folder_of_everything_never_fails(shared: Path):
    corpus = load_many(shared / "data" / "traces", progress=True)
    formats = Counter(trace.format for trace in corpus)
    assert set(formats) <= set(FORMATS)
    assert formats["tau"] >= 220
    assert all("\n" not in why for _, why in corpus.failures)
