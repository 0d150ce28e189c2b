"""Magentic-One histories: real files recounted by hand, and the traps of the format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load, load_many


def ledger(loop: bool, progress: bool = True) -> dict[str, str]:
    value = {
        "is_in_loop": {"reason": "r", "answer": loop},
        "is_progress_being_made": {"reason": "r", "answer": progress},
        "next_speaker": {"reason": "r", "answer": "WebSurfer"},
    }
    content = "Updated Ledger:\n" + json.dumps(value, indent=2) + "\nwarnings.py:9: UserWarning"
    return {"role": "Orchestrator (thought)", "content": content}


def says(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


HISTORY = [
    says("human", "find it"),
    says("Orchestrator (thought)", "Initial plan:\n\n1. look"),
    ledger(False),
    says("Orchestrator (-> WebSurfer)", "Please search for it"),
    says("Orchestrator (thought)", "Next speaker WebSurfer"),
    says("WebSurfer", "I typed 'it' into the browser search bar.\n\nHere is a page"),
    ledger(True, False),
    says("Orchestrator (-> WebSurfer)", "Please look again"),
    says("Orchestrator (thought)", "Next speaker WebSurfer"),
    ledger(True),
    says("Orchestrator (-> Assistant)", "Think"),
    says("Assistant", "It is lost."),
    says("Orchestrator (thought)", "Stalled.... Replanning..."),
    says("Orchestrator (termination condition)", "Max rounds (30) reached.\nFINAL ANSWER: x"),
]
ABOUT = {
    "question": "find it", "is_corrected": False, "mistake_agent": "WebSurfer",
    "mistake_step": "5", "mistake_reason": "wrong page", "question_ID": "q1",
}  # fmt: skip


def test_a_turn_of_the_orchestrator_is_a_round():
    trace = load({"history": HISTORY, **ABOUT})
    rounds, calls = trace.tables["rounds"], trace.tables["calls"]
    assert trace.format == "magentic"
    assert rounds["round"] == [0, 1, 2, 3]
    assert rounds["text"][1:] == ["Please search for it", "Please look again", "Think"]
    assert calls["tool"] == ["web_search", "Assistant"]
    assert calls["query"][0] == "it"
    assert calls["namespace"] == ["WebSurfer", "Assistant"]
    assert calls["round"] == [1, 3]
    assert calls["result"] == ["Here is a page", "It is lost."]
    assert trace.tables["events"]["kind"] == ["user_message", "guard_fired", "other"]
    assert any("never answered" in note.message for note in trace.notes)


def test_ledgers_and_people_give_labels_and_the_end_its_limit():
    trace = load({"history": HISTORY, **ABOUT})
    loops = [(x["step"], x["value"]) for x in trace.meta.labels if x["name"] == "is_in_loop"]
    assert loops == [(1, False), (2, True), (3, True)]
    mistake = trace.meta.labels[-1]
    assert (mistake["step"], mistake["message"], mistake["annotator"]) == (1, 5, "human")
    assert trace.meta.limits == {"max_steps": 30}
    assert trace.meta.outcome["exit_reason"] == "Max rounds (30) reached."
    assert trace.meta.outcome["status"] == "failure"


def test_malformed_histories():
    broken = [*HISTORY[:2], says("Orchestrator (thought)", "Updated Ledger:\n{ oops"), 5, {}]
    trace = load({"history": broken, "mistake_step": "many", "mistake_agent": None})
    kinds = {note.message for note in trace.notes}
    assert "a ledger is not JSON; its answers are not labels" in kinds
    assert "a record is not a message" in kinds
    assert load(broken).format == "magentic"
    assert load([says("Orchestrator (thought)", None)] * 2).format == "magentic"  # type: ignore[arg-type]
    with pytest.raises(TraceError):
        load({"history": [], **ABOUT}, format="magentic")


@pytest.mark.shared
def test_counts_of_all_real_files_made_otherwise_agree(shared: Path):
    folder = shared / "data" / "traces"
    files = [p for p in folder.rglob("*.json") if p.name.startswith(("hand_", "magentic_hc"))]
    assert len(files) == 52
    agents = ("WebSurfer", "Assistant", "FileSurfer", "ComputerTerminal")
    typed = 0
    for path in files:
        data = json.loads(path.read_text("utf-8"))
        (trace,) = load_many(path)
        assert trace.format == "magentic"
        contents = [(m["role"], m["content"]) for m in data["history"]]
        ledgers = [c for _, c in contents if c.startswith("Updated Ledger:")]
        assert len(trace) == sum(role in agents for role, _ in contents)
        assert max(trace.tables["rounds"]["round"]) == len(ledgers)
        loops = [x["value"] for x in trace.meta.labels if x["name"] == "is_in_loop"]
        said = [c.split('"is_in_loop"')[1].split('"answer": ')[1][:4] for c in ledgers]
        if not any("not JSON" in note.message for note in trace.notes):
            assert loops == [answer == "true" for answer in said]
        mistake = next(x for x in trace.meta.labels if x["name"] == "mistake")
        assert mistake["message"] == int(data["mistake_step"])
        shown = [c for role, c in contents if role == "WebSurfer"]
        typed += sum(c.startswith("I typed") for c in shown)
        tools = trace.tables["calls"]["tool"]
        assert tools.count("click") == sum(c.startswith("I clicked") for c in shown)
        assert tools.count("scroll_down") == sum(c.startswith("I scrolled down") for c in shown)
    assert typed > 100
