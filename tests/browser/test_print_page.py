"""A report on paper: light, as wide as paper, nothing over anything else, nothing cut; and back."""

from __future__ import annotations

from pathlib import Path

import pytest

import agentlens as al

pytestmark = pytest.mark.browser

PAPER = 718  # of A4 at 96 dots an inch, within margins of a centimetre
BOXES = """() => Object.fromEntries([".al-stage", ".al-plot", ".al-map"].map(
  (name) => [name, document.querySelector(name).getBoundingClientRect().toJSON()]))"""
#: How many dots of a canvas are painted.
PAINTED = """(name) => { const c = document.querySelector(name);
  const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
  let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; }"""


@pytest.fixture
def report(tmp_path: Path, root: Path) -> str:
    made = al.report(root / "sample_traces" / "incident.jsonl", tmp_path / "r.html", "classic")
    return made.as_uri()


@pytest.mark.parametrize(("width", "scheme"), [(1300, "dark"), (500, "light")])
def test_the_stage_is_laid_out_for_paper_and_back(chromium, report: str, width, scheme):
    page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(report)
    page.wait_for_selector(".al-verdict:not(:empty)")
    before, painted = page.evaluate(BOXES), page.evaluate(PAINTED, ".al-layer")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    boxes = page.evaluate(BOXES)
    assert boxes[".al-stage"]["width"] <= PAPER
    assert boxes[".al-map"]["top"] >= boxes[".al-plot"]["bottom"]
    assert page.locator(".al-stage").get_attribute("data-theme") == "light"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate(PAINTED, ".al-layer") > painted / 4
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(BOXES) == before
    assert page.locator(".al-stage").get_attribute("data-theme") == scheme
    page.close()


def test_what_lies_below_is_not_wiped_from_paper(chromium, report: str):
    """A canvas's wiping is printed too, and wiped the rounds from the canvas under it."""
    page = chromium.new_page(viewport={"width": 1300, "height": 900})
    page.add_init_script("""window.wiped = 0;
      const own = CanvasRenderingContext2D.prototype.clearRect;
      CanvasRenderingContext2D.prototype.clearRect = function (...at) {
        window.wiped += this.canvas.matches(".al-layer"); own.apply(this, at); };""")
    page.goto(report)
    page.wait_for_selector(".al-verdict:not(:empty)")
    page.evaluate("window.wiped = 0, dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("window.wiped") == 0
    page.close()


@pytest.mark.parametrize("kind", ["compare", "index"])
def test_no_table_is_cut(chromium, tmp_path: Path, root: Path, kind: str):
    logs = [str(root / "sample_traces" / f"{name}.jsonl") for name in ("incident", "synonyms")]
    if kind == "index":
        path = al.report(logs, tmp_path / "all/")
    else:
        path = al.report(al.compare(*logs), tmp_path / "c.html")
    page = chromium.new_page(viewport={"width": PAPER, "height": 900})
    page.goto(path.as_uri())
    page.emulate_media(media="print")
    assert page.evaluate("document.querySelector('table').getBoundingClientRect().right") <= PAPER
    if kind == "index":
        assert page.locator("th").first.text_content() == "Run"  # in sight in a narrow window
    page.close()


def test_marks_keep_their_colours_where_colours_are_forced(chromium, report: str):
    page = chromium.new_page(forced_colors="active")
    page.goto(report)
    mark = page.locator(".al-lanes .al-strip .al-stop").first
    mark.wait_for()
    colour = mark.evaluate("(e) => getComputedStyle(e).backgroundColor")
    assert "0, 0, 0" not in colour
    assert mark.evaluate("(e) => getComputedStyle(e).forcedColorAdjust") == "none"
    page.close()
