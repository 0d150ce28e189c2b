"""The code of docs/integrations.md runs in its framework, and its values are those it says."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from pathlib import Path

import pytest
from scripted import ANSWER, needs

pytestmark = pytest.mark.frameworks
PAGE = Path(__file__).resolve().parents[2] / "docs" / "integrations.md"
PARTS = re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.MULTILINE)[1:]
CODE = re.compile(r"^```py\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECTIONS = {part.partition("\n")[0]: found[1] for part in PARTS if (found := CODE.search(part))}
QUERIES = ["weather", "weather today", "weather today sunny", "sunny weather"]
CALLS = [("web_search", {"query": query}) for query in QUERIES]


def scripted_in(module: str):
    """Return a scripted model of a neighbouring test, with the answer that the page has."""
    found = importlib.import_module(module)
    found.ANSWER = "Cloudy."
    return found.Scripted


def langchain_model():
    return scripted_in("chat_models")(script=list(CALLS))


def openai_model():
    return scripted_in("test_openai_agents")(CALLS)


def smolagents_model():
    return scripted_in("test_smolagents")(CALLS)


def pydantic_model():
    return scripted_in("test_pydantic_ai")(CALLS).model()


MODELS = {
    "LangChain agents": ("langchain", langchain_model),
    "LangGraph": ("langgraph", langchain_model),
    "OpenAI Agents SDK": ("agents", openai_model),
    "smolagents": ("smolagents", smolagents_model),
    "Pydantic AI": ("pydantic_ai", pydantic_model),
}


@pytest.fixture
def answers():
    """Give the neighbouring modules their answer back."""
    yield
    for name in ("chat_models", "test_openai_agents", "test_smolagents", "test_pydantic_ai"):
        if name in sys.modules:
            sys.modules[name].ANSWER = ANSWER


def test_every_framework_has_its_section():
    assert list(SECTIONS) == list(MODELS)


@pytest.mark.parametrize("title", MODELS)
def test_the_code_of_a_section_runs_and_says_what_is_true(title, answers, tmp_path):
    framework, make = MODELS[title]
    needs(framework)
    code, file = SECTIONS[title], tmp_path / "page.py"
    file.write_text(code, "utf-8")  # smolagents reads the source of a tool
    names: dict[str, object] = {"__name__": "page", "model": make()}
    lines, checked = code.splitlines(), 0
    for step in ast.parse(code).body:
        said = lines[step.end_lineno - 1].partition("  # ")[2]
        if isinstance(step, ast.Expr) and said:
            value = eval(compile(ast.Expression(step.value), title, "eval"), names)
            assert value == ast.literal_eval(said)
            checked += 1
        else:
            start = min([step.lineno, *(d.lineno for d in getattr(step, "decorator_list", ()))])
            body = "\n" * (start - 1) + "\n".join(lines[start - 1 : step.end_lineno])
            exec(compile(body, str(file), "exec"), names)
    assert checked == 2
