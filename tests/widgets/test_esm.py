"""The joined ES module: nothing is left to import, every module is in, sizes stay small."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from agentlens.widgets.esm import MODULES, stage_css, stage_esm
from agentlens.widgets.lesson.lesson import TriggerAmplifier
from agentlens.widgets.picker.view import PickerView
from agentlens.widgets.scan.scan import SessionList

FOLDER = resources.files("agentlens.widgets") / "js"


def text_of(name):
    return (FOLDER / f"{name}.js").read_text("utf-8")


def test_one_module_with_one_default_export():
    esm = stage_esm()
    assert not re.search(r"^import\b", esm, re.MULTILINE)
    assert re.findall(r"^export .*", esm, re.MULTILINE) == [
        "export default { render: ({ model, el }) => makeStage(model, el) };"
    ]


def imports_of(name):
    return re.findall(r'from "\./(\w+)\.js"', text_of(name))


def test_modules_are_joined_after_what_they_import():
    for place, name in enumerate(MODULES):
        for needed in imports_of(name):
            assert MODULES.index(needed) < place, f"{name} comes before {needed}"


def test_all_that_the_stage_needs_is_joined_and_nothing_else():
    reached, todo = set(), ["stage"]
    while todo:
        name = todo.pop()
        if name not in reached:
            reached.add(name)
            todo += imports_of(name)
    assert reached == set(MODULES)


@pytest.mark.parametrize(
    "esm",
    [stage_esm(), PickerView._esm, TriggerAmplifier._esm, SessionList._esm],
    ids=["stage", "picker", "lesson", "sessions"],
)
def test_no_name_is_declared_twice(esm):
    text = str(esm)
    names = re.findall(r"^(?:async )?(?:function|class|const|let) (\w+)", text, re.MULTILINE)
    assert names
    assert len(names) == len(set(names))
    assert not re.search(r"^import\b", text, re.MULTILINE)


@pytest.mark.parametrize("name", MODULES)
def test_modules_are_small_and_safe(name):
    text = text_of(name)
    assert len(text.splitlines()) <= 250
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", text)
    assert not re.search(r"https?://", text)


def test_styles_hold_the_theme_and_no_address():
    css = stage_css()
    assert "--al-c0:#0072B2" in css
    assert "prefers-reduced-motion" in css
    assert "forced-colors" in css
    assert "url(" not in css
