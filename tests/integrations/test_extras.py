"""Without a framework its adapter says which extra to install, in one line; none is imported."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from agentlens.integrations.extras import missing

ROOT = Path(__file__).resolve().parents[2]
ADAPTERS = {
    "langchain": ("langchain", "langchain"),
    "langgraph": ("langgraph", "langgraph"),
    "openai_agents": ("agents", "openai-agents"),
    "smolagents": ("smolagents", "smolagents"),
    "pydantic_ai": ("pydantic_ai", "pydantic-ai"),
}


def python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return done.stdout.strip()


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_missing_framework_is_one_line_that_names_the_extra(adapter):
    framework, extra = ADAPTERS[adapter]
    said = python(
        f"import sys; sys.modules[{framework!r}] = None\n"
        f"try:\n    import agentlens.integrations.{adapter}\n"
        "except ImportError as error:\n    print(error, error.__cause__)"
    )
    start = f"agentlens.integrations.{adapter} needs {framework}"
    assert said.startswith(start)
    assert said.endswith(f": pip install 'agentlens-jupyter[{extra}]' None")
    assert "\n" not in said


def test_an_error_that_is_about_something_else_comes_back_as_it_is():
    error = ImportError("cannot import name 'Model'")
    assert missing("smolagents", "smolagents", error) is error


def test_every_adapter_has_its_extra_and_all_are_in_frameworks():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    named = [extra for _, extra in ADAPTERS.values()]
    assert set(named) <= extras.keys()
    assert extras["frameworks"] == [f"agentlens-jupyter[{','.join(named)}]"]


def test_the_package_of_adapters_imports_no_framework():
    names = [framework for framework, _ in ADAPTERS.values()]
    code = (
        f"import sys, agentlens.integrations.bare; print([n for n in {names} if n in sys.modules])"
    )
    assert python(code) == "[]"
