"""Inspect AI logs: real files recounted by hand, and the traps of the format."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
import zstandard

from agentlens.trace.load import load, load_many

T = "2026-03-02T09:00:0{}+00:00"


def answer(number, *calls, **more):
    message = {
        "id": f"a{number}",
        "role": "assistant",
        "content": more.pop("text", ""),
        "tool_calls": [
            {"id": c, "function": "web_search", "arguments": {"query": c}} for c in calls
        ],
    }
    usage = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12 + more.pop("cached", 0),
             "input_tokens_cache_read": 5}  # fmt: skip
    return {
        "event": "model", "model": "m", "span_id": more.pop("span", "s"),
        "timestamp": T.format(number), "completed": T.format(number),
        "output": {"model": "m", "choices": [{"message": message}], "usage": usage}, **more,
    }  # fmt: skip


def result(call, text="r", **more):
    return {
        "event": "tool", "id": call, "function": "web_search", "result": text, "span_id": "s",
        "timestamp": T.format(2), "completed": T.format(4), **more,
    }  # fmt: skip


def log(events, **sample):
    one = {"id": 1, "epoch": 1, "input": "q", "messages": [], "events": events, **sample}
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": "t", "config": {"message_limit": 9}},
        "plan": {},
        "samples": [one],
    }


USER = {"id": "u1", "role": "user", "content": "attachment://h", "source": "input"}


def test_pools_attachments_times_and_tokens():
    events = [
        answer(1, "c1", input=[], input_refs=[[0, 1]]),
        result("c1", "attachment://big", working_time=0.5),
        answer(5, text="done", cached=5, input=[], input_refs=[[0, 2]]),
    ]
    trace = load(log(events, message_pool=[USER, {"id": "a1", "role": "assistant"}],
                     attachments={"h": "please find", "big": "R" * 9},
                     scores={"s": {"value": "C"}}))  # fmt: skip
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.tables["events"]["text"] == ["please find"]
    assert calls["result"] == ["R" * 9]
    assert calls["seconds"] == [0.5]
    assert calls["query"] == ["c1"]
    assert rounds["time_quality"] == ["derived", "real"] or rounds["started"][1] > 0
    # Where the total says so, cached tokens are no part of the input, and the prompt is both.
    assert rounds["input_tokens"] == [10, 15]
    assert rounds["cached_tokens"] == [5, 5]
    assert trace.meta.outcome["status"] == "success"
    assert trace.meta.limits == {"max_messages": 9}


def test_errors_limits_and_prompts_that_keep_an_agent_going():
    go_on = {"id": "u2", "role": "user", "content": "Please proceed."}
    events = [
        answer(1, "c1", "c2", input=[USER]),
        result("c1", "", error={"type": "timeout", "message": "too slow"}),
        result("c2", "", error={"type": "parsing", "message": "bad"}),
        answer(5, input=[USER, go_on], text="x"),
        {"event": "model", "error": "429", "output": {"choices": []}, "input": []},
        {"event": "sample_limit", "type": "message", "message": "Exceeded"},
    ]
    trace = load(log(events, limit={"type": "message", "limit": 9}))
    calls = trace.tables["calls"]
    assert calls["status"] == ["timeout", "error"]
    assert calls["error_type"] == ["timeout", "parsing"]
    assert calls["result"] == ["too slow", "bad"]
    assert trace.tables["events"]["kind"] == ["user_message", "other", "api_error", "guard_fired"]
    assert trace.tables["rounds"]["request"] == [1, 1]
    assert trace.meta.outcome["exit_reason"] == "limit: message"


def test_scorers_are_left_out_and_agents_within_agents_are_threads():
    def begin(name, kind, parent=None):
        return {"event": "span_begin", "id": name, "type": kind, "name": name, "parent_id": parent}

    events = [
        begin("s", "agent"), begin("tool", "tool", "s"), begin("inner", "agent", "tool"),
        begin("grade", "scorer"),
        answer(1, "c1", input=[USER]), answer(2, "c2", span="inner", input=[]),
        result("c2", span_id="inner"), result("c1"), answer(3, span="grade", text="C", input=[]),
    ]  # fmt: skip
    trace = load(log(events))
    assert trace.tables["calls"]["thread"] == ["main", "inner"]
    assert trace.tables["calls"]["status"] == ["ok", "ok"]
    assert trace.tables["threads"]["parent"] == [None, "main"]
    assert any("scorer" in note.message for note in trace.notes)


def test_malformed_samples():
    events = [
        5,
        {"event": "model"},
        {
            "event": "model",
            "output": {"choices": [5]},
            "input": "x",
            "input_refs": [[0], "y", [-5, 9]],
        },
        {"event": "tool", "events": 5},
        {"event": "span_begin", "id": "a", "parent_id": "a"},
        answer(1, span="a", input=None),
    ]
    trace = load(log(events, scores=5, attachments=[], model_usage={"m": None}))
    assert len(trace.tables["rounds"]["round"]) == 1
    assert trace.meta.outcome["status"] == "unknown"
    empty = load(log([], input=None))
    assert any("holds no message" in note.message for note in empty.notes)


def samples_of(path: Path) -> list[dict]:
    """Return a log's samples, by the plainest reading of them."""
    if path.suffix == ".json":
        return json.loads(path.read_text("utf-8"))["samples"]
    found = []
    with zipfile.ZipFile(path) as archive, path.open("rb") as file:
        for member in archive.infolist():
            if not member.filename.startswith("samples/"):
                continue
            if member.compress_type == 93:
                file.seek(member.header_offset + 26)
                name, extra = (int.from_bytes(file.read(2), "little") for _ in range(2))
                file.seek(name + extra, 1)
                data = (
                    zstandard.ZstdDecompressor()
                    .decompressobj()
                    .decompress(file.read(member.compress_size))
                )
            else:
                data = archive.read(member)
            found.append(json.loads(data))
    return found


@pytest.mark.shared
def test_counts_of_all_real_files_made_otherwise_agree(shared: Path):
    folder = shared / "data" / "traces"
    files = [p for p in folder.glob("inspect_ai/*") if p.suffix in (".json", ".eval")]
    files += folder.glob("clean/inspect_*.json")
    assert len(files) == 14
    called = 0
    for path in files:
        samples, traces = samples_of(path), list(load_many(path))
        assert {t.format for t in traces} == {"inspect_ai"}
        assert len(traces) == len(samples)
        for sample, trace in zip(samples, traces, strict=True):
            tools = [e for e in sample.get("events", []) if e["event"] == "tool"]
            spoken = [m for m in sample["messages"] if m["role"] == "assistant"]
            assert len(trace.tables["rounds"]["round"]) == len(spoken)
            assert len(trace) == sum(len(m.get("tool_calls") or []) for m in spoken)
            if sample.get("events"):
                assert trace.tables["calls"]["call_id"] == [e["id"] for e in tools]
                assert trace.tables["calls"]["status"].count("error") == sum(
                    bool(e.get("error")) for e in tools
                )
                used = [u["output_tokens"] for u in sample["model_usage"].values()]
                counted = [n or 0 for n in trace.tables["rounds"]["output_tokens"]]
                if used and not any("scorer" in note.message for note in trace.notes):
                    assert sum(counted) == sum(used)
            called += len(trace)
    assert called >= 13
