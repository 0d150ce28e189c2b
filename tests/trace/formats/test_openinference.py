"""OpenInference spans: flat and nested, Phoenix's frames, Parquet, and TRAIL's nested spans."""

from __future__ import annotations

import io
import json
import sys

import numpy as np
import pandas as pd
import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load

CALLS = {"message.tool_calls.0.tool_call.id": "c1",
         "message.tool_calls.0.tool_call.function.name": "find",
         "message.tool_calls.0.tool_call.function.arguments": '{"q": "x"}'}  # fmt: skip
FIRST = {
    "openinference.span.kind": "LLM", "llm.model_name": "m", "session.id": "s1",
    "llm.token_count.prompt": 10, "llm.token_count.completion": 2,
    "llm.token_count.prompt_details.cache_read": 4, "llm.cost.total": 0.5,
    "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "hello",
    "llm.output_messages.0.message.role": "assistant",
    **{f"llm.output_messages.0.{k}": v for k, v in CALLS.items()},
}  # fmt: skip
TOOL = {"openinference.span.kind": "TOOL", "tool.name": "find", "input.value": "{'q': 'x'}",
        "output.value": "none"}  # fmt: skip
LAST = {
    "openinference.span.kind": "LLM",
    "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "hello",
    **{f"llm.input_messages.1.{k}": v for k, v in CALLS.items()},
    "llm.input_messages.1.message.role": "assistant",
    "llm.input_messages.2.message.role": "tool",
    "llm.input_messages.2.message.tool_call_id": "c1",
    "llm.input_messages.2.message.content": "none",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "end",
}  # fmt: skip


def nest(flat):
    """Nest dotted names, numbers into lists, in a way of its own."""
    tree: dict = {}
    for name, value in flat.items():
        *above, last = name.split(".")
        node = tree
        for step in above:
            node = node.setdefault(step, {})
        node[last] = value

    def lists(node):
        if not isinstance(node, dict):
            return node
        if node and all(k.isdigit() for k in node):
            return [lists(node[k]) for k in sorted(node, key=int)]
        return {k: lists(v) for k, v in node.items()}

    return lists(tree)


def span(number, attributes, parent=None, **more):
    return {
        "name": f"span {number}", "context": {"trace_id": "t1", "span_id": f"s{number}"},
        "parent_id": parent, "start_time": f"2026-01-01T00:00:0{number}+00:00",
        "end_time": f"2026-01-01T00:00:0{number}.5+00:00", "status_code": "UNSET",
        "attributes": attributes, "events": [], **more,
    }  # fmt: skip


def check(trace):
    assert trace.format == "openinference"
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert (calls["tool"], calls["args"]) == (["find"], [{"q": "x"}])
    assert (calls["result"], calls["call_id"]) == (["none"], ["c1"])
    assert calls["seconds"] == pytest.approx([0.5])
    assert (rounds["input_tokens"], rounds["cached_tokens"]) == ([10, None], [4, None])
    assert (rounds["cost"], rounds["text"]) == ([0.5, None], ["", "end"])
    assert trace.tables["events"]["text"] == ["hello"]
    assert trace.meta.session_id == "s1"
    assert not trace.notes


@pytest.mark.parametrize("shape", [dict, nest])
def test_flat_and_nested_attributes(shape, tmp_path):
    spans = [span(1, shape(FIRST)), span(2, shape(TOOL)), span(3, shape(LAST))]
    check(load(spans))
    path = tmp_path / "spans.jsonl"
    path.write_text("\n".join(json.dumps(s) for s in spans[::-1]))
    check(load(path))


def phoenix(flat_messages):
    """Return a frame as Phoenix gives it: the id in the index, messages as lists or in columns."""
    rows = []
    for number, attributes in enumerate((FIRST, TOOL, LAST), 1):
        row = {
            "context.span_id": f"s{number}", "context.trace_id": "t1", "parent_id": None,
            "name": f"span {number}", "span_kind": attributes["openinference.span.kind"],
            "start_time": pd.Timestamp(f"2026-01-01T00:00:0{number}Z"),
            "end_time": pd.Timestamp(f"2026-01-01T00:00:0{number}.5Z"),
            "status_code": "UNSET", "status_message": "", "events": [],
        }  # fmt: skip
        for key, value in attributes.items():
            if "_messages." not in key and key != "openinference.span.kind":
                row["attributes." + key] = value
        tree = nest(attributes)
        for side in ("input_messages", "output_messages"):
            messages = tree.get("llm", {}).get(side)
            if messages and flat_messages:  # as Phoenix: dotted names in the items of a list
                row["attributes.llm." + side] = [
                    {"message." + k: v for k, v in m["message"].items()} for m in messages
                ]
            elif messages:
                row["attributes.llm." + side] = np.array(messages, dtype=object)
        rows.append(row)
    return pd.DataFrame(rows).set_index("context.span_id")


@pytest.mark.parametrize("flat_messages", [True, False])
def test_a_frame_of_phoenix(flat_messages):
    check(load(phoenix(flat_messages)))


def test_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "spans.parquet"
    phoenix(True).to_parquet(path)
    check(load(path))


def test_parquet_without_its_package_or_broken_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "fastparquet", None)
    with pytest.raises(TraceError, match="needs the package pyarrow") as caught:
        load(io.BytesIO(b"PAR1 nothing PAR1"))
    assert "\n" not in str(caught.value)


def test_trail_nests_spans_and_gives_durations():
    def trail(number, attributes, *children):
        return {
            "timestamp": f"2026-01-01T00:00:0{number}Z", "trace_id": "t1", "span_id": f"s{number}",
            "span_name": f"span {number}", "span_kind": "Internal", "duration": "PT0.5S",
            "span_attributes": attributes, "status_code": "Unset", "child_spans": list(children),
        }  # fmt: skip

    agent = {"openinference.span.kind": "AGENT", "input.value": "hello"}
    inner = (trail(1, FIRST), trail(2, TOOL), trail(3, LAST))
    check(load({"trace_id": "t1", "spans": [trail(0, agent, *inner)]}))


def test_smolagents_frames_its_arguments_and_schema_is_no_argument():
    framed = {"args": [], "kwargs": {"q": "x"}, "sanitize_inputs_outputs": True}
    schema = {"type": "object", "properties": {"q": {}}}
    trace = load([
        span(1, TOOL | {"input.value": json.dumps(framed), "tool.parameters": json.dumps(schema)}),
        span(2, TOOL | {"input.value": "x", "tool.parameters": '{"q": "y"}'}),
    ])  # fmt: skip
    assert trace.tables["calls"]["args"] == [{"q": "x"}, {"q": "y"}]


def test_broken_spans_are_noted_not_fatal():
    trace = load([span(1, TOOL), span(2, TOOL | {"input.value": "{'q': "}), {"context": 5}])
    assert trace.tables["calls"]["args_raw"][1] == "{'q': "
    assert any("not a span" in note.message for note in trace.notes)
