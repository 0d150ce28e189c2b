"""Near misses on hand-made runs: what broke a streak, where, and what the count would have been.

The counts are those at which each agent acts, as its source says: Gemini CLI hashes arguments as
they come and acts on five laps; OpenHands puts the thought into its key and acts on four; Roo Code
refuses the fourth equal call; opencode looks at three parts of one message; crush at ten steps,
six of which are equal; browser-use at twenty actions, five of which are alike; hermes at five
equal calls with equal results.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentlens as al

MAKE = {"tool": "bash", "args": {"command": "make", "cwd": "src"}, "result": "built"}
TURNED = {"tool": "bash", "args": {"cwd": "src", "command": "make"}, "result": "built"}
LIST = {"tool": "bash", "args": {"command": "ls", "cwd": "src"}, "result": "a b"}
TURNED_LIST = {"tool": "bash", "args": {"cwd": "src", "command": "ls"}, "result": "a b"}
THINK = {"tool": "think", "args": {"thought": "Once more."}, "result": ""}


def others(count, start=0):
    """Return calls that are all different."""
    return [
        {"tool": "bash", "args": {"command": f"cat {i}"}, "result": f"line {i} of it"}
        for i in range(start, start + count)
    ]


def replayed(rows, policy):
    return al.replay(al.load([{"round": i, **row} for i, row in enumerate(rows, 1)]), policy)


def misses(rows, policy):
    """Return (rule, broke, round, would_round, would_count, count) of every near miss."""
    frame = replayed(rows, policy).near_misses
    columns = ["rule", "broke", "round", "would_round", "would_count", "count"]
    return [tuple(row) for row in frame[columns].itertuples(index=False)]


SENT = [
    {"tool": "notify", "args": {"text": "done", "message_id": f"q{i}w"}, "result": "sent"}
    for i in range(4)
]
BUILT = [{**MAKE, "result": "built"}, {**MAKE, "result": "built again"}]
TIMED = [{**MAKE, "result": f"built at 10:0{i}:31 in {i + 2}.5s"} for i in range(5)]

CASES = {
    "the order of the keys": (
        "gemini-cli", [MAKE, MAKE, TURNED, MAKE, MAKE],
        [("tool-calls", "key_order", 3, 5, 5, 2)],
    ),
    "the order of the keys in a cycle": (
        "gemini-cli", [MAKE, LIST] * 3 + [MAKE, TURNED_LIST] + [MAKE, LIST],
        [("tool-calls", "key_order", 8, 10, 5, 1)],
    ),
    "another thought": (
        "openhands", [{**MAKE, "thought": t} for t in ("a", "a", "b", "b")],
        [("same-action", "thought", 3, 4, 4, 2)],
    ),
    "a call that only thinks": (
        "roo-code", [MAKE, MAKE, THINK, MAKE, MAKE],
        [("repetition", "think", 3, 5, 4, 2)],
    ),
    "a message id": ("roo-code", SENT, [("repetition", "volatile_argument", 2, 4, 4, 1)]),
    "a time in the result": ("crush", TIMED * 2, [("steps", "volatile_result", 2, 10, 10, 2)]),
    "a message of its own": ("opencode", [MAKE] * 3, [("doom-loop", "message", 2, 3, 3, 1)]),
    "the window": (
        "browser-use",
        [row for i in range(5) for row in [MAKE, *others(4, 4 * i)]],
        [("repeats", "window", 21, 21, 5, 4)],
    ),
    "too few rounds": ("crush", [MAKE] * 6, [("steps", "early", 6, 6, 6, 6)]),
    "the results": (
        "crewai",
        [row for i in range(5) for row in [BUILT[i % 2], *others(1, i)]],
        [("raise", "result", 3, 9, 5, 3)],
    ),
    "two things at once": (
        "opencode", [MAKE, TURNED, MAKE], [("doom-loop", "key_order, message", 2, 3, 3, 1)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_broke_the_streak(name):
    preset, rows, expected = CASES[name]
    assert misses(rows, preset) == expected


NONE = {
    "one call short": ("gemini-cli", [MAKE, MAKE, TURNED, MAKE]),
    "another call": ("roo-code", [MAKE, MAKE, LIST, MAKE, MAKE]),
    "another argument": (
        "roo-code", [MAKE, MAKE, MAKE, {**MAKE, "args": {"command": "make", "cwd": "b"}}],
    ),
    "it spoke itself": ("roo-code", [MAKE, MAKE, MAKE, MAKE]),
    "an id that says what is asked": (
        "roo-code", [{"tool": "get", "args": {"user_id": f"u{i}", "of": "x"}} for i in range(4)],
    ),
    "a rule that compares no keys": ("smolagents", [MAKE] * 6),
}  # fmt: skip


@pytest.mark.parametrize("name", NONE)
def test_where_nothing_was_missed(name):
    assert misses(NONE[name][1], NONE[name][0]) == []


def test_what_would_not_have_happened_is_not_missed():
    """Roo Code stops the run before its fourth call: what comes later is no near miss of it."""
    later = [MAKE] * 4 + [LIST, LIST, THINK, LIST, LIST]
    assert misses(later, "roo-code") == []
    assert misses(later[4:], "roo-code") == [("repetition", "think", 3, 5, 4, 2)]


def test_each_request_counts_anew():
    rows = [MAKE, MAKE, THINK, MAKE, {"role": "user", "text": "and now?"}, MAKE]
    numbered, number = [], 0
    for row in rows:
        number += row.get("role") != "user"
        numbered.append({"round": number, **row})
    assert al.replay(al.load(numbered), "roo-code").near_misses.empty


def test_it_says_so_in_words():
    frame = replayed(CASES["another thought"][1], "openhands").near_misses
    assert list(frame["level"]) == ["stop"]
    assert list(frame["threshold"]) == [4]
    assert frame["reason"][0] == (
        "same-action would have counted 4 in round 4, not 2, but from round 3 on "
        "the model thought or said something else with it"
    )


RAW = al.Policy.preset(
    "classic", query=False, rules=[{"name": "s", "family": "streak", "args": "raw", "stop": 3}]
)


@given(st.text("aAbB", min_size=1, max_size=14))
def test_against_counting_by_hand(word):
    """Letters are calls, capitals the same with their keys turned."""
    calls = {"a": MAKE, "A": TURNED, "b": LIST, "B": TURNED_LIST}

    def first(letters):
        triples = (letters[i - 3 : i] for i in range(3, len(letters) + 1))
        return next((i for i, t in enumerate(triples, 3) if len(set(t)) == 1), None)

    strict, loose = first(word), first(word.lower())
    missed = loose is not None and (strict is None or loose < strict)
    found = misses([calls[letter] for letter in word], RAW)
    if not missed:
        assert found == []
        return
    ends = word[loose - 3 : loose]
    broke = loose - 3 + next(i for i in (1, 2) if ends[i] != ends[i - 1]) + 1
    assert [(m[1], m[2], m[3], m[4]) for m in found] == [("key_order", broke, loose, 3)]
