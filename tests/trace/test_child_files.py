"""Sub-agents in files of their own: threads of their parent's trace, and counted once."""

from __future__ import annotations

import json

import pytest

from agentlens.trace.load import load, load_many

PARENT, CHILD, GRANDCHILD = (f"0198c0de-0000-7000-8000-00000000000{n}" for n in (1, 2, 3))


def write(path, *records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def notes(trace):
    return {note.message: note.count for note in trace.notes}


# Codex: rollouts side by side


def codex(session, *items, parent=None, at=0, **fields):
    source = (
        {
            "subagent": {
                "thread_spawn": {"parent_thread_id": parent, "depth": 1, "agent_nickname": "Scout"}
            }
        }
        if parent
        else "cli"
    )
    time = f"2026-01-02T03:{at:02d}:00.000Z"
    meta = {"id": session, "timestamp": time, "cwd": "/w", "source": source, **fields}
    return [{"timestamp": time, "type": "session_meta", "payload": meta}, *items]  # fmt: skip


def item(minute, kind, **fields):
    return {"timestamp": f"2026-01-02T03:{minute:02d}:01.000Z", "type": "response_item",
            "payload": {"type": kind, **fields}}  # fmt: skip


def call(minute, name, call_id, output, **args):
    return [
        item(minute, "function_call", name=name, arguments=json.dumps(args), call_id=call_id),
        item(minute, "function_call_output", call_id=call_id, output=output),
    ]


def said(minute, role, text):
    return item(minute, "message", role=role, content=[{"type": "input_text", "text": text}])


def codex_family(folder, child_folder=None):
    spawned = call(1, "spawn_agent", "c1", json.dumps({"agent_id": CHILD}), message="look")
    parent = codex(PARENT, said(0, "user", "Fix it"), *spawned, said(9, "assistant", "Done"))
    copied = [said(0, "user", "Fix it"), *spawned]
    child = codex(
        CHILD, *copied, said(3, "user", "look"), *call(3, "exec_command", "k1", "a", cmd="ls"),
        *call(4, "spawn_agent", "k2", json.dumps({"agent_id": GRANDCHILD}), message="deeper"),
        parent=PARENT, at=2,
    )  # fmt: skip
    grandchild = codex(GRANDCHILD, *call(5, "exec_command", "g1", "b", cmd="pwd"), parent=CHILD,
                       at=4)  # fmt: skip
    child_folder = child_folder or folder
    main = write(folder / f"rollout-2026-01-02T03-00-00-{PARENT}.jsonl", *parent)
    write(child_folder / f"rollout-2026-01-02T03-02-00-{CHILD}.jsonl", *child)
    write(child_folder / f"rollout-2026-01-02T03-04-00-{GRANDCHILD}.jsonl", *grandchild)
    return main


def test_codex_children_are_threads_with_their_own(tmp_path):
    main = codex_family(tmp_path)
    trace = load(main)
    threads, rounds, calls = (trace.tables[t] for t in ("threads", "rounds", "calls"))
    assert threads["thread"] == ["main", CHILD, f"{CHILD}/{GRANDCHILD}"]
    assert threads["parent"] == [None, "main", CHILD]
    assert threads["parent_call"] == [None, "c1", "k2"]
    assert threads["name"] == [None, "Scout", "Scout"]
    assert threads["kind"] == ["main", "subagent", "subagent"]
    own = [(t, c) for t, c in zip(rounds["thread"], rounds["copied"], strict=True)]
    assert own == [("main", False)] * 2 + [(CHILD, True)] + [(CHILD, False)] * 2 + [
        (f"{CHILD}/{GRANDCHILD}", False)
    ]
    assert calls["tool"] == [
        "spawn_agent", "spawn_agent", "exec_command", "spawn_agent", "exec_command",
    ]  # fmt: skip
    assert calls["result"][2] == "a"
    assert (trace.meta.session_id, trace.meta.task) == (PARENT, "Fix it")


def test_codex_children_are_not_counted_twice(tmp_path):
    codex_family(tmp_path)
    alone = codex("0198c0de-0000-7000-8000-000000000009", *call(1, "exec_command", "x", "y"),
                  parent="0198c0de-0000-7000-8000-0000000000aa")  # fmt: skip
    write(tmp_path / "rollout-2026-01-02T05-00-00-0198c0de-0000-7000-8000-000000000009.jsonl",
          *alone)  # fmt: skip
    traces = list(load_many(tmp_path, progress=False))
    assert [len(t) for t in traces] == [5, 1]  # whose parent is not there is read by itself
    child = load(next(tmp_path.glob(f"*{CHILD}.jsonl")))  # asked for by name, it is one too
    assert child.meta.session_id == CHILD
    assert child.tables["threads"]["thread"] == ["main", GRANDCHILD]


def test_codex_sessions_run_into_the_next_day(tmp_path):
    main = codex_family(tmp_path / "2026" / "01" / "02", tmp_path / "2026" / "01" / "03")
    assert len(load(main).tables["threads"]["thread"]) == 3
    assert [len(t) for t in load_many(tmp_path, progress=False)] == [5]


def test_codex_rollouts_that_name_each_other_end(tmp_path):
    for own, other in ((PARENT, CHILD), (CHILD, PARENT)):
        items = codex(own, *call(1, "exec_command", "x", "y"), parent=other)
        write(tmp_path / f"rollout-2026-01-02T03-00-00-{own}.jsonl", *items)
    trace = load(tmp_path / f"rollout-2026-01-02T03-00-00-{PARENT}.jsonl")
    assert 1 < len(trace.tables["threads"]["thread"]) <= 9


def test_a_damaged_child_costs_itself(tmp_path):
    main = codex_family(tmp_path)
    child = next(tmp_path.glob(f"*{CHILD}.jsonl"))
    head = child.read_text().splitlines()[0]
    child.write_text(head + "\n{half")
    trace = load(main)
    assert len(trace) == 2  # the grandchild's call is still there
    child.write_text(f'"parent_thread_id": "{PARENT}"')
    trace = load(main)
    assert len(trace) == 1
    assert any("a sub-agent's log was left out" in message for message in notes(trace))


# Gemini CLI: a folder named after the session


def gemini(session, *messages, kind="main"):
    return [{"sessionId": session, "projectHash": "h", "startTime": "2026-01-02T03:04:00Z",
             "kind": kind}, *messages]  # fmt: skip


def turn(key, name=None, call_id=None, result="ok", **fields):
    calls = (
        [
            {
                "id": call_id,
                "name": name,
                "args": {},
                "status": "success",
                "result": [{"functionResponse": {"response": {"output": result}}}],
                **fields,
            }
        ]
        if name
        else []
    )
    return {"id": key, "type": "gemini", "content": "", "timestamp": "2026-01-02T03:04:01Z",
            "toolCalls": calls}  # fmt: skip


def test_gemini_children_lie_in_the_folder_of_their_session(tmp_path):
    session, chats = "abcdef12-3456", tmp_path / "tmp" / "hash" / "chats"
    main = write(chats / "session-2026-01-02T03-04-abcdef12.jsonl", *gemini(
        session, {"id": "u", "type": "user", "content": "Fix it"},
        turn("a", "investigate", "c1", agentId="sub-1"),
    ))  # fmt: skip
    write(chats / session / "sub-1.jsonl", *gemini(
        "sub-1", {"id": "u", "type": "user", "content": "look"}, turn("x", "read_file", "k1"),
        turn("y", "oops", "k2"), {"$rewindTo": "y"}, kind="subagent",
    ))  # fmt: skip
    trace = load(main)
    threads = trace.tables["threads"]
    assert threads["thread"] == ["main", "sub-1", "sub-1/rewind-1"]
    assert threads["parent"] == [None, "main", "sub-1"]
    assert threads["parent_call"] == [None, "c1", None]
    assert threads["abandoned"] == [False, False, True]
    assert trace.tables["calls"]["tool"] == ["investigate", "read_file", "oops"]
    assert trace.tables["events"]["thread"] == ["main", "sub-1"]
    assert trace.meta.task == "Fix it"
    assert [len(t) for t in load_many(tmp_path, progress=False)] == [3]
    main.unlink()
    assert [len(t) for t in load_many(tmp_path, progress=False)] == [2]  # now an orphan


# Qwen Code: subagents/<session>, and rewinds


def qwen(key, kind, parent=None, parts=(), **fields):
    return {"uuid": key, "parentUuid": parent, "sessionId": "s1", "type": kind, "cwd": "/w",
            "timestamp": "2026-01-02T03:04:00Z", "message": {"parts": list(parts)},
            **fields}  # fmt: skip


def asks(name, call_id):
    return {"functionCall": {"name": name, "args": {}, "id": call_id}}


def answers(name, call_id, text):
    return {"functionResponse": {"name": name, "id": call_id, "response": {"output": text}}}


def test_qwen_children_lie_in_a_folder_of_their_own(tmp_path):
    project = tmp_path / "projects" / "w"
    main = write(
        project / "chats" / "s1.jsonl", qwen("1", "user", None, [{"text": "Fix it"}]),
        qwen("2", "assistant", "1", [asks("task", "c1")]),
        qwen("3", "tool_result", "2", [answers("task", "c1", "agent a7 said: found")]),
    )  # fmt: skip
    write(
        project / "subagents" / "s1" / "agent-a7.jsonl",
        qwen("4", "user", None, [{"text": "look"}], agentId="a7"),
        qwen("5", "assistant", "4", [asks("grep", "k1")], agentId="a7"),
        qwen("6", "tool_result", "5", [answers("grep", "k1", "a:1")], agentId="a7"),
    )  # fmt: skip
    trace = load(main)
    threads = trace.tables["threads"]
    assert (threads["thread"], threads["parent_call"]) == (["main", "a7"], [None, "c1"])
    assert trace.tables["calls"]["result"] == ["agent a7 said: found", "a:1"]
    assert [len(t) for t in load_many(tmp_path, progress=False)] == [2]


@pytest.mark.parametrize(
    ("target", "threads", "requests"),
    [
        ("2", ["main", "rewind-1", "main"], [1, 1, 2]),
        (None, ["rewind-1", "rewind-1", "main"], [1, 2, 1]),
        ("nowhere", ["main", "main", "main"], [1, 2, 3]),
    ],
)
def test_what_a_rewind_of_qwen_took_back_is_an_abandoned_branch(target, threads, requests):
    trace = load([
        qwen("1", "user", None, [{"text": "Fix it"}]), qwen("2", "assistant", "1", [{"text": "a"}]),
        qwen("3", "user", "2", [{"text": "wrong way"}]), qwen("4", "assistant", "3",
                                                              [{"text": "b"}]),
        qwen("r", "system", target, subtype="rewind", systemPayload={"truncatedCount": 1}),
        qwen("5", "user", "r", [{"text": "right way"}]), qwen("6", "assistant", "5",
                                                              [{"text": "c"}]),
    ])  # fmt: skip
    assert trace.tables["rounds"]["thread"] == threads
    assert trace.tables["rounds"]["request"] == requests
    about = trace.tables["threads"]
    assert all(a == (t != "main") for t, a in zip(about["thread"], about["abandoned"], strict=True))


def test_two_rewinds_are_two_branches():
    records = [qwen("0", "user", None, [{"text": "Fix it"}])]
    for n in (1, 2):
        records += [qwen(f"a{n}", "assistant", "0", [{"text": f"try {n}"}]),
                    qwen(f"r{n}", "system", "0", subtype="rewind")]  # fmt: skip
    trace = load([*records, qwen("z", "assistant", "r2", [{"text": "good"}])])
    assert trace.tables["rounds"]["thread"] == ["rewind-1", "rewind-2", "main"]
