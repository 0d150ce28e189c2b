"""Lanes: rows in the order in which they speak, facts and what is none, savings, near misses."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import agentlens as al
from agentlens.errors import PolicyError
from agentlens.figures import lanes
from agentlens.figures.rule_lanes.page import lanes_page
from agentlens.figures.rule_lanes.rows import lane_rows
from agentlens.figures.view import view_of

MAKE = {"tool": "bash", "args": {"command": "make"}, "result": "built", "seconds": 2.0}
THINK = {"tool": "think", "args": {"thought": "Once more."}, "result": ""}


def trace(rows):
    return al.load([{"round": number, **row} for number, row in enumerate(rows, 1)])


def rows_of(rows, presets, policy="classic", **options):
    view = view_of(al.replay(trace(rows), policy))
    return {row.name: row for row in lane_rows(view, presets, **options).rows}


def marks(row):
    return [(mark.place + 1, mark.level, mark.fact) for mark in row.marks]


def test_the_first_is_a_fact_and_what_follows_is_not():
    """Cline tells the model at three equal calls and stops at five; Roo Code refuses the fourth."""
    found = rows_of([MAKE] * 7, ["cline", "roo-code", "goose"])
    assert marks(found["cline"]) == [(3, "nudge", True), (5, "stop", False)]
    assert marks(found["roo-code"])[0] == (4, "stop", True)
    assert marks(found["goose"]) == []


def test_what_each_would_have_saved():
    found = rows_of([MAKE] * 7, ["cline", "roo-code", "goose"])
    assert (found["cline"].saved.rounds, found["cline"].saved.seconds) == (3, 6.0)
    assert (found["roo-code"].saved.rounds, found["roo-code"].saved.seconds) == (4, 8.0)
    assert found["goose"].saved is None
    assert found["roo-code"].spans == ((3, 6),)


def test_the_first_to_speak_comes_first_and_the_silent_last():
    names = ["goose", "roo-code", "cline", "qwen-code", "crewai"]
    view = view_of(al.replay(trace([MAKE] * 7), "classic"))
    order = [row.name for row in lane_rows(view, names).rows]
    assert order[:4] == ["crewai", "cline", "roo-code", "qwen-code"]  # 2, 3, 4, 5
    assert set(order[4:]) == {"goose", "query", "steps"}


def test_every_preset_and_every_rule_has_a_row():
    found = rows_of([MAKE] * 3, None, "layered")
    policy = al.Policy.preset("layered")
    assert found.keys() == (
        {*al.Policy.presets(), "query", "steps"} | {spec.name for spec in policy.rules}
    )
    assert found["layered"].kind == "policy"


def test_an_upper_bound_where_the_log_lacks_what_is_looked_at():
    names = ["openhands", "gemini-cli", "roo-code"]
    without = rows_of([MAKE] * 5, names)
    assert [without[name].upper for name in names] == [True, True, False]
    thought = rows_of([{**MAKE, "thought": "again"}] * 5, names)
    assert [thought[name].upper for name in names] == [False, True, False]
    figure = lanes(al.replay(trace([MAKE] * 6)), ["openhands"])
    assert "≤ 2 rounds · 4.0 s" in [note.text for note in figure.layout.annotations]


def test_near_misses_stand_in_their_row():
    found = rows_of([MAKE, MAKE, THINK, MAKE, MAKE], ["roo-code"])
    assert [(m.round, m.would_round, m.broke) for m in found["roo-code"].near] == [
        (3, 5, ("think",))
    ]
    assert rows_of([MAKE, MAKE, THINK, MAKE, MAKE], ["roo-code"], near=False)["roo-code"].near == ()


def test_the_step_count_is_always_shown():
    none = rows_of([MAKE] * 7, [])["steps"]
    assert (none.marks, none.steps.limit, none.steps.needed) == ((), None, 19)
    given = rows_of([MAKE] * 7, [], steps=5)["steps"]
    assert (marks(given), given.saved.rounds) == ([(6, "stop", True)], 2)
    good = al.Corpus([trace([MAKE] * (3 + i % 2)) for i in range(19)], labels=["good"] * 19)
    made = rows_of([MAKE] * 7, [], steps=good)["steps"]
    assert (made.steps.limit, marks(made)) == (4, [(5, "stop", True)])
    figure = lanes(al.replay(trace([MAKE] * 7)), [])
    assert "needs 19 good runs" in [note.text for note in figure.layout.annotations]


def test_the_figure_holds_a_row_for_each_name():
    figure = lanes(al.replay(trace([MAKE] * 7), "classic"), ["cline", "roo-code"])
    names = [re.sub(r"<[^>]+>", "", name) for name in figure.layout.yaxis.ticktext]
    assert names == ["cline", "roo-code", "classic · query", "step count"]
    stops = [t for t in figure.data if t.name == "stops"]
    assert sorted((x, y) for t in stops for x, y in zip(t.x, t.y, strict=True)) == [
        (2.5, 1), (3.5, 0),
    ]  # fmt: skip
    hover = " ".join(t for s in figure.data if s.text is not None for t in s.text)
    assert "same call of bash, 4 times in a row" in hover.replace("<br>", " ")


def test_the_log_has_a_row_for_its_own_warnings():
    wasted = {**MAKE, "result": "Wasted call: nothing has changed"}
    figure = lanes(al.replay(trace([MAKE, wasted, wasted, THINK, MAKE])), [])
    assert "the log’s own warnings" in figure.layout.yaxis.ticktext[0]
    assert "ignored for 2 rounds" in [note.text for note in figure.layout.annotations]


def test_many_marks_are_thinned():
    rows = [{"tool": "bash", "args": {"command": f"c{i // 4}"}, "result": "r"} for i in range(2400)]
    figure = lanes(al.replay(trace(rows), "classic"), ["crewai"])
    assert max(len(t.x) for t in figure.data if t.type == "scatter") <= 300
    assert "more up to round" in " ".join(
        t for s in figure.data if s.text is not None for t in s.text
    )


def test_what_there_is_not():
    replay = al.replay(trace([MAKE]))
    for wrong in ({"presets": ["no-such"]}, {"theme": "blue"}, {"lang": "fr"}, {"x": "mood"}):
        with pytest.raises(PolicyError):
            lanes(replay, **wrong)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_is_text_that_runs_nothing(lang):
    evil = "</summary><script>alert(1)</script>"
    rows = [{"tool": evil, "args": {"q": evil}, "result": f"Wasted call {evil}"}] * 6
    view = view_of(al.replay(trace(rows), "layered"))
    found = lane_rows(view, ["roo-code", "cline", "goose"], lang=lang)
    page = lanes_page(found, lang)
    assert "<script" not in page
    tree = ElementTree.fromstring(f"<div>{page}</div>")
    body = tree.find(".//tbody")
    assert [row[0].text for row in body] == [cell.text for cell in tree.findall(".//tbody/tr/th")]
    assert len(body) == len(found.rows)
    summaries = [e for e in tree.iter("summary") if "al-strip" in str(ElementTree.tostring(e))]
    assert len(summaries) == len(found.rows) + 1  # and the warnings of the log


def test_an_empty_run():
    figure = lanes(
        al.replay(al.load([{"round": 1, "tool": None, "text": "hi"}]), "classic"), ["cline"]
    )
    assert len(figure.layout.yaxis.ticktext) == 3
