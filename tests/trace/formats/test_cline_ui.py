"""Cline's screen: what requests used, beside the messages; and read alone."""

from __future__ import annotations

import json

import pytest

from agentlens.trace.load import load, load_many

T = 1_700_000_000


def row(at, way, kind, text="", **fields):
    text = text if isinstance(text, str) else json.dumps(text)
    return {"ts": (T + at) * 1000, "type": way, way: kind, "text": text, **fields}


def request(at, given=0, answered=0, cost=None, **fields):
    told = {"request": "…", **fields}
    if given:
        told |= {"tokensIn": given, "tokensOut": answered, "cost": cost, "cacheReads": 5,
                 "cacheWrites": 2}  # fmt: skip
    return row(at, "say", "api_req_started", told)


ROWS = [
    row(0, "say", "task", "Fix it"),
    {**request(1, 100, 10, 0.25), "modelInfo": {"modelId": "m"}},
    row(2, "say", "text", "I lo", partial=True), row(2, "say", "text", "I look"),
    row(3, "ask", "tool", {"tool": "readFile", "path": "a.py", "content": "x = 1"}),
    request(5, 200, 20, 0.5), row(6, "say", "reasoning", "hm"),
    row(7, "ask", "command", "make"), row(8, "say", "command", "make"),
    row(9, "say", "command_output", "one"), row(10, "say", "command_output", "Exit code: 2"),
    row(11, "say", "api_req_retried"), request(12, cancelReason="streaming_failed"),
    request(13, 300, 30, 0.5),
    row(14, "ask", "use_mcp_server", {"serverName": "tavily", "toolName": "search",
                                      "arguments": '{"query": "rain"}'}),
    row(15, "say", "mcp_server_response", "[]"),
    row(16, "ask", "mistake_limit_reached", "You seem stuck"),
    row(17, "say", "user_feedback", "Go on"),
    request(18, 400, 40, 0.75), row(19, "say", "completion_result", "Done"),
    row(19, "ask", "completion_result", ""), row(20, "say", "hologram", "?"),
]  # fmt: skip


def notes(trace):
    return {note.message: note.count for note in trace.notes}


def test_what_the_screen_showed_is_a_trace(tmp_path):
    path = tmp_path / "1700000000000" / "ui_messages.json"
    path.parent.mkdir()
    path.write_text(json.dumps(ROWS))
    trace = load(path)
    assert trace.format == "cline"
    assert (trace.meta.session_id, trace.meta.task) == ("1700000000000", "Fix it")
    rounds, calls, events = (trace.tables[t] for t in ("rounds", "calls", "events"))
    assert rounds["text"] == ["I look", "", "", ""]
    assert rounds["reasoning"] == ["", "hm", "", ""]
    assert rounds["input_tokens"] == [107, 207, 307, 407]  # input leaves out what the cache gave
    assert rounds["cost"] == [0.25, 0.5, 0.5, 0.75]
    assert rounds["model"] == ["m"] * 4
    assert rounds["started"][:2] == [T + 1, T + 5]
    assert rounds["request"] == [1, 1, 1, 2]
    assert calls["tool"] == ["readFile", "execute_command", "search", "attempt_completion"]
    assert calls["args"][:2] == [{"path": "a.py"}, {"command": "make"}]
    assert calls["result"] == ["x = 1", "one\nExit code: 2", "[]", ""]
    assert calls["status"] == ["ok", "error", "ok", "missing"]
    assert (calls["query"][2], calls["namespace"][2]) == ("rain", "tavily")
    assert events["kind"] == ["user_message", "retry", "api_error", "guard_fired", "user_message"]
    told = notes(trace)
    assert told["rows of kind 'hologram'"] == 1
    assert told["a row is not complete"] == 1


def message(at, role, text, timed=True):
    return {"role": role, "content": [{"type": "text", "text": text}],
            **({"ts": (T + at) * 1000} if timed else {})}  # fmt: skip


def history(timed=True):
    return [
        message(0, "user", "<task>Fix it</task><environment_details>…", timed),
        message(3, "assistant", "<read_file><path>a.py</path></read_file>", timed),
        message(4, "user", "[read_file for 'a.py'] Result:\nx = 1", timed),
        message(
            8, "assistant", "<execute_command><command>make</command></execute_command>", timed
        ),
        message(11, "user", "[execute_command for 'make'] Result:\nbad", timed),
        message(14, "assistant", "I think", timed),
    ]  # fmt: skip


def task(folder, timed=True, rows=ROWS):
    folder.mkdir(parents=True)
    (folder / "api_conversation_history.json").write_text(json.dumps(history(timed)))
    (folder / "ui_messages.json").write_text(rows if isinstance(rows, str) else json.dumps(rows))
    return folder / "api_conversation_history.json"


def test_requests_are_told_by_their_times_beside_the_messages(tmp_path):
    trace = load(task(tmp_path / "t1"))
    rounds = trace.tables["rounds"]
    assert rounds["cost"] == [0.25, 0.5, 0.5]
    assert rounds["tokens"] == [117, 227, 337]
    assert len(trace) == 2


def test_a_folder_holds_each_task_once(tmp_path):
    task(tmp_path / "t1")
    task(tmp_path / "t2")
    (tmp_path / "t2" / "api_conversation_history.json").unlink()
    assert [len(t) for t in load_many(tmp_path, progress=False)] == [2, 4]


def test_without_times_it_cannot_be_told(tmp_path):
    trace = load(task(tmp_path / "t1", timed=False))
    assert trace.tables["rounds"]["cost"] == [None] * 3
    assert "no message has a time by which to tell what its request used" in notes(trace)


@pytest.mark.parametrize("rows", ["[{half", "[]", '{"a": 1}', "[1, null]"])
def test_a_damaged_screen_costs_nothing_else(tmp_path, rows):
    assert len(load(task(tmp_path / "t1", rows=rows))) == 2


@pytest.mark.parametrize(
    "rows",
    [
        [row(1, "say", "tool", "not JSON"), row(2, "say", "tool", {"tool": []})],
        [row(1, "ask", "use_mcp_server", []), row(2, "say", "command_output", "nothing ran")],
        [row(1, "say", "api_req_started", "{half"), {**row(1, "say", "text"), "text": None}],
        [row(1, "say", "text"), 3, {"type": "say", "say": None}],
    ],
)
def test_odd_rows_are_read_or_told(rows):
    assert load(rows, format="cline").format == "cline"
