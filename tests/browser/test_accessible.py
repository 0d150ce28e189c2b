"""Pages for everyone: axe finds nothing grave, keys reach everything, zoom breaks nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import agentlens as al
from agentlens.figures.lesson.scenes import LESSON
from agentlens.teach.world import corpus
from benchmarks.bare import BarePage
from tests.browser.axe import findings
from tests.browser.stage_page import StagePage
from tests.conftest import FULL

pytestmark = pytest.mark.browser

#: Rules of a whole page, which a widget in a cell is none of.
PAGE = ("document-title", "html-has-lang", "landmark-one-main", "page-has-heading-one", "region")

#: What the full run looks at besides.
MORE = (("report", "dark"), ("compare", "light"), ("index", "dark"))
DARK = [False, True] if FULL else [True]

INCIDENT = ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时"]


def run(queries: list[str]) -> al.Trace:
    rows = [
        {"round": n, "tool": "web_search", "args": {"query": q}, "result": f"https://e.x/{q} {n}"}
        for n, q in enumerate(queries, 1)
    ]
    return al.load(rows)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    damaged = folder / "damaged.jsonl"
    damaged.write_text('{"what": 1}\n')
    made = al.compare(run(INCIDENT), run([*INCIDENT[:2], "bread", "chess"]), "classic")
    return {
        "report": al.report(run(INCIDENT), folder / "r.html", "classic"),
        "report zh": al.report(run(INCIDENT), folder / "zh.html", "classic", lang="zh"),
        "layered": al.report(run(INCIDENT * 30), folder / "l.html", "layered"),
        "compare": al.report(made, folder / "c.html"),
        "index": al.report([run(INCIDENT), run(["a", "b"]), str(damaged)], f"{folder}/many/"),
    }


def opened(chromium: Any, path: Path, **options: Any) -> Any:
    page = chromium.new_page(**{"viewport": {"width": 1200, "height": 900}, **options})
    page.goto(path.as_uri())
    page.wait_for_timeout(100)
    return page


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        ("report", "light"), ("report zh", "dark"), ("layered", "light"), ("compare", "dark"),
        ("index", "light"), *(MORE if FULL else ()),
    ],
)  # fmt: skip
def test_axe_finds_nothing_grave(
    chromium: Any, pages: dict[str, Path], name: str, scheme: str
) -> None:
    page = opened(chromium, pages[name], color_scheme=scheme)
    if page.locator("#rows button").count():
        page.locator("#rows button").nth(2).click()
        page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
    assert findings(page) == []
    page.close()


@pytest.mark.parametrize("dark", DARK)
def test_axe_finds_nothing_grave_in_the_stage(chromium: Any, dark: bool) -> None:
    shown = StagePage(chromium, run(INCIDENT * 3), al.Policy.preset("classic"), dark=dark)
    assert findings(shown.page, "#el", ignore=PAGE) == []
    shown.close()


@pytest.mark.parametrize("dark", DARK)
def test_axe_finds_nothing_grave_in_the_picker(chromium: Any, dark: bool) -> None:
    shown = BarePage(chromium, al.Picker(corpus(30), "classic").view, live=True, dark=dark)
    assert findings(shown.page, "#el", ignore=PAGE) == []
    shown.page.close()


@pytest.mark.parametrize("scene", [0, 3, 8])
def test_axe_finds_nothing_grave_in_the_lesson(chromium: Any, scene: int) -> None:
    lesson = al.TriggerAmplifier(scene=LESSON[scene].name)
    shown = BarePage(chromium, lesson, live=True, dark=scene == 8)
    assert findings(shown.page, "#el", ignore=PAGE) == []
    shown.page.close()


@pytest.mark.parametrize("name", ["report", "compare", "index"])
def test_at_200_percent_nothing_is_cut_off(
    chromium: Any, pages: dict[str, Path], name: str
) -> None:
    """A window of 1,200 pixels at 200 % is one of 600; tables may scroll in their own region."""
    page = opened(chromium, pages[name], viewport={"width": 600, "height": 450})
    assert page.evaluate("document.documentElement.scrollWidth") <= 600
    page.close()


def test_every_action_of_the_report_by_keyboard(chromium: Any, pages: dict[str, Path]) -> None:
    page = opened(chromium, pages["report"], forced_colors="active", reduced_motion="reduce")
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                """() => {
                  const at = document.activeElement, style = getComputedStyle(at);
                  if (at === document.body) return '';
                  const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
                  const seen = ring || at.closest('[role=slider]');  // a grip draws its own
                  const role = at.getAttribute('role') || at.tagName.toLowerCase();
                  return role + (seen ? '' : ' without a focus ring');
                }"""
            )
        )
    assert not [role for role in reached if role.endswith("without a focus ring")]
    assert {"slider", "input", "button", "summary", "region"} <= reached
    page.locator("#rows button").nth(3).focus()
    page.keyboard.press("Enter")
    assert "今日天气 预报" in page.locator("#detail").inner_text()
    assert page.locator("#rows button").nth(3).get_attribute("aria-pressed") == "true"
    slider = page.get_by_role("slider").last
    before = slider.get_attribute("aria-valuetext")
    slider.focus()
    page.keyboard.press("ArrowUp")
    page.wait_for_timeout(100)
    assert slider.get_attribute("aria-valuetext") != before
    page.close()


def test_the_comparison_is_narrowed_and_searched(chromium: Any, pages: dict[str, Path]) -> None:
    said: list[str] = []
    page = opened(chromium, pages["compare"])
    page.on("console", lambda message: said.append(message.text))
    assert page.locator("#steps tr").count() == 5
    page.get_by_label("Only where they differ").press("Space")
    assert page.locator("#steps tr").count() == 7
    page.get_by_label("Search in the calls").fill("bread")
    assert page.locator("#steps tr").all_inner_texts()[0].startswith("only B")
    assert page.locator("#found").inner_text() == "1 of 7 calls"
    assert said == []
    page.close()


def test_the_links_of_the_index_lead_from_a_disk_to_pages_and_back(
    chromium: Any, pages: dict[str, Path]
) -> None:
    page = opened(chromium, pages["index"])
    page.locator("a").first.click()
    page.wait_for_selector(".al-verdict:not(:empty)")
    page.get_by_role("link", name="All runs").click()
    page.wait_for_selector("text=Not readable: 1")
    page.close()


def test_paper_shows_the_rounds_in_full(chromium: Any, pages: dict[str, Path]) -> None:
    page = opened(chromium, pages["layered"])
    page.emulate_media(media="print")
    region = page.locator(".wide").first
    assert region.evaluate("e => e.scrollHeight <= e.clientHeight + 1")
    assert not page.locator("#search").is_visible()
    page.close()
