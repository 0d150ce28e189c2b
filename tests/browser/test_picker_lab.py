"""The picker as a person meets it: real JupyterLab, real Chromium, mouse and keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.lab import LabServer
from benchmarks.page import NotebookPage

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def opened(chromium: Any, lab: LabServer) -> Iterator[NotebookPage]:
    """Yield a notebook with a picker on made-up runs."""
    cells = [
        "import agentlens as al\nfrom agentlens.teach.world import corpus",
        'picker = al.Picker(corpus(90), "classic")\npicker',
    ]
    with NotebookPage(chromium, lab, lab.write("picker.ipynb", cells), size=(1400, 1800)) as page:
        page.run_all()
        page.page.locator(".al-picker-map canvas").wait_for()
        page.wait_idle()
        yield page


def test_keys_move_the_crosshair_and_the_policy(opened: NotebookPage) -> None:
    chart = opened.page.locator(".al-picker-map canvas")
    chart.focus()
    opened.page.keyboard.press("ArrowUp")
    assert opened.wait_until("picker.policy.threshold", 3) == 3
    assert "threshold 3" in chart.get_attribute("aria-valuetext")
    assert "vs default" in opened.page.locator(".al-picker-versus").inner_text()
    opened.page.keyboard.press("ArrowDown")
    assert opened.wait_until("picker.policy.threshold", 2) == 2


def test_a_pointer_drags_it(opened: NotebookPage) -> None:
    box = opened.page.locator(".al-picker-map canvas").bounding_box()
    mouse = opened.page.mouse
    mouse.move(box["x"] + 60, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + box["width"] - 20, box["y"] + 20, steps=5)
    mouse.up()
    rows = opened.ask("len(picker.view.payload['grid'])")
    assert opened.wait_until("picker.view.cell[1]", rows) == rows
    assert opened.ask("str(picker.policy.similarity)") == "1"


def test_a_run_is_labelled_and_opened_by_keys(opened: NotebookPage) -> None:
    before = opened.ask("picker.corpus.labels.count('unknown')")
    opened.page.locator(".al-picker-rows canvas").focus()
    opened.page.keyboard.press("j")
    opened.page.keyboard.press("u")
    assert opened.wait_until("picker.corpus.labels.count('unknown')", before + 1) == before + 1
    opened.page.keyboard.press("Enter")
    assert opened.wait_until("picker.lens is not None", True) is True
    opened.page.locator(".al-stage").first.wait_for()


def test_sliders_ask_for_another_promise(opened: NotebookPage) -> None:
    slider = opened.page.locator('.al-picker-sliders input[data-name="alpha"]')
    slider.focus()
    opened.page.keyboard.press("Home")  # one good run in a hundred: that takes many more runs
    assert opened.wait_until("round(picker.view.alpha, 2)", 0.01) == 0.01
    assert opened.wait_until("'needs' in picker.view.promise", True) is True


def test_nothing_goes_wrong_and_nothing_is_fetched(opened: NotebookPage) -> None:
    assert opened.cell_errors() == []
    assert opened.foreign == []
