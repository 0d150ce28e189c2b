"""Hostile texts, all in one report and one Lens, in real Chromium: shown as text, and no more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import agentlens as al
from agentlens.breaker.replay import replay
from agentlens.figures.still import still
from tests.browser.stage_page import StagePage
from tests.hostile.inputs import run_of
from tests.hostile.payloads import INVISIBLE, MARKUP


class Watched:
    """A page from a file, with every request, dialog, complaint and error."""

    def __init__(self, browser: Any, path: Path) -> None:
        self.seen: list[str] = []
        self.page = browser.new_page(viewport={"width": 1200, "height": 1400})
        self.page.on("request", lambda r: r.url != path.as_uri() and self.seen.append(r.url))
        self.page.on("console", lambda m: self.seen.append(f"{m.type}: {m.text}"))
        self.page.on("pageerror", lambda e: self.seen.append(str(e)))
        self.page.on("popup", lambda p: self.seen.append(f"popup {p.url}"))
        self.page.on("dialog", self._dialog)
        self.page.goto(path.as_uri())

    def _dialog(self, dialog: Any) -> None:
        self.seen.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def faults(self) -> list[str]:
        self.page.mouse.move(300, 300)
        self.page.wait_for_timeout(300)
        strange = self.page.evaluate(
            "[...document.querySelectorAll('*')].filter((e) => [...e.attributes].some((a) =>"
            " /^on/i.test(a.name) || /^\\s*javascript:/i.test(a.value)) ||"
            " ['IFRAME', 'OBJECT', 'EMBED', 'BASE', 'FORM', 'VIDEO', 'AUDIO', 'MARQUEE', 'MATH']"
            ".includes(e.tagName.toUpperCase())).map((e) => e.outerHTML.slice(0, 120))"
        )
        owned = self.page.evaluate("'owned' in window")
        where = self.page.url
        self.page.close()
        return [*self.seen, *strange, *(["owned"] if owned else []),
                *([] if where.startswith("file:") else [where])]  # fmt: skip


def test_a_report_of_hostile_texts(chromium: Any, tmp_path: Path) -> None:
    trace = al.load(run_of([*MARKUP, *INVISIBLE]))
    watched = Watched(chromium, al.report(trace, tmp_path / "r.html", "classic"))
    page = watched.page
    page.wait_for_selector(".al-verdict:not(:empty)")
    rows = page.locator("#rows tr")
    for place in range(0, min(rows.count(), 60), 3):
        rows.nth(place).click()
    for text in ("<img src=x onerror=alert(1)>", "</script>", "[(", "\\"):
        page.locator("#search").fill(text)
    assert watched.faults() == []


def test_a_still_picture_of_hostile_texts_on_a_page_without_a_policy(
    chromium: Any, tmp_path: Path
) -> None:
    """A saved notebook has no content-security policy: the markup itself must be inert."""
    texts = [*MARKUP, *INVISIBLE]
    stills = [
        still(replay(al.load(run_of(texts[at : at + 6]))), lang)
        for at, lang in zip(range(0, len(texts), 6), ["en", "zh"] * 20, strict=False)
    ]
    path = tmp_path / "still.html"
    path.write_text("<!doctype html><meta charset=utf-8>" + "\n".join(stills), "utf-8")
    assert Watched(chromium, path).faults() == []


def test_a_lens_of_hostile_texts(chromium: Any) -> None:
    stage = StagePage(chromium, al.load(run_of([*MARKUP, *INVISIBLE])))
    dialogs: list[str] = []
    stage.page.on("dialog", lambda d: (dialogs.append(d.message), d.dismiss()))
    stage.page.mouse.move(300, 200)
    for _ in range(10):
        stage.page.keyboard.press("Tab")
        stage.page.keyboard.press("ArrowRight")
    stage.settle()
    asked = stage.asked
    owned = stage.page.evaluate("'owned' in window")
    stage.close()
    assert (asked, dialogs, stage.errors, owned) == ([], [], [], False)
