"""Counts of fixtures and real files agree with those of a plain reading, which knows no reader."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentlens.trace.load import load_many
from agentlens.trace.model import Trace
from tests.trace import recount

FORMATS = Path(__file__).parent / "formats"
SAMPLES = Path(__file__).resolve().parents[2] / "sample_traces"
FILES: tuple[tuple[str, Callable[[Path], recount.Counts], Path], ...] = (
    ("otlp", recount.otlp, FORMATS / "recorded" / "langgraph_otlp.json"),
    ("otlp", recount.otlp, FORMATS / "recorded" / "pydantic_ai_otlp.json"),
    ("otlp", recount.otlp, FORMATS / "recorded" / "pydantic_ai_v2_otlp.json"),
    ("otlp", recount.otlp, FORMATS / "recorded" / "strands_otlp.json"),
    ("openinference", recount.readable, FORMATS / "recorded" / "langgraph_openinference.jsonl"),
    ("openinference", recount.handed_over,
     FORMATS / "recorded" / "openai_agents_openinference.jsonl"),
    ("readable_span", recount.readable, FORMATS / "recorded" / "pydantic_ai_spans.jsonl"),
    ("readable_span", recount.readable, FORMATS / "examples" / "readable_span.json"),
    ("mlflow", recount.mlflow, FORMATS / "recorded" / "mlflow.json"),
    ("langsmith", recount.langsmith, FORMATS / "recorded" / "langgraph_langsmith.jsonl"),
    ("langsmith", recount.langsmith, FORMATS / "examples" / "langsmith.json"),
    ("langfuse", recount.langfuse, FORMATS / "examples" / "langfuse.json"),
    ("weave", recount.weave, FORMATS / "examples" / "weave.json"),
    ("openai_agents", recount.openai_agents, FORMATS / "recorded" / "openai_agents.jsonl"),
    ("openai_agents", recount.openai_agents, FORMATS / "examples" / "openai_agents.json"),
    ("mini_swe_agent", recount.mini_swe_agent, FORMATS / "recorded" / "mini_calls.traj.json"),
    ("mini_swe_agent", recount.mini_swe_agent, FORMATS / "recorded" / "mini_responses.traj.json"),
    ("responses", recount.responses, FORMATS / "recorded" / "responses_items.json"),
    ("autogen", recount.autogen, FORMATS / "recorded" / "autogen_agentchat.json"),
    ("autogen", recount.autogen, FORMATS / "examples" / "autogen.json"),
    ("browser_use", recount.browser_use, FORMATS / "recorded" / "browser_use.json"),
    ("browser_use", recount.browser_use, FORMATS / "examples" / "browser_use.json"),
    ("openai", recount.openai, SAMPLES / "openai_multi_turn.json"),
    ("openai", recount.openai, SAMPLES / "openai_research_loop.json"),
    ("anthropic", recount.anthropic, SAMPLES / "anthropic_same_error.json"),
    ("anthropic", recount.anthropic, FORMATS / "examples" / "anthropic.json"),
    ("gemini", recount.gemini, FORMATS / "examples" / "gemini.json"),
    ("atif", recount.atif, SAMPLES / "atif_subagent_loop.json"),
)  # fmt: skip
REAL = (
    ("mlflow", recount.mlflow, "mlflow/mlflow_trace.json"),
    ("openai_agents", recount.openai_agents, "openai_agents_sdk/openai_agents_sdk_export.jsonl"),
    ("mini_swe_agent", recount.mini_swe_agent, "mini_swe_agent/mini_swe_agent_1.1.traj.json"),
)


def counts(traces: list[Trace]) -> list[int]:
    statuses = [s for trace in traces for s in trace.tables["calls"]["status"]]
    return [
        sum(map(len, traces)),
        sum(status != "missing" for status in statuses),
        sum(status not in ("ok", "missing") for status in statuses),
        sum(len(trace.tables["threads"]["thread"]) for trace in traces),
    ]


def check(format: str, count: Callable[[Path], recount.Counts], path: Path) -> None:
    traces = list(load_many(path, progress=False))
    assert {trace.format for trace in traces} == {format}
    plain = count(path)
    assert plain[0] > 0
    assert [n for n, told in zip(counts(traces), plain, strict=True) if told is not None] == [
        told for told in plain if told is not None
    ]


@pytest.mark.parametrize(
    ("format", "count", "path"), FILES, ids=[f"{f}-{p.name}" for f, _, p in FILES]
)
def test_fixtures(format: str, count: Callable[[Path], recount.Counts], path: Path):
    check(format, count, path)


@pytest.mark.shared
@pytest.mark.parametrize(("format", "count", "name"), REAL, ids=[name for *_, name in REAL])
def test_real_files(shared: Path, format: str, count: Callable[[Path], recount.Counts], name: str):
    check(format, count, shared / "data" / "traces" / name)


def test_the_plain_reading_knows_no_reader():
    assert "agentlens" not in Path(recount.__file__).read_text("utf-8").split('"""', 2)[2]
