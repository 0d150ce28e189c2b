"""The pages of docs/concepts: both languages, links and pictures that exist, code that runs."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from agentlens.teach.counts import false_stop, promised
from agentlens.teach.holes import HOLES
from agentlens.teach.trigger_amplifier import Loop, outcome
from agentlens.thresholds.intervals import at_most

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "concepts"
PAGES = sorted(FOLDER.glob("*.md"))
SAID = re.compile(r"# (\d+|True)(?=$|:)")


def test_every_page_is_in_both_languages_and_in_the_overview():
    names = {p.name.split(".")[0] for p in PAGES}
    assert {p.name for p in PAGES} == {f"{n}{end}" for n in names for end in (".md", ".zh.md")}
    overview = (FOLDER.parent / "concepts.md").read_text("utf-8")
    assert not [n for n in names if f"(concepts/{n}.md)" not in overview]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_and_pictures_lead_to_files(page):
    text = page.read_text("utf-8")
    targets = re.findall(r"\]\(([^)#]+)\)|(?:src|srcset)=\"([^\"]+)\"", text)
    assert len(targets) >= 3
    for target in map("".join, targets):
        assert (page.parent / target).is_file(), target
    assert ("-zh-" in text) is (".zh." in page.name)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_code_runs_and_its_values_hold(page):
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
        for line, step in ((block.splitlines()[s.end_lineno - 1], s)
                           for s in ast.parse(block).body):  # fmt: skip
            if isinstance(step, ast.Expr):
                value = eval(compile(ast.Expression(step.value), page.name, "eval"), names)
                assert value == ast.literal_eval(SAID.search(line)[1])
            else:
                exec(compile(ast.Module([step], []), page.name, "exec"), names)


def test_every_hole_stands_with_its_example_and_its_switch():
    for name in ("what_each_layer_cannot_see.md", "what_each_layer_cannot_see.zh.md"):
        rows = [r for r in (FOLDER / name).read_text("utf-8").splitlines() if " · " in r]
        for hole in HOLES:
            row = next(r for r in rows if " · ".join(hole.example) in r)
            assert f"`{hole.layer}`" in row


def test_numbers_are_those_of_the_code():
    for name in ("trigger_and_amplifier.md", "trigger_and_amplifier.zh.md"):
        text = (FOLDER / name).read_text("utf-8")
        for k in (None, 2):
            share = outcome(0.3, Loop(success=0.1, detection=0.9, threshold=k)).success
            assert f"{100 * share:.1f} %" in text
    for name in ("no_progress_count.md", "no_progress_count.zh.md"):
        text = (FOLDER / name).read_text("utf-8")
        for k in (2, 3):
            assert f"{100 * false_stop(5, 0.365, k):.1f} %" in text
        assert f"{100 * at_most(5, 60):.1f} %" in text
        assert promised(29, 0, 0.1)
        assert not promised(28, 0, 0.1)
