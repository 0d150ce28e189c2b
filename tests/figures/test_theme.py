"""Colours hold the contrast that the design asks for, on both grounds; words exist in both."""

from __future__ import annotations

import re

import pytest

from agentlens.breaker.machine import STATES
from agentlens.breaker.rules import RULES
from agentlens.figures.theme import (
    CLUSTERS,
    DARK,
    LIGHT,
    MID,
    MID_CLUSTERS,
    RAMP,
    contrast,
    css_variables,
    ink_on,
    ramp,
)
from agentlens.figures.words import WORDS, say
from agentlens.widgets.lens.payload import KINDS

TEXT_FREE = {"grid", "ground", "ink"}


def test_contrast_is_that_of_wcag():
    assert contrast("#FFFFFF", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.478, abs=0.001)  # WCAG's own example


@pytest.mark.parametrize(("theme", "colours"), [("light", LIGHT), ("dark", DARK)])
def test_marks_hold_three_point_nine_to_one(theme, colours):
    ground = colours["ground"]
    marks = [v for k, v in colours.items() if k not in TEXT_FREE] + list(CLUSTERS[theme])
    assert round(min(contrast(mark, ground) for mark in marks), 1) >= 3.9


def test_middle_tones_hold_three_to_one_on_both_grounds():
    marks = [v for k, v in MID.items() if k not in TEXT_FREE] + list(MID_CLUSTERS)
    for ground in (LIGHT["ground"], DARK["ground"]):
        assert min(contrast(mark, ground) for mark in marks) >= 3


def test_ink_is_read_on_every_cluster():
    for colour in (*CLUSTERS["light"], *CLUSTERS["dark"], *MID_CLUSTERS, *RAMP):
        assert contrast(ink_on(colour), colour) >= 4.5


def test_every_state_has_a_colour_and_a_word():
    for state in STATES:
        assert all(state in colours for colours in (LIGHT, DARK, MID))
        assert f"state_{state}" in WORDS["en"]


def test_every_key_exists_in_both_languages_with_the_same_holes():
    assert WORDS["en"].keys() == WORDS["zh"].keys()
    for key, english in WORDS["en"].items():
        chinese = WORDS["zh"][key]
        holes = [set(re.findall(r"\{(\w+)\}", text)) for text in (english, chinese)]
        assert holes[0] >= holes[1], key
        assert not set("!！") & set(english + chinese)
    for kind in KINDS:
        assert f"kind_{kind}" in WORDS["en"]
    for rule in RULES:
        assert f"reason_{rule}" in WORDS["en"] or rule == "query"


def test_templates_are_filled():
    assert say("en", "rounds", n=1) == "1 round"
    assert say("en", "rounds", n=9698) == "9,698 rounds"
    assert say("zh", "rounds", n=3) == "3 轮"
    assert say("en", "nearest", count=1, threshold=2, round=7) == "Closest: count 1 of 2 at round 7"


def test_the_ramp_ends_where_it_should():
    assert (ramp(0), ramp(1), ramp(-1), ramp(2)) == (RAMP[0], RAMP[-1], RAMP[0], RAMP[-1])


def test_the_style_sheet_names_every_token():
    css = css_variables()
    for name in (*LIGHT, "c0", "c7", "v0", "v5"):
        assert f"--al-{name.replace('_', '-')}:" in css
    assert "var(--jp-content-font-color1," in css
