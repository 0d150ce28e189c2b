"""Pages in a narrow window, and with names of any length: nothing overlaps, nothing is cut."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import agentlens as al

QUERIES = ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时"]
NAMES = ["x" * 200, "子智能体" * 50]

#: The texts of elements that reach out of the window or of a region that shows only a part.
CUT = """(where) => [...document.querySelectorAll(where)].filter((e) => {
  const own = e.getBoundingClientRect();
  const region = e.closest('.wide, #detail')?.getBoundingClientRect();
  const right = Math.min(region ? region.right : Infinity, innerWidth);
  return own.width && (own.right > right + 1 || e.scrollWidth > e.clientWidth + 1
    && getComputedStyle(e).display !== 'inline');
}).map((e) => e.textContent)"""


def run(threads: list[str]) -> al.Trace:
    return al.load(
        [
            {"round": n, "tool": "web_search", "args": {"query": q}, "result": "x", "thread": name}
            for name in threads
            for n, q in enumerate(QUERIES, 1)
        ]
    )


def opened(browser: Any, path: Path, width: int, **options: Any) -> Any:
    page = browser.new_page(viewport={"width": width, "height": 800}, **options)
    page.goto(path.as_uri())
    page.wait_for_selector(":is(#rows, #steps, .whole) tr")
    return page


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [320, 500])
def test_a_comparison_is_read_without_scrolling_to_the_side(
    chromium: Any, tmp_path: Path, width: int, lang: str
) -> None:
    made = al.compare(run(["main"]), policy="classic", other="layered")
    page = opened(chromium, al.report(made, tmp_path / "c.html", lang=lang), width)
    page.locator("#only").uncheck()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(CUT, "#steps td, p, h1, h2, dd, .bar label") == []
    row = page.locator("#steps tr").nth(2)
    assert row.locator("td:visible").count() > 6
    said = row.locator("td").nth(4).evaluate("(e) => getComputedStyle(e, '::before').content")
    assert ("轮" if lang == "zh" else "A round") in said
    tops = row.evaluate(
        "(e) => new Set([...e.cells].map((c) => c.getBoundingClientRect().top)).size"
    )
    assert tops > 2  # a block of several lines
    assert (
        page.get_by_role("columnheader").count()
        == page.get_by_role("row").nth(1).get_by_role("cell", include_hidden=True).count()
    )  # still a table to those who hear it
    letters = page.locator("svg[role=img] text").evaluate_all(
        "(all) => all.map((e) => e.getBoundingClientRect().height)"
    )
    assert min(letters) >= 11  # pixels: the ribbon does not shrink with the window
    page.close()


def test_a_wide_window_shows_a_comparison_in_columns(chromium: Any, tmp_path: Path) -> None:
    made = al.compare(run(["main"]), policy="classic", other="layered")
    page = opened(chromium, al.report(made, tmp_path / "c.html"), 1000)
    cells = page.locator("#steps tr").first.locator("td")
    tops = cells.evaluate_all("(all) => all.map((e) => Math.round(e.getBoundingClientRect().top))")
    assert len(set(tops)) == 1
    assert page.locator("thead th").first.is_visible()
    # The first stops before the third of five calls: two fifths of the width.
    marks = page.locator("svg svg svg").evaluate_all("(all) => all.map((e) => e.getAttribute('x'))")
    assert marks[0] == "40.000%"
    page.close()


@pytest.mark.parametrize("name", NAMES, ids=["latin", "chinese"])
@pytest.mark.parametrize("width", [320, 1200])
def test_a_long_name_of_a_thread_pushes_no_report_wide(
    chromium: Any, tmp_path: Path, width: int, name: str
) -> None:
    page = opened(chromium, al.report(run([name, "b"]), tmp_path / "r.html", "classic"), width)
    page.locator("#rows button").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert name[:20] in page.locator("#detail").inner_text()
    assert page.evaluate(CUT, "h1, h2, #detail *, .bar label, dd") == []
    box = page.locator("#thread").bounding_box()
    assert box["x"] + box["width"] <= width
    page.close()


@pytest.mark.parametrize("width", [320, 1200])
def test_long_names_push_no_index_and_no_comparison_wide(
    chromium: Any, tmp_path: Path, width: int
) -> None:
    logs = []
    for place, name in enumerate(("x" * 120, "子" * 70)):
        logs.append(tmp_path / f"{name}.jsonl")
        al.write_plain(run([NAMES[place], "b"]), logs[-1])
    paths = [
        al.report([str(log) for log in logs], f"{tmp_path}/all/", "classic"),
        al.report(al.compare(*map(str, logs)), tmp_path / "c.html"),
    ]
    for path in paths:
        page = opened(chromium, path, width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.close()
