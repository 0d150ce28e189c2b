"""The plain format: rounds from rows, amounts added up, events, threads."""

from __future__ import annotations

import pandas as pd
import pytest

from agentlens.trace.load import load


def test_rows_of_one_round_and_thread_are_one_round_and_amounts_add_up():
    trace = load(
        [
            {"role": "user", "text": "go", "started": 1_772_442_000},
            {"round": 0, "tool": None, "text": "hello"},
            {
                "round": 1,
                "tool": "a",
                "args": {},
                "result": "r",
                "error": False,
                "text": "x",
                "thought": "t",
                "started": "2026-03-02T09:00:01Z",
                "seconds": 2.0,
                "tokens": 10,
                "cost": 0.5,
            },
            {
                "round": 1,
                "tool": "b",
                "args": {},
                "result": "s",
                "error": True,
                "text": "x",
                "seconds": 3,
                "tokens": 5,
                "cost": 0.25,
            },
            {"round": 1, "tool": "c", "args": {}, "thread": "sub"},
            {"round": 2, "tool": None, "text": "bye"},
        ]
    )
    rounds, calls = trace.tables["rounds"], trace.tables["calls"]
    assert rounds["round"] == [0, 1, 1, 2]
    assert rounds["thread"] == ["main", "main", "sub", "main"]
    assert rounds["text"] == ["hello", "x", "", "bye"]
    assert rounds["reasoning"] == ["", "t", "", ""]
    assert rounds["seconds"] == [None, 5.0, None, None]
    assert rounds["tokens"] == [None, 15, None, None]
    assert rounds["cost"] == [None, 0.75, None, None]
    assert rounds["started"][1] == 1_772_442_001.0
    assert rounds["time_quality"] == ["none", "real", "none", "none"]
    assert calls["status"] == ["ok", "error", "missing"]
    assert calls["order"] == [0, 1, 0]
    assert calls["line"] == [3, 4, 5]
    assert trace.meta.task == "go"
    assert trace.tables["events"]["kind"] == ["user_message"]


def test_a_user_row_starts_a_request_even_within_equal_round_numbers():
    row = {"round": 1, "tool": "a", "args": {}}
    trace = load([row, {"role": "user", "text": "again"}, row])
    assert trace.tables["rounds"]["request"] == [1, 2]
    assert trace.tables["rounds"]["round"] == [1, 1]


def test_events_and_unknown_keys():
    trace = load(
        [
            {"round": 1, "tool": "a", "args": {}, "colour": "red"},
            {"round": 2, "tool": None, "event": "compaction", "text": "summary"},
            {"event": "approval", "started": 0},
            {"event": "party"},
            {"round": 3, "tool": "a", "args": {}, "colour": "red"},
        ]
    )
    events = trace.tables["events"]
    assert events["kind"] == ["compaction", "approval", "other"]
    assert events["text"] == ["summary", "approval", "party"]
    assert events["started"] == [None, 0.0, None]
    assert events["after_row"] == [0, 0, 0]
    notes = {note.message: note.count for note in trace.notes}
    assert notes["key 'colour' is not part of the plain format"] == 2
    assert any("'party'" in message for message in notes)


def test_time_quality_is_honoured():
    trace = load(
        [{"round": 1, "tool": "a", "args": {}, "seconds": 7.175, "time_quality": "derived"}]
    )
    assert trace.tables["rounds"]["time_quality"] == ["derived"]


def test_results_and_arguments_of_any_shape():
    trace = load(
        [
            {"round": 1, "tool": "a", "args": '{"x": 1}', "result": {"hits": []}},
            {
                "round": 2,
                "tool": "a",
                "args": "free text",
                "result": [{"type": "text", "text": "x"}],
            },
            {"round": 3, "tool": "a", "args": None, "result": None},
            {"round": 4, "tool": "a", "result": "Error: no"},
            {"round": 5, "tool": "a", "result": "x", "exit_code": 3},
        ]
    )
    calls = trace.tables["calls"]
    assert calls["args"] == [{"x": 1}, None, None, None, None]
    assert calls["args_state"] == ["parsed", "text", "missing", "missing", "missing"]
    assert calls["result"][0] == '{"hits":[]}'
    assert calls["status"] == ["ok", "ok", "missing", "error", "error"]
    assert calls["exit_code"] == [None, None, None, None, 3]


def test_whole_floats_of_a_frame_are_numbers_of_rounds():
    frame = pd.DataFrame(
        {
            "round": [1.0, 2.0],
            "tool": ["a", None],
            "seconds": [1.5, float("nan")],
            "text": [None, "x"],
        }
    )
    trace = load(frame)
    assert trace.tables["rounds"]["round"] == [1, 2]
    assert trace.tables["rounds"]["seconds"] == [1.5, None]


def test_the_callers_own_rows_stay_apart():
    row = {"round": 1, "tool": "a", "args": {"x": 1}}
    trace = load([row])
    row["args"]["x"] = 2
    assert trace.tables["calls"]["args"] == [{"x": 1}]


def test_records_keep_what_stands_beside_the_trace():
    trace = load({"id": "t", "truth": "loop", "task": "find", "trace": [{"round": 1, "tool": "a"}]})
    assert (trace.meta.trace_id, trace.meta.task) == ("t", "find")
    assert trace.meta.labels[0]["value"] == "loop"


def searches(*places: str) -> list[dict]:
    """Return rows from `thread/round` texts, each a search for the same thing."""
    split = (place.split("/") for place in places)
    return [
        {"thread": thread, "round": int(number), "tool": "web_search", "args": {"query": "weather"}}
        for thread, number in split
    ]


def test_interleaved_threads_keep_their_rounds():
    trace = load(searches("m/1", "s/1", "m/1", "s/1", "m/2", "s/2", "m/2"))
    rounds, calls = trace.tables["rounds"], trace.tables["calls"]
    told = list(zip(rounds["thread"], rounds["round"], strict=True))
    assert told == [("m", 1), ("s", 1), ("m", 2), ("s", 2)]
    assert trace.round_calls == ((0, 2), (1, 3), (4, 6), (5,))
    assert calls["order"] == [0, 0, 1, 1, 0, 0, 1]
    assert not trace.notes


def test_one_round_beside_another_thread_trips_nothing():
    from agentlens.breaker.replay import replay

    rows = searches("m/1", "s/1", "m/1", "s/1", "m/1", "s/1", "m/1")
    assert replay(load(rows)).trip is None


def test_an_event_between_two_calls_leaves_them_in_one_round():
    one, two = searches("main/1", "main/1")
    trace = load([one, {"event": "retry"}, two])
    assert trace.tables["rounds"]["round"] == [1]


@pytest.mark.parametrize(
    ("places", "numbers", "line", "count"),
    [
        (("m/1", "m/2", "m/1"), [1, 2, 1], 3, 1),
        (("m/1", "m/2", "m/1", "m/2"), [1, 2, 1, 2], 3, 2),
        (("m/3", "s/1", "m/2"), [3, 1, 2], 3, 1),
        (("m/1", "m/0"), [1, 0], 2, 1),
    ],
)
def test_a_number_that_comes_again_is_kept_and_told(places, numbers, line, count):
    trace = load(searches(*places))
    assert trace.tables["rounds"]["round"] == numbers
    (note,) = trace.notes
    assert note.message.startswith("round number goes backwards")
    assert (note.line, note.count) == (line, count)


def test_a_new_request_may_count_from_one_again():
    first = searches("main/1", "main/2")
    trace = load([*first, {"role": "user", "text": "and now?"}, *first])
    assert trace.tables["rounds"]["request"] == [1, 1, 2, 2]
    assert not trace.notes


def test_a_result_may_come_in_a_row_of_its_own_and_a_thread_may_say_who_started_it():
    trace = load(
        [
            {"round": 1, "tool": "task", "args": {}, "call_id": "a", "started": 100.0},
            {"round": 1, "tool": "search", "args": {"query": "x"}, "call_id": "b"},
            {"event": "thread", "thread": "sub", "parent": "main", "parent_call": "a"},
            {"round": 1, "tool": "read", "args": {}, "call_id": "c", "thread": "sub"},
            {"event": "result", "call_id": "c", "thread": "sub", "error": True, "result": "no"},
            {"event": "result", "call_id": "b", "result": "exit code: 1", "status": "timeout"},
            {"event": "result", "call_id": "a", "result": "done", "ended": 103.5, "tokens": 7},
            {"event": "result", "call_id": "zzz", "result": "whose?"},
        ]
    )
    calls, threads = trace.tables["calls"], trace.tables["threads"]
    assert calls["result"] == ["done", "exit code: 1", "no"]
    assert calls["status"] == ["ok", "timeout", "error"]
    assert calls["paired_by"] == ["id", "id", "id"]
    assert calls["seconds"] == [3.5, None, None]
    assert calls["tokens"] == [7, None, None]
    assert list(zip(*(threads[c] for c in ("thread", "parent", "parent_call")), strict=True)) == [
        ("main", None, None),
        ("sub", "main", "a"),
    ]
    assert [note.kind for note in trace.notes] == ["damaged"]
    assert trace.tables["events"]["kind"] == []
