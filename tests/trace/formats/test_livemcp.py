"""LiveMCPBench: real files recounted by hand, and the wrappers of its tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load, load_many


def record(*messages, **more):
    return {"task_id": "t", "Question": "q", "task_success": "failure", "messages": list(messages),
            **more}  # fmt: skip


def call(name, args, call_id="c1"):
    function = {"name": name, "arguments": json.dumps(args)}
    return {"role": "assistant", "content": None,
            "tool_calls": [{"id": call_id, "type": "function", "function": function}]}  # fmt: skip


def test_wrappers_of_calls_and_results_are_taken_off():
    args = {"server_name": "painter", "tool_name": "web_search", "params": {"query": "a"}}
    text = "meta=None content=[TextContent(type='text', text='no\\nluck')] isError=True"
    trace = load(record({"role": "user", "content": "q"}, call("execute-tool", args),
                        {"role": "tool", "tool_call_id": "c1", "content": text}))  # fmt: skip
    calls = trace.tables["calls"]
    assert trace.format == "livemcp"
    assert (calls["tool"], calls["namespace"], calls["query"]) == (
        ["web_search"],
        ["painter"],
        ["a"],
    )
    assert (calls["result"], calls["status"]) == (["no\nluck"], ["error"])
    assert trace.meta.outcome["status"] == "failure"
    assert trace.meta.labels[0]["annotator"] == "human"


def test_malformed_records():
    with pytest.raises(TraceError, match="holds no message"):
        load(record(5, task_success=3))
    traces = list(load_many([record({"role": "user", "content": "q"}), {"messages": 5}]))
    assert len(traces) == 1
    assert load(record({"role": "user", "content": "q"}, task_success=None)).meta.labels == ()


@pytest.mark.shared
def test_counts_of_all_real_files_made_otherwise_agree(shared: Path):
    folder = shared / "data" / "traces"
    files = [
        *folder.rglob("livemcp_*.json"),
        folder / "labelled/livemcpbench/human_annotated_95.json",
    ]
    assert len(files) == 14
    cut = wrapped = 0
    for path in files:
        data = json.loads(path.read_text("utf-8"))
        records, traces = data if isinstance(data, list) else [data], list(load_many(path))
        assert len(traces) == len(records)
        for one, trace in zip(records, traces, strict=True):
            calls = trace.tables["calls"]
            given = [c for m in one["messages"] for c in m.get("tool_calls") or []]
            assert trace.format == "livemcp"
            assert trace.meta.outcome["status"] == one["task_success"]
            assert len(trace) == len(given)
            inner = [json.loads(c["function"]["arguments"] or "{}").get("tool_name")
                     for c in given if c["function"]["name"] == "execute-tool"]  # fmt: skip
            found = [t for t, raw in zip(calls["tool"], calls["tool_raw"], strict=True)
                     if raw == "execute-tool"]  # fmt: skip
            assert found == [name or "execute-tool" for name in inner]
            assert not any(text.startswith("meta=None") for text in calls["result"])
            cut += calls["truncated"].count(True)
            wrapped += sum(
                m["role"] == "tool" and m["content"].startswith("meta=None")
                for m in one["messages"]
            )
    assert wrapped > 800
    assert cut >= 60
