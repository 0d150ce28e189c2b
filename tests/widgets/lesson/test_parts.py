"""The token lab stands alone; an example fills the fields, typing makes the pair one's own."""

from __future__ import annotations

import pytest

import agentlens as al
from agentlens.errors import TraceError
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


def test_the_incident_view():
    made = al.IncidentView()
    said = plain(made.still())
    assert "2 failed, 0 passed, 3 cannot be told" in said
    for part in ("背景", "5 / 5", "35.875 s", "before round 3", "an empty list", "only k = 1"):
        assert part in said
    said = plain(ask(made, prompt="已知信息直接答", stress="pass", intent="other")["html"])
    assert "2 failed, 2 passed, 1 cannot be told" in said
    assert "it contradicted itself" in said
    zh = plain(al.IncidentView(lang="zh").still())
    assert "先修放大器" in zh


def test_an_incident_of_ones_own(tmp_path):
    rows = [{"round": n, "tool": "web_search", "args": {"query": "<b>x</b>"}, "result": "[]"}
            for n in (1, 2, 3)]  # fmt: skip
    noted = {"userQuery": "<i>q</i> sk-ant-api03-" + "a" * 95, "roundsUsed": 3, "outcome": "done"}
    made = al.IncidentView(rows, noted)
    html = made.frame["html"]
    assert "3 calls came back empty" in plain(html)
    assert "<i>" not in html
    assert "sk-ant-api03-aaaa" not in html
    assert "Two articles" not in html
    path = tmp_path / "records.jsonl"
    path.write_text('{"userQuery": "q", "roundsUsed": 4, "maxRoundsCfg": 9}\n', "utf-8")
    made.load(str(path))
    assert "4 / 9" in plain(made.frame["html"])
    with pytest.raises(TraceError, match="roundsUsed"):
        al.IncidentView(rows, {"userQuery": "q", "roundsUsed": "x"})
