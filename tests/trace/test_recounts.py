"""Counts of fixtures and real files agree with those of a plain reading, which knows no reader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from agentlens.trace.formats import FORMATS
from agentlens.trace.load import load_many
from agentlens.trace.model import Trace
from tests.trace import recount, recount_logs, recount_messages

Count = Callable[[Path], recount.Counts]
HERE = Path(__file__).parent / "formats"
SAMPLES = Path(__file__).resolve().parents[2] / "sample_traces"
MODULES = (recount, recount_logs, recount_messages)
#: How the files of a format are counted, where the function is not named by the format.
BY_NAME: dict[str, Count] = {
    "cline": recount_messages.anthropic,
    "livemcp": recount_messages.openai,
    "openinference": recount.readable,
    "readable_span": recount.readable,
}
#: Files that a script of ours recorded or wrote, by format.
FILES: dict[str, tuple[str, ...]] = {
    "ag2": ("examples/ag2.json",),
    "anthropic": ("examples/anthropic.json", "anthropic_same_error.json"),
    "atif": ("second/atif.json", "atif_subagent_loop.json"),
    "autogen": ("examples/autogen.json", "recorded/autogen_agentchat.json"),
    "browser_use": ("examples/browser_use.json", "recorded/browser_use.json"),
    "claude_code": ("examples/claude_code.json", "claude_code_web_loop.jsonl"),
    "cline": ("examples/cline.json", "second/cline.json"),
    "codex": ("examples/codex.json",),
    "copilot_cli": ("examples/copilot_cli.json", "second/copilot_cli.jsonl"),
    "crewai": ("examples/crewai.json", "recorded/crewai_events.jsonl"),
    "gemini": ("examples/gemini.json", "second/gemini.json"),
    "goose": ("examples/goose.json", "second/goose.json"),
    "inspect_ai": ("examples/inspect_ai.json", "recorded/inspect_ai.json"),
    "intercode": ("examples/intercode.json",),
    "langchain": ("langchain_policy_zh.json",),
    "langfuse": ("examples/langfuse.json", "second/langfuse.jsonl"),
    "langsmith": ("examples/langsmith.json", "recorded/langgraph_langsmith.jsonl"),
    "livemcp": ("examples/livemcp.json",),
    "magentic": ("examples/magentic.json",),
    "mini_swe_agent": ("examples/mini_swe_agent.json", "recorded/mini_calls.traj.json",
                       "recorded/mini_responses.traj.json"),
    "mlflow": ("examples/mlflow.json", "recorded/mlflow.json"),
    "openai": ("examples/openai.json", "openai_multi_turn.json", "openai_research_loop.json"),
    "openai_agents": ("examples/openai_agents.json", "recorded/openai_agents.jsonl"),
    "opencode": ("examples/opencode.json", "second/opencode.json"),
    "openhands": ("examples/openhands.json", "recorded/openhands"),
    "openinference": ("examples/openinference.json", "recorded/langgraph_openinference.jsonl"),
    "otlp": ("examples/otlp.json", "recorded/langgraph_otlp.json",
             "recorded/pydantic_ai_otlp.json", "recorded/pydantic_ai_v2_otlp.json",
             "recorded/strands_otlp.json"),
    "plain": ("examples/plain.json", "boundary.jsonl", "incident.jsonl", "paging.jsonl",
              "polling.jsonl", "synonyms.jsonl", "year_series_zh.jsonl"),
    "qwen_code": ("examples/qwen_code.json", "second/qwen_code.jsonl"),
    "readable_span": ("examples/readable_span.json", "recorded/pydantic_ai_spans.jsonl"),
    "responses": ("examples/responses.json", "recorded/responses_items.json"),
    "sharegpt": ("examples/sharegpt.json", "second/sharegpt.jsonl"),
    "smolagents": ("examples/smolagents.json", "recorded/smolagents_code.json"),
    "sweagent": ("examples/sweagent.json",),
    "tables": ("examples/tables.parquet", "second/tables.parquet"),
    "tau": ("tau_airline.json",),
    "tau2": ("examples/tau2.json", "second/tau2.json"),
    "toolbench": ("examples/toolbench.json",),
    "weave": ("examples/weave.json", "second/weave.jsonl"),
}  # fmt: skip
#: Files of real runs, by format: patterns, and how many files fit them at least.
REAL: dict[str, tuple[tuple[str, int], ...]] = {
    "ag2": (("labelled/who_and_when/algo_*.json", 30), ("ag2_captainagent/*.json", 1)),
    "claude_code": (("claude_code/representative*.jsonl", 1),
                    ("claude_code/records_tools_*tool_use.jsonl", 5)),
    "codex": (("codex_rollout/rollout*.jsonl", 1), ("codex_rollout/records_tools_*.json", 4)),
    "inspect_ai": (("inspect_ai/*browser.json", 1),
                   ("inspect_ai/log_message_deduplication.eval", 1)),
    "intercode": (("labelled/intercode/*.json", 30), ("intercode/*.json", 1),
                  ("loops/intercode_*.json", 50)),
    "langchain": (("langgraph_thread/*.json", 2), ("langchain/*.json", 1),
                  ("clean/deerflow_*.json", 5)),
    "livemcp": (("*/livemcp_*.json", 10),),
    "magentic": (("labelled/who_and_when/hand_*.json", 20), ("magentic_one/*.json", 1),
                 ("*/magentic_*.json", 15)),
    "mini_swe_agent": (("mini_swe_agent/*.json", 1),),
    "mlflow": (("mlflow/*.json", 1),),
    "openai": (("openhands/litellm*.json", 1),),
    "openai_agents": (("openai_agents_sdk/*.jsonl", 1),),
    "openhands": (("openhands/events.jsonl", 1),),
    "readable_span": (("otel_monocle/*.json", 1),),
    "smolagents": (("smolagents/*.json", 1),),
    "sweagent": (("sweagent_traj/*.traj", 4), ("clean/sweagent_*.json", 3)),
    "tau": (("openai_chat/*.json", 1), ("*/tau_*.json", 15)),
    "toolbench": (("toolbench_dfs/*.json", 1), ("labelled/toolbench/*.json", 10)),
}  # fmt: skip
CASES = [
    (name, SAMPLES / path if "/" not in path else HERE / path)
    for name, paths in FILES.items()
    for path in paths
]
PATTERNS = [(name, *each) for name, patterns in REAL.items() for each in patterns]


def counts(traces: list[Trace]) -> list[int]:
    statuses = [s for trace in traces for s in trace.tables["calls"]["status"]]
    return [
        sum(map(len, traces)),
        sum(status != "missing" for status in statuses),
        sum(status not in ("ok", "missing") for status in statuses),
        sum(len(trace.tables["threads"]["thread"]) for trace in traces),
    ]


def plainly(format: str) -> Count:
    named = (getattr(module, format, None) for module in MODULES)
    return BY_NAME.get(format) or next(count for count in named if count is not None)


def check(format: str, path: Path, count: Count | None = None) -> int:
    """Compare what a reader counts with what a plain reading does; return the calls."""
    traces = list(load_many(path, progress=False))
    assert {trace.format for trace in traces} == {format}
    plain = (count or plainly(format))(path)
    assert [n for n, told in zip(counts(traces), plain, strict=True) if told is not None] == [
        told for told in plain if told is not None
    ], path
    return plain[0]


@pytest.mark.parametrize(("format", "path"), CASES, ids=[f"{f}-{p.name}" for f, p in CASES])
def test_fixtures(format: str, path: Path):
    assert check(format, path) > 0


def test_agents_that_hand_over():
    path = HERE / "recorded" / "openai_agents_openinference.jsonl"
    assert check("openinference", path, recount.handed_over) > 0


@pytest.mark.shared
@pytest.mark.parametrize(("format", "pattern", "least"), PATTERNS, ids=[p for _, p, _ in PATTERNS])
def test_real_files(shared: Path, format: str, pattern: str, least: int):
    files = sorted((shared / "data" / "traces").glob(pattern))
    assert len(files) >= least
    called = [check(format, path) for path in files]
    assert sum(map(bool, called)) >= least


def test_of_every_format_two_files_are_counted():
    files = Counter(name for name, _ in CASES)
    for name, patterns in REAL.items():
        files[name] += sum(least for _, least in patterns)
    assert set(files) == set(FORMATS)
    assert {name for name, number in files.items() if number < 2} == set()


def test_the_plain_reading_knows_no_reader():
    for module in MODULES:
        assert "agentlens" not in Path(module.__file__).read_text("utf-8").split('"""', 2)[2]
