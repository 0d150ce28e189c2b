"""Gemini CLI and Qwen Code: objects and lines, updates, rewinds, tokens, branches, sub-agents."""

from __future__ import annotations

import json

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load


def at(second):
    return f"2026-01-02T03:04:{second:02d}.000Z"


def said(key, text, second=0, kind="user"):
    return {"id": key, "timestamp": at(second), "type": kind, "content": [{"text": text}]}


def call(key, name, args, output=None, status="success", second=0, **fields):
    response = {"functionResponse": {"id": key, "name": name, "response": output}}
    return {"id": key, "name": name, "args": args, "status": status, "timestamp": at(second),
            "result": [response] if output else None, **fields}  # fmt: skip


def model(key, text, second=0, calls=(), **fields):
    return {**said(key, text, second, "gemini"), "toolCalls": list(calls), "model": "g-2", **fields}


TOKENS = {"input": 100, "output": 10, "cached": 40, "thoughts": 5, "tool": 0, "total": 115}
META = {"sessionId": "s", "projectHash": "h", "startTime": at(0), "kind": "main"}
CALLS = [
    call("c1", "google_web_search", {"query": "rain"}, {"output": "dry"}, second=3),
    call("c2", "read_file", {"path": "a"}, {"error": "File not found"}, "error", 4),
    call("c3", "run_shell_command", {"command": "rm"}, {"error": "denied"}, "cancelled", 5),
    call("c4", "run_shell_command", {"command": "ls"}, None, "executing"),
]
MESSAGES = [
    said("m0", "<session_context>…"),
    said("m1", "Fix it", 1),
    model("m2", "I look", 2, CALLS, tokens=TOKENS,
          thoughts=[{"subject": "Plan", "description": "look first"}]),
    said("m3", "quota", 6, "error"),
    said("m4", "Go on", 7),
    {**model("m5", "Done", 8), "content": "Done"},
]  # fmt: skip


def check(trace):
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.format == "gemini"
    assert calls["tool"][:2] == ["google_web_search", "read_file"]
    assert calls["status"] == ["ok", "error", "denied", "missing"]
    assert calls["result"][:2] == ["dry", "File not found"]
    assert calls["seconds"][:2] == [1.0, 2.0]
    assert set(calls["round"]) == {1}
    assert calls["query"][0] == "rain"
    assert rounds["text"] == ["I look", "Done"]
    assert rounds["reasoning"][0] == "Plan: look first"
    assert rounds["request"] == [1, 2]
    assert (rounds["input_tokens"][0], rounds["cached_tokens"][0]) == (100, 40)
    assert (rounds["output_tokens"][0], rounds["reasoning_tokens"][0]) == (15, 5)
    assert rounds["tokens"] == [115, None]
    assert trace.meta.task == "Fix it"
    assert trace.meta.session_id == "s"
    assert trace.tables["events"]["kind"] == ["other", "user_message", "api_error", "user_message"]


def lines(tmp_path, *records):
    path = tmp_path / "session-x.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    return load(path)


def test_one_object():
    check(load({**META, "messages": MESSAGES}))


def test_lines(tmp_path):
    check(lines(tmp_path, META, *MESSAGES, {"$set": {"lastUpdated": at(9)}}))


def test_updates_before_and_after_and_replacement(tmp_path):
    early = {"type": "message_update", "id": "m2", "tokens": {"input": 1, "output": 10}}
    late = {"type": "message_update", "id": "m2", "tokens": TOKENS}
    bare = {k: v for k, v in MESSAGES[2].items() if k not in ("tokens", "toolCalls")}
    again = {**MESSAGES[2], "tokens": {"input": 7}}
    again.pop("tokens")
    check(lines(tmp_path, META, *MESSAGES[:2], early, bare, again, late, *MESSAGES[3:]))


def test_what_a_rewind_takes_back_is_an_abandoned_branch(tmp_path):
    wrong = [
        said("w1", "Wrong way", 1),
        model("w2", "ok", 2, [call("x", "f", {}, {"output": "X"})]),
    ]
    trace = lines(tmp_path, META, *wrong, {"$rewindTo": "w1"}, *MESSAGES)
    threads, rounds = trace.tables["threads"], trace.tables["rounds"]
    assert set(threads["thread"]) == {"main", "rewind-1"}
    assert threads["abandoned"][threads["thread"].index("rewind-1")] is True
    assert threads["kind"][threads["thread"].index("rewind-1")] == "branch"
    assert rounds["thread"] == ["rewind-1", "main", "main"]
    assert trace.meta.task == "Fix it"
    trace = lines(tmp_path, META, *MESSAGES, {"$rewindTo": "nowhere"}, said("z", "New", 9))
    assert set(trace.tables["rounds"]["thread"]) == {"rewind-1"}


def test_a_session_without_messages_and_what_is_none(tmp_path):
    assert lines(tmp_path, META, {"$set": {"summary": "x"}}).meta.extra["summary"] == "x"
    with pytest.raises(TraceError, match="holds no record of a Gemini session"):
        load([{"a": 1}], format="gemini")


def row(n, kind, *parts, **fields):
    return {"uuid": f"u{n}", "parentUuid": None, "sessionId": "s", "timestamp": at(n),
            "type": kind, "cwd": "/w", "version": "0.5",
            "message": {"role": "user", "parts": list(parts)}, **fields}  # fmt: skip


def test_qwen_lines():
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 10, "cachedContentTokenCount": 4,
             "totalTokenCount": 110}  # fmt: skip
    do = lambda key: {"functionCall": {"id": key, "name": "read_file", "args": {"path": key}}}  # noqa: E731
    got = lambda key, **r: {"functionResponse": {"id": key, "name": "read_file", "response": r}}  # noqa: E731
    records = [
        row(1, "user", {"text": "Fix it"}),
        row(2, "assistant", {"text": "hm", "thought": True}, {"text": "I look"}, do("a"), do("b"),
            usageMetadata=usage, model="q"),
        row(3, "tool_result", got("b", output="B")),
        row(4, "tool_result", got("a", error="no such file")),
        row(4, "tool_result", got("a", error="no such file")),
        row(5, "assistant", do("c"), agentId="agent-1", agentName="scout"),
        row(6, "tool_result", got("c", output="C"), agentId="agent-1",
            toolCallResult={"status": "cancelled"}),
        row(7, "system", subtype="chat_compression"),
        row(8, "system", subtype="ui_telemetry"),
        row(9, "tool_result", got("zzz", output="lost")),
    ]  # fmt: skip
    trace = load(records)
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert (trace.format, trace.meta.session_id, trace.meta.cwd) == ("qwen_code", "s", "/w")
    assert calls["result"] == ["no such file", "B", "C"]
    assert calls["status"] == ["error", "ok", "denied"]
    assert calls["seconds"] == [2.0, 1.0, 1.0]
    assert calls["thread"] == ["main", "main", "agent-1"]
    assert (rounds["text"][0], rounds["reasoning"][0]) == ("I look", "hm")
    assert rounds["input_tokens"] == [100, None]
    assert trace.tables["events"]["kind"] == ["user_message", "compaction"]
    told = [note.message for note in trace.notes]
    assert "a record came twice; the first one counts" in told
    assert "system records 'ui_telemetry'" in told
    assert "a result belongs to no call" in told
    with pytest.raises(TraceError, match="holds no record of a Qwen Code session"):
        load([{"a": 1}], format="qwen_code")
