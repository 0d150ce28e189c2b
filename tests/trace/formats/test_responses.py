"""Items of the Responses API: bare lists, response objects, tools that run at the provider."""

from __future__ import annotations

import json

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load

HELLO = {"role": "user", "content": "hello"}
THOUGHT = {"type": "reasoning", "id": "r1", "summary": [{"type": "summary_text", "text": "hm"}]}
ASKED = [
    {"type": "function_call", "id": "f1", "call_id": "c1", "name": "find", "arguments": '{"q":1}'},
    {"type": "function_call", "id": "f2", "call_id": "c2", "name": "find", "arguments": '{"q":2'},
]
CAME = [
    {"type": "function_call_output", "call_id": "c2", "output": "second"},
    {"type": "function_call_output", "call_id": "c1",
     "output": [{"type": "output_text", "text": "first"}]},
]  # fmt: skip
END = {"type": "message", "id": "m1", "role": "assistant",
       "content": [{"type": "output_text", "text": "end"}]}  # fmt: skip


def test_items_of_one_answer_are_one_round_and_results_pair_by_id(tmp_path):
    items = [HELLO, THOUGHT, *ASKED, *CAME, END]
    path = tmp_path / "items.jsonl"
    path.write_text("\n".join(map(json.dumps, items)))
    for trace in (load(items), load(path), load({"items": items})):
        assert trace.format == "responses"
        calls, rounds = trace.tables["calls"], trace.tables["rounds"]
        assert rounds["round"] == [1, 2]
        assert (rounds["reasoning"], rounds["text"]) == (["hm", ""], ["", "end"])
        assert calls["result"] == ["first", "second"]
        assert calls["paired_by"] == ["id", "id"]
        assert calls["args_state"] == ["parsed", "unparsed"]
        assert rounds["started"] == [None, None]
        assert trace.meta.task == "hello"


def test_tools_at_the_provider_hold_their_own_results():
    items = [
        HELLO,
        {"type": "web_search_call", "id": "w1", "status": "completed",
         "action": {"type": "search", "query": "x"}},
        {"type": "mcp_call", "id": "p1", "server_label": "docs", "name": "look",
         "arguments": '{"q": "y"}', "output": "found", "error": None},
        {"type": "mcp_call", "id": "p2", "server_label": "docs", "name": "look",
         "arguments": "{}", "output": None, "error": "unreachable"},
        {"type": "file_search_call", "id": "s1", "queries": ["z"], "results": [{"text": "hit"}]},
        END,
    ]  # fmt: skip
    trace = load(items)
    calls = trace.tables["calls"]
    assert calls["tool"] == ["web_search", "look", "look", "file_search"]
    assert calls["namespace"] == [None, "docs", "docs", None]
    assert calls["status"] == ["missing", "ok", "error", "ok"]
    assert calls["result"][1:3] == ["found", "unreachable"]
    assert calls["query"][0] == "x"
    assert calls["args"][3] == {"queries": ["z"]}


def test_response_objects_send_earlier_items_again():
    usage = {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 2}
    one = {"request": {"input": [HELLO]}, "response": {
        "object": "response", "id": "resp1", "model": "m", "created_at": 1_700_000_000,
        "output": [ASKED[0]], "usage": usage}}  # fmt: skip
    two = {"request": {"input": [HELLO, ASKED[0], CAME[1]]}, "response": {
        "object": "response", "id": "resp2", "model": "m", "output": [END]}}  # fmt: skip
    trace = load([one, two])
    rounds = trace.tables["rounds"]
    assert rounds["message_id"] == ["resp1", "resp2"]
    assert (rounds["input_tokens"], rounds["cached_tokens"]) == ([9, None], [4, None])
    assert rounds["started"] == [1_700_000_000, None]
    assert trace.tables["calls"]["result"] == ["first"]
    assert trace.tables["events"]["text"] == ["hello"]


def test_what_is_no_item_is_noted_or_refused():
    trace = load([HELLO, *ASKED, 3, {"type": "function_call_output", "call_id": "zz", "output": 1}])
    assert {"skipped"} == {n.kind for n in trace.notes if "call" not in n.message} - {"damaged"}
    with pytest.raises(TraceError, match="holds no item"):
        load([3], format="responses")
