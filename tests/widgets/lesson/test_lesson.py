"""The lesson without a browser: what a page sends is checked, what it gets is a frame."""

from __future__ import annotations

import json
import re

import pytest
import traitlets

import agentlens as al
from agentlens.figures.lesson.scenes import LESSON
from agentlens.widgets.esm import join_modules
from agentlens.widgets.lesson.lesson import TriggerAmplifier


def ask(lesson, seq=1, **values):
    """Move controls as a page does."""
    scene = lesson.current
    lesson.asked = {"seq": seq, "scene": scene, "values": {**lesson.frame["values"], **values}}
    return lesson.frame


def press(lesson, name):
    lesson._answer(lesson, {"type": "act", "name": name, "scene": lesson.current,
                            "values": dict(lesson.frame["values"])}, [])  # fmt: skip
    return lesson.frame["note"]


def test_it_opens_with_nine_scenes_and_goes_through_them():
    lesson = al.TriggerAmplifier()
    assert isinstance(lesson, TriggerAmplifier)
    assert [name for name, _ in lesson.titles] == [s.name for s in LESSON]
    for scene in LESSON:
        lesson.current = scene.name
        assert [c["name"] for c in lesson.controls] == [c.name for c in scene.controls]
        assert "al-point" in lesson.frame["html"]
    with pytest.raises(traitlets.TraitError):
        lesson.current = "nowhere"


def test_moving_sends_a_frame_of_closed_forms():
    lesson = al.TriggerAmplifier(scene=2)
    frame = ask(lesson, 7, p=0.1, k=2)
    assert frame["seq"] == 7
    assert "0.10 wasted rounds a request" in frame["html"]
    assert frame["shown"] == {"p": "10 %", "k": "k = 2: repeat 2 is not made"}
    bad = ask(lesson, 8, p="x", k=[1])
    assert "1.20 wasted rounds" in bad["html"]
    lesson.asked = {"seq": 9, "scene": "worst", "values": {"d": 0.5}}  # of a scene left behind
    assert lesson.frame["seq"] == 8
    lesson.asked = {"seq": "?", "scene": "product", "values": 3}
    assert lesson.frame["seq"] == 0


@pytest.mark.parametrize("scene", LESSON, ids=lambda s: s.name)
def test_every_position_of_a_slider_is_sent_ahead(scene):
    lesson = al.TriggerAmplifier(scene=scene.name)
    sent = []
    lesson.send = sent.append
    values = dict(lesson.frame["values"])
    for control in scene.controls:
        message = {"type": "ahead", "name": control.name, "scene": scene.name, "values": values}
        lesson._answer(lesson, message, [])
        answer = sent.pop()
        assert len(answer["frames"]) == len(control.places)
        assert answer["epoch"] == lesson.frame["epoch"]
        if control.kind == "range":
            assert values[control.name] in control.places
            assert len(json.dumps(answer).encode()) < 1_000_000
            for frame in answer["frames"][:: max(1, len(control.places) // 5)]:
                assert ask(lesson, **frame["values"])["html"] == frame["html"]
            ask(lesson, **values)


@pytest.mark.parametrize("scene", ["product", "worst", "price"])
def test_check_me_draws_and_lies_in_its_band(scene):
    note = press(al.TriggerAmplifier(scene=scene), "check")
    assert "200,000 random requests" in note
    assert re.findall(r'data-inside="(\w+)"', note) == ["true"] * 3


def test_one_switch_of_language_for_all_of_a_lesson():
    lesson = al.TriggerAmplifier(lang="zh")
    one, other = lesson.scene(2), lesson.scene("own")
    assert "每个请求浪费" in one.frame["html"]
    one.lang = "en"
    assert (lesson.lang, other.lang) == ("en", "en")
    assert "a run of your own" in other.titles[0][1].lower()
    assert "The incident" in lesson.frame["html"]
    assert al.TriggerAmplifier().scene(0).lang == "en"


def test_the_prediction_is_kept_for_the_end():
    lesson = al.TriggerAmplifier()
    asked, end = lesson.scene("predict"), lesson.scene("own")
    assert "You would have fixed" not in end.frame["html"]
    ask(asked, answer="trigger")
    assert "You would have fixed" in end.frame["html"]
    assert "You would have fixed" in lesson.still()


def test_holes_found_are_kept():
    lesson = al.TriggerAmplifier(scene="game")
    ask(lesson, first="C++ 教程", second="C# 教程")
    ask(lesson, first="上海", second="海上")
    frame = ask(lesson, first="天气", second="天气预报", same="same")
    assert frame["html"].count('data-found="true"') == 3  # the first pair too
    assert "and you agree" in frame["html"]


def test_a_run_of_your_own(tmp_path):
    calls = [{"round": n, "tool": "web_search", "args": {"query": f"股票 {n % 2}"}, "result": "x"}
             for n in range(1, 9)]  # fmt: skip
    path = tmp_path / "run.json"
    path.write_text(json.dumps(calls), "utf-8")
    lesson = al.TriggerAmplifier(calls, scene="own")
    assert "8 rounds" in lesson.frame["html"]
    other = al.TriggerAmplifier(scene="own")
    ask(other, path=str(path))
    assert press(other, "load") == "Loaded."
    assert "8 rounds" in other.frame["html"]
    ask(other, path=str(tmp_path / "<b>no</b>.json"))
    note = press(other, "load")
    assert "&lt;b&gt;no" in note
    assert "<b>" not in note


def test_it_reads_where_no_code_runs():
    lesson = al.TriggerAmplifier()
    bundle, _ = lesson._repr_mimebundle_()
    assert bundle["text/plain"].startswith("0 · The incident 5 searches in 35.9 s")
    assert bundle["text/html"].count("al-point") == 9
    assert len(bundle["text/html"].encode()) < 90_000
    assert not re.search(r"<script|<iframe|\son\w+=|https?://(?!www\.w3\.org)", bundle["text/html"])
    one, _ = lesson.scene(3)._repr_mimebundle_()
    assert one["text/html"].count("al-point") == 1


def test_what_cannot_be_is_said():
    with pytest.raises(ValueError, match="8 own"):
        al.TriggerAmplifier(scene=9)
    lesson = al.TriggerAmplifier(scene=0)
    lesson.set(p=3)
    lesson._answer(lesson, {"type": "act"}, [])
    lesson._answer(lesson, "?", [])


def test_the_module_is_whole_and_lets_nothing_in():
    esm = join_modules(("colours", "theme", "keys", "dom", "fragment", "frames", "lesson"))
    assert not re.search(r"^import\b", esm, re.MULTILINE)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|\beval\(|https?://", esm)
