"""OpenAI, Anthropic, LangChain and tau-bench messages, in the variants in which logs hold them."""

from __future__ import annotations

import io
import json

import pytest
from langchain_core.load import dumpd
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    messages_to_dict,
)

from agentlens.errors import TraceError
from agentlens.trace.load import load, load_many


def call(name="f", args='{"a": 1}', call_id="c1"):
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": args}}


def chat(*middle):
    return [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "q"},
        *middle,
        {"role": "assistant", "content": "end"},
    ]


PLAIN = chat(
    {"role": "assistant", "content": None, "tool_calls": [call()]},
    {"role": "tool", "tool_call_id": "c1", "content": "r"},
)
VARIANTS = {
    "usual": PLAIN,
    "arguments a mapping": chat(
        {"role": "assistant", "content": "", "tool_calls": [call(args={"a": 1})]},
        {"role": "tool", "tool_call_id": "c1", "content": "r"},
    ),
    "function is text": chat(
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c1", "function": "f", "arguments": {"a": 1}}],
        },
        {"role": "tool", "tool_call_id": "c1", "function": "f", "content": "r", "error": None},
    ),
    "legacy": chat(
        {
            "role": "assistant",
            "content": None,
            "function_call": {"name": "f", "arguments": '{"a": 1}'},
        },
        {"role": "function", "name": "f", "content": "r"},
    ),
    "list of ids": chat(
        {"role": "assistant", "content": "x", "tool_calls": [call()]},
        {"role": "tool", "tool_call_ids": ["c1"], "content": "r"},
    ),
    "result as the user": chat(
        {"role": "assistant", "content": None, "tool_calls": [call()]},
        {"role": "user", "content": "r"},
    ),
    "result as the user with its id": chat(
        {"role": "assistant", "content": None, "tool_calls": [call()]},
        {"role": "user", "tool_call_id": "c1", "content": "r"},
    ),
    "parts": chat(
        {"role": "assistant", "content": [{"type": "text", "text": "x"}], "tool_calls": [call()]},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "r"}]},
    ),
    "encoded twice": chat(
        {"role": "assistant", "content": None, "tool_calls": [call(args=json.dumps('{"a": 1}'))]},
        {"role": "tool", "tool_call_id": "c1", "content": "r"},
    ),
    "flat calls": chat(
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "name": "f", "arguments": {"a": 1}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "r"},
    ),
}


def as_lines(items) -> io.StringIO:
    return io.StringIO("".join(json.dumps(item) + "\n" for item in items))


@pytest.mark.parametrize("messages", VARIANTS.values(), ids=VARIANTS.keys())
@pytest.mark.parametrize("wrap", ["bare", "object", "lines", "document"])
def test_every_openai_variant_gives_the_same_trace(messages, wrap):
    source = {
        "bare": messages,
        "object": {"model": "m", "messages": messages},
        "lines": as_lines(messages),
        "document": io.StringIO(json.dumps(messages, indent=2)),
    }[wrap]
    trace = load(source)
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.format == "openai"
    assert (calls["tool"], calls["args"], calls["result"], calls["status"]) == (
        ["f"],
        [{"a": 1}],
        ["r"],
        ["ok"],
    )
    assert rounds["round"] == [1, 2]
    assert rounds["request"] == [1, 1]
    assert rounds["text"][1] == "end"
    assert trace.meta.task == "q"
    assert rounds["time_quality"] == ["none", "none"]


def test_openai_extras():
    trace = load(
        chat(
            {
                "role": "assistant",
                "content": "x",
                "reasoning_content": "hm",
                "model": "m",
                "timestamp": "2026-03-02T09:00:00Z",
                "usage": {
                    "prompt_tokens": 10,
                    "completion_tokens": 4,
                    "total_tokens": 14,
                    "prompt_tokens_details": {"cached_tokens": 6},
                    "completion_tokens_details": {"reasoning_tokens": 3},
                },
                "tool_calls": [
                    call(args="{not json", call_id="a"),
                    call(name="g", args="", call_id="b"),
                    call(call_id="c"),
                ],
            },
            {"role": "tool", "tool_call_id": "b", "content": "Error: no"},
            {
                "role": "tool",
                "tool_call_id": "a",
                "error": {"type": "parsing", "message": "bad"},
                "content": "",
            },
            {"role": "tool", "tool_call_id": "zzz", "content": "lost"},
        )
    )
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert calls["args_state"] == ["unparsed", "parsed", "parsed"]
    assert calls["args_raw"] == ["{not json", None, None]
    assert calls["status"] == ["error", "error", "missing"]
    assert calls["error_type"][0] == "parsing"
    assert calls["result"] == ["bad", "Error: no", ""]
    assert (
        rounds["input_tokens"][0],
        rounds["cached_tokens"][0],
        rounds["output_tokens"][0],
        rounds["reasoning_tokens"][0],
        rounds["tokens"][0],
    ) == (10, 6, 4, 3, 14)
    assert (rounds["reasoning"][0], rounds["model"][0]) == ("hm", "m")
    kinds = {note.message for note in trace.notes}
    assert "a result belongs to no call" in kinds
    assert "arguments of a call are not JSON; kept as text" in kinds


def test_lines_of_conversations_are_many():
    source = as_lines([{"id": "a", "messages": PLAIN}, {"id": "b", "messages": PLAIN}])
    assert [len(t) for t in load_many(source)] == [1, 1]
    with pytest.raises(TraceError, match="holds 2 traces"):
        load(as_lines([{"messages": PLAIN}, {"messages": PLAIN}]))
    with pytest.raises(TraceError, match="holds 2 traces"):
        load([PLAIN, PLAIN])


def test_a_log_of_requests_counts_each_message_once():
    def response(message, tokens):
        return {
            "choices": [{"message": message}],
            "model": "m",
            "usage": {"prompt_tokens": tokens, "completion_tokens": 1},
        }

    first, second = PLAIN[2], PLAIN[4]
    log = [
        {"kwargs": {"messages": PLAIN[:2]}, "response": response(first, 10)},
        {"kwargs": {"messages": PLAIN[:4]}, "response": response(second, 20)},
    ]
    for source in (log, as_lines(log)):
        trace = load(source)
        assert len(trace) == 1
        assert trace.tables["rounds"]["input_tokens"] == [10, 20]
        assert trace.tables["rounds"]["request"] == [1, 1]
    other = {"messages": [{"role": "user", "content": "another"}], "response": response(second, 5)}
    with pytest.raises(TraceError, match="holds 2 traces"):
        load([*log, other])


def tool_use(name="f", call_id="t1"):
    return {"type": "tool_use", "id": call_id, "name": name, "input": {"a": 1}}


def tool_result(call_id="t1", content="r", **more):
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def test_anthropic_messages():
    messages = [
        {"role": "user", "content": "q", "ts": 1_772_442_000_000},
        {
            "role": "assistant",
            "ts": 1_772_442_002_000,
            "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "text", "text": "x"},
                tool_use(),
                tool_use("g", "t2"),
            ],
            "usage": {
                "input_tokens": 5,
                "cache_read_input_tokens": 90,
                "cache_creation_input_tokens": 5,
                "output_tokens": 7,
            },
            "id": "m1",
            "model": "c",
        },
        {
            "role": "user",
            "ts": 1_772_442_003_500,
            "content": [
                tool_result("t2", "bad", is_error=True),
                tool_result(
                    "t1",
                    [
                        {"type": "text", "text": "r"},
                        {
                            "type": "image",
                            "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"},
                        },
                    ],
                ),
                {"type": "text", "text": "<reminder>"},
            ],
        },
        {
            "role": "assistant",
            "ts": 1_772_442_005_000,
            "content": [
                {
                    "type": "server_tool_use",
                    "id": "s1",
                    "name": "web_search",
                    "input": {"query": "w"},
                },
                {
                    "type": "web_search_tool_result",
                    "tool_use_id": "s1",
                    "content": [
                        {"type": "web_search_result", "title": "T", "url": "https://e.org/1"}
                    ],
                },
            ],
        },
        {"role": "user", "content": "thanks"},
        {"role": "assistant", "content": "bye"},
    ]
    for source in (messages, {"messages": messages}, as_lines(messages)):
        trace = load(source)
        calls, rounds = trace.tables["calls"], trace.tables["rounds"]
        assert trace.format == "anthropic"
        assert calls["tool"] == ["f", "g", "web_search"]
        assert calls["status"] == ["ok", "error", "ok"]
        assert calls["seconds"][:2] == [1.5, 1.5]
        assert calls["result"][0] == "r"
        assert calls["parts"][0][0].startswith("image/png sha256:")
        assert "https://e.org/1" in calls["result"][2]
        assert calls["query"][2] == "w"
        assert (
            rounds["input_tokens"][0],
            rounds["cached_tokens"][0],
            rounds["cache_write_tokens"][0],
        ) == (100, 90, 5)
        assert rounds["request"] == [1, 1, 2]
        assert rounds["seconds"][0] == 3.0
        assert rounds["reasoning"][0] == "hm"


def test_condensed_messages_are_hidden_and_summaries_events():
    messages = [
        {"role": "user", "content": "q", "ts": 1},
        {"role": "assistant", "content": [tool_use()], "condenseParent": "x"},
        {"role": "user", "content": [tool_result()], "condenseParent": "x"},
        {"role": "assistant", "content": "summary", "isSummary": True, "condenseId": "x"},
        {"role": "assistant", "content": "a"},
    ]
    trace = load(messages)
    assert trace.tables["rounds"]["hidden"] == [True, False]
    assert trace.tables["events"]["kind"] == ["user_message", "compaction"]


def langchain_messages():
    ok = {"name": "search", "args": {"query": "x"}, "id": "c1", "type": "tool_call"}
    bad = {
        "name": "search",
        "args": '{"query": ',
        "id": "c2",
        "error": "cut",
        "type": "invalid_tool_call",
    }
    return [
        SystemMessage("s"),
        HumanMessage("q"),
        AIMessage(
            "",
            tool_calls=[ok],
            invalid_tool_calls=[bad],
            usage_metadata={"input_tokens": 5, "output_tokens": 2, "total_tokens": 7},
        ),
        ToolMessage("none", tool_call_id="c1", name="search", status="error"),
        AIMessageChunk("done"),
    ]


@pytest.mark.parametrize(
    "wrap",
    [
        messages_to_dict,
        lambda messages: [dumpd(m) for m in messages],
        lambda messages: [m.model_dump() for m in messages],
        lambda messages: messages,
        lambda messages: {
            "values": {"messages": messages_to_dict(messages)},
            "metadata": {"thread_id": "t"},
        },
        lambda messages: {"messages": [m.model_dump() for m in messages]},
    ],
    ids=["to_dict", "dumpd", "model_dump", "objects", "thread", "state"],
)
def test_every_serialisation_of_langchain_gives_the_same_trace(wrap):
    trace = load(wrap(langchain_messages()))
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.format == "langchain"
    assert calls["query"] == ["x", None]
    assert calls["args_state"] == ["parsed", "unparsed"]
    assert calls["args_raw"] == [None, '{"query": ']
    assert calls["status"] == ["error", "missing"]
    assert rounds["text"] == ["", "done"]
    assert (rounds["input_tokens"][0], rounds["output_tokens"][0], rounds["tokens"][0]) == (5, 2, 7)
    assert rounds["time_quality"] == ["none", "none"]


def test_tau_results():
    record = {
        "task_id": 3,
        "trial": 1,
        "reward": 0.0,
        "info": {"task": {"instruction": "fly"}},
        "traj": PLAIN,
    }
    trace = load(record)
    assert trace.meta.outcome == {"status": "failure", "score": 0.0}
    assert trace.meta.task == "fly"
    assert len(trace) == 1
    corpus = load_many([[record, {**record, "reward": 1.0}]][0])
    assert [t.meta.outcome["status"] for t in corpus] == ["failure", "success"]
    talk = [
        PLAIN[1],
        {"role": "assistant", "content": "a"},
        {"role": "user", "content": "b"},
        {"role": "assistant", "content": "c"},
    ]
    assert load({**record, "traj": talk}).tables["rounds"]["request"] == [1, 2]


def test_mcp_names_and_wrapping_tools_are_unwrapped():
    wrapped = json.dumps(
        {"server_name": "arxiv", "tool_name": "search_papers", "params": {"query": "mcp"}}
    )
    trace = load(
        chat(
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    call("mcp__tavily__tavily-search", '{"query": "a"}', "a"),
                    call("execute-tool", wrapped, "b"),
                ],
            }
        )
    )
    calls = trace.tables["calls"]
    assert calls["tool"] == ["tavily-search", "search_papers"]
    assert calls["tool_raw"] == ["mcp__tavily__tavily-search", "execute-tool"]
    assert calls["namespace"] == ["tavily", "arxiv"]
    assert calls["query"] == ["a", "mcp"]
    assert calls["effect"] == ["search", "search"]
