"""Langfuse: traces of the API, observations of the page with JSON as text, overlapping usage."""

from __future__ import annotations

import json

import pytest

from agentlens.trace.load import load, load_many

HELLO = {"role": "user", "content": "hello"}
ASKED = {
    "role": "assistant",
    "content": "",
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": "x"}'}}
    ],
}
CAME = {"role": "tool", "tool_call_id": "c1", "content": "none"}


def seen(number, kind, second, sent, came, **more):
    return {
        "id": f"o{number}", "traceId": "t1", "type": kind, "name": more.pop("name", kind.lower()),
        "startTime": f"2026-01-01T00:00:0{second}.000Z",
        "endTime": f"2026-01-01T00:00:0{second}.500Z",
        "parentObservationId": None if number == 0 else "o0", "level": "DEFAULT",
        "statusMessage": None, "input": sent, "output": came, **more,
    }  # fmt: skip


def observations(tool="TOOL"):
    usage = {"input": 6, "input_cached_tokens": 4, "output": 2, "total": 12}
    return [
        seen(0, "SPAN", 0, {"q": "hello"}, "end", name="run"),
        seen(1, "GENERATION", 1, [HELLO], ASKED, model="m", usageDetails=usage,
             costDetails={"total": 0.25}),
        seen(2, tool, 2, {"q": "x"}, "none", name="find"),
        seen(3, "GENERATION", 3, [HELLO, ASKED, CAME], {"role": "assistant", "content": "end"},
             usage={"input": 8, "output": 1, "total": 9}),
    ]  # fmt: skip


def check(trace):
    assert trace.format == "langfuse"
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert (calls["tool"], calls["args"], calls["result"]) == (["find"], [{"q": "x"}], ["none"])
    assert calls["seconds"] == pytest.approx([0.5])
    assert (rounds["input_tokens"], rounds["cached_tokens"]) == ([10, 8], [4, None])
    assert (rounds["output_tokens"], rounds["tokens"]) == ([2, 1], [12, 9])
    assert (rounds["cost"], rounds["text"]) == ([0.25, None], ["", "end"])
    assert trace.tables["events"]["text"] == ["hello"]
    assert trace.meta.trace_id == "t1"


def test_a_trace_of_the_api():
    trace = load({"id": "t1", "sessionId": "s", "input": "hello", "observations": observations()})
    check(trace)
    assert trace.meta.session_id == "s"


def test_observations_of_the_page_hold_json_as_text(tmp_path):
    rows = [
        {k: json.dumps(v) if isinstance(v, dict | list) else v for k, v in o.items()}
        for o in observations()
    ]
    path = tmp_path / "observations.jsonl"
    path.write_text("\n".join(map(json.dumps, rows[::-1])))
    check(load(path))


def test_snake_case():
    names = {"traceId": "trace_id", "startTime": "start_time", "endTime": "end_time",
             "parentObservationId": "parent_observation_id", "usageDetails": "usage_details",
             "costDetails": "cost_details", "model": "provided_model_name"}  # fmt: skip
    check(load([{names.get(k, k): v for k, v in o.items()} for o in observations()]))


def test_a_plain_span_with_an_announced_name_is_the_tools_and_noted():
    trace = load(observations("SPAN"))
    check(trace)
    assert any(note.kind == "guessed" for note in trace.notes)


def test_usage_whose_parts_overlap_is_not_added_up_twice():
    rows = observations()
    rows[1]["usageDetails"] = {
        "input": 10, "cache_read_input_tokens": 4, "output": 2, "total": 12}  # fmt: skip
    check(load(rows))


def test_errors_and_many_traces():
    rows = observations()
    rows[2] |= {"level": "ERROR", "statusMessage": "broke", "output": None}
    trace = load(rows)
    assert trace.tables["calls"]["status"] == ["error"]
    assert trace.tables["calls"]["result"] == ["broke"]
    other = [o | {"traceId": "t2"} for o in observations()]
    assert [t.meta.trace_id for t in load_many([*rows, *other])] == ["t1", "t2"]
    assert any("neither" in n.message for n in load([*rows, {"type": 3}]).notes)
