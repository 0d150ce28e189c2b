"""Warnings of the log and how long they were ignored, counted by hand."""

from __future__ import annotations

import pandas as pd
import pytest

import agentlens as al
from agentlens.breaker.near.advice import warning_in

READ = {"tool": "read_file", "args": {"path": "a.py"}, "result": "x = 1"}
WASTED = {**READ, "result": "Wasted call: the file is unchanged since you read it."}
BLOCKED = {**READ, "result": "BLOCKED", "error": True}
LIST = {"tool": "bash", "args": {"command": "ls"}, "result": "a b"}
THINK = {"tool": "think", "args": {"thought": "Once more."}, "result": ""}
SAYS = {"tool": None, "text": "I will read it again."}


def advice(*rows):
    """Return (round, tool, ignored, warnings, next round or None) of every warning."""
    numbered, number = [], 0
    for row in rows:
        number += row.get("role") != "user"
        numbered.append({"round": number, **row})
    frame = al.replay(al.load(numbered)).advice
    return [
        (a.round, a.tool, a.ignored, a.warnings, None if a.next_round is pd.NA else a.next_round)
        for a in frame.itertuples()
    ]


def test_heeded_at_once():
    assert advice(READ, WASTED, LIST) == [(2, "read_file", 0, 1, 3)]


def test_ignored_until_something_else_is_done():
    assert advice(READ, WASTED, WASTED, WASTED, LIST) == [(2, "read_file", 2, 3, 5)]


def test_ignored_to_the_end():
    assert advice(READ, BLOCKED, BLOCKED, READ) == [(2, "read_file", 2, 2, None)]


def test_thinking_and_talking_are_nothing_else():
    assert advice(READ, WASTED, THINK, SAYS, WASTED, LIST) == [(2, "read_file", 1, 2, 6)]


def test_the_same_call_in_other_words_is_the_same():
    spoken = {"tool": "bash", "args": {"command": "make", "description": "Build"}}
    again = {"tool": "bash", "args": {"description": "Build it again", "command": "make"}}
    stop = "Loop detected: try something else"
    assert advice({**spoken, "result": stop}, {**again, "result": "-"}, LIST) == [
        (1, "bash", 1, 1, 3)
    ]


def test_the_warning_may_be_a_message():
    nudge = {"role": "user", "text": "You are stuck in a loop. Do something else."}
    assert advice(READ, READ, nudge, READ, LIST) == [(2, "read_file", 1, 1, 4)]


def test_a_new_request_ends_it():
    asks = {"role": "user", "text": "And what is in b.py?"}
    assert advice(READ, WASTED, asks, READ, LIST) == [(2, "read_file", 0, 1, None)]


def test_each_episode_is_told():
    assert advice(READ, WASTED, LIST, WASTED, WASTED) == [
        (2, "read_file", 0, 1, 3), (4, "read_file", 1, 2, None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Wasted call — file unchanged since it was read",
        "BLOCKED",
        "[BLOCKED] you have read this 4 times",
        "some output\n\nBLOCKED: stop now",
        "A potential loop was detected.",
        "You made the same tool call 5 times in a row.",
        "5 identical calls; try another way",
        "I tried reusing the same input",
        "Please stop repeating this.",
        "检测到循环，请换一种做法",
        "请勿重复调用同一工具",
        "out\n" * 300 + "\nWarning: repeated identical arguments, 3 times.",
    ],
)
def test_what_guards_say(text):
    assert warning_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "3 ports blocked",
        "for loop in range(3)",
        "unchanged",
        "the same file as before",
        "called 3 times a day by the scheduler",
        "a\n" * 300 + "Wasted call" + "\nb" * 300,
    ],
)
def test_what_is_no_warning(text):
    assert not warning_in(text)


def test_a_page_about_loops_is_no_warning():
    page = "How a guard works. Loop detected! " + "It counts calls. " * 40
    search = {"tool": "web_search", "args": {"query": "loop guard"}, "result": page}
    assert advice(search, search, LIST) == []
    assert advice({**search, "tool": "bash", "args": {"command": "run"}}, LIST)


def test_secrets_are_masked():
    key = "sk-" + "a1B2c3D4" * 6
    said = al.replay(al.load([{**READ, "round": 1, "result": f"Wasted call with {key}"}])).advice
    assert key not in said["said"][0]
    assert said["said"][0].startswith("Wasted call with ")
