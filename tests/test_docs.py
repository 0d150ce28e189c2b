"""The docs are true: their Python runs, their tables are the code's, their links lead somewhere."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
#: `expression  # 3: why`, `# "text"`, `# True`: what stands after the hash is the value.
SAID = re.compile(r"# (-?\d+|None|True|False|'[^']*'|\"[^\"]*\")(?=$|:)")


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run in a folder of its own that holds the samples, so that snippets may write files."""
    (tmp_path / "sample_traces").symlink_to(ROOT / "sample_traces")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_every_python_block_runs(page: Path, elsewhere: Path):
    """The blocks of one page run in order, in one namespace; values said in comments hold."""
    names: dict[str, object] = {"__name__": "__main__"}
    for block in PYTHON.findall(page.read_text("utf-8")):
        lines = block.splitlines()
        for step in ast.parse(block).body:
            if not isinstance(step, ast.Expr):
                exec(compile(ast.Module([step], []), str(page), "exec"), names)
                continue
            value = eval(compile(ast.Expression(step.value), str(page), "eval"), names)
            last = lines[step.end_lineno - 1]
            if said := SAID.search(last, step.end_col_offset):
                assert value == ast.literal_eval(said[1]), last


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_every_link_leads_to_a_file(page: Path):
    for target in LINK.findall(page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_tables_are_those_of_the_code():
    spec = importlib.util.spec_from_file_location("make_tables", ROOT / "docs" / "make_tables.py")
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    told = set()
    for page in (ROOT / "docs").glob("*.md"):
        text = page.read_text("utf-8")
        assert tables.filled(text) == text, f"run docs/make_tables.py: {page.name} is out of date"
        told |= set(re.findall(r"^<!-- (\w+) -->$", text, re.MULTILINE)) - {"end"}
    assert told == tables.PARTS.keys()


def test_every_switch_is_explained():
    from agentlens import Policy

    text = (ROOT / "docs" / "policy.md").read_text("utf-8")
    assert not [name for name in Policy.describe() if f"`{name}`" not in text]


def test_the_table_of_formats_has_each_once():
    from agentlens.trace.formats import FORMATS

    text = (ROOT / "docs" / "traces.md").read_text("utf-8")
    table = text.partition("<!-- formats -->")[2].partition("<!-- end -->")[0]
    named = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    assert named == ["format", *sorted(FORMATS)]


#: What people call each format; the README names it so.
CALLED = {
    "ag2": "AG2", "anthropic": "Anthropic", "atif": "ATIF", "autogen": "AutoGen",
    "browser_use": "browser-use", "claude_code": "Claude Code", "cline": "Cline and Roo Code",
    "codex": "Codex", "copilot_cli": "Copilot CLI", "crewai": "CrewAI", "gemini": "Gemini CLI",
    "goose": "goose", "inspect_ai": "Inspect AI",
    "intercode": "InterCode", "langchain": "LangChain and LangGraph", "langfuse": "Langfuse",
    "langsmith": "LangSmith", "livemcp": "LiveMCPBench", "magentic": "Magentic-One",
    "mini_swe_agent": "mini-swe-agent", "mlflow": "MLflow", "openai": "OpenAI chat",
    "openai_agents": "OpenAI Agents SDK", "opencode": "opencode", "openhands": "OpenHands",
    "openinference": "OpenInference", "otlp": "OTLP", "plain": "plain format",
    "qwen_code": "Qwen Code", "readable_span": "ReadableSpan", "responses": "OpenAI Responses",
    "sharegpt": "ShareGPT", "smolagents": "smolagents", "sweagent": "SWE-agent",
    "tables": "Parquet", "tau": "tau-bench", "tau2": "tau2-bench", "toolbench": "ToolBench",
    "weave": "Weave",
}  # fmt: skip


def test_the_readme_names_every_format():
    from agentlens.trace.formats import FORMATS

    text = (ROOT / "README.md").read_text("utf-8")
    part = text.partition("## What it reads")[2].partition("\n## ")[0]
    assert CALLED.keys() == set(FORMATS)
    missing = [n for n in CALLED.values() if not re.search(rf"(?<![\w-]){re.escape(n)}\b", part)]
    assert not missing
