"""Plotly below, a canvas above: both at the same pixels, at first, after a zoom, after a resize."""

from __future__ import annotations

from typing import Any

import pytest

from agentlens.breaker.policy import Policy
from tests.browser.stage_page import StagePage, searches

pytestmark = pytest.mark.browser

INCIDENT = searches(
    ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时"], seconds=7.175
)

#: Middle of the column of the trip mark on the canvas, and where plotly puts an x.
MARK = """
() => {
  const canvas = document.querySelector(".al-over"), scale = canvas.width / canvas.clientWidth;
  const y = Math.round(250 * scale);
  const row = canvas.getContext("2d").getImageData(0, y, canvas.width, 1).data;
  const hits = [];
  for (let x = 0; x < canvas.width; x++) {
    const [r, g, b, a] = row.slice(4 * x, 4 * x + 4);
    if (a > 200 && r > 180 && g < 70 && b < 70) hits.push(x);
  }
  return hits.length ? (hits[0] + hits[hits.length - 1] + 1) / 2 / scale : null;
}
"""
AXES = """
() => {
  const full = document.querySelector(".al-plotly")._fullLayout;
  return Object.fromEntries(["xaxis", "yaxis", "yaxis2", "yaxis3"].map((name) => {
    const { _offset, _length, range } = full[name];
    return [name, { offset: _offset, length: _length, range: range.map(Number) }];
  }));
}
"""
DRAWN = "document.querySelector('.al-plotly').style.visibility === 'visible'"


@pytest.fixture
def page(chromium: Any):
    made = StagePage(chromium, INCIDENT, Policy.preset("classic"), plotly=True)
    yield made
    assert made.errors == []
    made.close()


def where(axes: dict[str, Any], x: float) -> float:
    axis = axes["xaxis"]
    low, high = axis["range"]
    return axis["offset"] + (x - low) / (high - low) * axis["length"]


def test_plotly_draws_where_the_plan_says(page):
    axes = page.page.evaluate(AXES)
    assert axes["xaxis"] == {"offset": 132, "length": 732 - 132 - 58, "range": [-0.5, 4.5]}
    for name, top, height in (("yaxis", 22, 120), ("yaxis2", 154, 120), ("yaxis3", 286, 90)):
        assert axes[name]["offset"] == pytest.approx(top, abs=0.01)
        assert axes[name]["length"] == pytest.approx(height, abs=0.01)


def test_nodes_and_mark_share_the_axes(page):
    axes = page.page.evaluate(AXES)
    assert page.page.evaluate(MARK) == pytest.approx(where(axes, 1.5), abs=1)
    left = page.page.locator(".al-plot").bounding_box()["x"]
    boxes = page.page.evaluate(
        """() => [...document.querySelectorAll(".al-plotly .trace:nth-child(2) .point")]
          .map((p) => { const b = p.getBoundingClientRect(); return b.x + b.width / 2; })"""
    )
    assert [b - left for b in boxes] == pytest.approx([where(axes, k) for k in range(5)], abs=0.6)


def test_layers_stay_aligned_after_a_zoom_and_back(page):
    box = page.page.locator(".al-plot").bounding_box()
    page.page.mouse.move(box["x"] + 250, box["y"] + 200)
    page.page.mouse.down()
    page.page.mouse.move(box["x"] + 420, box["y"] + 205, steps=4)
    page.page.mouse.move(box["x"] + 560, box["y"] + 205, steps=4)
    page.page.mouse.up()
    page.page.wait_for_function("!document.querySelector('.al-reset').hidden")
    page.page.wait_for_function(DRAWN)
    page.settle()
    axes = page.page.evaluate(AXES)
    assert axes["xaxis"]["range"] != [-0.5, 4.5]
    assert page.page.evaluate(MARK) == pytest.approx(where(axes, 1.5), abs=1)
    page.page.locator(".al-reset").click()
    page.page.wait_for_function(DRAWN)
    page.settle()
    assert page.page.evaluate(AXES)["xaxis"]["range"] == [-0.5, 4.5]
    assert page.page.locator(".al-reset").is_hidden()


@pytest.mark.parametrize("width", [480, 700, 1300])
def test_layers_stay_aligned_after_a_resize(page, width):
    page.page.set_viewport_size({"width": width + 32, "height": 1000})
    page.page.wait_for_timeout(200)
    page.page.wait_for_function(DRAWN)
    page.settle()
    axes = page.page.evaluate(AXES)
    narrow = width < 600
    inner = (width - 268 if width >= 900 else width) - (34 if narrow else 132) - 58
    assert axes["xaxis"]["length"] == inner
    assert page.page.evaluate(MARK) == pytest.approx(where(axes, 1.5), abs=1)
    assert page.page.evaluate("document.documentElement.scrollWidth") <= width + 32


def test_the_threshold_handle_sits_on_its_line(page):
    for threshold in (1, 2, 3):
        page.put("threshold", threshold)
        page.page.wait_for_function(DRAWN)
        page.settle()
        axis = page.page.evaluate(AXES)["yaxis3"]
        low, high = axis["range"]
        y = axis["offset"] + axis["length"] * (1 - (threshold - low) / (high - low))
        pill = page.page.locator(".al-handle-threshold .al-pill").bounding_box()
        top = page.page.locator(".al-plot").bounding_box()["y"]
        assert pill["y"] + pill["height"] / 2 - top == pytest.approx(y, abs=1)


def test_an_untouched_plot_stays_untouched_while_a_handle_moves(page):
    """No plotly redraw during a drag: its root node keeps the very same children."""
    page.page.evaluate(
        """() => {
          window.redrawn = 0;
          const plot = document.querySelector(".al-plotly");
          plot.on("plotly_afterplot", () => { window.redrawn += 1; });
        }"""
    )
    box = page.page.locator(".al-handle-threshold .al-pill").bounding_box()
    page.page.mouse.move(box["x"] + 20, box["y"] + 12)
    page.page.mouse.down()
    for step in range(6):
        page.page.mouse.move(box["x"] + 20, box["y"] + 12 - 4 * step)
        page.settle()
    assert page.page.evaluate("window.redrawn") == 0
    page.page.mouse.up()
    page.settle()
    assert page.page.evaluate("window.redrawn") >= 1
