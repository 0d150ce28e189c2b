"""Copilot CLI: responses, calls and their ends, MCP names, sub-agents, rewinds, totals."""

from __future__ import annotations

import json

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load, load_many

T = 1_767_323_040.0  # 2026-01-02T03:04:00Z


def event(kind, at=0, key=None, agent=None, **data):
    out = {"type": kind, "id": key or f"e{at}-{kind}", "parentId": None, "data": data,
           "timestamp": f"2026-01-02T03:04:{at:02d}.000Z"}  # fmt: skip
    return {**out, "agentId": agent} if agent else out


def start(**fields):
    return event(
        "session.start", sessionId="s1", version=1, producer="copilot-agent", selectedModel="m",
        copilotVersion="1.0.54", context={"cwd": "/w", "branch": "main"}, **fields,
    )  # fmt: skip


def asked(name, args, call_id):
    return {"toolCallId": call_id, "name": name, "arguments": args, "type": "function"}


def said(text, at, *requests, key=None, agent=None, **fields):
    return event("assistant.message", at, agent=agent, messageId=key or f"m{at}", content=text,
                 toolRequests=list(requests), **fields)  # fmt: skip


def begun(call_id, at, name="bash", args=None, agent=None, **fields):
    return event("tool.execution_start", at, agent=agent, toolCallId=call_id, toolName=name,
                 arguments=args or {}, **fields)  # fmt: skip


def ended(call_id, at, text=None, success=True, agent=None, **fields):
    result = {"result": {"content": text, "detailedContent": f"{text} in full"}} if text else {}
    return event("tool.execution_complete", at, agent=agent, toolCallId=call_id, success=success,
                 **result, **fields)  # fmt: skip


def notes(trace):
    return {note.message: note.count for note in trace.notes}


RUN = [
    start(), event("user.message", 1, content="Fix it", source="user"),
    event("assistant.turn_start", 1, turnId="0"),
    event("assistant.reasoning", 2, reasoningId="r", content="hm"),
    said("I look", 3, asked("bash", {"command": "make", "description": "Build"}, "c1"),
         asked("web-search", {"query": "make"}, "c2"), outputTokens=7),
    begun("c1", 4, args={"command": "make"}), begun("c2", 4, "web-search", {"query": "make"},
                                                    mcpServerName="tavily", mcpToolName="search"),
    ended("c2", 6, "found"), ended("c1", 9, "bad\n<exited with exit code 2>"),
    said("", 10, asked("edit", {"path": "a"}, "c3"), reasoningText="now"),
    event("permission.requested", 10, requestId="p", permissionRequest={"kind": "write"}),
    event("permission.completed", 11, requestId="p",
          result={"kind": "denied-interactively-by-user"}),
    begun("c3", 10, "edit", {"path": "a"}),
    ended("c3", 12, success=False, error={"message": "The user said no", "code": "denied"}),
    event("session.model_change", 12, previousModel="m", newModel="n"),
    said("", 13, asked("view", {"path": "b"}, "c4")), begun("c4", 13, "view"),
    ended("c4", 14, success=False, error={"message": "no such file"}),
    event("session.compaction_start", 15),
    event("session.compaction_complete", 15, success=True, summaryContent="so far"),
    event("user.message", 16, content="<reminder>", source="skill-x"),
    event("user.message", 17, content="Go on"),
    said("Done", 18), event("session.error", 19, errorType="quota", message="no quota"),
    event("abort", 19, reason="user initiated"), event("session.future", 19, x=1),
    event("session.shutdown", 20, shutdownType="routine", modelMetrics={
        "m": {"requests": {"count": 3, "cost": 1},
              "usage": {"inputTokens": 100, "outputTokens": 10, "cacheReadTokens": 40}},
        "n": {"usage": {"inputTokens": 5, "outputTokens": 1}}}),
]  # fmt: skip


def test_a_session(tmp_path):
    folder = tmp_path / "session-state" / "s1"
    folder.mkdir(parents=True)
    (folder / "events.jsonl").write_text("\n".join(map(json.dumps, RUN)))
    (folder / "workspace.yaml").write_text("id: s1")
    trace = load(folder)
    assert [t.format for t in load_many(tmp_path, progress=False)] == ["copilot_cli"]
    assert trace.format == "copilot_cli"
    meta = trace.meta
    assert (meta.session_id, meta.cwd, meta.agent_version) == ("s1", "/w", "1.0.54")
    assert meta.task == "Fix it"
    assert meta.totals == {"input_tokens": 105, "output_tokens": 11, "cached_tokens": 40}
    rounds, calls, events = (trace.tables[t] for t in ("rounds", "calls", "events"))
    assert rounds["text"] == ["I look", "", "", "Done"]
    assert rounds["reasoning"] == ["hm", "now", "", ""]
    assert rounds["model"] == ["m", "m", "n", "n"]
    assert rounds["output_tokens"] == [7, None, None, None]
    assert rounds["request"] == [1, 1, 1, 2]
    assert calls["tool"] == ["bash", "search", "edit", "view"]
    assert calls["tool_raw"] == ["bash", "web-search", "edit", "view"]
    assert calls["namespace"] == [None, "tavily", None, None]
    assert calls["args"][0] == {"command": "make", "description": "Build"}
    assert calls["query"] == [None, "make", None, None]
    assert calls["started"] == [T + 4, T + 4, T + 10, T + 13]
    assert calls["seconds"] == [5, 2, 2, 1]
    assert calls["status"] == ["error", "ok", "denied", "error"]
    assert calls["exit_code"][0] == 2
    assert calls["result"][1:] == ["found", "The user said no", "no such file"]
    kinds = "user_message approval compaction other user_message api_error interrupt".split()
    assert events["kind"] == kinds
    assert notes(trace) == {"events of type 'session.future'": 1}


def test_what_no_message_asked_for_is_a_call_all_the_same():
    trace = load([start(), event("user.message", 1, content="x"), begun("c1", 2, args={"a": 1}),
                  ended("c1", 3)])  # fmt: skip
    calls = trace.tables["calls"]
    assert (calls["tool"], calls["args"], calls["status"]) == (["bash"], [{"a": 1}], ["ok"])
    assert notes(trace) == {"of some results the log keeps only that they succeeded": 1}


def test_sub_agents_are_threads():
    trace = load([
        start(), event("user.message", 1, content="x"),
        said("", 2, asked("task", {"agent_type": "explore", "prompt": "look"}, "c1")),
        begun("c1", 2, "task"),
        event("subagent.started", 3, agent="a1", toolCallId="c1", agentName="explore",
              agentDisplayName="Explorer", agentDescription="…"),
        said("", 4, asked("grep", {"pattern": "x"}, "k1"), agent="a1"),
        begun("k1", 4, "grep", agent="a1"), ended("k1", 5, "a:1", agent="a1"),
        said("", 6, asked("view", {"path": "a"}, "k2"), parentToolCallId="c1"),  # as older logs do
        ended("k2", 7, "text"), ended("c1", 8, "found"), said("Done", 9),
    ])  # fmt: skip
    threads = trace.tables["threads"]
    assert threads["thread"] == ["main", "a1"]
    assert (threads["parent_call"][1], threads["name"][1]) == ("c1", "Explorer")
    assert trace.tables["rounds"]["thread"] == ["main", "a1", "a1", "main"]
    assert trace.tables["calls"]["result"] == ["found", "a:1", "text"]


def test_an_older_sub_agent_is_known_by_its_call():
    trace = load([start(), said("", 1, asked("task", {}, "c1")), begun("c1", 1, "task"),
                  said("hm", 2, parentToolCallId="c1")])  # fmt: skip
    threads = trace.tables["threads"]
    assert (threads["thread"], threads["parent_call"]) == (["main", "c1"], [None, "c1"])


@pytest.mark.parametrize(
    "rewind",
    [
        {"upToEventId": "e2-assistant.message", "eventsRemoved": 2},
        {"upToEventId": "e2-assistant.message"},
        {"upToEventId": "u2", "eventsRemoved": 2},
        {"eventIds": ["u2", "e3-assistant.message"]},
    ],
)
def test_what_a_rewind_takes_back_is_an_abandoned_branch(rewind):
    trace = load([
        start(), event("user.message", 1, content="x"), said("", 2, asked("bash", {}, "c1")),
        event("user.message", 3, key="u2", content="wrong way"), said("oops", 3),
        event("session.snapshot_rewind", 4, **rewind),
        event("user.message", 5, content="right way"), said("good", 6),
    ])  # fmt: skip
    assert trace.tables["rounds"]["thread"] == ["main", "rewind-1", "main"]
    assert trace.tables["threads"]["abandoned"] == [False, True]
    assert trace.tables["rounds"]["request"] == [1, 1, 2]


def test_a_rewind_to_nowhere_is_told():
    trace = load([start(), said("a", 1), event("session.snapshot_rewind", 2, upToEventId="x")])
    assert notes(trace) == {"a rewind names no event that is there": 1}


def test_a_message_told_twice_is_one_round_and_usage_is_its():
    trace = load([
        start(), said("a", 1, key="m"), said("b", 2, asked("bash", {}, "c1"), key="m"),
        event("assistant.usage", 3, model="m", inputTokens=9, outputTokens=2, cacheReadTokens=4),
    ])  # fmt: skip
    rounds = trace.tables["rounds"]
    assert (rounds["text"], rounds["tokens"], rounds["cached_tokens"]) == (["a\nb"], [11], [4])
    assert len(trace) == 1


@pytest.mark.parametrize(
    "records",
    [
        [start(), {"type": "assistant.message", "data": {"toolRequests": [3, {"name": 4}]}}],
        [start(), {"type": "tool.execution_complete", "data": {"toolCallId": [], "result": 3}}],
        [start(), {"type": "session.snapshot_rewind", "data": {"eventIds": 3}}],
        [start(), {"type": "session.shutdown", "data": {"modelMetrics": {"m": 3}}}],
        [start(), {"type": "subagent.started", "data": {}}, {"type": "abort"}, 3],
    ],
)
def test_odd_events_are_read_or_told(records):
    assert load(records).format == "copilot_cli"


def test_no_event_is_an_error():
    with pytest.raises(TraceError, match="holds no event"):
        load([{"type": "x"}], format="copilot_cli")
