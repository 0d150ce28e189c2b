"""The lanes in Chromium: the page is read with the keyboard, and nothing is wider than its room."""

from __future__ import annotations

import plotly.io as pio
import pytest

import agentlens as al
from agentlens import figures

pytestmark = pytest.mark.browser

MAKE = {"tool": "bash", "args": {"command": "make"}, "result": "built", "seconds": 2.0}
WASTED = {**MAKE, "result": "Wasted call: nothing has changed"}
RUN = [MAKE] * 6 + [WASTED] * 3
REPLAY = al.replay(al.load([{"round": n, **row} for n, row in enumerate(RUN, 1)]), "layered")
SHOWN = ["roo-code", "cline", "gemini-cli", "goose"]


@pytest.fixture
def page(chromium):
    made = chromium.new_page(viewport={"width": 480, "height": 900})
    made.errors = []
    made.on("pageerror", lambda error: made.errors.append(str(error)))
    made.on("console", lambda m: made.errors.append(m.text) if m.type == "error" else None)
    yield made
    made.close()
    assert made.errors == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_is_read_with_the_keyboard(page, lang):
    page.set_content(figures.lanes_html(REPLAY, SHOWN, lang=lang))
    row = page.locator("details.al-lane").nth(1)
    assert not row.evaluate("e => e.open")
    page.keyboard.press("Tab")  # the log's own warnings
    page.keyboard.press("Tab")
    assert row.locator("summary").evaluate("e => e === document.activeElement")
    page.keyboard.press("Enter")
    assert row.evaluate("e => e.open")
    assert row.locator("li").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 480


def test_the_figure_says_why_where_it_is_touched(page):
    figure = figures.lanes(REPLAY, SHOWN, width=480)
    page.set_content(pio.to_html(figure, include_plotlyjs=True))
    page.wait_for_selector(".main-svg")
    names = page.locator(".ytick text").all_text_contents()
    at = page.locator(".ytick text").nth(names.index("roo-code")).bounding_box()
    left = page.locator(".bglayer, .xy").first.bounding_box()
    page.mouse.move(left["x"] + left["width"] / 4, at["y"] + at["height"] / 2)
    page.mouse.move(left["x"] + left["width"] / 4 + 2, at["y"] + at["height"] / 2)
    page.wait_for_selector(".hoverlayer .hovertext")
    said = page.locator(".hoverlayer .hovertext").first.text_content()
    assert "roo-code" in said


@pytest.mark.parametrize("width", [480, 1000])
def test_every_number_stays_above_the_strips(page, width):
    """That of the last round used to be written over the head of the column beside it."""
    page.set_viewport_size({"width": width, "height": 900})
    calls = [{**MAKE, "round": n, "args": {"command": f"make {n}"}} for n in range(1, 1_201)]
    page.set_content(figures.lanes_html(al.replay(al.load(calls), "layered"), SHOWN))
    strip = page.locator(".al-ticks > div").bounding_box()
    last = page.locator(".al-ticks b").last
    assert last.text_content() == "1,200"
    box = last.bounding_box()
    assert strip["x"] < box["x"]
    assert box["x"] + box["width"] <= strip["x"] + strip["width"] + 1


def test_a_short_run_has_all_its_numbers(page):
    """Of seven rounds the fourth used to have none: six numbers were spread over seven places."""
    calls = [{**MAKE, "round": n} for n in range(7)]
    page.set_content(figures.lanes_html(al.replay(al.load(calls), "layered"), SHOWN))
    assert page.locator(".al-ticks b").all_text_contents() == list("0123456")
