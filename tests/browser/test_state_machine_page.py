"""The drawing of the machine in Chromium: nothing complains, and no label covers another."""

from __future__ import annotations

from itertools import combinations

import plotly.io as pio
import pytest

from agentlens import figures
from agentlens.breaker.machine import TABLE, Transition

pytestmark = pytest.mark.browser

EVERYTHING = [Transition(a.source, a.event, a.target, "why", 3) for a in TABLE]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_label_covers_another_or_leaves_the_drawing(chromium, lang):
    """All lit, as here, is the widest that labels get: bold, with numbers before them."""
    figure = figures.state_machine(EVERYTHING, lang=lang)
    page = chromium.new_page(viewport={"width": 1000, "height": 480})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda m: errors.append(m.text) if m.type in ("error", "warning") else None)
    page.set_content(pio.to_html(figure, include_plotlyjs=True))
    page.wait_for_selector(".annotation-text-g")
    page.wait_for_timeout(300)
    boxes = page.evaluate(
        """() => [...document.querySelectorAll(".annotation-text-g text")].map((t) => {
             const r = t.getBoundingClientRect();
             return [t.textContent, r.left, r.top, r.right, r.bottom];
           })"""
    )
    frame = page.locator(".main-svg").first.bounding_box()
    page.close()
    assert errors == []
    assert len(boxes) == len(figure.layout.annotations)
    for text, left, top, right, bottom in boxes:
        assert frame["x"] <= left, text
        assert right <= frame["x"] + frame["width"], text
        assert frame["y"] <= top, text
        assert bottom <= frame["y"] + frame["height"], text
    for (one, l1, t1, r1, b1), (two, l2, t2, r2, b2) in combinations(boxes, 2):
        apart = r1 <= l2 + 1 or r2 <= l1 + 1 or b1 <= t2 + 1 or b2 <= t1 + 1
        assert apart, (one, two)
