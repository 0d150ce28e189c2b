"""Which lines a run is shown by: its rounds, events and trips, harmless and masked."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.breaker.replay import replay
from agentlens.cli.listing import chosen_rounds, listing
from agentlens.errors import TraceError
from agentlens.trace.load import load

KEY = "sk-ant-api03-" + "Q4x7mK2p" * 11


def shown(rows, thread=None, between=None, everything=False, policy=None):
    trace = load(rows)
    result = replay(trace, policy) if policy else None
    return list(listing(trace, chosen_rounds(trace, thread, between), result,
                        everything=everything))  # fmt: skip


def searches(*queries, **more):
    return [{"round": n, "tool": "web_search", "args": {"query": q}, "result": "r", **more}
            for n, q in enumerate(queries, 1)]  # fmt: skip


def test_calls_messages_and_events_in_their_order():
    lines = shown([
        {"role": "user", "text": "go"},
        {"round": 1, "tool": "web_search", "args": {"query": "北京"}, "result": "\n\n first\nnext",
         "seconds": 1.5},
        {"round": 1, "tool": "read", "args": {"path": "/a"}, "result": "no", "error": True},
        {"event": "compaction", "text": "shorter"},
        {"round": 2, "tool": "bash", "args": {"command": "ls", "timeout": 5}},
        {"round": 3, "tool": None, "text": "done"},
        {"role": "user", "text": "thanks"},
    ])  # fmt: skip
    assert [(x.kind, x.round, x.tool, x.what, x.result, x.mark, x.seconds) for x in lines] == [
        ("event", None, "user", "go", "", "", None),
        ("call", 1, "web_search", "北京", "first", "", 1.5),
        ("call", 1, "read", "/a", "no", "✗ error", None),
        ("event", None, "compaction", "shorter", "", "", None),
        ("call", 2, "bash", "ls", "", "no result", None),
        ("message", 3, "", "done", "", "", None),
        ("event", None, "user", "thanks", "", "", None),
    ]


def test_a_thread_and_a_range():
    rows = [*searches("a", "b", "c"), *searches("x", "y", thread="sub"),
            {"event": "retry", "thread": "sub"}]  # fmt: skip
    assert [x.what for x in shown(rows, "sub")] == ["x", "y", "retry"]
    assert [x.what for x in shown(rows, between=(2, 2))] == ["b", "y", "retry"]
    assert [x.what for x in shown(rows, "main", (2, None))] == ["b", "c"]
    with pytest.raises(TraceError, match="no thread 'nobody'; there are main, sub"):
        shown(rows, "nobody")
    with pytest.raises(TraceError, match="the last one is 3"):
        shown(rows, between=(8, 9))


def test_of_a_long_run_the_ends_and_the_trip():
    rows = searches(*(f"q{n}" for n in range(1, 101)))
    rows[59]["args"] = rows[58]["args"] = rows[57]["args"] = {"query": "again"}
    lines = shown(rows, policy="classic")
    assert [x.round for x in lines if x.round] == [*range(1, 16), *range(57, 64), *range(86, 101)]
    assert [x.what for x in lines if x.kind == "gap"] == ["… 41 rounds …", "… 22 rounds …"]
    at = next(n for n, x in enumerate(lines) if x.kind == "trip")
    assert lines[at].what.startswith("policy classic would have stopped here: round 60")
    assert (lines[at + 1].round, lines[at + 1].after, lines[at - 1].after) == (60, True, False)
    assert [x.round for x in shown(rows, everything=True)] == list(range(1, 101))
    assert not any(x.kind == "gap" for x in shown(rows[:40]))


def test_secrets_are_masked_the_same_one_alike():
    lines = shown([{"round": 1, "tool": "f", "args": {"a": KEY}, "result": f"x {KEY}"},
                   {"round": 2, "tool": None, "text": KEY}])  # fmt: skip
    assert "Q4x7" not in str(lines)
    assert (lines[0].what, lines[0].result, lines[1].what) == (
        "<api-key:1>", "x <api-key:1>", "<api-key:1>"
    )  # fmt: skip


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    ["\x1b[2J\x1b]0;owned\x07", "\u202egnp.exe", "a\r\nb", "\x9b31m", "[red]x[/red]", "\u2028z"]
)


@given(texts, texts, texts, texts)
def test_nothing_of_a_trace_can_drive_a_terminal(tool, query, result, text):
    lines = shown([
        {"role": "user", "text": text},
        {"round": 1, "tool": tool or "t", "args": {"query": query}, "result": result,
         "thread": text},
        {"round": 1, "tool": None, "text": text, "thread": "main"},
    ])  # fmt: skip
    for line in lines:
        for cell in (line.thread, line.tool, line.what, line.result, line.mark):
            assert not {unicodedata.category(c) for c in cell} & {"Cc", "Cf", "Zl", "Zp", "Co"}
