"""The Lens without a browser: what Python, the controls and the stage tell each other."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import pytest
import traitlets

import agentlens as al

INCIDENT = ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时"]
BOUNDARY = ["今日天气 气温", "今日天气 晴雨", "今日天气 风力"]
HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
SECRET = "sk-ant-api03-" + "Q4x7mK2p" * 11 + "-AAAAAA"


def rows(queries, tool="web_search", **more):
    return [
        {"round": n, "tool": tool, "args": {"query": q}, "seconds": 7.175, **more}
        for n, q in enumerate(queries, 1)
    ]


@pytest.fixture
def lens():
    made = al.Lens(rows(INCIDENT), "classic")
    yield made
    made.close()


@pytest.fixture
def payloads(lens):
    sent = []
    lens.stage.observe(lambda change: sent.append(change["new"]), "payload")
    return sent


def test_first_sight(lens):
    assert lens.replay.trip.round == 3
    assert lens.policy == al.Policy.preset("classic")
    assert lens.stage.similarity == [4, 5]
    assert lens.stage.threshold == 2
    assert lens.stage.confirmed == {"similarity": [4, 5], "threshold": 2, "trip": 2}
    assert lens.stage.payload["n"] == 5
    assert list(lens.to_frame()["no_progress_count"][:3]) == [0, 1, 2]
    assert (
        lens.surface.trip_round(Fraction(4, 5), 2) == 3
        if hasattr(lens.surface, "trip_round")
        else 1
    )


@pytest.mark.parametrize(("threshold", "trip"), [(3, 4), (1, 2), (2, 3), (5, None)])
def test_dragging_the_threshold_moves_the_trip(lens, payloads, threshold, trip):
    lens.stage.threshold = 4  # the browser's message
    lens.stage.threshold = threshold
    assert lens.policy.threshold == threshold
    assert (lens.replay.trip.round if lens.replay.trip else None) == trip
    assert lens.stage.confirmed["trip"] == (trip - 1 if trip else None)
    assert lens.stage.confirmed["threshold"] == threshold
    assert payloads == []  # nothing but the confirmation is sent


def test_dragging_the_similarity_is_exact():
    lens = al.Lens(rows(BOUNDARY), "classic")
    assert lens.replay.trip.round == 3
    lens.stage.similarity = [81, 100]
    assert lens.replay.trip is None
    assert lens.policy.similarity == Fraction(81, 100)
    assert lens.stage.confirmed == {"similarity": [81, 100], "threshold": 2, "trip": None}
    lens.stage.similarity = [4, 5]
    assert lens.replay.trip.round == 3
    lens.close()


def test_controls_follow_the_stage_and_the_stage_the_controls(lens, payloads):
    controls = lens._controls
    lens.stage.threshold = 3
    lens.stage.similarity = [5, 6]
    assert controls.threshold.value == "3"
    assert controls.similarity.value == "5/6"
    controls.similarity.value = "0.75"
    assert lens.stage.similarity == [3, 4]
    controls.threshold.value = "1"
    assert lens.stage.threshold == 1
    assert lens.replay.trip.round == 2
    controls.reset.click()
    assert lens.policy == al.Policy.preset("classic")
    assert lens.stage.similarity == [4, 5]
    assert payloads == []


@pytest.mark.parametrize("typed", ["", "x", "0", "1.01", "-1", "1/0"])
def test_a_wrong_similarity_is_said_and_undone(lens, typed):
    lens._controls.similarity.value = typed
    assert "similarity" in lens._source.message.value
    assert lens.policy == al.Policy.preset("classic")
    assert lens._controls.similarity.value == "0.8"
    lens._controls.similarity.value = "0.7"
    assert lens._source.message.value == ""


@pytest.mark.parametrize("typed", ["", "2.5", "0", "-1", "x", "1e3", "1000001", "9" * 5000, "²"])
def test_a_wrong_threshold_is_said_and_undone(lens, typed):
    lens._controls.threshold.value = typed
    assert "threshold" in lens._source.message.value
    assert "no whole number from 1 to" in lens._source.message.value
    assert len(lens._source.message.value) < 250
    assert lens.policy == al.Policy.preset("classic")
    assert lens._controls.threshold.value == "2"


@pytest.mark.parametrize(("typed", "threshold"), [("3", 3), (" 4 ", 4), ("+5", 5), ("007", 7)])
def test_a_box_shows_what_was_accepted(lens, typed, threshold):
    lens._controls.threshold.value = typed
    assert lens.policy.threshold == threshold
    assert lens._controls.threshold.value == str(threshold)
    lens._controls.similarity.value = " 0.80 "
    assert lens._controls.similarity.value == "0.8"
    lens._controls.similarity.value = "0.750"
    assert lens._controls.similarity.value == "0.75"
    assert lens._source.message.value == ""


def test_jaccard_is_dead_code(lens, payloads):
    lens._controls.measure.value = "jaccard"
    assert lens.replay.trip is None
    assert lens.replay.verdict == "progress"
    assert lens.stage.confirmed["trip"] is None
    assert [p["measure"] for p in payloads] == ["jaccard"]
    lens._controls.profile.value = "whitespace"
    lens._controls.measure.value = "containment"
    assert lens.replay.trip is None  # R6: whitespace tokens fail as silently
    lens._controls.reset.click()
    assert lens.replay.trip.round == 3


def test_policy_from_python_moves_everything(lens, payloads):
    lens.policy = al.Policy.preset("classic", threshold=3, similarity="5/6")
    assert lens.stage.threshold == 3
    assert lens.stage.similarity == [5, 6]
    assert lens._controls.threshold.value == "3"
    assert lens.replay.trip.round == 4
    assert payloads == []
    lens.policy = "classic"
    assert lens.stage.threshold == 2
    lens.policy = lens.policy.with_(profile="whitespace")
    assert lens._controls.profile.value == "whitespace"
    assert len(payloads) == 1


@pytest.mark.parametrize("wrong", [3, None, "no-such-preset", {"threshold": 3}])
def test_a_wrong_policy_is_refused_and_the_old_one_kept(lens, wrong):
    with pytest.raises(traitlets.TraitError):
        lens.policy = wrong
    assert lens.policy == al.Policy.preset("classic")
    assert lens.replay.trip.round == 3


def test_trace_is_settable_and_a_bad_one_refused(lens, tmp_path):
    old = lens.trace
    with pytest.raises(al.TraceError):
        lens.trace = str(tmp_path / "nowhere.jsonl")
    assert lens.trace is old
    lens.stage.selected = 4
    lens.trace = rows(BOUNDARY)
    assert lens.stage.payload["n"] == 3
    assert lens.stage.selected == -1
    assert lens.replay.trace is lens.trace
    with pytest.raises(traitlets.TraitError):
        lens.replay = None


def test_opening_a_path_that_is_wrong_keeps_the_trace(lens, tmp_path):
    old = lens.trace
    bad = tmp_path / "bad.json"
    bad.write_text("{", "utf-8")
    for path in (str(tmp_path / "nowhere"), str(bad), str(tmp_path)):
        lens._source.path.value = path
        assert lens.trace is old
        assert path in lens._source.message.value
        assert "\n" not in lens._source.message.value
    good = tmp_path / "good.jsonl"
    good.write_text("\n".join(json.dumps(row) for row in rows(BOUNDARY)), "utf-8")
    lens._source.path.value = str(good)
    assert lens._source.message.value == ""
    assert lens.trace.name == "good.jsonl"


def test_upload(lens):
    data = "\n".join(json.dumps(row) for row in rows(BOUNDARY)).encode()
    file = {"name": "mine.jsonl", "type": "", "size": len(data), "content": memoryview(data),
            "last_modified": datetime.now(UTC)}  # fmt: skip
    lens._source.upload.set_trait("value", (file,))
    assert lens.trace.name == "mine.jsonl"
    lens._source.upload.set_trait("value", ({**file, "name": "x", "content": memoryview(b"?")},))
    assert lens.trace.name == "mine.jsonl"
    assert "x" in lens._source.message.value


def test_samples_can_be_chosen(lens):
    names = [value for _, value in lens._source.sample.options if value]
    assert len(names) >= 10
    for name in names:
        lens._source.sample.value = name
        assert lens._source.message.value == ""
        assert lens.trace.name.startswith(Path(name).stem.split(".")[0])


def test_marking_a_tool_as_a_search():
    lens = al.Lens(rows(INCIDENT, tool="oracle"), "classic")
    marks = lens._marks
    assert lens.replay.trip is None
    assert marks.row.layout.display != "none"
    assert "marks a tool as a search" in marks.text.value
    assert "No search was recognised" in repr(lens)
    assert [b.description for b in marks.buttons.values()] == ["oracle ×5"]
    marks.buttons["oracle"].value = True
    assert lens.replay.trip.round == 3
    assert marks.row.layout.display == "none"  # out of the way, and available again
    lens._controls.tools.value = True
    assert marks.row.layout.display != "none"
    assert marks.buttons["oracle"].value is True
    marks.buttons["oracle"].value = False
    assert lens.replay.trip is None
    lens.close()


def test_unmarking_a_search_and_keeping_other_marks(lens):
    lens.trace = al.load(
        [*rows(INCIDENT), {"round": 6, "tool": "oracle", "args": {"query": "天气"}}]
    )
    lens._controls.tools.value = True
    lens._marks.buttons["web_search"].value = False
    assert lens.replay.trip is None
    lens._marks.buttons["oracle"].value = True
    effects = set(
        zip(lens.trace.tables["calls"]["tool"], lens.trace.tables["calls"]["effect"], strict=True)
    )
    assert effects == {("web_search", "unknown"), ("oracle", "search")}


def test_threads(payloads, lens):
    assert lens._controls.thread not in lens._controls.row.children
    two = rows(BOUNDARY[:2]) + [{**row, "thread": "helper"} for row in rows(INCIDENT)]
    lens.trace = two
    assert lens._controls.thread in lens._controls.row.children
    assert lens.stage.payload["thread"] == "helper"  # where the trip is
    assert lens.stage.confirmed["trip"] == 2
    lens._controls.thread.value = "main"
    assert lens.stage.payload["n"] == 2
    assert lens.stage.confirmed["trip"] is None
    lens.stage.threshold = 1
    assert lens.stage.confirmed["trip"] == 1
    assert lens.stage.payload["thread"] == "main"


def test_time_axis_only_where_times_are(lens):
    assert lens._controls.x in lens._controls.row.children
    lens._controls.x.value = "time"
    assert lens.stage.x == "time"
    lens.trace = [{"round": n, "tool": "web_search", "args": {"query": "a"}} for n in (1, 2, 3)]
    assert lens._controls.x not in lens._controls.row.children
    assert lens.stage.x == "round"


def test_language(lens, payloads):
    lens._controls.lang.click()
    assert lens.lang == "zh"
    assert lens.stage.lang == "zh"
    assert lens._controls.reset.description == "重置"
    assert "选择一轮" in lens._detail.value
    lens.lang = "en"
    assert lens._controls.lang.description == "中文"
    with pytest.raises(traitlets.TraitError):
        lens.lang = "fr"
    assert payloads == []


def test_inspector_follows_the_selection(lens):
    assert "Choose a round" in lens._detail.value
    lens.stage.selected = 2
    assert "今日<mark>天气</mark> 晴雨" in lens._detail.value
    assert "stops here" in lens._detail.value
    lens.stage.threshold = 3
    assert "stops here" not in lens._detail.value


def test_notes_are_shown(lens, tmp_path):
    assert lens._notes.value == ""
    file = tmp_path / "t.jsonl"
    file.write_text("\n".join([*(json.dumps(r) for r in rows(BOUNDARY)), f"{{{HOSTILE}"]), "utf-8")
    lens.trace = str(file)
    assert "<summary>Notes on reading: " in lens._notes.value
    assert "<img" not in lens._notes.value


def test_history_that_depends_on_the_setting_is_sent_anew(lens, payloads):
    lens.policy = al.Policy.preset("classic", clear_on_progress=True)
    assert len(payloads) == 1
    lens.stage.threshold = 3
    assert len(payloads) == 2


def test_bundle_reads_without_a_kernel(lens):
    bundle = lens._repr_mimebundle_()
    assert (
        bundle["text/plain"] == "Would have stopped before round 3 of 5. Saved: 3 rounds, 21.5 s."
    )
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert "今日天气 晴雨" in bundle["text/html"]
    assert "<script" not in bundle["text/html"]
    assert len(bundle["text/html"]) < 100_000


def test_hostile_text_and_secrets_stay_inside():
    queries = [f"{HOSTILE} {SECRET} {n}" for n in range(4)]
    t = al.load([
        {**row, "result": f"{HOSTILE} {SECRET}", "text": SECRET, "thread": HOSTILE}
        for row in rows(queries, tool=HOSTILE)
    ], tools={HOSTILE: "search"})  # fmt: skip
    lens = al.Lens(t, "classic")
    lens.stage.selected = 3
    texts = {
        "still": lens._repr_mimebundle_()["text/html"],
        "inspector": lens._detail.value,
        "notes": lens._notes.value,
        "tools": lens._marks.text.value,
    }
    for name, text in texts.items():
        assert "<img" not in text, name
        assert "<script>alert" not in text, name
    state = json.dumps({**texts, "plain": repr(lens), "payload": repr(lens.stage.payload)})
    state += repr([child.get_state() for child in lens.children])
    assert "Q4x7mK2p" not in state
    lens.close()


def test_close_leaves_nothing_behind():
    from ipywidgets.widgets.widget import _instances

    before = set(_instances)
    made = al.Lens(rows(INCIDENT, tool="oracle"), "classic")
    made._marks.buttons["oracle"].value = True
    made.close()
    left = {type(_instances[key]).__name__ for key in set(_instances) - before}
    assert left == set()
    made.close()  # a second time does no harm


def test_ten_thousand_rounds_open_fast():
    import random

    random.seed(1)
    words = [f"w{n}" for n in range(3000)]
    many = [
        {"round": n, "tool": "web_search", "args": {"query": " ".join(random.choices(words, k=6))},
         "result": f"https://x.example/{n} line {n}", "seconds": 1.0}
        for n in range(1, 10_001)
    ]  # fmt: skip
    t = al.load(many)
    start = time.process_time()
    lens = al.Lens(t, "classic")
    opened = time.process_time() - start
    start = time.process_time()
    for threshold in (3, 4, 5, 6, 7):
        lens.stage.threshold = threshold
    drag = (time.process_time() - start) / 5
    assert opened < 6  # CPU seconds; a guard against quadratic work, benchmarks measure the rest
    assert drag < 0.2
    lens.close()


def test_no_calls_at_all(lens):
    lens.trace = [{"round": 1, "tool": None, "text": "hello"}]
    assert lens.replay.trip is None
    assert "calls no tool" in lens._marks.text.value
