"""OpenHands: events of the SDK in every container, older events, counters of the whole run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load, load_many


def at(second):
    return f"2026-06-16T05:39:{second:02d}.000000"


def action(n, tool, second=0, response=None, **args):
    return {
        "id": f"e{n}", "timestamp": at(second), "source": "agent", "kind": "ActionEvent",
        "thought": [{"type": "text", "text": f"T{n}"}], "tool_name": tool, "tool_call_id": f"c{n}",
        "tool_call": {"id": f"c{n}", "name": tool, "arguments": json.dumps(args)},
        "llm_response_id": response or f"r{n}", "action": {"kind": "TerminalAction"},
    }  # fmt: skip


def answer(n, text, second=0, kind="ObservationEvent", **inside):
    return {
        "id": f"o{n}", "timestamp": at(second), "source": "environment", "kind": kind,
        "tool_call_id": f"c{n}", "action_id": f"e{n}",
        "observation": {"content": [{"type": "text", "text": text}], **inside},
    }  # fmt: skip


def stats(prompt, output, cost=0.0):
    usage = {"prompt_tokens": prompt, "completion_tokens": output, "cache_read_tokens": 0}
    metrics = {"model_name": "m", "accumulated_cost": cost, "accumulated_token_usage": usage}
    return {"kind": "ConversationStateUpdateEvent", "source": "environment", "key": "stats",
            "timestamp": at(1), "value": {"usage_to_metrics": {"default": metrics}}}  # fmt: skip


def user(text):
    return {
        "kind": "MessageEvent",
        "source": "user",
        "timestamp": at(0),
        "llm_message": {"role": "user", "content": [{"type": "text", "text": text}]},
    }


EVENTS = [
    {"kind": "SystemPromptEvent", "source": "agent", "timestamp": at(0)},
    user("Fix it"),
    stats(100, 10, 0.5),
    action(1, "terminal", 2, "r", command="make", summary="Build", security_risk="LOW"),
    action(2, "terminal", 2, "r", command="ls"),
    answer(2, "a.py", 3, is_error=False, exit_code=0),
    answer(1, "failed", 6, is_error=False, exit_code=2),
    stats(250, 30, 0.75),
    action(3, "browser", 7, url="https://example.org"),
    {**answer(3, "", 8, kind="AgentErrorEvent"), "error": "no such tool"},
    stats(250, 30, 0.75),
    action(4, "terminal", 9, command="rm"),
    {**answer(4, "", 10, kind="UserRejectObservation"), "rejection_reason": "no"},
    {"kind": "Condensation", "source": "environment", "timestamp": at(11), "summary": "so far"},
    user("Go on"),
    {"kind": "MessageEvent", "source": "agent", "timestamp": at(12), "llm_response_id": "z",
     "llm_message": {"role": "assistant", "content": [{"type": "text", "text": "Done"}]}},
    {"kind": "BrandNewEvent", "source": "agent"},
]  # fmt: skip


def check(trace):
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.format == "openhands"
    assert calls["round"] == [1, 1, 2, 3]
    assert calls["result"] == ["failed", "a.py", "no such tool", "no"]
    assert calls["status"] == ["error", "ok", "error", "denied"]
    assert calls["exit_code"] == [2, 0, None, None]
    assert calls["args"][0] == {"command": "make", "summary": "Build", "security_risk": "LOW"}
    assert rounds["text"] == ["T1\nT2", "T3", "T4", "Done"]
    assert rounds["request"] == [1, 1, 1, 2]
    assert rounds["input_tokens"] == [100, 150, None, None]
    assert rounds["output_tokens"] == [10, 20, None, None]
    assert rounds["cost"] == [0.5, 0.25, None, None]
    assert trace.meta.totals == {"input_tokens": 250, "output_tokens": 30, "cost": 0.75}
    assert trace.meta.task == "Fix it"
    assert "compaction" in trace.tables["events"]["kind"]
    assert any("BrandNewEvent" in note.message for note in trace.notes)


def test_a_list_of_events():
    check(load(EVENTS))


def test_a_folder_with_one_file_an_event(tmp_path):
    folder = tmp_path / "conv" / "events"
    folder.mkdir(parents=True)
    (folder.parent / "base_state.json").write_text("{}")
    for n, event in enumerate(EVENTS):
        (folder / f"event-{n:05d}-ab{n}.json").write_text(json.dumps(event))
    check(load(folder))
    check(load(folder.parent))
    (folder / "event-00099-ff.json").write_text('{"kind": "Ac')
    corpus = load_many(tmp_path)
    traces = {trace.format: trace for trace in corpus}
    check(traces["openhands"])
    assert any("cannot be read as JSON" in note.message for note in traces["openhands"].notes)


def test_lines_with_a_call_that_only_the_observation_names(tmp_path):
    path = tmp_path / "events.jsonl"
    events = [EVENTS[1], answer(9, "lost"), *EVENTS[2:4], answer(1, "x", timeout=True)]
    path.write_text("\n".join(map(json.dumps, events)))
    trace = load(path)
    assert trace.tables["calls"]["status"] == ["timeout"]
    assert any("belongs to no call" in note.message for note in trace.notes)


def old(n, **fields):
    return {"id": n, "timestamp": at(n), "source": "agent", "message": "", **fields}


def meta(n, response):
    calls = [{"id": f"c{n}", "function": {"name": "execute_bash", "arguments": '{"command":"ls"}'}}]
    choice = {"message": {"tool_calls": calls}}
    return {"function_name": "execute_bash", "tool_call_id": f"c{n}",
            "model_response": {"id": response, "model": "m", "choices": [choice]}}  # fmt: skip


def metrics(prompt, cost):
    return {
        "accumulated_cost": cost,
        "accumulated_token_usage": {"prompt_tokens": prompt, "completion_tokens": 1},
    }


OLD = [
    old(0, action="system", args={"content": "S"}),
    old(1, action="message", source="user", args={"content": "Fix it"}),
    old(2, action="recall", source="user", args={}),
    old(3, observation="recall", source="environment", cause=2, content=""),
    old(4, action="run", args={"command": "ls", "thought": "look"}, tool_call_metadata=meta(1, "r"),
        llm_metrics=metrics(100, 0.5)),
    old(5, action="run", args={"command": "ls", "thought": ""}, tool_call_metadata=meta(2, "r"),
        llm_metrics=metrics(100, 0.5)),
    old(6, observation="run", cause=5, content="b", extras={"metadata": {"exit_code": 1}}),
    old(7, observation="run", cause=4, content="a", extras={"metadata": {"exit_code": 0}}),
    old(8, action="read", args={"path": "/x", "thought": "read"}, llm_metrics=metrics(300, 0.75)),
    old(9, observation="error", cause=8, content="no file"),
    old(10, action="finish", args={"final_thought": "done"}),
]  # fmt: skip


@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: {"instance_id": "i", "history": x}])
def test_older_events(wrap):
    trace = load(wrap(OLD))
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.format == "openhands"
    assert calls["tool"] == ["execute_bash", "execute_bash", "read", "finish"]
    assert calls["round"] == [1, 1, 2, 3]
    assert calls["result"] == ["a", "b", "no file", ""]
    assert calls["status"] == ["ok", "error", "error", "missing"]
    assert calls["args"][2] == {"path": "/x"}
    assert rounds["input_tokens"] == [100, 200, None]
    assert rounds["cost"] == [0.5, 0.25, None]
    assert trace.meta.task == "Fix it"


def test_no_event_is_an_error():
    with pytest.raises(TraceError, match="holds no event of OpenHands"):
        load([{"a": 1}], format="openhands")


@pytest.mark.shared
def test_a_real_file_counted_otherwise(shared: Path):
    path = shared / "data" / "traces" / "openhands" / "events.jsonl"
    events = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    actions = [e for e in events if e["kind"] == "ActionEvent"]
    answers = {e["action_id"]: e for e in events if e["kind"] == "ObservationEvent"}
    paired = [answers[a["id"]] for a in actions if a["id"] in answers]
    used = [
        e["value"]["usage_to_metrics"]["default"]["accumulated_token_usage"]
        for e in events
        if e.get("key") == "stats"
    ]
    trace = load(path)
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert calls["tool"] == [a["tool_name"] for a in actions] == ["terminal"] * 2
    assert calls["result"] == [a["observation"]["content"][0]["text"] for a in paired]
    assert calls["status"] == ["error", "error"]
    assert rounds["input_tokens"] == [
        used[1]["prompt_tokens"] - used[0]["prompt_tokens"],
        used[3]["prompt_tokens"] - used[2]["prompt_tokens"],
    ]
    assert trace.meta.totals["input_tokens"] == used[-1]["prompt_tokens"]
    lost = len(answers) - len(paired)
    assert [n.count for n in trace.notes if "belongs to no call" in n.message] == [lost]
