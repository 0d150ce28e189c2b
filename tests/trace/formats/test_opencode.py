"""opencode: its export, its database (read only), its older files; steps, sub-agents, errors."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from contextlib import closing

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load, load_many

T = 1_767_323_000_000


def text(words, **fields):
    return {"type": "text", "text": words, **fields}


def tool(name, args, call_id, status="completed", output="", start=0, end=0, **meta):
    state = {"status": status, "input": args, "metadata": meta,
             "time": {"start": T + start, "end": T + end}}  # fmt: skip
    state["output" if status == "completed" else "error"] = output
    return {"type": "tool", "tool": name, "callID": call_id, "state": state}


def finish(prompt, answer, cost):
    tokens = {"input": prompt, "output": answer, "reasoning": 1, "cache": {"read": 5, "write": 2}}
    return {"type": "step-finish", "tokens": tokens, "cost": cost}


def message(role, *parts, created=0, **info):
    return {"info": {"role": role, "time": {"created": T + created}, **info}, "parts": list(parts)}


START = {"type": "step-start"}
MAIN = [
    message("user", text("Fix it"), text("<file>…</file>", synthetic=True)),
    message(
        "assistant", START, text("I look"), {"type": "reasoning", "text": "hm"},
        tool("bash", {"command": "make", "description": "Build"}, "c1", output="bad", start=1000,
             end=3000, exit=2),
        tool("task", {"prompt": "look"}, "c2", output="found", start=1000, end=9000,
             sessionId="ses_2"),
        finish(10, 3, 0.5), START, tool("read", {"filePath": "a"}, "c3", "error", "no file",
                                        10_000, 10_500),
        finish(20, 4, 0.0), created=500, modelID="m", tokens={"input": 30}, cost=0.5,
    ),
    message("user", text("continue", synthetic=True)),
    message("user", text("Go on"), created=20_000),
    message("assistant", START, tool("bash", {"command": "x"}, "c4", "running"), created=21_000,
            error={"name": "MessageAbortedError", "data": {"message": "aborted"}}),
    message("assistant", text("so far"), created=22_000, summary=True),
]  # fmt: skip
CHILD = [
    message("user", text("look"), created=1100),
    message("assistant", tool("grep", {"pattern": "x"}, "k1", output="a:1", start=1200, end=1300),
            created=1150, modelID="m", cost=0.25, tokens={"input": 1, "output": 1}),
]  # fmt: skip
SESSIONS = {
    "ses_1": ({"title": "Fixing", "directory": "/w", "version": "1.1"}, MAIN),
    "ses_2": ({"title": "Looker", "parentID": "ses_1"}, CHILD),
    "ses_3": ({"title": "Other"}, CHILD),
}


def with_ids(messages, session):
    """Give messages and parts ids that sort in their order, as the stores have them."""
    return [
        {
            "info": {**m["info"], "id": f"msg_{session}_{n:03d}"},
            "parts": [{**p, "id": f"prt_{session}_{n:03d}_{k:03d}"} for k, p in
                      enumerate(m["parts"])],
        }
        for n, m in enumerate(messages)
    ]  # fmt: skip


def check(trace, *, child=True):
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    main = [n for n, thread in enumerate(calls["thread"]) if thread == "main"]
    assert trace.format == "opencode"
    assert [calls["tool"][n] for n in main] == ["bash", "task", "read", "bash"]
    assert [calls["result"][n] for n in main] == ["bad", "found", "no file", ""]
    assert [calls["status"][n] for n in main] == ["error", "ok", "error", "missing"]
    assert [calls["round"][n] for n in main] == [1, 1, 2, 3]
    assert calls["exit_code"][0] == 2
    assert [calls["seconds"][n] for n in main][:3] == [2.0, 8.0, 0.5]
    assert rounds["text"][0] == "I look"
    assert rounds["reasoning"][0] == "hm"
    assert rounds["request"][:4] == [1, 1, 2, 2]
    assert rounds["input_tokens"][:3] == [17, 27, None]
    assert rounds["output_tokens"][:2] == [4, 5]
    assert rounds["cost"][:3] == [0.5, None, None]
    assert trace.meta.task == "Fix it"
    kinds = trace.tables["events"]["kind"]
    assert kinds[:5] == ["user_message", "other", "user_message", "interrupt", "compaction"]
    if child:
        threads = trace.tables["threads"]
        at = threads["thread"].index("ses_2")
        assert (threads["parent"][at], threads["parent_call"][at]) == ("main", "c2")
        assert threads["name"][at] == "Looker"
        assert calls["tool"][-1] == "grep"
        assert rounds["cost"][-1] == 0.25


def test_an_export():
    check(load({"info": {"id": "ses_1", "title": "Fixing"}, "messages": MAIN}), child=False)


def database(path):
    with closing(sqlite3.connect(path)) as link:
        link.executescript(
            "CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT,"
            " directory TEXT, title TEXT, version TEXT, time_created INTEGER);"
            "CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, data TEXT);"
            "CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);"
        )
        for name, (info, messages) in SESSIONS.items():
            link.execute(
                "INSERT INTO session VALUES (?, 'p', ?, ?, ?, ?, ?)",
                (name, info.get("parentID"), info.get("directory"), info["title"],
                 info.get("version"), T),
            )  # fmt: skip
            for m in with_ids(messages, name):
                key = m["info"].pop("id")
                link.execute("INSERT INTO message VALUES (?, ?, ?)",
                             (key, name, json.dumps(m["info"])))  # fmt: skip
                for p in m["parts"]:
                    link.execute("INSERT INTO part VALUES (?, ?, ?, ?)",
                                 (p.pop("id"), key, name, json.dumps(p)))  # fmt: skip
        link.commit()


def test_the_database_is_read_and_not_written(tmp_path):
    path = tmp_path / "opencode.db"
    database(path)
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    path.chmod(0o444)
    traces = list(load_many(path))
    assert [t.meta.session_id for t in traces] == ["ses_1", "ses_3"]
    check(traces[0])
    assert (traces[0].meta.cwd, traces[0].meta.agent_version) == ("/w", "1.1")
    with pytest.raises(TraceError, match="holds 2 traces"):
        load(path)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    assert [p.name for p in tmp_path.iterdir()] == ["opencode.db"]
    check(next(iter(load_many(tmp_path))))


ADDED = "UPDATE session SET title = 'Renamed' WHERE id = 'ses_3'"


@pytest.mark.parametrize("left", ["closed", "live", "copied", "linked"])
def test_a_database_in_wal_mode_is_read_whole_and_nothing_is_left_beside_it(tmp_path, left):
    """What is committed but still in the log is read, too, whoever has it open."""
    path = tmp_path / "opencode.db"
    database(path)
    writer = sqlite3.connect(path)
    assert writer.execute("PRAGMA journal_mode = wal").fetchone() == ("wal",)
    writer.execute("PRAGMA wal_autocheckpoint = 0")
    writer.execute(ADDED)
    writer.commit()
    if left in ("copied", "linked"):
        folder = tmp_path / "copy"
        folder.mkdir()
        for end in ("", "-wal"):
            shutil.copyfile(f"{path}{end}", folder / f"opencode.db{end}")
        path = folder / "opencode.db"
        if left == "linked":
            path = tmp_path / "link.db"
            path.symlink_to(folder / "opencode.db")
    if left == "closed":
        writer.close()
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    assert (tmp_path / "opencode.db-wal" in before) == (left != "closed")
    traces = list(load_many(path))
    check(traces[0])
    assert traces[1].meta.extra["title"] == "Renamed"
    after = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    assert after.keys() == before.keys()
    assert all(after[p] == before[p] for p in after if not p.name.endswith("-shm"))
    writer.close()


def test_databases_that_are_not_opencodes(tmp_path):
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as link:
        link.execute("CREATE TABLE t (a)")
    with pytest.raises(TraceError, match="not opencode's"):
        load(path)
    path.write_bytes(path.read_bytes()[:60] + b"\x00" * 3000)
    with pytest.raises(TraceError):
        load(path)
    path = tmp_path / "y.db"
    database(path)
    with closing(sqlite3.connect(path)) as link:
        link.execute("UPDATE message SET data = '{' WHERE id = 'msg_ses_3_001'")
        link.commit()
    traces = list(load_many(path))
    assert len(traces) == 2
    assert any("no JSON object" in note.message for note in traces[1].notes)


def test_the_older_store_of_files(tmp_path):
    root = tmp_path / "storage"
    for name, (info, messages) in SESSIONS.items():
        folder = root / "session" / "project"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json").write_text(json.dumps({**info, "id": "stale"}))
        for m in with_ids(messages, name):
            key = m["info"]["id"]
            below = root / "message" / name
            below.mkdir(parents=True, exist_ok=True)
            (below / f"{key}.json").write_text(json.dumps(m["info"]))
            for p in m["parts"]:
                inner = root / "part" / key
                inner.mkdir(parents=True, exist_ok=True)
                (inner / f"{p['id']}.json").write_text(json.dumps(p))
    corpus = load_many(root)
    traces = list(corpus)
    assert not corpus.failures
    assert [t.meta.session_id for t in traces] == ["ses_1", "ses_3"]
    check(traces[0])
    assert len(list(load_many(tmp_path))) == 2


def test_what_is_no_session_is_an_error():
    with pytest.raises(TraceError):
        load([{"a": 1}], format="opencode")
