"""LangSmith runs: flat, nested, with dotted orders only, Python reprs and decimals as text."""

from __future__ import annotations

import json

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load

AI = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "AIMessage"]}
HUMAN = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"],
         "kwargs": {"content": "hello", "type": "human"}}  # fmt: skip
ASKED = AI | {"kwargs": {"content": "", "tool_calls": [
    {"name": "find", "args": {"q": "x"}, "id": "c1", "type": "tool_call"}]}}  # fmt: skip
CAME = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "ToolMessage"],
        "kwargs": {"content": "none", "tool_call_id": "c1", "status": "success"}}  # fmt: skip
END = AI | {"kwargs": {"content": "end"}}


def run(name, kind, second, inputs, outputs, **more):
    return {
        "id": name, "name": more.pop("tool", name), "run_type": kind, "trace_id": "root",
        "parent_run_id": "root" if name != "root" else None, "session_id": "project-1",
        "start_time": f"2026-01-01T00:00:0{second}", "end_time": f"2026-01-01T00:00:0{second}.5",
        "inputs": inputs, "outputs": outputs, "error": None,
        "extra": {"metadata": {"thread_id": "T"}}, **more,
    }  # fmt: skip


def llm(name, second, sent, message, **more):
    out = {"generations": [[{"text": "", "type": "ChatGeneration", "message": message}]]}
    return run(name, "llm", second, {"messages": [sent]}, out, **more)


RUNS = [
    run("root", "chain", 0, {"messages": [["user", "hello"]]}, {"messages": []}),
    llm("m1", 1, [HUMAN], ASKED, prompt_tokens=10, completion_tokens=2, total_tokens=12,
        total_cost="0.0012", prompt_token_details={"cache_read": 4}),
    run("t1", "tool", 2, {"input": "{'q': 'x'}"}, {"output": CAME}, tool="find"),
    llm("m2", 3, [HUMAN, ASKED, CAME], END),
]  # fmt: skip


def check(trace):
    assert trace.format == "langsmith"
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert (calls["tool"], calls["args"]) == (["find"], [{"q": "x"}])
    assert (calls["result"], calls["paired_by"]) == (["none"], ["id"])
    assert (rounds["cost"], rounds["input_tokens"]) == ([0.0012, None], [10, None])
    assert (rounds["cached_tokens"], rounds["tokens"]) == ([4, None], [12, None])
    assert rounds["text"] == ["", "end"]
    assert trace.tables["events"]["text"] == ["hello"]
    assert (trace.meta.session_id, trace.meta.extra["project"]) == ("T", "project-1")
    assert trace.meta.trace_id == "root"


def test_flat_runs_in_any_order(tmp_path):
    check(load(RUNS))
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(json.dumps(r) for r in RUNS[::-1]))
    check(load(path))


def test_nested_runs():
    bare = [{k: v for k, v in r.items() if k not in ("trace_id", "parent_run_id")} for r in RUNS]
    check(load({**bare[0], "child_runs": bare[1:]}))


def test_a_dotted_order_is_enough():
    def dotted(r, number):
        own = f"20260101T00000{number}000000Z{r['id']}"
        order = own if r["id"] == "root" else f"20260101T000000000000Zroot.{own}"
        kept = {k: v for k, v in r.items() if k not in ("trace_id", "parent_run_id")}
        return {**kept, "dotted_order": order}

    check(load([dotted(r, n) for n, r in enumerate(RUNS)]))


def test_the_repr_of_a_tool_message_is_its_content_and_id():
    text = "content='it\\'s none' name='find' tool_call_id='c1'"
    trace = load([RUNS[1], run("t", "tool", 2, {"input": "{'q': 'x'}"}, {"output": text},
                               tool="find"), RUNS[3]])  # fmt: skip
    assert trace.tables["calls"]["result"] == ["it's none"]
    assert trace.tables["calls"]["paired_by"] == ["id"]


def test_inputs_are_parsed_never_run():
    evil = "{'q': __import__('os').getcwd()}"
    trace = load([run("t", "tool", 1, {"input": evil}, {"output": "r"}, tool="find")])
    assert trace.tables["calls"]["args"] == [{"input": evil}]


def test_openai_shapes_and_errors():
    answer = {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{"}}]}}],
        "model": "m", "usage": {"prompt_tokens": 3, "completion_tokens": 1}}  # fmt: skip
    sent = {"messages": [{"role": "user", "content": "hello"}]}
    trace = load([
        run("m", "llm", 1, sent, answer),
        run("t", "tool", 2, {"q": "x"}, None, error="ValueError('no')", tool="find"),
        run("m2", "llm", 3, sent, None, error="RateLimitError"),
    ])  # fmt: skip
    assert trace.tables["calls"]["status"] == ["error"]
    assert trace.tables["calls"]["args_state"] == ["unparsed"]
    assert trace.tables["events"]["kind"] == ["user_message", "api_error"]
    assert trace.meta.models == ("m",)


def test_what_is_no_run_is_noted_or_refused():
    trace = load([*RUNS, 7, {"run_type": 3}])
    assert any("not a run" in note.message for note in trace.notes)
    with pytest.raises(TraceError, match="holds no trace"):
        load([{"run_type": 3}], format="langsmith")
