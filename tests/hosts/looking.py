"""What must hold of a Lens and of a token lab on a page, whatever the host.

The numbers are the design's own: on the incident threshold 2 trips at round 3, 3 at round 4 and
1 at round 2. That the set of a text's characters forgets their order is the article's.
"""

from __future__ import annotations

from typing import Any

from tests.hosts.serving import HostPage


def check_handles(shown: HostPage) -> None:
    """The verdict is there, and keyboard and mouse move the trip; in the end it is round 4."""
    page = shown.page
    stage = page.locator(".al-stage")
    stage.wait_for()
    verdict = page.locator(".al-verdict")
    threshold = stage.get_by_role("slider").nth(1)
    assert verdict.inner_text().startswith("Would have stopped before round 3")
    threshold.focus()
    page.keyboard.press("ArrowUp")
    verdict.filter(has_text="before round 4").wait_for()
    assert threshold.get_attribute("aria-valuenow") == "3"
    page.keyboard.press("Home")
    verdict.filter(has_text="before round 2").wait_for()
    box = threshold.locator(".al-pill").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for _ in range(60):
        y -= 2
        page.mouse.move(x, y)
        page.wait_for_timeout(30)
        if threshold.get_attribute("aria-valuenow") == "3":
            break
    page.mouse.up()
    verdict.filter(has_text="before round 4").wait_for()


def check_picture(shown: HostPage, *, theme: str) -> None:
    """plotly has come from the kernel, colours are those of the ground, nothing is cut off."""
    page = shown.page
    page.locator(".al-plotly[style*='visibility: visible'] .main-svg").first.wait_for()
    stage = page.locator(".al-stage")
    assert stage.get_attribute("data-theme") == theme
    assert stage.evaluate(CUT) == []
    red = int(stage.evaluate("(e) => getComputedStyle(e).color").split("(")[1].split(",")[0])
    assert (red < 128) == (theme == "light")


def check_token_lab(shown: HostPage) -> None:
    """What is typed is pulled apart anew by the kernel: the same characters, another word."""
    lab = shown.page.locator(".al-lesson")
    lab.wait_for()
    for name, text in (("first", "上海"), ("second", "海上")):
        lab.locator(f"[data-name={name}]").fill(text)
    lab.locator(".al-frame").filter(has_text="2/2").wait_for()
    lab.get_by_role("button", name="中文").press("Enter")
    lab.get_by_role("button", name="EN").wait_for()


def check_nothing_of_ours(shown: HostPage, plain: HostPage | None = None) -> None:
    """No complaint, and nobody else asked, beyond what the host does without us."""
    errors = set(plain.errors) if plain else set()
    foreign = set(plain.foreign) if plain else set()
    assert [error for error in shown.errors if error not in errors] == []
    assert [address for address in shown.foreign if address not in foreign] == []


def box_of(element: Any) -> dict[str, float]:
    box: dict[str, float] = element.bounding_box()
    return box


#: Parts of the stage that reach over its right edge, or over that of what scrolls around it.
CUT = """(stage) => {
  const right = Math.min(stage.getBoundingClientRect().right, innerWidth) + 1;
  return [...stage.querySelectorAll(".al-head, .al-plot, .al-map, .al-pill, canvas")]
    .filter((e) => e.getBoundingClientRect().right > right)
    .map((e) => e.className || e.tagName);
}"""
