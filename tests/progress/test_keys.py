"""Keys of calls: every part of them, learning as it happens, and equality with a guard's."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.errors import PolicyError
from agentlens.progress.calls import Call
from agentlens.progress.keys import ARGUMENTS, RESULTS, CallKeys, call_keys
from agentlens.trace.load import load


def row(tool="bash", number=1, /, **fields):
    return {"round": number, "tool": tool, **fields}


def trace_of(*rows):
    return load([{**each, "round": n} for n, each in enumerate(rows, 1)])


def groups(rows, **options):
    """Return for each call the number of the first call that has its key."""
    keys = call_keys(trace_of(*rows), **options)
    return [keys.index(key) for key in keys]


def calls(tool, *args, **fields):
    return [row(tool, args=each, **fields) for each in args]


def test_each_form_of_the_arguments():
    rows = calls(
        "bash",
        {"command": "ls", "description": "Look"},
        {"description": "Look", "command": "ls"},
        {"command": "ls", "description": "Look again"},
        {"command": "pwd"},
    )
    assert groups(rows, arguments="none") == [0, 0, 0, 0]
    assert groups(rows, arguments="raw") == [0, 1, 2, 3]
    assert groups(rows, arguments="canonical") == [0, 0, 2, 3]
    assert groups(rows, arguments="normalised") == [0, 0, 0, 3]


def test_each_form_of_the_result():
    long = "x" * 100
    rows = [
        row(args={"command": "make"}, result=f"{long}1", exit_code=1),
        row(args={"command": "make"}, result=f"{long}2", exit_code=1),
        row(args={"command": "make"}, result="5 failed in 3.2s", exit_code=1),
        row(args={"command": "make"}, result="5 failed in 4.1s", exit_code=1),
        row(args={"command": "make"}, result="5 failed in 4.1s", exit_code=0),
        row(args={"command": "make"}),
    ]
    assert groups(rows, result="none") == [0] * 6
    assert groups(rows, result="exit") == [0, 0, 0, 0, 4, 5]
    assert groups(rows, result="first100") == [0, 0, 2, 3, 3, 5]
    assert groups(rows, result="masked") == [0, 1, 2, 2, 2, 5]
    assert groups(rows, result="full") == [0, 1, 2, 3, 3, 5]


def test_without_an_exit_code_the_status_counts():
    rows = [
        row(args={}, result="a"),
        row(args={}, result="b"),
        row(args={}, result="c", error=True),
    ]
    assert groups(rows, result="exit") == [0, 0, 2]


def test_the_thought_counts_where_asked_for():
    rows = [row(args={}, thought="one"), row(args={}, thought="two"), row(args={}, text="one")]
    assert groups(rows, thought=True) == [0, 1, 2]
    assert groups(rows) == [0, 0, 0]


def test_only_some_arguments_count_where_they_are_there():
    rows = calls("read", {"path": "a", "offset": 1}, {"path": "a", "offset": 9}, {"offset": 1})
    assert groups(rows, only=["path"]) == [0, 0, 2]


def test_tools_of_two_servers_are_two():
    rows = calls("mcp__a__search", {"q": "x"}) + calls("mcp__b__search", {"q": "x"})
    assert groups(rows) == [0, 1]


def test_arguments_that_are_text_or_missing():
    rows = [row(args="ls -l"), row(args="ls -l"), row(args="pwd"), row(), row(args={})]
    assert groups(rows) == [0, 0, 2, 3, 3]


def test_learned_arguments_and_results_make_calls_equal_from_then_on():
    rows = calls("web_search", *({"query": "x", "seq": n} for n in (4, 9, 2, 7)), result="nothing")
    assert groups(rows) == [0, 1, 2, 2]
    assert groups(rows, learn=False) == [0, 1, 2, 3]
    assert groups(rows, volatile=["seq"]) == [0, 0, 0, 0]
    sent = [row("send", args={"to": "u"}, result=f"sent as m{n}") for n in range(5)]
    assert groups(sent, result="masked") == [0, 1, 2, 2, 2]
    assert groups(sent, result="masked", learn=False) == [0, 1, 2, 3, 4]


def test_different_searches_never_become_one():
    rows = calls("web_search", *({"query": f"film {n}", "n": 5} for n in range(9)), result="none")
    assert groups(rows) == list(range(9))
    custom = calls("lookup", *({"wort": f"film {n}", "n": 5} for n in range(9)), result="none")
    trace = trace_of(*custom).with_tools({"lookup": ("search", "wort")})
    assert len(set(call_keys(trace))) == 9


@pytest.mark.shared
def test_a_reported_kernel_and_message_spam_are_seen(shared):
    lines = (shared / "data" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = {case["id"]: load(case["trace"]) for case in map(json.loads, lines)}
    for name in ("fn-volatile-kernel", "fn-message-spam", "fn-tally-footer", "fn-exec-not-poll"):
        assert len(set(call_keys(cases[name], result="masked"))) == 3, name
    for name in ("fp-poll-growing-output", "fp-task-list-changes", "fp-date-picker"):
        keys = call_keys(cases[name], result="masked")
        assert len(set(keys)) == len(keys), name


@pytest.mark.parametrize(
    "options",
    [{"arguments": "all"}, {"result": "some"}, {"only": "path"}, {"volatile": {"a": "b"}}],
)
def test_an_unknown_option_is_said(options):
    with pytest.raises(PolicyError):
        CallKeys(**options)


def test_keys_are_cached_on_the_trace():
    trace = trace_of(*calls("bash", {"command": "ls"}))
    assert call_keys(trace) is call_keys(trace)
    assert call_keys(trace, result="full") is not call_keys(trace)
    assert call_keys(trace, volatile=["a"]) is call_keys(trace, volatile={"*": ["a"]})


def test_nothing_that_a_log_can_hold_breaks_it():
    odd = [{"a": float("nan")}, {"a": 10**400}, {"\ud83d": "\udc00"}, {"a": [[[]]], "b": {"c": ()}},
           {"a": "x", 3: None}]  # fmt: skip
    for arguments in ARGUMENTS:
        keys = CallKeys(arguments=arguments, result="masked", thought=True)
        found = [keys.add({"tool": "t\ud83d", "args": args, "result": "\ud83d"}) for args in odd]
        assert len(set(found)) == (1 if arguments == "none" else len(odd))
    assert CallKeys().add({}) == CallKeys().add({"tool": None})


ARGS = st.dictionaries(
    st.sampled_from(["query", "path", "command", "request_id", "seq", "description", "n"]),
    st.sampled_from(["a", "b", 1, 1.0, 2, None, True, [1], {"x": 1}, "2026-01-02T03:04:05Z"]),
    max_size=4,
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {"tool": st.sampled_from(["web_search", "read_file", "bash", "write_file", "frobnicate"]),
         "args": ARGS},
        optional={
            "result": st.sampled_from(["ok", "m1", "m2", "m3", "5 failed", "at 10:00:01"]),
            "error": st.booleans(), "thought": st.sampled_from(["", "hm"]),
        },
    ),
    min_size=1, max_size=12,
)  # fmt: skip
OPTIONS = st.fixed_dictionaries(
    {"arguments": st.sampled_from(ARGUMENTS), "result": st.sampled_from(RESULTS),
     "thought": st.booleans(), "learn": st.booleans()},
)  # fmt: skip


@given(ROWS, OPTIONS)
def test_a_guard_that_sees_the_run_grow_has_the_same_keys(rows, options):
    whole = call_keys(trace_of(*rows), **options)
    live = CallKeys(**options)
    for number, each in enumerate(rows):
        peeked = live.peek(each)
        assert live.peek(each) == peeked  # to look changes nothing
        key = live.add(each)
        assert key == whole[number]
        assert peeked == key or options["result"] != "none"
        assert call_keys(trace_of(*rows[: number + 1]), **options) == whole[: number + 1]


@given(ROWS, OPTIONS, st.randoms())
def test_the_order_of_keys_never_matters(rows, options, random):
    if options["arguments"] == "raw":
        options["arguments"] = "canonical"
    mixed = []
    for each in rows:
        items = list(each["args"].items())
        random.shuffle(items)
        mixed.append({**each, "args": dict(items)})
    assert call_keys(trace_of(*mixed), **options) == call_keys(trace_of(*rows), **options)


@given(ROWS, st.lists(st.integers(), min_size=12, max_size=12))
def test_volatile_arguments_never_matter(rows, noise):
    rows = [{**each, "args": {"k": 1, **each["args"]}} for each in rows]
    added = [
        {**each, "args": {**each["args"], "mood": n, "nonce": str(n)}}
        for each, n in zip(rows, noise, strict=False)
    ]
    plain = [{**each, "args": {**each["args"], "mood": 0, "nonce": ""}} for each in rows]
    options = {"volatile": ["mood"]}
    assert call_keys(trace_of(*added), **options) == call_keys(trace_of(*plain), **options)


def test_a_row_of_the_trace_is_a_call_too():
    keys = CallKeys()
    one = Call("bash", None, "run", {"command": "ls"}, None, (), None)
    assert keys.add(one) == keys.add(row(args={"command": "ls"}))


def test_ten_thousand_calls_take_well_under_half_a_second():
    kinds = ("web_search", "read_file", "bash", "edit_file")
    rows = []
    for n in range(10_000):
        args = (
            {"query": f"weather {n % 50}", "request_id": f"r{n}", "page": n % 7},
            {"path": f"a/{n % 90}.py", "offset": n % 13 * 40},
            {"command": f"ls {n % 30}", "description": f"look {n}"},
            {"path": "x", "content": "abc\n" * 30, "old": str(n)},
        )[n % 4]
        rows.append(row(kinds[n % 4], args=args, result=f"line {n % 100}\nof words"))
    trace = trace_of(*rows)
    best = min(_seconds(trace, run) for run in range(3))
    assert best < 0.5


def _seconds(trace, run):
    start = time.process_time()
    call_keys(trace, volatile=[f"not there {run}"])
    return time.process_time() - start
