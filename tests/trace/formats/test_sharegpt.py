"""ShareGPT-like conversations: the ways in which calls stand in them."""

from __future__ import annotations

import time

import pytest

from agentlens.errors import TraceError
from agentlens.trace.load import load, load_many

CALL = '{"name": "web_search", "arguments": {"query": "a"}}'


def talk(*rows):
    return [{"from": who, "value": what} for who, what in rows]


VARIANTS = {
    "rows": talk(("human", "q"), ("function_call", CALL), ("observation", "r"), ("gpt", "end")),
    "marks": talk(("human", "q"), ("gpt", f"<tool_call>\n{CALL}\n</tool_call>"),
                  ("tool", "<tool_response>\nr\n</tool_response>"), ("gpt", "end")),
    "result as the human's": talk(
        ("human", "q"), ("gpt", f"<tool_call>{CALL}</tool_call>"),
        ("human", "<tool_response>r</tool_response>"), ("gpt", "end")),
}  # fmt: skip


@pytest.mark.parametrize("rows", VARIANTS.values(), ids=VARIANTS.keys())
@pytest.mark.parametrize("wrap", [lambda rows: {"id": 5, "conversations": rows}, lambda rows: rows])
def test_every_variant_gives_the_same_trace(rows, wrap):
    trace = load(wrap(rows))
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    assert trace.format == "sharegpt"
    assert (calls["tool"], calls["query"], calls["result"]) == (["web_search"], ["a"], ["r"])
    assert calls["paired_by"] == ["adjacency"]
    assert rounds["text"] == ["", "end"]
    assert rounds["request"] == [1, 1]
    assert trace.meta.task == "q"


def test_several_calls_and_calls_that_are_not_json():
    rows = talk(("human", "q"), ("gpt", f"x <tool_call>{CALL}</tool_call><tool_call>[{CALL}]"
                "</tool_call>"), ("function_call", "search(a)"))  # fmt: skip
    trace = load({"conversations": rows})
    assert trace.tables["calls"]["tool"] == ["web_search", "web_search", "?"]
    assert trace.tables["calls"]["args_raw"][2] == "search(a)"
    assert trace.tables["rounds"]["text"][0] == "x"


def test_files_of_many_and_malformed_rows():
    good = {"conversations": VARIANTS["rows"]}
    assert len(list(load_many([good, {"x": 1}, good]))) == 2
    odd = load({"conversations": [*VARIANTS["rows"], 5, {"from": "elf", "value": "x"},
                                  {"from": "gpt", "value": None}]})  # fmt: skip
    assert any(note.kind == "skipped" for note in odd.notes)
    with pytest.raises(TraceError):
        load({"conversations": [5]}, format="sharegpt")


def test_hostile_marks_take_no_time():
    begun = time.perf_counter()
    for text in ("<tool_call>" * 30_000, "<tool_call>" + "<" * 300_000, "<tool_call>{" * 30_000):
        load({"conversations": talk(("human", "q"), ("gpt", text))})
    assert time.perf_counter() - begun < 2


def test_a_role_that_is_no_text_costs_its_row():
    rows = [*VARIANTS["rows"], {"from": ["gpt"], "value": "x"}, {"from": {}, "value": 5}]
    assert any(note.count == 2 for note in load({"conversations": rows}).notes)


def test_a_number_beyond_64_bits_is_kept_as_text():
    rows = talk(("human", "q"), ("gpt", "x"))
    call = {"name": "f", "arguments": [10**25]}
    chat = [{"role": "user", "content": "q"}, {"role": "assistant", "tool_calls": [call]}]
    assert load(chat).tables["calls"]["args_raw"] == [str([10**25])]
    assert len(load(rows)) == 0
