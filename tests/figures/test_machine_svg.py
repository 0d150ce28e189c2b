"""The machine as SVG: well-formed, every row of the table, the path lit, nothing live in it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from agentlens.breaker.machine import STATES, TABLE, Transition, stop_path
from agentlens.figures.machine_svg import machine_svg
from agentlens.figures.words import say


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_it_holds_every_state_and_every_event(lang):
    drawn = ElementTree.fromstring(machine_svg((), lang))
    texts = [element.text for element in drawn.iter() if element.tag.endswith("}text")]
    assert len(texts) == len(TABLE) + len(STATES)
    for state in STATES:
        assert say(lang, f"state_{state}") in texts


def test_the_path_is_numbered_and_lit():
    page = machine_svg(stop_path("no_progress", cause="count 2 of 2", round=3))
    assert 'data-state="partial"' in page
    for step in ("1 · no progress", "2 · replan exhausted", "3 · partial saved"):
        assert f">{step}<" in page
    assert "1: count 2 of 2" in page


def test_a_cause_is_text():
    step = Transition("running", "no_progress", "stalled", "</title><script>alert(1)</script>")
    page = machine_svg([step])
    assert "<script" not in page
    ElementTree.fromstring(page)
