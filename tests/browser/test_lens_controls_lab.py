"""What stands around the stage, in real JupyterLab: controls, folds, one line when all is lost.

The page is dark and English, in the full run also light and Chinese; one page for all tests of a
kind, and the last of them restarts its kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.lab import LabServer
from benchmarks.page import NotebookPage
from tests.browser.axe import findings
from tests.conftest import FULL

pytestmark = pytest.mark.browser

GONE = {
    "en": "The kernel is gone: the handles still work; run the cell again for the rest.",
    "zh": "内核已不在：手柄仍可拖动；重新运行单元格即可恢复其余功能。",
}
FOLDS = {"en": ("state machine", "every rule on this run"), "zh": ("状态机", "所有规则看这次运行")}
RESTART = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
#: How many parts of a Lens wear the icon of a broken link.
ICONS = """(lens) => [lens, ...lens.querySelectorAll("*")].filter(
  (e) => e.matches(".jupyter-widgets-disconnected")
    && !["none", "normal"].includes(getComputedStyle(e, "::before").content)).length"""
HAS_COLOUR = """(canvas, [r, g, b]) => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  for (let i = 0; i < data.length; i += 4) {
    if (data[i] === r && data[i + 1] === g && data[i + 2] === b && data[i + 3] === 255) return true;
  }
  return false;
}"""
#: The trip's colour on a light and on a dark ground (#C62828, #FF6B6B).
TRIP_COLOUR = {False: [198, 40, 40], True: [255, 107, 107]}
WIDE = {"width": 1400, "height": 1300}


class Shown:
    """A notebook page with one Lens of the incident."""

    def __init__(self, page: NotebookPage, lang: str, dark: bool):
        self.notebook, self.page, self.lang, self.dark = page, page.page, lang, dark
        self.lens = page.page.locator(".agentlens-lens")
        self.controls = self.lens.locator(".agentlens-controls > *")


@pytest.fixture(scope="module", params=["en", "zh"] if FULL else ["en"])
def shown(request, chromium: Any, lab: LabServer, root) -> Iterator[Shown]:
    lang, dark = request.param, request.param == "en"
    incident = str(root / "sample_traces" / "incident.jsonl")
    code = f"import agentlens as al\nlens = al.Lens({incident!r}, 'classic', lang={lang!r})\nlens"
    notebook = lab.write(f"controls-{lang}.ipynb", [code])
    size = (WIDE["width"], WIDE["height"])
    with NotebookPage(chromium, lab, notebook, size=size, dark=dark) as page:
        page.run_all()
        page.page.locator(".agentlens-lens .al-stage .al-over").wait_for()
        page.page.wait_for_timeout(500)
        yield Shown(page, lang, dark)


def test_the_trip_wears_the_colour_of_the_theme(shown: Shown):
    over = shown.lens.locator(".al-over")
    assert over.evaluate(HAS_COLOUR, TRIP_COLOUR[shown.dark])
    assert not over.evaluate(HAS_COLOUR, TRIP_COLOUR[not shown.dark])


def test_the_controls_take_one_line_and_nothing_touches_the_edge(shown: Shown):
    controls = shown.controls.all()
    assert _box(shown.lens)["width"] < 1000
    assert len({_box(control)["y"] for control in controls}) == 1
    cut = "(all) => all.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)"
    assert shown.lens.locator(".agentlens-controls button").evaluate_all(cut) == []
    shown.page.set_viewport_size({**WIDE, "width": 914})
    shown.page.wait_for_timeout(500)
    left, width = _box(shown.lens)["x"], _box(shown.lens)["width"]
    assert width < 500
    for control in controls:
        box = _box(control)
        assert left + 4 <= box["x"]
        assert box["x"] + box["width"] <= left + width - 4
    shown.page.set_viewport_size(WIDE)


def test_axe_finds_nothing_grave_in_the_whole_lens_with_its_folds_open(shown: Shown):
    for fold in FOLDS[shown.lang]:
        shown.lens.get_by_role("button", name=fold).click()
    shown.lens.locator(".al-machine").wait_for()
    shown.lens.locator(".al-lanes").first.wait_for()
    of_a_page = ("region", "landmark-one-main", "page-has-heading-one")
    assert findings(shown.page, ".agentlens-lens", ignore=of_a_page) == []
    for fold in FOLDS[shown.lang]:
        shown.lens.get_by_role("button", name=fold).click()


def test_a_typed_number_that_is_refused_is_undone_and_named(shown: Shown):
    boxes = shown.lens.locator(".agentlens-controls input")
    tries = [(0, "similarity", "0.8", typed) for typed in ("2.5", "0", "abc")]
    tries += [(1, "threshold", "2", typed) for typed in ("2.5", "0", "-1", "abc")]
    for place, name, kept, typed in tries:
        box = boxes.nth(place)
        box.fill(typed)
        box.press("Enter")
        shown.page.get_by_text(f"{name}: '{typed}' is no").wait_for()
        shown.page.wait_for_timeout(100)
        assert box.input_value() == kept
    assert shown.notebook.ask("lens.policy == al.Policy.preset('classic')") is True


def test_after_a_restart_one_line_says_so_and_nothing_changes_its_width(shown: Shown):
    """Last: the kernel is gone after it."""
    gone = shown.lens.get_by_text(GONE[shown.lang])
    before = [box["width"] for box in map(_box, shown.controls.all())]
    assert gone.is_hidden()
    shown.page.evaluate(RESTART)
    shown.lens.locator(".jupyter-widgets-disconnected").first.wait_for()
    shown.page.wait_for_timeout(300)
    assert gone.is_visible()
    assert [box["width"] for box in map(_box, shown.controls.all())] == before
    assert shown.lens.evaluate(ICONS) == 0
    events = "(all) => all.map((e) => getComputedStyle(e).pointerEvents)"
    assert set(shown.controls.evaluate_all(events)) == {"none"}
    grip = shown.lens.get_by_role("slider").nth(1)
    grip.focus()
    shown.page.keyboard.press("ArrowUp")
    shown.page.wait_for_timeout(100)
    assert ("round 4" if shown.lang == "en" else "第 4 轮") in shown.lens.locator(
        ".al-verdict"
    ).inner_text()


def _box(element: Any) -> dict[str, float]:
    box: dict[str, float] = element.bounding_box()
    return box
