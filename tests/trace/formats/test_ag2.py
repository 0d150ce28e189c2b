"""AG2 histories: real files recounted by hand, and the traps of the format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load, load_many


def says(name: str, content: object, role: str = "user") -> dict[str, object]:
    return {"name": name, "role": role, "content": content}


CODE = "Try:\n```python\nprint(1)\n```\nand\n```sh\nls\n```"
RAN = "exitcode: 0 (execution succeeded)\nCode output: 1\n"
FAILED = "exitcode: 1 (execution failed)\nCode output: Traceback\n"
HISTORY = [
    says("Expert", "You are given a task", "assistant"),
    says("Checker", CODE),
    says("Computer_terminal", RAN),
    says("Expert", "I agree", "assistant"),
    says("Computer_terminal", "There is no code from the last 1 message for me to execute."),
    says("Checker", "```\nx\n```"),
    says("Computer_terminal", FAILED),
]


def test_fenced_code_that_ran_is_a_call():
    trace = load({"history": HISTORY, "is_correct": False, "mistake_step": "1",
                  "mistake_agent": "Checker", "mistake_reason": "no"})  # fmt: skip
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.format == "ag2"
    assert rounds["round"] == [1, 2, 3]
    assert rounds["text"][1] == "Expert: I agree"
    assert calls["tool"] == ["python", "python"]
    assert calls["args"] == [{"code": "print(1)\nls"}, {"code": "x"}]
    assert calls["status"] == ["ok", "error"]
    assert calls["exit_code"] == [0, 1]
    assert calls["result"] == [" 1", " Traceback"]
    assert trace.meta.labels[0]["step"] == 1
    assert trace.tables["events"]["kind"] == ["user_message", "other"]


def test_the_task_may_hold_code_that_is_run():
    trace = load({"history": [says("Expert", CODE), says("Computer_terminal", RAN)]})
    assert trace.tables["rounds"]["injected"] == [True]
    assert len(trace) == 1


def test_bare_histories_and_malformed_ones():
    assert load(HISTORY).format == "ag2"
    odd = load({"history": [*HISTORY, 5, {"role": "user"}], "mistake_step": 99, "is_correct": 1})
    assert odd.meta.outcome["status"] == "unknown"
    assert any("not a message" in note.message for note in odd.notes)
    with pytest.raises(TraceError, match="holds no message"):
        load({"history": [5]}, format="ag2")
    alone = load({"history": [says("Computer_terminal", RAN)]})
    assert alone.tables["calls"]["args_state"] == ["missing"]


@pytest.mark.shared
def test_counts_of_all_real_files_made_otherwise_agree(shared: Path):
    folder = shared / "data" / "traces"
    files = list(folder.rglob("algo_*.json"))
    assert len(files) == 59
    for path in files:
        data = json.loads(path.read_text("utf-8"))
        (trace,) = load_many(path)
        assert trace.format == "ag2"
        texts = [m["content"] for m in data["history"]]
        codes = [int(t[10:].split()[0]) for t in texts if t.startswith("exitcode: ")]
        idle = sum(t.startswith("There is no code") for t in texts)
        assert trace.tables["calls"]["exit_code"] == codes
        assert trace.tables["calls"]["status"].count("error") == sum(map(bool, codes))
        spoken = len(texts) - len(codes) - idle
        first_ran = len(texts) > 1 and texts[1].startswith("exitcode: ")
        assert len(trace.tables["rounds"]["round"]) == spoken - (not first_ran)
        assert trace.meta.labels[0]["message"] == int(data["mistake_step"])
