"""Lone surrogates, wherever they stand, and arguments nested without end."""

from __future__ import annotations

import copy
import json
import time

import pytest

import agentlens as al
from agentlens.trace.build import TraceBuilder
from agentlens.trace.repair import MAX_DEPTH, TooDeep, repaired, whole_text
from agentlens.widgets.lens.payload import stage_payload

HALF, LOST = "\ud800", "\ufffd"


def row(number: int, **more):
    return {"round": number, "tool": "web_search", "args": {"query": "weather"}, **more}


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("weather", "weather"),
        ("天气 😀", "天气 😀"),
        ("\ud83d\ude00!", "😀!"),
        ("\ud800 x", "\ufffd x"),
        ("x\udc00", "x\ufffd"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\ud83d", "\ufffd"),
    ],
)
def test_halves_are_joined_or_replaced(text: str, whole: str):
    assert whole_text(text) == whole


def test_what_needs_no_repair_is_the_same_object():
    value = {"a": ["天气", ("x", 1)], "b": {"c": None}}
    assert repaired(value) is value
    broken = {"a": ["天气", ("\ud800", 1)], "\udc00": 2}
    before = copy.deepcopy(broken)
    assert repaired(broken) == {"a": ["天气", (LOST, 1)], LOST: 2}
    assert broken == before, "the caller's own object stays as it is"


def test_a_value_that_holds_itself_is_too_deep():
    value: list = []
    value += [value, value]
    with pytest.raises(TooDeep):
        repaired(value)


PLACES = [
    {"args": {"query": HALF + " weather"}}, {"args": {"query": "x", "deep": [{"k": HALF}]}},
    {"args": {"query": "x", HALF: 1}}, {"args": HALF + " as text"}, {"result": HALF, "error": True},
    {"result": [{"type": "text", "text": HALF}]}, {"text": HALF}, {"thought": HALF},
    {"tool": "web_search" + HALF}, {"thread": "sub" + HALF}, {"model": HALF}, {"call_id": HALF},
]  # fmt: skip


@pytest.mark.parametrize("place", PLACES, ids=ascii)
def test_the_lens_shows_it_wherever_it_stands(place):
    rows = [row(1), row(2, **place), row(3), row(4)]
    trace = al.load([{"role": "user", "content": "go " + HALF}, *rows])
    for columns in trace.tables.values():
        json.dumps(columns, ensure_ascii=False, default=repr).encode()
    assert trace.meta.task == "go " + LOST
    assert any("lone surrogates" in note.message for note in trace.notes)
    lens = al.Lens(trace)
    json.dumps(lens._repr_mimebundle_(), ensure_ascii=False, default=repr).encode()
    for lang in ("en", "zh"):
        payload = stage_payload(al.replay(trace), lang=lang)
        json.dumps(payload, ensure_ascii=False, default=repr).encode()
    lens.close()


def test_the_note_counts_and_names_the_first_line():
    trace = al.load([row(1), row(2, args={"query": HALF}), row(3, result=HALF)])
    (note,) = [n for n in trace.notes if "lone surrogates" in n.message]
    assert (note.kind, note.line, note.count) == ("damaged", 3, 2)
    assert trace.tables["calls"]["query"] == ["weather", LOST, "weather"]
    assert not al.load([row(1, args={"query": "天气 😀"})]).notes


def test_memory_and_file_give_the_same_text(tmp_path):
    rows = [row(1, args={"query": HALF + " weather"}), row(2, result="cut \ud83d")]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    here, there = al.load(rows), al.load(path)
    for column in ("query", "result"):
        assert here.tables["calls"][column] == there.tables["calls"][column]


def test_arguments_nested_without_end_are_a_note():
    deep: dict = {}
    for _ in range(5000):
        deep = {"a": deep}
    trace = al.load([row(1, args={"query": "x", "more": deep}), row(2)])
    (note,) = trace.notes
    assert (note.message, note.line) == ("arguments are nested too deeply and were left out", 1)
    assert trace.tables["calls"]["queries"] == [(), ("weather",)]
    assert trace.calls["fingerprint"].nunique() == 2
    kept: dict = {}
    for _ in range(MAX_DEPTH - 1):
        kept = {"a": kept}
    assert not al.load([row(1, args=kept)]).notes


def test_a_big_log_pays_little():
    build = TraceBuilder("test")
    for number in range(20_000):
        at = build.round(text="some words of an answer")
        build.result(build.call(at, "t", {"query": f"weather {number}"}), "found nothing " * 20)
    start = time.process_time()
    build.finish()
    assert time.process_time() - start < 2.0


@pytest.mark.parametrize("wild", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 400])
def test_a_number_that_nobody_can_add_up_is_left_out_and_noted(tmp_path, wild: str):
    path = tmp_path / "run.json"
    step = '{{"step_id": {}, "source": "agent", "message": "m", "metrics": {}, "tool_calls": [{}]}}'
    call = '{"tool_call_id": "%s", "function_name": "search", "arguments": {"query": "weather"}}'
    steps = [
        step.format(n, f'{{"prompt_tokens": {tokens}, "cost_usd": {cost}}}', call % n)
        for n, (tokens, cost) in enumerate([(10, 0.5), (wild, wild), (20, 0.25)], 1)
    ]
    agent = '{"name": "a", "version": "1"}'
    path.write_text(
        f'{{"schema_version": "ATIF-v1.4", "session_id": "s", "agent": {agent}, '
        f'"steps": [{", ".join(steps)}]}}',
        "utf-8",
    )
    trace = al.load(path)
    assert trace.tables["rounds"]["cost"] == [0.5, None, 0.25]
    assert trace.tables["rounds"]["input_tokens"] == [10, None, 20]
    said = [note.kind for note in trace.notes if "number" in note.message or "JSON" in note.message]
    assert "damaged" in said
    for policy in al.Policy.presets():
        al.replay(trace, policy).to_dict()
