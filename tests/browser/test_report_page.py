"""A report in real Chromium, opened from a file: it drags, searches, and does nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import agentlens as al

EVIL = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    '"><svg onload=alert(3)>',
    "javascript:alert(4)",
    "\u202egnp.exe",
]


class Opened:
    """A report in a page of its own, with all that it asked for, said and complained of."""

    def __init__(self, browser: Any, path: Path) -> None:
        self.page = browser.new_page(viewport={"width": 1200, "height": 1400})
        self.asked: list[str] = []
        self.said: list[str] = []
        self.page.on("request", lambda r: self.asked.append(r.url))
        self.page.on("console", lambda m: self.said.append(m.text))
        self.page.on("pageerror", lambda e: self.said.append(str(e)))
        self.page.on("dialog", self._dialog)
        self.page.goto(path.as_uri())
        self.page.wait_for_selector(".al-verdict:not(:empty)")

    def _dialog(self, dialog: Any) -> None:
        self.said.append(dialog.message)
        dialog.dismiss()

    def verdict(self) -> str:
        text: str = self.page.locator(".al-verdict").inner_text()
        return text

    def press(self, kind: str, *keys: str) -> None:
        self.page.locator(f".al-handle-{kind}").focus()
        for key in keys:
            self.page.keyboard.press(key)
        self.page.wait_for_timeout(100)


def searches(queries: list[str], **columns: Any) -> al.Trace:
    return al.load(
        [
            {"round": n, "tool": "web_search", "args": {"query": q}, **columns}
            for n, q in enumerate(queries, 1)
        ]
    )


@pytest.fixture
def incident(chromium: Any, tmp_path: Path) -> Any:
    queries = ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时"]
    opened = Opened(
        chromium, al.report(searches(queries, result="晴"), tmp_path / "r.html", "classic")
    )
    yield opened
    opened.page.close()


def test_handles_move_the_trip_without_a_kernel(incident: Opened) -> None:
    assert "before round 3" in incident.verdict()
    incident.press("threshold", "ArrowUp")
    assert "before round 4" in incident.verdict()
    incident.press("threshold", "ArrowDown", "ArrowDown")
    assert "before round 2" in incident.verdict()
    pill = incident.page.locator(".al-handle-threshold .al-pill").bounding_box()
    x, y = pill["x"] + pill["width"] / 2, pill["y"] + pill["height"] / 2
    incident.page.mouse.move(x, y)
    incident.page.mouse.down()
    incident.page.mouse.move(x, y - 40, steps=6)
    incident.page.mouse.up()
    incident.page.wait_for_timeout(100)
    assert "before round 2" not in incident.verdict()
    assert incident.said == []


def test_search_finds_rounds_and_a_click_shows_one(incident: Opened) -> None:
    page = incident.page
    page.fill("#search", "晴雨")
    assert page.locator("#rows tr").count() == 1
    assert page.locator("#found").inner_text() == "1 of 5 rounds"
    page.locator("#rows button").click()
    assert "今日天气 晴雨" in page.locator("#detail .query").first.inner_text()
    page.locator(".al-plot").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(100)
    assert "今日天气 预报" in page.locator("#detail .query").first.inner_text()


def test_a_part_of_the_run_is_marked_to_be_seen_larger(incident: Opened) -> None:
    page = incident.page
    plot = page.locator(".al-plot").bounding_box()
    page.mouse.move(plot["x"] + 300, plot["y"] + 60)
    page.mouse.down()
    page.mouse.move(plot["x"] + 500, plot["y"] + 60, steps=4)
    assert page.locator(".al-marked").is_visible()
    page.mouse.up()
    page.wait_for_timeout(100)
    assert page.locator(".al-reset").is_visible()
    page.locator(".al-reset").click()
    page.wait_for_timeout(100)
    assert not page.locator(".al-reset").is_visible()


def test_a_hostile_trace_does_nothing(chromium: Any, tmp_path: Path) -> None:
    trace = searches(
        [f"weather {e} marker{n}" for n, e in enumerate(EVIL * 3)], result=" ".join(EVIL)
    )
    path = al.report(trace, tmp_path / "evil.html", "classic")
    opened = Opened(chromium, path)
    for row in range(5):
        opened.page.locator("#rows button").nth(row).click()
    opened.page.fill("#search", "<img src=x")
    assert opened.page.locator("#rows tr").count() == 15  # every result says it
    assert opened.page.locator("#detail img, #detail svg, #detail script, #detail a").count() == 0
    assert opened.said == []
    assert opened.asked == [path.as_uri()]
    opened.page.close()


def test_the_last_of_sixty_threads_can_be_chosen(chromium: Any, tmp_path: Path) -> None:
    names = [f"helper {n}" for n in range(60)]
    calls = [
        {"round": n, "tool": "web_search", "args": {"query": f"rain {name}"}, "thread": name}
        for name in names
        for n in (1, 2)
    ]
    opened = Opened(chromium, al.report(al.load(calls), tmp_path / "r.html", "classic"))
    assert opened.page.locator("#thread option").count() == 60
    opened.page.select_option("#thread", label="helper 59")
    opened.page.wait_for_function(
        "document.querySelector('#rows').textContent.includes('helper 59')"
    )
    assert opened.verdict()  # the stage keeps its words
    assert opened.page.locator(".al-plot").get_attribute("aria-label").strip()
    assert not opened.said
    opened.page.close()
