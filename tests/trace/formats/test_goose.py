"""goose: its old lines, an export, its database (read only); streams, compaction, sub-agents."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load, load_many

T = 1_767_323_000


def text(words, **fields):
    return {"type": "text", "text": words, **fields}


def request(name, args, call_id, **fields):
    value = {"name": name, "arguments": args}
    return {"type": "toolRequest", "id": call_id, "toolCall": {"status": "success", "value": value},
            **fields}  # fmt: skip


def response(call_id, *content, **fields):
    value = {"content": list(content), "isError": False, **fields}
    return {"type": "toolResponse", "id": call_id,
            "toolResult": {"status": "success", "value": value}}  # fmt: skip


def message(role, *parts, at=0, key=None, user=True, agent=True):
    return {"id": key, "role": role, "created": T + at, "content": list(parts),
            "metadata": {"userVisible": user, "agentVisible": agent}}  # fmt: skip


RUN = [
    message("user", text("Fix it"), key="m1"),
    message("assistant", {"type": "thinking", "thinking": "hm", "signature": "s"}, text("I look"),
            request("developer__shell", {"command": "make"}, "c1"),
            request("search", {"query": "make fails"}, "c2", _meta={"goose_extension": "web"}),
            at=2, key="m2"),
    message("user",
            response("c1", text("bad", annotations={"audience": ["assistant"]}),
                     text("bad", annotations={"audience": ["user"], "priority": 0.0}),
                     structuredContent={"stdout": "bad", "exit_code": 2}),
            response("c2", text("found a.org"), {"type": "image", "data": "AAAA",
                                                 "mimeType": "image/png"}), at=5, key="m3"),
    message("assistant",
            {"type": "toolRequest", "id": "c3",
             "toolCall": {"status": "error", "error": "-32602: bad arguments"}}, at=6, key="m4"),
    message("user", {"type": "toolResponse", "id": "c4",
                     "toolResult": {"status": "error", "error": "no such tool"}}, at=6, key="m5"),
    message("assistant", request("write", {"path": "a"}, "c5"), at=8, key="m6"),
    message("user", {"type": "toolResponse", "id": "c5",
                     "toolResult": {"status": "error", "error": "denied by policy"}}, at=9),
    message("assistant", text("Done"), at=12, key="m7"),
]  # fmt: skip
HEADER = {
    "working_dir": "/w", "description": "Fixing", "message_count": 8, "total_tokens": 30,
    "accumulated_total_tokens": 90, "accumulated_input_tokens": 70, "accumulated_output_tokens": 20,
}  # fmt: skip


def notes(trace):
    return {note.message: note.count for note in trace.notes}


def check_run(trace):
    rounds, calls = trace.tables["rounds"], trace.tables["calls"]
    assert trace.format == "goose"
    assert rounds["text"] == ["I look", "", "", "Done"]
    assert rounds["reasoning"][0] == "hm"
    assert rounds["started"] == [T + 2, T + 6, T + 8, T + 12]
    assert calls["tool"] == ["shell", "search", "?", "write"]
    assert calls["tool_raw"] == ["developer__shell", "search", "?", "write"]
    assert calls["namespace"] == ["developer", "web", None, None]
    assert calls["result"] == ["bad", "found a.org", "-32602: bad arguments", "denied by policy"]
    assert calls["status"] == ["error", "ok", "error", "error"]
    assert calls["exit_code"] == [2, None, None, None]
    assert calls["seconds"] == [3, 3, None, 1]
    assert calls["query"][1] == "make fails"
    assert calls["parts"][1][0].startswith("image/png sha256:")
    assert calls["paired_by"] == ["id", "id", "same_record", "id"]
    assert trace.meta.task == "Fix it"
    assert notes(trace)["a result belongs to no call"] == 1


def test_old_lines_with_a_header(tmp_path):
    path = tmp_path / "20260102_030405.jsonl"
    path.write_text("\n".join(map(json.dumps, [HEADER, *RUN])))
    trace = load(path)
    check_run(trace)
    assert trace.meta.cwd == "/w"
    assert trace.meta.extra == {"title": "Fixing"}
    assert trace.meta.totals == {"tokens": 90, "input_tokens": 70, "output_tokens": 20}
    assert load([m for m in RUN if m["id"] != "m1"]).format == "goose"  # without a header


def test_an_export(tmp_path):
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"id": "s1", **HEADER, "conversation": RUN}))
    trace = load(path)
    check_run(trace)
    assert trace.meta.session_id == "s1"


def test_pieces_of_a_streamed_message_are_one_round():
    def piece(key, *parts, role="assistant"):
        return {"type": "message", "message": {"id": key, "role": role, "created": T,
                                               "content": list(parts)}}  # fmt: skip

    trace = load([
        piece("a", {"type": "thinking", "thinking": "h"}), piece("a", {"type": "thinking",
                                                                       "thinking": "m"}),
        piece("a", text("I ")), piece("a", text("look")), piece("a", request("t", {"x": 1}, "c")),
        piece(None, response("c", text("ok")), role="user"),
        piece("b", text("Done")), {"type": "complete", "total_tokens": 5},
    ])  # fmt: skip
    rounds = trace.tables["rounds"]
    assert rounds["text"] == ["I look", "Done"]
    assert rounds["reasoning"][0] == "hm"
    assert trace.tables["calls"]["result"] == ["ok"]
    assert notes(trace) == {"a record is not a message": 1}


def test_a_compaction_hides_what_came_before():
    trace = load({"id": "s", "working_dir": "/w", "conversation": [
        message("user", text("Fix it"), agent=False),
        message("assistant", request("shell", {"command": "ls"}, "c1"), agent=False),
        message("user", response("c1", text("a")), agent=False),
        message("assistant", {"type": "systemNotification", "notificationType": "inlineMessage",
                              "msg": "compacted"}, agent=False),
        message("user", text("Summary: …"), user=False),
        message("assistant", text("I go on from the summary"), user=False),
        message("user", text("Go on")),
        message("assistant", request("shell", {"command": "ls"}, "c2")),
    ]})  # fmt: skip
    rounds, events = trace.tables["rounds"], trace.tables["events"]
    assert rounds["hidden"] == [True, False, False]
    assert rounds["injected"] == [False, True, False]
    assert rounds["request"] == [1, 1, 2]
    kinds = ["user_message", "other", "compaction", "user_message"]
    assert events["kind"] == kinds
    assert trace.tables["calls"]["status"] == ["ok", "missing"]


def test_what_waits_for_a_person_is_an_approval():
    ask = {"type": "toolConfirmationRequest", "id": "c1", "toolName": "shell", "arguments": {},
           "prompt": "Run it?"}  # fmt: skip
    trace = load([message("assistant", request("shell", {}, "c1")), message("user", ask)])
    assert trace.tables["events"]["kind"] == ["approval"]
    assert trace.tables["events"]["text"] == ["Run it?"]


USAGE = [("m", 100, 10, 0.25, 0), ("m", 999, 99, 9.0, 1), ("m", 200, 20, 0.5, 0),
         ("m", 300, 30, 0.5, 0), ("m", 400, 40, 0.75, 0)]  # fmt: skip


def database(path, sessions, usage=USAGE, new=True):
    """Write a database as the schema of the sources has it, versions 1 and 17."""
    with closing(sqlite3.connect(path)) as link:
        link.execute("CREATE TABLE schema_version (version INTEGER PRIMARY KEY)")
        more = ", parent_session_id TEXT, model_config_json TEXT, accumulated_cost REAL"
        link.execute(
            "CREATE TABLE sessions (id TEXT PRIMARY KEY, description TEXT, working_dir TEXT NOT "
            f"NULL, accumulated_total_tokens INTEGER{more if new else ''})"
        )
        link.execute(
            "CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role "
            "TEXT, content_json TEXT, created_timestamp INTEGER, tokens INTEGER"
            f"{', message_id TEXT, metadata_json TEXT' if new else ''})"
        )
        if new:
            link.execute(
                "CREATE TABLE usage_ledger (id INTEGER PRIMARY KEY, session_id TEXT, model TEXT, "
                "input_tokens INTEGER, output_tokens INTEGER, cost REAL, is_compaction INTEGER)"
            )
        for key, parent, run in sessions:
            values = [key, f"About {key}", "/w", 1100]
            values += [parent, '{"model_name": "m"}', 2.0] if new else []
            link.execute(f"INSERT INTO sessions VALUES ({','.join('?' * len(values))})", values)
            for m in run:
                row = [key, m["role"], json.dumps(m["content"]), m["created"], None]
                row += [m["id"], json.dumps(m["metadata"])] if new else []
                link.execute(f"INSERT INTO messages VALUES (NULL,{','.join('?' * len(row))})", row)
        for number, (model, given, answered, cost, compaction) in enumerate(usage if new else ()):
            link.execute("INSERT INTO usage_ledger VALUES (?,?,?,?,?,?,?)",
                         (number, "s1", model, given, answered, cost, compaction))  # fmt: skip
        link.commit()


CHILD = [message("user", text("look")), message("assistant", request("shell", {}, "k1"))]


def test_the_database_is_read_and_not_written(tmp_path):
    path = tmp_path / "sessions.db"
    database(path, [("s1", None, RUN), ("s2", "s1", CHILD), ("s3", None, CHILD)])
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.raises(TraceError, match="holds 2 traces"):
        load(path)
    first, second = load_many(path, progress=False)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    assert [p.name for p in tmp_path.iterdir()] == ["sessions.db"]
    threads = first.tables["threads"]
    assert threads["thread"] == ["main", "s2"]
    assert threads["name"][1] is None
    assert first.meta.models == ("m",)
    assert first.meta.totals == {"tokens": 1100, "cost": 2.0}
    rounds = first.tables["rounds"]
    assert rounds["tokens"][:4] == [110, 220, 330, 440]  # the compaction's are not a round's
    assert rounds["cost"][:4] == [0.25, 0.5, 0.5, 0.75]
    assert len(second) == 1
    assert second.meta.session_id == "s3"


def test_a_database_with_one_session_is_a_trace(tmp_path):
    path = tmp_path / "sessions.db"
    database(path, [("s1", None, RUN)], usage=USAGE[:2])
    trace = load(path)
    check_run(trace)
    assert notes(trace)["what calls of the model used cannot be told to its messages"] == 1


def test_an_older_database_has_fewer_columns(tmp_path):
    path = tmp_path / "sessions.db"
    database(path, [("s1", None, RUN)], new=False)
    check_run(load(path))


def test_damage_in_the_database_costs_its_row(tmp_path):
    path = tmp_path / "sessions.db"
    database(path, [("s1", None, RUN)], usage=())
    with closing(sqlite3.connect(path)) as link:
        link.execute("UPDATE messages SET content_json = '[{' WHERE id = 2")
        link.commit()
    trace = load(path)
    assert notes(trace)["a row of the database holds no JSON"] == 1
    assert len(trace) == 2
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(TraceError, match="cannot read the database"):
        load(path)


def test_another_database_is_told_as_such(tmp_path):
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as link:
        link.execute("CREATE TABLE messages (id INTEGER)")
    with pytest.raises(TraceError, match="not goose's"):
        load(path)


@pytest.mark.parametrize(
    "records",
    [
        [{"role": "assistant", "created": 1, "content": [{"type": "toolRequest"}]}],
        [{"role": "assistant", "content": [{"type": "toolRequest", "id": 3, "toolCall": 4}]}],
        [{"role": "user", "content": [{"type": "toolResponse", "toolResult": [[]]}]}],
        [{"role": None, "content": [None, 3, {"type": "actionRequired", "message": {}}]}],
    ],
)
def test_odd_records_are_read_or_told(records):
    assert load(records, format="goose").format == "goose"


def test_no_message_is_an_error():
    with pytest.raises(TraceError, match="holds no message"):
        load([{"working_dir": "/w", "message_count": 0}], format="goose")
