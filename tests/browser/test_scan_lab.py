"""Sessions and controls as a person meets them: real JupyterLab, real Chromium."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.lab import LabServer
from benchmarks.page import NotebookPage

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=window.hacked=1></script><script>window.hacked=1</script>"


@pytest.fixture(scope="module")
def opened(chromium: Any, lab: LabServer, root) -> Iterator[NotebookPage]:
    """Yield a notebook with a scan and a Lens on a hostile log, run once."""
    rows = [
        {"round": n, "tool": HOSTILE, "args": {"query": f"{HOSTILE} {n}"}, "result": HOSTILE}
        for n in (1, 2, 3)
    ]
    (lab.work / "hostile").mkdir(exist_ok=True)
    for name in ("a", HOSTILE.replace("/", "_")[:60]):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (lab.work / "hostile" / f"{name}.jsonl").write_text(text, "utf-8")
    cells = [
        f"import agentlens as al\nclassic = al.Policy.preset('classic')\n"
        f"found = al.scan({str(root / 'sample_traces')!r}, classic)\nfound",
        f"bad = al.scan({str(lab.work / 'hostile')!r}, classic, tools={{{HOSTILE!r}: 'search'}})\n"
        "bad",
    ]
    with NotebookPage(chromium, lab, lab.write("scan.ipynb", cells), size=(1400, 3600)) as page:
        page.run_all()
        page.page.locator(".agentlens-sessions").nth(1).wait_for()
        yield page


def test_filter_click_and_keyboard(opened: NotebookPage) -> None:
    table = opened.page.locator(".agentlens-sessions").first
    rows = table.locator("tbody tr")
    assert rows.count() == 13
    assert "claude_code_web_loop.jsonl" in rows.first.inner_text()  # worst first
    table.locator("input").fill("INCIDENT")
    assert rows.count() == 1
    rows.first.click()
    assert opened.wait_until("found.lens and found.lens.trace.name", "incident.jsonl")
    assert opened.wait_until("found.lens.replay.trip.round", 3) == 3
    opened.page.locator(".al-stage").first.wait_for()
    table.locator("input").fill("")
    rows.first.focus()
    opened.page.keyboard.press("ArrowDown")
    opened.page.keyboard.press("ArrowUp")
    opened.page.keyboard.press("Enter")
    name = "claude_code_web_loop.jsonl"
    assert opened.wait_until("found.lens.trace.name", name) == name
    assert rows.first.get_attribute("aria-selected") == "true"


def test_controls(opened: NotebookPage) -> None:
    opened.ask("found.show(1) and 0")
    page = opened.page
    typed = page.get_by_label("similarity", exact=True).first
    typed.fill("5/6")
    typed.press("Enter")
    assert opened.wait_until("str(found.lens.policy.similarity)", "5/6") == "5/6"
    typed.fill("nonsense")
    typed.press("Enter")
    page.get_by_text("is no number above 0 and at most 1").wait_for()
    assert opened.ask("str(found.lens.policy.similarity)") == "5/6"
    page.get_by_role("button", name="reset").first.click()
    assert opened.wait_until("str(found.lens.policy.similarity)", "4/5") == "4/5"
    page.get_by_role("button", name="中文").first.click()
    page.get_by_role("button", name="重置").first.wait_for()
    page.get_by_role("button", name="EN", exact=True).first.click()
    page.get_by_role("button", name="reset").first.wait_for()


def test_inspector_shows_the_round_that_is_chosen(opened: NotebookPage) -> None:
    opened.ask("found.show(1) and 0")
    opened.ask("setattr(found.lens.stage, 'selected', 3)")  # round 0 is the preamble
    detail = opened.page.locator(".agentlens-round .pair").first
    detail.wait_for()
    assert detail.locator("mark").first.inner_text() == "天气"
    box = opened.page.locator(".agentlens-round").first.bounding_box()
    assert box["width"] <= 1000


def test_hostile_logs_run_nothing(opened: NotebookPage) -> None:
    for place in (0, 1):
        opened.ask(f"bad.show({place}) and 0")
        opened.ask("setattr(bad.lens.stage, 'selected', 2)")
        opened.page.wait_for_timeout(500)
    assert opened.page.evaluate("window.hacked") is None
    assert opened.page.locator(".agentlens-round img, .agentlens-sessions img").count() == 0
    assert opened.foreign == []
    assert opened.cell_errors() == []
