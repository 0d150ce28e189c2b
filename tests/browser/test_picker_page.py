"""The picker in a bare page: what it says, its charts and lists; dark, narrow, in Chinese."""

from __future__ import annotations

from typing import Any

import pytest

import agentlens as al
from agentlens.teach.world import corpus
from agentlens.trace.labels import Label
from agentlens.widgets.picker.still import PICKER_WORDS, picker_text
from benchmarks.bare import BarePage

pytestmark = pytest.mark.browser


def text(shown: BarePage, name: str) -> str:
    shown.settle()
    return str(shown.page.locator(f".al-picker-{name}").first.inner_text())


def test_few_runs_are_said_to_be_few_and_the_given_similarity_is_named(show_view):
    few = corpus(7)
    picker = al.Picker(few, al.Policy.preset("classic", similarity="0.82", threshold=2))
    shown = show_view(picker.view)
    assert "similarity 0.82 and threshold 2" in text(shown, "verdict")
    assert "n = 7 labelled runs: bands are wide" in text(shown, "more")
    column = picker.view.cell[0]
    low, high = picker.view.payload["edges"][column - 1 : column + 1]
    assert low < 0.82 <= high
    assert f"above {round(low, 3):g} up to {round(high, 3):g} does the same" in text(shown, "more")
    assert "vs default (0.8, 2): ±0 false stops, ±0 wasted rounds" in text(shown, "versus")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_says_what_the_still_says_with_thousands_grouped(show_view, lang):
    view = al.Picker(corpus(7), "classic", lang=lang).view
    payload = {**view.payload, "good": 12345, "loops": 1000, "loop_rounds": 1234567}
    shown = show_view(view, payload=payload)
    still = picker_text(payload, view.cell, lang)
    assert text(shown, "verdict") == still.split("\n")[0]
    for number in ("12,345", "1,000", "1,234,567"):
        assert number in still
    assert "1,234,567" in text(shown, "more")


def test_charts_by_keyboard_and_a_false_stop_opens(show_view):
    picker = al.Picker(corpus(90), "classic")
    shown = show_view(picker.view)
    tabs = shown.page.get_by_role("tab")
    tabs.first.focus()
    pictures = set()
    for name in ("ROC", "precision", "cost"):
        assert shown.page.locator("[aria-selected=true]").inner_text() == name
        canvas = shown.page.locator(".al-picker-side canvas")
        assert canvas.get_attribute("aria-label").startswith(name)
        pictures.add(canvas.evaluate("element => element.toDataURL()"))
        for words in ("limit of rounds", "here", "default"):  # marked on every chart
            assert words in shown.page.locator(".al-picker-side .al-picker-note").inner_text()
        shown.page.keyboard.press("ArrowRight")
    assert len(pictures) == 3
    wrong = shown.page.locator(".al-picker-false li")
    assert "rule query" in wrong.first.inner_text()
    wrong.first.locator("button").press("Enter")
    shown.settle()
    assert picker.lens is not None
    runs = picker.view.payload["runs"]
    names = [run["task"] for run in runs if run["label"] == "good"]
    assert wrong.first.locator("button").inner_text() in names


def test_letters_label_and_a_click_opens_the_run(show_view):
    picker = al.Picker(corpus(30), "classic")
    shown = show_view(picker.view)
    rows = shown.page.locator(".al-picker-rows canvas")
    rows.focus()
    for key, label in (("l", "loop"), ("u", "unknown"), ("g", "good")):
        before = picker.corpus.labels
        shown.page.keyboard.press(key)
        shown.settle()
        shown.page.wait_for_timeout(50)
        changed = [(a, b) for a, b in zip(before, picker.corpus.labels, strict=True) if a != b]
        assert [b for _, b in changed] in ([label], [])
        shown.page.keyboard.press("j")
    rows.click(position={"x": 40, "y": 18 * 2 + 5})
    shown.settle()
    assert picker.lens is not None


def test_a_run_that_waits_for_a_person_is_no_missed_loop(show_view):
    asks = al.load([
        {"role": "user", "text": "book it"},
        *({"round": n, "tool": "web_search", "args": {"query": "same"}, "result": "r"}
          for n in (1, 2, 3)),
        {"round": 4, "tool": "ask_user", "args": {"question": "which day?"}},
    ])  # fmt: skip
    marks = [Label("loop", 2, "book it", None, "hand"), *corpus(20).marks]
    picker = al.Picker(al.Corpus([asks, *corpus(20)], labels=marks), "classic")
    loops = sum(mark.label == "loop" for mark in marks)
    assert picker.view.payload["loops"] == loops - 1
    shown = show_view(picker.view)
    heads = shown.page.locator(".al-picker-strip .al-picker-head").inner_text()
    assert f"… {PICKER_WORDS['en']['waits']} 1" in heads


@pytest.mark.parametrize(
    ("lang", "look"),
    [("en", {"dark": True, "theme": "dark"}), ("en", {"width": 360}), ("zh", {})],
    ids=["dark", "narrow", "zh"],
)
def test_it_fits_in_every_dress(show_view, lang: str, look: dict[str, Any]):
    shown = show_view(al.Picker(corpus(60), "classic", lang=lang).view, **look)
    wide = shown.page.evaluate("[document.body.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1]
    said = shown.page.locator(".al-picker").inner_text()
    assert ("本会停下" in said) == (lang == "zh")
    assert "{" not in said
