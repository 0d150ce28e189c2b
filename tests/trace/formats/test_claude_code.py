"""Claude Code sessions: blocks, usage, sub-agents, branches, copies, compaction, notifications."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentlens.trace.load import load, load_many


class Log:
    """Writes records as Claude Code does; knows nothing of the reader."""

    def __init__(self, session: str = "s1"):
        self.session = session
        self.records: list[dict[str, Any]] = []
        self.last: str | None = None

    def add(self, kind: str, message: dict | None = None, parent: Any = "last", **more: Any) -> str:
        uuid = more.pop("uuid", f"u{len(self.records) + 1}")
        second = more.pop("at", len(self.records))
        record = {
            "type": kind,
            "uuid": uuid,
            "parentUuid": self.last if parent == "last" else parent,
            "sessionId": self.session,
            "isSidechain": False,
            "cwd": "/w",
            "version": "2.1.0",
            "timestamp": f"2026-03-02T09:{second // 60:02d}:{second % 60:02d}.000Z",
            **more,
        }
        if message is not None:
            record["message"] = message
        self.records.append(record)
        self.last = uuid
        return uuid

    def user(self, text: Any, **more: Any) -> str:
        return self.add("user", {"role": "user", "content": text}, **more)

    def says(self, block: dict, message: str, usage: dict | None = None, **more: Any) -> str:
        body = {"id": message, "role": "assistant", "model": "m", "content": [block]}
        return self.add("assistant", {**body, "usage": usage or {}}, **more)

    def calls(self, name: str, args: dict, call: str, message: str, **more: Any) -> str:
        return self.says(
            {"type": "tool_use", "id": call, "name": name, "input": args}, message, **more
        )

    def result(self, call: str, content: Any, structured: Any = None, **more: Any) -> str:
        error = {"is_error": more.pop("error")} if "error" in more else {}
        block = {"type": "tool_result", "tool_use_id": call, "content": content, **error}
        if structured is not None:
            more["toolUseResult"] = structured
        return self.user([block], **more)

    def load(self):
        return load(self.records)


def column(trace, table: str, name: str) -> list:
    return trace.tables[table][name]


def test_blocks_of_one_message_are_one_round_and_its_last_usage_counts():
    log = Log()
    log.user("fix it")
    early = {
        "input_tokens": 3,
        "cache_read_input_tokens": 100,
        "cache_creation_input_tokens": 20,
        "output_tokens": 1,
    }
    log.says({"type": "thinking", "thinking": "hm"}, "m1", early)
    log.says({"type": "text", "text": "I look."}, "m1", early)
    log.calls("Read", {"file_path": "/a"}, "t1", "m1", usage={**early, "output_tokens": 77})
    log.result("t1", "text of a")
    log.says(
        {"type": "text", "text": "Done."},
        "m2",
        {"input_tokens": None, "output_tokens": 5, "cache_read_input_tokens": None},
    )
    trace = log.load()
    assert column(trace, "rounds", "message_id") == ["m1", "m2"]
    assert column(trace, "rounds", "input_tokens") == [123, None]
    assert column(trace, "rounds", "cached_tokens") == [100, None]
    assert column(trace, "rounds", "cache_write_tokens") == [20, None]
    assert column(trace, "rounds", "output_tokens") == [77, 5]
    assert column(trace, "rounds", "tokens") == [200, 5]
    assert column(trace, "rounds", "reasoning") == ["hm", ""]
    assert column(trace, "rounds", "text") == ["I look.", "Done."]
    assert column(trace, "rounds", "seconds") == [4.0, None]
    assert column(trace, "calls", "seconds") == [1.0]
    assert column(trace, "calls", "target") == ["/a"]
    assert trace.meta.task == "fix it"
    assert (trace.meta.session_id, trace.meta.cwd, trace.meta.agent_version) == (
        "s1",
        "/w",
        "2.1.0",
    )


def test_usage_that_is_no_number_is_not_known():
    log = Log()
    log.user("go")
    log.says(
        {"type": "text", "text": "a"},
        "m1",
        {"input_tokens": "many", "output_tokens": [1], "cache_read_input_tokens": 7},
    )
    log.says({"type": "text", "text": "b"}, "m2", {"output_tokens": True})
    trace = log.load()
    assert column(trace, "rounds", "input_tokens") == [7, None]
    assert column(trace, "rounds", "output_tokens") == [None, None]


def test_parallel_calls_and_hooks_make_no_branch():
    log = Log()
    log.user("go")
    a = log.calls("Read", {}, "t1", "m1")
    b = log.calls("Grep", {}, "t2", "m1")
    log.result("t1", "one", parent=a)
    log.add("system", None, parent=b, subtype="hook", content="hook ran")
    log.result("t2", "two", parent=b)
    log.says({"type": "text", "text": "ok"}, "m2")
    log.user("more")
    log.says({"type": "text", "text": "yes"}, "m3")
    trace = log.load()
    assert column(trace, "threads", "thread") == ["main"]
    assert column(trace, "rounds", "request") == [1, 1, 2]
    assert column(trace, "calls", "result") == ["one", "two"]


def test_a_rewind_leaves_a_branch_behind():
    log = Log()
    log.user("first")
    fork = log.says({"type": "text", "text": "a1"}, "m1")
    log.user("wrong turn")
    log.calls("Bash", {"command": "x"}, "t1", "m2")
    log.result("t1", "r")
    log.user("deeper wrong")
    log.says({"type": "text", "text": "a3"}, "m3")
    log.user("right turn", parent=fork)
    log.says({"type": "text", "text": "a4"}, "m4")
    trace = log.load()
    assert column(trace, "rounds", "thread") == ["main", "branch-1", "branch-1", "main"]
    assert column(trace, "rounds", "round") == [1, 1, 2, 2]
    assert column(trace, "threads", "kind") == ["main", "branch"]
    assert column(trace, "threads", "abandoned") == [False, True]
    assert column(trace, "threads", "name")[1] == "wrong turn"
    assert column(trace, "calls", "status") == ["ok"]


def test_a_retyped_prompt_without_an_answer_is_no_branch():
    log = Log()
    log.user("first")
    fork = log.says({"type": "text", "text": "a"}, "m1")
    log.user("typo", parent=fork)
    log.user("no typo", parent=fork)
    log.says({"type": "text", "text": "b"}, "m2")
    assert column(log.load(), "threads", "thread") == ["main"]


def test_copies_of_a_resumed_session_count_once():
    log = Log()
    log.user("first")
    log.says({"type": "text", "text": "a"}, "m1")
    log.records += [dict(record) for record in log.records]
    log.session = "s2"
    log.user("again")
    log.says({"type": "text", "text": "b"}, "m2")
    for record in log.records[:2]:
        record["sessionId"] = "s0"
    trace = log.load()
    assert column(trace, "rounds", "message_id") == ["m1", "m2"]
    assert column(trace, "rounds", "copied") == [True, False]
    assert any("repeats the uuid" in note.message and note.count == 2 for note in trace.notes)


def test_a_cycle_of_parents_ends():
    log = Log()
    log.user("a", uuid="x", parent="z")
    log.says({"type": "text", "text": "1"}, "m1", uuid="y", parent="x")
    log.user("b", uuid="z", parent="y")
    log.says({"type": "text", "text": "2"}, "m2", uuid="w", parent="w")
    assert len(log.load().tables["rounds"]["round"]) == 2


def test_compaction_is_one_event_and_not_a_request():
    log = Log()
    log.user("go")
    log.says({"type": "text", "text": "a"}, "m1")
    log.add(
        "system",
        None,
        parent=None,
        subtype="compact_boundary",
        content="Conversation compacted",
        logicalParentUuid="u2",
    )
    log.user("This session is being continued…", isCompactSummary=True)
    log.says({"type": "text", "text": "b"}, "m2")
    trace = log.load()
    assert column(trace, "events", "kind") == ["user_message", "compaction"]
    assert column(trace, "rounds", "request") == [1, 1]
    old = Log()
    old.user("go")
    old.says({"type": "text", "text": "a"}, "m1")
    old.user("summary", isCompactSummary=True)
    assert column(old.load(), "events", "kind") == ["user_message", "compaction"]


def test_what_the_user_did_not_write_starts_no_request():
    log = Log()
    log.user("go")
    log.says({"type": "text", "text": "a"}, "m1")
    log.user(
        "Caveat: The messages below were generated by the user while running local commands.",
        isMeta=True,
    )
    log.user("<local-command-stdout>x</local-command-stdout>")
    log.user("<system-reminder>note</system-reminder>")
    log.user("<bash-stdout>ls</bash-stdout>")
    log.user("meta", isMeta=True)
    log.user([{"type": "text", "text": "[Request interrupted by user]"}])
    log.says({"type": "text", "text": "b"}, "m2")
    trace = log.load()
    assert column(trace, "rounds", "request") == [1, 1]
    assert column(trace, "events", "kind") == ["user_message", "other", "interrupt"]


def test_how_calls_ended():
    log = Log()
    log.user("go")
    cases = [
        ("fine", {"stdout": "fine", "interrupted": False}, {}, ("ok", None)),
        ("boom", "Error: boom", {"error": True}, ("error", None)),
        ("<tool_use_error>no</tool_use_error>", "Error: no", {"error": True}, ("error", None)),
        (
            "The user doesn't want to proceed with this tool use.",
            "Error: x",
            {"error": True},
            ("denied", None),
        ),
        ("half", {"stdout": "half", "interrupted": True}, {}, ("interrupted", None)),
        ("out", {"stdout": "out", "exitCode": 2}, {}, ("error", 2)),
        ("out", {"stdout": "out", "exitCode": 0}, {}, ("ok", 0)),
        ("Error: found in a file that was read", None, {"error": False}, ("ok", None)),
        ("Error: no flag at all", "Error: no flag at all", {}, ("error", None)),
        ("", {"stdout": "only here"}, {}, ("ok", None)),
    ]
    for number, (text, structured, more, _) in enumerate(cases):
        log.calls("Bash", {"command": "x"}, f"t{number}", f"m{number}")
        log.result(f"t{number}", text, structured, **more)
    trace = log.load()
    found = list(
        zip(column(trace, "calls", "status"), column(trace, "calls", "exit_code"), strict=True)
    )
    assert found == [expected for *_, expected in cases]
    assert column(trace, "calls", "result")[-1] == "only here"


def test_ids_that_are_all_the_same_pair_by_place():
    log = Log()
    log.user("go")
    for number in range(3):
        log.calls("Bash", {"n": number}, "REDACTED", f"m{number}")
        log.result("REDACTED", f"r{number}")
    trace = log.load()
    assert column(trace, "calls", "result") == ["r0", "r1", "r2"]


def test_a_result_before_its_call_is_still_paired():
    log = Log()
    log.user("go")
    log.calls("Read", {}, "t1", "m1")
    log.result("t2", "second")
    log.calls("Read", {}, "t2", "m1")
    log.result("t1", "first")
    trace = log.load()
    assert column(trace, "calls", "result") == ["first", "second"]
    assert column(trace, "rounds", "round") == [1]


def test_inline_sidechains_are_threads():
    log = Log()
    log.user("go")
    log.calls("Task", {"description": "look around", "prompt": "Find x"}, "t1", "m1")
    main = log.last
    log.user("Find x", parent=None, isSidechain=True)
    log.calls("Grep", {"pattern": "x"}, "s1", "n1", isSidechain=True)
    log.result("s1", "found", isSidechain=True)
    log.says({"type": "text", "text": "x is here"}, "n2", isSidechain=True)
    log.result("t1", "x is here", parent=main)
    log.says({"type": "text", "text": "ok"}, "m2")
    trace = log.load()
    assert column(trace, "rounds", "thread") == ["main", "agent-1", "agent-1", "main"]
    threads = trace.tables["threads"]
    assert (threads["parent"][1], threads["parent_call"][1], threads["kind"][1]) == (
        "main",
        "t1",
        "subagent",
    )
    assert threads["name"][1] == "look around"
    assert column(trace, "rounds", "request") == [1, 1, 1, 1]


def write(path: Path, records: list[dict]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def session_with_agents(tmp_path: Path) -> Path:
    log = Log()
    log.user("go", at=0)
    log.calls("Agent", {"description": "scout", "prompt": "look"}, "t1", "m1", at=1)
    log.result("t1", "found it", {"agentId": "aa", "status": "completed"}, at=20)
    log.calls("Agent", {"description": "other", "prompt": "dig"}, "t2", "m2", at=21)
    log.result("t2", "dug", at=40)
    main = tmp_path / "project" / "s1.jsonl"
    write(main, log.records)
    for agent, start, folder in (("aa", 5, "subagents"), ("bb", 25, "subagents/workflows/wf_1")):
        sub = Log()
        sub.user("look", uuid=f"{agent}0", at=start, isSidechain=True)
        sub.calls(
            "Grep", {}, f"{agent}t", f"{agent}m", uuid=f"{agent}1", at=start + 1, isSidechain=True
        )
        sub.result(f"{agent}t", "hit", uuid=f"{agent}2", at=start + 2, isSidechain=True)
        write(tmp_path / "project" / "s1" / folder / f"agent-{agent}.jsonl", sub.records)
    meta = tmp_path / "project" / "s1" / "subagents" / "workflows" / "wf_1" / "agent-bb.meta.json"
    meta.write_text(json.dumps({"toolUseId": "t2"}))
    return main


def test_sub_agents_in_their_own_files_are_loaded_with_the_session(tmp_path: Path):
    main = session_with_agents(tmp_path)
    for source in (main, main.with_suffix("")):
        trace = load(source)
        assert column(trace, "rounds", "thread") == ["main", "agent-aa", "main", "agent-bb"]
        threads = trace.tables["threads"]
        calls = dict(zip(threads["thread"], threads["parent_call"], strict=True))
        assert calls == {"main": None, "agent-aa": "t1", "agent-bb": "t2"}
        assert threads["name"][1:] == ["scout", "other"]
        assert column(trace, "calls", "status") == ["ok"] * 4
    corpus = load_many(tmp_path)
    assert [len(t) for t in corpus] == [4]
    assert not corpus.failures


def test_a_damaged_sub_agent_is_noted(tmp_path: Path):
    main = session_with_agents(tmp_path)
    (main.with_suffix("") / "subagents" / "agent-aa.jsonl").write_bytes(b"\x00\x01\x02")
    trace = load(main)
    assert len(trace) == 3
    assert any("sub-agent" in note.message for note in trace.notes)


def test_a_notification_brings_a_background_agents_result():
    log = Log()
    log.user("go", at=0)
    log.calls("Agent", {"prompt": "look", "run_in_background": True}, "t1", "m1", at=1)
    log.result("t1", "Async agent launched", {"agentId": "aa", "isAsync": True}, at=2)
    note = (
        "<task-notification>\n<task-id>aa</task-id>\n<status>completed</status>\n"
        "<result>found it</result>\n</task-notification>"
    )
    log.user(note, at=30)
    log.says({"type": "text", "text": "ok"}, "m2", at=31)
    trace = log.load()
    assert column(trace, "calls", "result") == ["found it"]
    assert column(trace, "calls", "seconds") == [29.0]
    assert column(trace, "rounds", "request") == [1, 1]


def test_errors_of_the_api_are_events():
    log = Log()
    log.user("go")
    body = {
        "id": "e",
        "model": "<synthetic>",
        "role": "assistant",
        "content": [{"type": "text", "text": "API Error: 529"}],
    }
    log.add("assistant", body, isApiErrorMessage=True)
    log.add("system", None, subtype="api_error", error={"status": 529})
    log.says({"type": "text", "text": "a"}, "m1")
    trace = log.load()
    assert column(trace, "events", "kind") == ["user_message", "api_error", "api_error"]
    assert len(column(trace, "rounds", "round")) == 1


def test_unknown_records_are_counted():
    log = Log()
    log.user("go")
    log.says({"type": "text", "text": "a"}, "m1")
    log.records += [{"type": "new-thing", "sessionId": "s1"}] * 3 + [
        {"type": "ai-title", "aiTitle": "T", "sessionId": "s1"}
    ]
    trace = log.load()
    assert any("'new-thing'" in note.message and note.count == 3 for note in trace.notes)
    assert trace.meta.extra["title"] == "T"


def resumed(tmp_path: Path) -> tuple[Path, Path]:
    """Write a session, and the log of the session that resumed it under an id of its own."""
    log = Log("s1")
    log.user("go")
    log.calls("Read", {"file_path": "/a"}, "t1", "m1")
    log.result("t1", "text of a")
    old, new = tmp_path / "p" / "zz.jsonl", tmp_path / "p" / "aa.jsonl"
    write(old, log.records)
    log.session = "s2"
    for record in log.records:
        record["sessionId"] = "s2"
    log.user("go on")
    log.says({"type": "text", "text": "done"}, "m2")
    write(new, [{"type": "summary", "summary": "T", "leafUuid": "u1"}, *log.records])
    return old, new


def test_a_resumed_sessions_copies_are_marked_in_the_later_file(tmp_path: Path):
    old, new = resumed(tmp_path)
    by_name = {trace.name: trace for trace in load_many(tmp_path)}
    assert column(by_name["zz.jsonl"], "rounds", "copied") == [False]
    assert column(by_name["aa.jsonl"], "rounds", "copied") == [True, False]
    assert column(load(new), "rounds", "copied") == [True, False], "alone, too"
    assert any("older session" in note.message for note in load(new).notes)
    assert column(load(old), "rounds", "copied") == [False]


def test_sessions_that_only_lie_beside_each_other_copy_nothing(tmp_path: Path):
    old, new = resumed(tmp_path)
    other = Log("s3")
    other.user("else", uuid="v1")
    other.says({"type": "text", "text": "b"}, "m9", uuid="u2")
    write(tmp_path / "p" / "bb.jsonl", other.records)
    assert column(load(tmp_path / "p" / "bb.jsonl"), "rounds", "copied") == [False]
    (tmp_path / "p" / "cc.jsonl").write_bytes(b"\xff\x00[1, 2")
    old.unlink()
    assert column(load(new), "rounds", "copied") == [False, False], "nothing older is left"
