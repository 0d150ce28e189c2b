"""Codex rollouts: rounds, code mode, polls, headers, tokens, forks, and what is told twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load

META = {"id": "s1", "timestamp": "2026-01-02T03:00:00Z", "cwd": "/w", "cli_version": "1.2"}


def item(kind, at=0, **fields):
    return {
        "timestamp": f"2026-01-02T03:04:{at:02d}.000Z",
        "type": "response_item",
        "payload": {"type": kind, **fields},
    }


def event(kind, at=0, **fields):
    return {**item(kind, at, **fields), "type": "event_msg"}


def session(**fields):
    return {
        "timestamp": "2026-01-02T03:00:00.000Z",
        "type": "session_meta",
        "payload": {**META, **fields},
    }


def said(role, text, at=0):
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", at, role=role, content=[{"type": kind, "text": text}])


def call(name, args, call_id, at=0):
    return item("function_call", at, name=name, arguments=json.dumps(args), call_id=call_id)


def program(text, call_id, at=0):
    return item("custom_tool_call", at, name="exec", input=text, call_id=call_id)


def output(call_id, value, at=0):
    return item("function_call_output", at, call_id=call_id, output=value)


def tokens(at, given, answered, total):
    usage = {
        "input_tokens": given, "cached_input_tokens": given // 2, "output_tokens": answered,
        "reasoning_output_tokens": 1, "total_tokens": given + answered,
    }  # fmt: skip
    info = {"last_token_usage": usage, "total_token_usage": {"total_tokens": total}}
    return event("token_count", at, info=info)


def notes(trace):
    return {note.message: note.count for note in trace.notes}


def test_what_is_told_twice_counts_once():
    trace = load([
        session(),
        said("user", "<environment_context>…</environment_context>"),
        event("user_message", 1, message="Fix it"),
        said("user", "Fix it", 1),
        item("reasoning", 2, summary=[{"type": "summary_text", "text": "hm"}]),
        event("agent_reasoning", 2, text="hm"),
        event("agent_message", 3, message="I look"),
        said("assistant", "I look", 3),
        call("exec_command", {"cmd": "ls"}, "c1", 4),
        tokens(5, 100, 10, 110),
        output("c1", "a\nb", 6),
        said("assistant", "Done", 9),
        tokens(9, 200, 20, 330),
        event("token_count", 9, info=None),
        tokens(9, 200, 20, 330),
    ])  # fmt: skip
    rounds, calls = trace.tables["rounds"], trace.tables["calls"]
    assert rounds["text"] == ["I look", "Done"]
    assert rounds["reasoning"] == ["hm", ""]
    assert rounds["request"] == [1, 1]
    assert rounds["input_tokens"] == [100, 200]
    assert rounds["cached_tokens"] == [50, 100]
    assert rounds["output_tokens"] == [10, 20]
    assert rounds["reasoning_tokens"] == [1, 1]
    assert calls["result"] == ["a\nb"]
    assert calls["seconds"] == [2.0]
    assert trace.meta.task == "Fix it"
    assert trace.meta.totals == {"total_tokens": 330}
    assert (trace.meta.session_id, trace.meta.cwd, trace.meta.agent_version) == ("s1", "/w", "1.2")
    assert trace.tables["events"]["kind"] == ["other", "user_message"]


def test_a_user_only_told_in_events_starts_a_request_too():
    trace = load([
        session(),
        event("user_message", 1, message="One"), said("assistant", "1", 2),
        event("user_message", 3, message="Two"), said("assistant", "2", 4),
    ])  # fmt: skip
    assert trace.tables["rounds"]["request"] == [1, 2]
    assert trace.tables["events"]["text"] == ["One", "Two"]


def test_parallel_calls_are_one_round_and_answers_may_cross():
    trace = load([
        session(),
        call("exec_command", {"cmd": "a"}, "c1", 1),
        call("exec_command", {"cmd": "b"}, "c2", 1),
        output("c2", "B", 2),
        output("c1", "A", 3),
        call("exec_command", {"cmd": "c"}, "c3", 4),
    ])  # fmt: skip
    calls = trace.tables["calls"]
    assert calls["round"] == [1, 1, 2]
    assert calls["result"] == ["A", "B", ""]
    assert calls["status"] == ["ok", "ok", "missing"]


def test_code_mode_shows_the_tools_inside():
    trace = load([
        session(),
        program('const r = await tools.web__run({search_query: [{q: "rain"}]}); text(r);', "c1"),
        output("c1", [
            {"type": "input_text", "text": "Script completed\nWall time 0.2 seconds\nOutput:\n"},
            {"type": "input_text", "text": "It rains"},
        ], 1),
        program('await Promise.all([tools.exec_command({cmd: "a"}), tools.exec_command({cmd: x})])',
                "c2", 2),
        output("c2", [
            {"type": "input_text", "text": "Script completed\nWall time 0.2 seconds\nOutput:\n"},
            {"type": "input_text", "text": '{"output":"A","exit_code":0,"wall_time_seconds":0.5}'},
            {"type": "input_text", "text": '{"output":"B","exit_code":3,"wall_time_seconds":0.1}'},
        ], 3),
        program("tools.f({a: 1}); tools.g({a: 2})", "c3", 4),
        output("c3", "Script failed\nWall time 0.2 seconds\nOutput:\nboom", 5),
        program("text(1 + 1)", "c4", 6),
    ])  # fmt: skip
    calls = trace.tables["calls"]
    assert calls["tool"] == ["web__run", "exec_command", "exec_command", "f", "g", "exec"]
    assert set(calls["tool_raw"]) == {"exec"}
    assert calls["effect"][:3] == ["search", "run", "run"]
    assert calls["query"][0] == "rain"
    assert calls["args"][1:3] == [{"cmd": "a"}, {"cmd": "x"}]
    assert calls["result"][:5] == ["It rains", "A", "B", "boom", "boom"]
    assert calls["status"] == ["ok", "ok", "error", "error", "error", "missing"]
    assert calls["exit_code"][:3] == [None, 0, 3]
    assert calls["seconds"][:3] == [0.2, 0.5, 0.1]
    assert len(set(calls["call_id"])) == 6
    assert "an argument inside a program is an expression; kept as its source" in notes(trace)
    assert "calls inside one program share its output" in notes(trace)


HEADER = "Chunk ID: {}\nWall time: {} seconds\n{}\nOriginal token count: 7\nOutput:\n{}"


def test_headers_are_taken_off_and_polls_are_polls():
    running = "Process running with session ID 5"
    trace = load([
        session(),
        call("exec_command", {"cmd": "make"}, "c1"),
        output("c1", HEADER.format("ab12", "10.0", running, "compiling"), 1),
        call("write_stdin", {"session_id": 5, "chars": ""}, "c2", 2),
        output("c2", HEADER.format("ff00", "5.01", running, ""), 3),
        call("write_stdin", {"session_id": 5, "chars": ""}, "c3", 4),
        output("c3", HEADER.format("ff01", "5.02", running, ""), 5),
        call("write_stdin", {"session_id": 5, "chars": ""}, "c4", 6),
        output("c4", HEADER.format("9", "0.3", "Process exited with code 2", "no rule"), 7),
        call("wait", {"cell_id": "x"}, "c5", 8),
        output("c5", json.dumps({"output": "hi", "metadata": {"exit_code": 0,
                                 "duration_seconds": 1.5}}), 9),
        call("shell", {"command": ["ls"]}, "c6", 10),
        output("c6", "Exit code: 1\nWall time: 0.1 seconds\nOutput:\nnope", 11),
        call("shell", {"command": ["cat", "x"]}, "c7", 12),
        output("c7", "Wall time of the race\nOutput:\nis text", 13),
    ])  # fmt: skip
    calls = trace.tables["calls"]
    assert calls["effect"][1:5] == ["poll"] * 4
    assert calls["result"][:6] == ["compiling", "", "", "no rule", "hi", "nope"]
    assert calls["exit_code"][:6] == [None, None, None, 2, 0, 1]
    assert calls["status"] == ["ok", "ok", "ok", "error", "ok", "error", "ok"]
    assert calls["seconds"][:6] == [10.0, 5.01, 5.02, 0.3, 1.5, 0.1]


def test_events_tell_how_calls_ended_where_outputs_do_not():
    trace = load([
        session(),
        call("shell", {"command": ["x"]}, "c1"),
        event("exec_command_end", 1, call_id="c1", exit_code=7),
        output("c1", "quiet", 1),
        call("srv__tool", {}, "c2", 2),
        event("mcp_tool_call_end", 3, call_id="c2", result={"Ok": {"isError": True}}),
        output("c2", "no such thing", 3),
    ])  # fmt: skip
    assert trace.tables["calls"]["status"] == ["error", "error"]
    assert trace.tables["calls"]["exit_code"] == [7, None]


def test_searches_at_the_provider_have_no_output():
    trace = load([
        session(),
        item("web_search_call", 1, id="w1", status="completed",
             action={"type": "search", "query": "rain"}),
        item("web_search_call", 1, id="w2", status="completed",
             action={"type": "open_page", "url": "https://example.org"}),
    ])  # fmt: skip
    calls = trace.tables["calls"]
    assert (calls["tool"], calls["effect"]) == (["web_search", "open_page"], ["search", "read"])
    assert (calls["query"][0], calls["target"][1]) == ("rain", "https://example.org")
    assert calls["result"] == ["", ""]
    assert notes(trace)["what a search at the provider found is not in the log"] == 2


@pytest.mark.parametrize("by_ordinal", [False, True])
def test_a_fork_repeats_its_parent(by_ordinal):
    spawn = {"parent_thread_id": "p1", "agent_nickname": "scout"}
    more = {"subagent_history_start_ordinal": 5} if by_ordinal else {}
    own = session(id="c1", timestamp="2026-01-02T03:04:30Z",
                  source={"subagent": {"thread_spawn": spawn}}, **more)  # fmt: skip
    records = [
        own, session(id="p1"),
        call("exec_command", {"cmd": "a"}, "c1", 1), output("c1", "A", 2),
        call("exec_command", {"cmd": "b"}, "c2", 40), output("c2", "B", 41),
    ]  # fmt: skip
    for ordinal, record in enumerate(records, 1):
        record["ordinal"] = ordinal
        if by_ordinal:
            record["timestamp"] = "2026-01-02T03:05:00Z"
    trace = load(records)
    assert trace.tables["rounds"]["copied"] == [True, False]
    assert trace.meta.session_id == "c1"
    assert trace.meta.extra["parent_thread_id"] == "p1"
    assert trace.meta.extra["agent_name"] == "scout"


def test_compaction_interrupts_errors_and_what_is_new_are_told():
    trace = load([
        session(),
        said("assistant", "a"), tokens(1, 10, 1, 11), tokens(2, 50, 5, 66),
        {"timestamp": "2026-01-02T03:04:03Z", "type": "compacted", "payload": {"message": "sum"}},
        event("turn_aborted", 4, reason="interrupted"), event("stream_error", 5, message="again"),
        event("error", 6, message="gone"),
        {"type": "brand_new", "payload": {}}, event("brand_new", 7), item("brand_new", 8),
        {"type": "response_item"}, 7,
        output("none", "x", 9),
        item("function_call", 9, name="f", arguments='{"a": ', call_id="c9"),
    ])  # fmt: skip
    assert trace.tables["events"]["kind"] == ["compaction", "interrupt", "retry", "api_error"]
    assert trace.tables["rounds"]["tokens"][0] == 11
    told = notes(trace)
    assert "tokens of a call that left no response are in the totals only" in told
    for what in ("records", "events", "items"):
        assert f"{what} of type 'brand_new'" in told
    assert told["a record is not one of a Codex rollout"] == 2
    assert told["an output belongs to no call"] == 1
    assert told["arguments of a call are not JSON; kept as text"] == 1


def test_old_files_hold_bare_items():
    trace = load([
        {"id": "s0", "timestamp": "2025-05-07T17:24:21Z", "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go"}]},
        {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}',
         "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1",
         "output": '{"output":"x\\n","metadata":{"exit_code":0,"duration_seconds":0.1}}'},
    ])  # fmt: skip
    assert (trace.format, trace.meta.session_id, trace.meta.task) == ("codex", "s0", "Go")
    assert trace.tables["calls"]["result"] == ["x\n"]
    assert trace.tables["calls"]["started"] == [None]


def test_nothing_of_ours_is_an_error():
    with pytest.raises(TraceError, match="holds no record of a Codex rollout"):
        load([{"a": 1}], format="codex")


@pytest.mark.shared
def test_real_files_counted_otherwise(shared: Path):
    folder = shared / "data" / "traces" / "codex_rollout"
    for path in sorted(folder.glob("*.json*")):
        text = path.read_text("utf-8")
        data = (
            [json.loads(line) for line in text.splitlines()]
            if path.suffix == ".jsonl"
            else json.loads(text)
        )
        payloads = [r["payload"] for r in (data if isinstance(data, list) else [data])]
        kinds = [p.get("type") for p in payloads]
        calls = kinds.count("function_call") + kinds.count("custom_tool_call")
        outputs = kinds.count("function_call_output") + kinds.count("custom_tool_call_output")
        trace = load(path)
        assert trace.format == "codex", path
        assert len(trace) == calls, path
        assert sum(s != "missing" for s in trace.tables["calls"]["status"]) == outputs, path
    trace = load(folder / "records_tools_web-run.json")
    assert trace.tables["calls"]["query"] == ["synthetic query"]
    trace = load(folder / "records_tools_exec-wrapper.json")
    assert trace.tables["calls"]["args"] == [{"cmd": "git status --short"}]
    trace = load(folder / "records_tools_async-command.json")
    assert trace.tables["calls"]["result"][1] == "2 passed\n"
