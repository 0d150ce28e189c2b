"""browser-use histories: written by the format's facts, with its traps."""

from __future__ import annotations

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load


def step(*pairs, url="https://e.org/", elements=None, number=1, **more):
    actions = [action for action, _ in pairs]
    output = {"thinking": None, "evaluation_previous_goal": "ok", "memory": "m",
              "next_goal": "find", "action": actions}  # fmt: skip
    return {
        "model_output": output, "result": [result for _, result in pairs if result is not None],
        "state": {"url": url, "title": "t", "tabs": [], "interacted_element": elements},
        "metadata": {"step_start_time": 1_772_442_000.0 + number,
                     "step_end_time": 1_772_442_000.5 + number, "step_number": number}, **more,
    }  # fmt: skip


FINE = {"is_done": False, "error": None, "extracted_content": "clicked"}
CLICK = {"click": {"index": 5}}


def test_steps_actions_and_results_by_place():
    trace = load({"history": [
        step(({"search": {"query": "rain", "engine": "x"}}, FINE), (CLICK, {"error": "gone"}),
             ({"wait": None, "scroll": {"down": True}}, None)),
        step(({"done": {"text": "x", "success": False}},
              {"is_done": True, "success": False, "extracted_content": "x"}), number=2),
    ]})  # fmt: skip
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.format == "browser_use"
    assert calls["tool"] == ["search", "click", "scroll", "done"]
    assert calls["status"] == ["ok", "error", "missing", "ok"]
    assert calls["result"][:2] == ["clicked", "gone"]
    assert calls["query"][0] == "rain"
    assert rounds["seconds"] == [0.5, 0.5]
    assert rounds["reasoning"][0] == "evaluation_previous_goal: ok\nmemory: m\nnext_goal: find"
    assert trace.meta.outcome["status"] == "failure"


def test_an_element_is_its_place_in_the_page_and_not_its_number():
    same, other = [{"x_path": "/a[1]"}], [{"x_path": "/a[2]"}]
    moved = {"click": {"index": 9}}
    trace = load([step((CLICK, FINE), elements=same), step((moved, FINE), elements=same),
                  step((CLICK, FINE), elements=other)])  # fmt: skip
    args = trace.tables["calls"]["args"]
    assert args[0] == args[1] == {"element": "/a[1]", "url": "https://e.org/"}
    assert args[2] != args[0]
    assert trace.tables["calls"]["target"][0] is not None


def test_an_answer_that_could_not_be_parsed():
    lost = step(model_output=None, result=[{"error": "could not parse"}])
    trace = load({"history": [lost, step((CLICK, FINE))]})
    assert len(trace.tables["rounds"]["round"]) == 2
    assert trace.tables["events"]["text"] == ["could not parse"]
    assert any("by its number" in note.message for note in trace.notes)


def test_malformed_histories():
    odd = step((CLICK, FINE), metadata="x", state=5)
    odd["model_output"]["action"] = [5, {}, {"go": "u"}]
    trace = load([odd, 5])
    assert trace.tables["calls"]["tool"] == ["?", "go"]
    assert trace.tables["calls"]["args"][1] == {"value": "u"}
    with pytest.raises(TraceError):
        load({"history": [5]}, format="browser_use")
