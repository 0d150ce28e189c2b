"""The token lab stands alone; an example fills the fields, typing makes the pair one's own."""

from __future__ import annotations

import agentlens as al
from agentlens.figures.lesson import lab
from agentlens.figures.lesson.page import Page, plain
from agentlens.figures.lesson.scenes import SCENES
from agentlens.teach.token_lab import FAILURES, Cut


def ask(widget, **values):
    shown = widget.frame["values"]
    widget.asked = {"seq": 1, "scene": widget.current, "values": {**shown, **values}}
    return widget.frame


def test_the_lab_opens_with_the_pair_of_the_article():
    made = al.TokenLab()
    said = plain(made.frame["html"])
    assert "of 20 ways to compare" in said
    assert "0.571 4/7" in said
    assert len(made.titles) == 1
    own = al.TokenLab("C++ 教程", "C# 教程", lang="zh")
    assert own.frame["values"]["example"] == "own"
    assert "3/3" in plain(own.frame["html"])


def test_examples_and_typing_settle_each_other():
    made = al.TokenLab()
    for failure in FAILURES[1:]:
        values = ask(made, example=failure.name)["values"]
        assert (values["first"], values["second"]) == (failure.first, failure.second)
    assert ask(made, first="天")["values"]["example"] == "own"
    assert ask(made, example="own")["values"]["first"] == "天"


def test_every_failure_is_listed_with_its_golden_case():
    said = plain(al.TokenLab().still())
    for failure in FAILURES:
        assert " ".join(failure.golden.split()) in said
    assert said.count("C++ is C#") == 1


def test_a_missing_tokeniser_is_said_and_text_is_text(monkeypatch):
    gone = Cut("words-jieba", frozenset(), frozenset(), {}, "needs <b>jieba</b>")
    monkeypatch.setattr(lab, "compare", lambda *_: (gone,))
    page = SCENES["lab"].draw(Page(), SCENES["lab"].values)
    assert "Not here: needs &lt;b&gt;jieba" in page
    monkeypatch.undo()
    page = SCENES["lab"].draw(Page(), {**SCENES["lab"].values, "first": "<img src=x>"})
    assert "<img" not in page
