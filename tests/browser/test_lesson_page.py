"""The parts of the lesson that stand alone, in a bare page: moved, typed into, switched."""

from __future__ import annotations

import json

import pytest

import agentlens as al
from agentlens.widgets.lesson.parts import IncidentView, TokenLab
from benchmarks.bare import BarePage

pytestmark = pytest.mark.browser


def typed(shown: BarePage, name: str, text: str) -> None:
    """Type a text by keyboard where a control stands."""
    shown.page.locator(f"[data-name={name}]").fill("")
    shown.page.locator(f"[data-name={name}]").press_sequentially(text)


def says(shown: BarePage, text: str) -> None:
    """Wait until the picture says something."""
    shown.page.locator(".al-frame").filter(has_text=text).wait_for()


def test_the_token_lab_pulls_what_is_typed_apart(show_view):
    shown = show_view(TokenLab("设备能耗 排名", "设备能耗"))
    says(shown, "4/6")  # 设备能耗 within 设备能耗排名: Jaccard 0.667, never 0.8
    typed(shown, "first", "上海")
    typed(shown, "second", "海上")
    says(shown, "2/2")  # the order of characters is lost: the same set
    typed(shown, "second", "<b>x</b>")
    says(shown, "<b>x</b>")
    assert shown.page.locator(".al-frame b", has_text="x").count() == 0
    shown.page.get_by_role("button", name="中文").press("Enter")
    shown.page.get_by_role("button", name="EN").wait_for()


def test_a_late_answer_does_not_take_a_drag_back(show_view):
    shown = show_view(al.TriggerAmplifier(scene="product"))
    for name, keys in (("p", ("End", "ArrowLeft")), ("k", ("Home", "ArrowRight"))):
        shown.page.locator(f"[data-name={name}]").focus()
        for key in keys:
            shown.page.keyboard.press(key)
    shown.page.locator(".al-point").filter(has_text="49 % bad searches × 1.00").wait_for()
    shown.page.locator(".al-grip").hover()
    shown.page.evaluate("window.LATE = 150")  # frames that were sent ahead overtake answers
    shown.page.mouse.down()
    box = shown.page.locator("svg").bounding_box()
    unit = box["width"] / 760
    for x in (300, 200, 112):
        shown.page.mouse.move(box["x"] + unit * x, box["y"] + unit * 128)
        shown.page.wait_for_timeout(60)
    shown.page.mouse.up()
    shown.page.wait_for_timeout(900)  # longer than any answer
    said = shown.page.locator(".al-point").inner_text()
    assert said.startswith("10 % bad searches × 2.00 wasted rounds each = 0.20")
    assert shown.get("asked")["values"] == {"p": 0.1, "k": 3}


def test_the_game_counts_holes(show_view):
    shown = show_view(al.TriggerAmplifier(scene="game"))
    typed(shown, "first", "C++ 教程")
    typed(shown, "second", "C# 教程")
    says(shown, "symbols that mean something")
    shown.page.locator("[data-name=same]").focus()
    shown.page.keyboard.press("ArrowDown")
    says(shown, "and you agree")
    shown.page.locator("[data-name=reveal]").focus()
    shown.page.keyboard.press("Space")
    says(shown, "苹果公司2022年财报")
    assert shown.page.locator("tr[data-found=true]").count() >= 1


def test_the_incident_view_shows_the_record_and_what_is_unknown(show_view, tmp_path):
    record = {"userQuery": "weather <i>now</i>", "outcome": "COMPLETED", "roundsUsed": 5,
              "maxRoundsCfg": 5, "toolCallCount": 5, "llmCallCount": 6,
              "durationMs": 35875}  # fmt: skip
    path = tmp_path / "record.json"
    path.write_text(json.dumps(record))
    view = IncidentView()
    view.load(str(path))
    shown = show_view(view)
    says(shown, "weather <i>now</i>")
    assert shown.page.locator(".al-frame i").count() == 0
    for text in ("35.875 s", "unknown"):
        says(shown, text)
    shown.page.get_by_role("button", name="中文").press("Enter")
    shown.page.get_by_role("button", name="EN").wait_for()
    assert "未知" in shown.page.locator(".al-frame").inner_text()
