"""A conversation of the OpenHands SDK (`record_openhands`), as it is persisted: a file an event."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from agentlens.trace.load import load, load_many

FOLDER = Path(__file__).parent / "recorded" / "openhands"
#: The script's calls: id, query, round, status, what the result holds.
CALLS = [
    ("c-rain Beijing", "rain Beijing", 1, "ok", "nothing about rain Beijing"),
    ("c-北京今天下雨吗", "北京今天下雨吗", 2, "ok", "nothing about 北京今天下雨吗"),
    ("c-fail", "fail", 2, "error", "no network"),
    ("c-Beijing rain today", "Beijing rain today", 3, "ok", "nothing about Beijing rain today"),
    ("c-none", None, 4, "error", "'no_such_tool' not found"),
    ("c-nowhere", "nowhere", 5, "error", "no such place"),
    ("c-end", None, 6, "ok", "It stays dry."),
]

#: What the script's server said of each response: prompt, cached, completion, reasoning tokens. Its
#: prices: a dollar for a million tokens of a prompt, ten for a million of an answer.
USED = [(1200, 0, 40, 0), (1300, 1000, 60, 10), (1450, 1100, 35, 0), (1500, 1400, 20, 0),
        (1560, 1400, 30, 5), (1700, 1500, 50, 0)]  # fmt: skip


def check(trace):
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.format == "openhands"
    assert not trace.notes
    for column, place in (("call_id", 0), ("query", 1), ("round", 2), ("status", 3)):
        assert calls[column] == [row[place] for row in CALLS]
    assert all(row[4] in text for row, text in zip(CALLS, calls["result"], strict=True))
    assert calls["tool"] == ["web_search"] * 4 + ["no_such_tool", "web_search", "finish"]
    assert calls["args"][0]["summary"] == "Try number 1"
    assert calls["paired_by"] == ["id"] * 7
    assert all(0 <= seconds < 60 for seconds in calls["seconds"])
    assert rounds["round"] == [1, 2, 3, 4, 5, 6]
    assert rounds["text"] == ["Look."] * 6
    assert rounds["message_id"] == [f"test-response-{n}" for n in range(1, 7)]
    assert all(a < b for a, b in zip(rounds["started"], rounds["started"][1:], strict=False))
    assert trace.tables["threads"]["thread"] == ["main"]
    assert trace.tables["events"]["kind"] == ["user_message"]
    assert trace.meta.task == "Will it rain in Beijing?"


def test_a_folder_of_events():
    check(load(FOLDER))


def test_tokens_and_cost_come_from_the_state_beside_the_events():
    for trace in (load(FOLDER), load(FOLDER / "events"), next(iter(load_many(FOLDER)))):
        rounds, totals = trace.tables["rounds"], trace.meta.totals
        names = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")
        assert list(zip(*(rounds[name] for name in names), strict=True)) == USED
        assert rounds["cost"] == pytest.approx([u[0] / 1e6 + u[2] / 1e5 for u in USED])
        assert set(rounds["model"]) == {"openai/scripted"}
        for place, name in enumerate(names):
            assert totals[name] == sum(used[place] for used in USED)
        assert totals["cost"] == pytest.approx(sum(rounds["cost"]))
        assert trace.meta.totals_source == "reported"


def test_the_state_is_no_log_of_its_own(tmp_path: Path):
    shutil.copytree(FOLDER, tmp_path / "c1")
    corpus = load_many(tmp_path, progress=False)
    assert [trace.format for trace in corpus] == ["openhands"]
    assert not corpus.failures


def test_a_cost_that_may_be_of_another_response_is_left_out(tmp_path: Path):
    """Responses that cost nothing are not among the costs, so fewer of them tell nothing."""
    shutil.copytree(FOLDER, tmp_path / "c1")
    file = tmp_path / "c1" / "base_state.json"
    state = json.loads(file.read_text("utf-8"))
    agent = state["stats"]["usage_to_metrics"]["agent"]
    gone = agent["costs"].pop(2)["cost"]
    agent["accumulated_cost"] -= gone
    agent["token_usages"][1]["prompt_tokens"] = "many"
    file.write_text(json.dumps(state), "utf-8")
    trace = load(tmp_path / "c1")
    assert trace.tables["rounds"]["cost"] == [None] * 6
    assert trace.tables["rounds"]["input_tokens"][:3] == [1200, None, 1450]
    assert trace.meta.totals["cost"] == pytest.approx(0.01106 - gone)


@pytest.mark.parametrize("state", ["{", "[]", '{"stats": {"usage_to_metrics": {"agent": [1]}}}'])
def test_a_damaged_state_costs_no_event(tmp_path: Path, state: str):
    shutil.copytree(FOLDER, tmp_path / "c1")
    (tmp_path / "c1" / "base_state.json").write_text(state, "utf-8")
    trace = load(tmp_path / "c1")
    assert len(trace.tables["calls"]["tool"]) == len(CALLS)
    assert not trace.meta.totals


def test_the_same_events_in_one_list():
    files = sorted((FOLDER / "events").glob("*.json"))
    assert len(files) == 2 + 7 + 7  # the system's words and the user's, calls, results
    check(load([json.loads(file.read_text("utf-8")) for file in files]))


def test_the_state_alone_tells_the_totals():
    trace = load(FOLDER / "base_state.json")
    assert (trace.format, trace.tables["calls"]["tool"]) == ("openhands", [])
    assert trace.meta.totals["output_tokens"] == sum(used[2] for used in USED)
