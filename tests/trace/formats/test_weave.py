"""W&B Weave calls, as its class of them writes them."""

from __future__ import annotations

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load

HELLO = {"role": "user", "content": "hello"}
ASKED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": "x"}'}}
    ],
}
CAME = {"role": "tool", "tool_call_id": "c1", "content": "none"}


def call(number, op, second, inputs, output, **more):
    return {
        "id": f"k{number}", "trace_id": "t1", "parent_id": None if number == 0 else "k0",
        "op_name": f"weave:///me/proj/op/{op}:abc123", "display_name": None,
        "started_at": f"2026-01-01T00:00:0{second}Z", "ended_at": f"2026-01-01T00:00:0{second}.5Z",
        "inputs": inputs, "output": output, "exception": None, "attributes": {}, "summary": {},
        "thread_id": "th", **more,
    }  # fmt: skip


OP = "openai.chat.completions.create"


def used(prompt, answer):
    return {"usage": {"m": {"requests": 1, "prompt_tokens": prompt, "completion_tokens": answer}}}


def run(tool=None):
    return [
        call(0, "agent", 0, {"question": "hello"}, "end", summary=used(30, 5)),
        call(1, OP, 1, {"self": "c", "messages": [HELLO]}, {"choices": [{"message": ASKED}]},
             summary=used(10, 2)),
        call(2, "find", 2, {"q": "x"}, "none", attributes=tool or {}),
        call(3, OP, 3, {"messages": [HELLO, ASKED, CAME]},
             {"choices": [{"message": {"role": "assistant", "content": "end"}}]},
             summary=used(20, 3)),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", [None, {"weave": {"kind": "tool"}}])
def test_usage_counts_once_and_tools_are_known_by_kind_or_name(kind):
    trace = load(run(kind))
    assert trace.format == "weave"
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert (calls["tool"], calls["args"], calls["result"]) == (["find"], [{"q": "x"}], ["none"])
    assert (rounds["input_tokens"], rounds["output_tokens"]) == ([10, 20], [2, 3])
    assert rounds["text"] == ["", "end"]
    assert trace.tables["events"]["text"] == ["hello"]
    assert (trace.meta.session_id, trace.meta.models) == ("th", ("m",))
    assert any(n.kind == "guessed" for n in trace.notes) == (kind is None)


def test_an_exception_is_an_error_and_other_records_are_noted():
    rows = run({"weave": {"kind": "tool"}})
    rows[2] |= {"exception": "Traceback (most recent call last)\nKeyError", "output": None}
    trace = load([*rows, {"x": 1}])
    assert trace.tables["calls"]["status"] == ["error"]
    assert any("not a call" in note.message for note in trace.notes)
    with pytest.raises(TraceError, match="holds no trace"):
        load([{"x": 1}], format="weave")
