"""The stage in a bare page: what it says, what its handles do, what it never does."""

from __future__ import annotations

import pytest

from agentlens.breaker.policy import Policy
from tests.browser.stage_page import searches

pytestmark = pytest.mark.browser

INCIDENT = searches(
    ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时"], seconds=7.175
)
BOUNDARY = searches(["今日天气 气温", "今日天气 晴雨", "今日天气 风力"])


@pytest.mark.parametrize("plotly", [False, True])
def test_incident_by_keyboard(show, plotly):
    """Threshold 2 trips at round 3, 3 at round 4, 1 at round 2 (the design's own numbers)."""
    page = show(INCIDENT, plotly=plotly)
    assert page.get("trip") == 2
    assert (
        page.text(".al-verdict")
        == "Would have stopped before round 3 of 5. Saved: 3 rounds, 21.5 s."
    )
    assert page.text(".al-reason").startswith(
        "“今日天气 晴雨” repeats “天气” of round 1: 2 of 2 tokens"
    )
    page.press("threshold", "ArrowUp")
    assert (page.get("threshold"), page.get("trip")) == (3, 3)
    assert "before round 4 of 5" in page.text(".al-verdict")
    page.press("threshold", "ArrowDown", "ArrowDown")
    assert (page.get("threshold"), page.get("trip")) == (1, 1)
    page.press("threshold", "ArrowDown")
    assert page.get("threshold") == 1
    page.press("threshold", "End")
    assert page.get("trip") == -1
    assert page.text(".al-verdict") == "Would not have stopped in 5 rounds."


def test_boundary_is_exact(show):
    """Two queries that share 4 of 5 tokens: similar at 0.80, not at 0.81."""
    page = show(BOUNDARY)
    assert page.get("trip") == 2
    page.press("similarity", "ArrowUp")
    assert (page.get("similarity"), page.get("trip")) == ([81, 100], -1)
    page.press("similarity", "ArrowDown")
    assert (page.get("similarity"), page.get("trip")) == ([4, 5], 2)
    page.press("similarity", "Shift+ArrowUp")
    assert (page.get("similarity"), page.get("trip")) == ([81, 100], -1)
    page.press("similarity", "Shift+ArrowDown", "Shift+ArrowDown")
    assert (page.get("similarity"), page.get("trip")) == ([79, 100], 2)
    page.press("similarity", "Home")
    assert page.get("similarity") == [1, 100]
    page.press("similarity", "End")
    assert page.get("similarity") == [1, 1]


@pytest.mark.parametrize("plotly", [False, True])
def test_handles_follow_the_mouse(show, plotly):
    page = show(INCIDENT, plotly=plotly)
    page.drag("threshold", -16)
    assert (page.get("threshold"), page.get("trip")) == (3, 3)
    page.drag("threshold", 32)
    assert (page.get("threshold"), page.get("trip")) == (1, 1)
    page.drag("similarity", 30)
    p, q = page.get("similarity")
    assert 0.4 < p / q < 0.6
    assert page.handle("similarity").get_attribute("aria-valuenow") == str(p / q)


AHEAD = """([element, by]) => {
  const box = element.querySelector(".al-pill").getBoundingClientRect();
  const x = box.x + box.width / 2, y = box.y + box.height / 2;
  const fire = (name, dy) => element.dispatchEvent(new PointerEvent(
    name, { pointerId: 1, clientX: x, clientY: y + dy, button: 0, bubbles: true }));
  element.setPointerCapture = () => {};
  fire("pointerdown", 0);
  const saves = window.model.saves;
  fire("pointerrawupdate", by / 2);
  fire("pointerrawupdate", by); // a mouse may report many times a frame
  const early = element.getAttribute("aria-valuenow");
  fire("pointermove", by);
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
    const late = element.getAttribute("aria-valuenow");
    fire("pointerup", by);
    resolve([early, late, window.model.saves - saves]);
  })));
}"""


def test_a_move_is_drawn_before_its_frame_and_told_once_in_it(show):
    """What a browser tells early costs the frame nothing; the kernel hears once a frame."""
    page = show(INCIDENT)
    element = page.handle("threshold").element_handle()
    assert page.page.evaluate(AHEAD, [element, -32]) == ["3", "4", 1]
    assert page.get("trip") == 4


def test_a_drag_snaps_to_exact_fractions(show):
    """5/6 lies between two hundredths; dragging past it must be able to hit it."""
    page = show(
        searches(["a b c d e f", "a b c d e g", "a b c d e h"]),
        Policy.preset("classic", similarity="1/2"),
    )
    box = page.page.locator(".al-handle-similarity .al-pill").bounding_box()
    x, y = box["x"] + 20, box["y"] + 12
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    seen = set()
    for step in range(60):  # a pixel is 0.0097
        page.page.mouse.move(x, y - step)
        seen.add(tuple(page.get("similarity")))
    page.page.mouse.up()
    assert (5, 6) in seen
    assert page.get("similarity") == [1, 1]


def test_handles_are_sliders(show):
    page = show(INCIDENT)
    for kind, low, high in (("similarity", 0.01, 1), ("threshold", 1, 6)):
        handle = page.handle(kind)
        assert handle.get_attribute("role") == "slider"
        assert handle.get_attribute("aria-orientation") == "vertical"
        assert float(handle.get_attribute("aria-valuemin")) == low
        assert float(handle.get_attribute("aria-valuemax")) == high
        assert "Would have stopped before round 3" in handle.get_attribute("aria-valuetext")
    assert page.page.locator("[role=status]").text_content().startswith("Would have stopped")


def test_a_click_on_the_map_sets_both(show):
    page = show(BOUNDARY)
    box = page.page.locator(".al-map canvas").bounding_box()
    page.page.mouse.click(
        box["x"] + 22 + 28 + 14, box["y"] + 3 + 5 * 28 + 14
    )  # above 0.80, threshold 1
    assert page.get("threshold") == 1
    assert page.get("similarity") == [81, 100]
    page.page.mouse.click(box["x"] + 22 + 14, box["y"] + 3 + 4 * 28 + 14)  # up to 0.80, threshold 2
    assert (page.get("similarity"), page.get("threshold"), page.get("trip")) == ([4, 5], 2, 2)


def test_a_click_in_the_column_of_the_setting_keeps_its_similarity(show):
    page = show(BOUNDARY, Policy.preset("classic", similarity="0.7"))
    box = page.page.locator(".al-map canvas").bounding_box()
    page.page.mouse.click(box["x"] + 22 + 14, box["y"] + 3 + 5 * 28 + 14)  # up to 0.80, threshold 1
    assert (page.get("similarity"), page.get("threshold"), page.get("trip")) == ([7, 10], 1, 1)


def test_the_arrow_keys_walk_over_the_map(show):
    page = show(BOUNDARY)
    page.page.locator(".al-map canvas").focus()
    seen = []
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown", "ArrowDown"):
        page.page.keyboard.press(key)
        seen.append((page.get("similarity"), page.get("threshold")))
    above, below = [81, 100], [4, 5]  # the plateaus on both sides of the sample's one border
    assert seen == [(above, 2), (above, 2), (above, 3), (below, 3), (below, 2), (below, 1)]


def test_every_region_without_a_trip_is_named_beside_the_map(show):
    """The third query is the first again, the second shares half: above 0.5 the count is 1."""
    page = show(searches(["a b c d e f", "a b c x y z", "a b c d e f"]))
    named = page.page.locator(".al-map-legend > div").all_inner_texts()
    assert named == [
        "no stop: at this similarity the count stays below the threshold",
        "unreachable: the count never gets that high",
    ]


def test_round_numbers_are_grouped_by_thousands(show):
    trace = searches(["a"] * 3, number=10_000)
    page = show(trace)
    page.page.evaluate(RECORD.replace('this.canvas.closest(".al-map")', "true"))
    page.put("threshold", 3)
    assert "10,000" in [text for text, _ in page.page.evaluate("window.WRITTEN")]


#: Everything that is written on a canvas from now on.
RECORD = """() => {
  window.WRITTEN = [];
  const write = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    const size = parseFloat(this.font.match(/([0-9.]+)px/)[1]);
    if (this.canvas.closest(".al-map")) window.WRITTEN.push([text, size]);
    return write.call(this, text, ...rest);
  };
}"""


def test_the_map_says_the_number_and_the_border_of_the_setting_however_narrow_it_is(show):
    """Round 110 + k shares k of its 12 tokens: 12 plateaus, three digits in 17 pixels."""
    apart = [" ".join(f"u{n}v{k}" for k in range(12)) for n in range(110)]
    nearer = [
        " ".join([f"u0v{i}" for i in range(k)] + [f"z{k}z{i}" for i in range(12 - k)])
        for k in range(1, 13)
    ]
    page = show(searches(apart + nearer), Policy.preset("classic", threshold=1, similarity="1/2"))
    page.page.evaluate(RECORD)
    for k, border in ((11, "0.917"), (8, "0.667"), (3, "0.25")):
        page.page.evaluate("window.WRITTEN.length = 0")
        page.put("similarity", [k, 12])
        written = page.page.evaluate("window.WRITTEN")
        assert border in [text for text, _ in written]
        assert str(110 + k) in [text for text, size in written if size >= 8]


def test_python_and_the_page_set_the_same_traits(show):
    page = show(INCIDENT)
    page.put("threshold", 3)
    assert page.get("trip") == 3
    page.put("similarity", [1, 2])
    assert page.text(".al-handle-similarity .al-pill") == "0.50"
    page.put("lang", "zh")
    assert page.text(".al-verdict").startswith("本会在第 4 轮之前停下")


def test_rounds_are_selected_by_click_and_keys(show):
    page = show(INCIDENT)
    box = page.page.locator(".al-plot").bounding_box()
    inner = 732 - 132 - 58
    page.page.mouse.click(box["x"] + 132 + inner * 0.7, box["y"] + 60)
    assert page.get("selected") == 3
    page.page.locator(".al-plot").focus()
    page.page.keyboard.press("ArrowRight")
    assert page.get("selected") == 4
    page.page.keyboard.press("Escape")
    assert page.get("selected") == -1


def test_python_is_right_where_the_counts_disagree(show):
    page = show(INCIDENT)
    page.put("confirmed", {"similarity": [4, 5], "threshold": 2, "trip": 2})
    assert page.errors == []
    page.put("confirmed", {"similarity": [4, 5], "threshold": 2, "trip": 3})
    assert page.get("trip") == 3
    assert any("Python" in error for error in page.errors)
    page.errors.clear()
    page.put("threshold", 1)  # another setting: not confirmed, so the browser's own count holds
    assert page.get("trip") == 1
