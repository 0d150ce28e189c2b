"""Numbering, requests, pairing and durations, as every reader gets them from the builder."""

from __future__ import annotations

import pytest

from agentlens.trace.build import TraceBuilder


def test_a_user_message_starts_a_request_and_two_in_a_row_start_one():
    b = TraceBuilder("test")
    b.user("a")
    b.user("b")
    b.round()
    b.round()
    b.user("c")
    b.round()
    assert b.finish().tables["rounds"]["request"] == [1, 1, 2]


def test_rounds_without_a_user_message_are_request_one():
    b = TraceBuilder("test")
    b.round()
    assert b.finish().tables["rounds"]["request"] == [1]


def test_rounds_are_numbered_within_their_thread_and_a_given_number_is_kept():
    b = TraceBuilder("test")
    b.round(number=0)
    b.round()
    b.round(thread="sub")
    b.round(number=7)
    b.round()
    assert b.finish().tables["rounds"]["round"] == [0, 1, 1, 7, 8]


def test_results_pair_by_id_when_it_is_unique_and_by_adjacency_when_it_is_not():
    b = TraceBuilder("test")
    row = b.round()
    first, second = b.call(row, "t", {}, call_id="x"), b.call(row, "t", {}, call_id="x")
    third = b.call(row, "t", {}, call_id="y")
    assert b.find_call("y") == (third, "id")
    call, how = b.find_call("x")
    assert (call, how) == (first, "adjacency")
    b.result(first, "one")
    assert b.find_call("x") == (second, "adjacency")
    assert b.find_call("nowhere") is None


def test_a_result_without_an_id_goes_to_the_oldest_open_call():
    b = TraceBuilder("test")
    row = b.round()
    first, _ = b.call(row, "t", {}), b.call(row, "t", {})
    assert b.find_call(None) == (first, "adjacency")


def test_seconds_run_to_the_next_round_of_the_request_and_not_over_the_user_pause():
    b = TraceBuilder("test")
    b.user("a")
    one = b.round(started=100.0)
    b.result(b.call(one, "t", {}), "r", ended=104.0)
    two = b.round(started=105.0)
    b.result(b.call(two, "t", {}), "r", ended=107.0)
    b.user("b", started=900.0)
    b.round(started=901.0)
    rounds = b.finish().tables["rounds"]
    assert rounds["seconds"] == [5.0, 2.0, None]
    assert rounds["time_quality"] == ["derived", "derived", "real"]


def test_a_column_that_does_not_exist_is_refused():
    with pytest.raises(KeyError, match="no column"):
        TraceBuilder("test").round(colour="red")


def test_every_value_lands_in_its_column():
    b = TraceBuilder("test")
    b.thread("sub", parent="main", parent_call="c0", kind="branch", name="n", abandoned=True)
    b.user("hello", thread="sub", started=5.0, line=3)
    row = b.round(thread="sub", number=4, text="t", started=6.0, model="m", line=7, cost=0.5)
    b.call(row, "mcp__srv__web_search", {"q": "x"}, call_id="c1", started=6.5, line=8, tokens=9)
    tables = b.finish().tables
    rows = {
        name: {k: v[0] for k, v in columns.items() if v[0] not in (None, "", (), False)}
        for name, columns in tables.items()
    }
    assert rows["threads"] == {
        "thread": "sub", "parent": "main", "parent_call": "c0", "kind": "branch", "name": "n",
        "abandoned": True,
    }  # fmt: skip
    assert rows["events"] == {
        "kind": "user_message", "thread": "sub", "request": 1, "after_row": -1, "started": 5.0,
        "text": "hello", "line": 3,
    }  # fmt: skip
    assert rows["rounds"] == {
        "thread": "sub", "round": 4, "request": 1, "text": "t", "model": "m", "started": 6.0,
        "time_quality": "real", "cost": 0.5, "line": 7,
    }  # fmt: skip
    assert rows["calls"] | {"round_row": 0, "order": 0} == {
        "call": 1, "round_row": 0, "thread": "sub", "round": 4, "request": 1, "order": 0,
        "call_id": "c1", "tool": "web_search", "namespace": "srv",
        "tool_raw": "mcp__srv__web_search", "effect": "search", "queries": ("x",), "query": "x",
        "args": {"q": "x"}, "args_state": "parsed",
        "status": "missing", "started": 6.5, "tokens": 9, "line": 8,
    }  # fmt: skip
