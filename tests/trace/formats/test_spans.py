"""The room that all span formats share: order, nesting, threads, pairing, history sent again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.errors import TraceError
from agentlens.trace.build import TraceBuilder
from agentlens.trace.formats.part import Part
from agentlens.trace.formats.span import Attributes, Span, loose
from agentlens.trace.formats.spans import write_spans
from agentlens.trace.formats.turns import CallItem, ResultItem, Turn


def read(*spans):
    build = TraceBuilder("test")
    write_spans(list(spans), build, Part([]))
    return build.finish()


def model(name, at, *calls, parent=None, sent=(), text="", end=None, **more):
    items = [CallItem("search", {"q": q}, call_id) for call_id, q in calls]
    answer = Turn("assistant", text, calls=items)
    return Span(name, parent, name, "model", at, end or at + 1, sent=list(sent), answer=answer,
                **more)  # fmt: skip


def tool(name, at, q, result="r", parent=None, **more):
    return Span(name, parent, name, "tool", at, at + 0.5, tool="search", args={"q": q},
                result=result, **more)  # fmt: skip


def user(text):
    return Turn("user", text)


def said(*calls, text=""):
    return Turn("assistant", text, calls=[CallItem("search", {"q": q}, i) for i, q in calls])


def came(call_id, text):
    return Turn("tool", results=[ResultItem(text, call_id)])


def test_tools_run_the_calls_that_were_announced_by_id_arguments_or_name():
    trace = read(
        model("m1", 10, ("a", "x"), ("b", "y"), (None, "z")),
        tool("t3", 12, "z", "rz"),
        tool("t2", 12.1, "y", "ry"),
        tool("t1", 12.2, "other", "rx", call_id="a"),
        model("m2", 20, text="end"),
    )
    calls = trace.tables["calls"]
    assert calls["result"] == ["rx", "ry", "rz"]
    assert calls["paired_by"] == ["id", "adjacency", "adjacency"]
    assert calls["started"] == [12.2, 12.1, 12]
    assert calls["seconds"] == pytest.approx([0.5] * 3)
    assert trace.tables["rounds"]["round"] == [1, 2]
    assert trace.tables["rounds"]["started"] == [11, 21]


def test_defaults_that_a_host_fills_in_are_the_same_call_and_other_arguments_are_another():
    first = tool("t1", 12, "x")
    first.args = {"q": "x", "limit": 5}
    trace = read(model("m", 10, ("a", "x")), tool("t0", 11.5, "y", "ry"), first)
    calls = trace.tables["calls"]
    assert [(c, r) for c, r in zip(calls["args"], calls["result"], strict=True)] == [
        ({"q": "x"}, "r"),
        ({"q": "y"}, "ry"),
    ]


def test_history_that_is_sent_again_is_told_once_and_brings_results_without_spans():
    one = [user("hi")]
    two = [*one, said(("a", "x")), came("a", "ra")]
    three = [*two, said(("b", "y")), came("b", "Error: no"), user("go on")]
    trace = read(
        model("m1", 1, ("a", "x"), sent=one),
        model("m2", 3, ("b", "y"), sent=two),
        model("m3", 5, sent=three, text="end"),
    )
    assert trace.tables["events"]["text"] == ["hi", "go on"]
    assert trace.tables["calls"]["result"] == ["ra", "Error: no"]
    assert trace.tables["calls"]["status"] == ["ok", "error"]
    assert trace.tables["calls"]["paired_by"] == ["id", "id"]
    assert trace.tables["rounds"]["request"] == [1, 1, 2]
    assert trace.meta.task == "hi"


def test_the_same_words_twice_are_two_requests_and_a_cut_history_repeats_none():
    a = [user("continue")]
    b = [*a, said(text="ok"), user("continue")]
    cut = [user("continue"), said(text="ok 2"), user("new")]
    trace = read(
        model("m1", 1, sent=a, text="ok"),
        model("m2", 3, sent=b, text="ok 2"),
        model("m3", 5, sent=cut, text="ok 3"),
    )
    assert trace.tables["events"]["text"] == ["continue", "continue", "new"]


def test_what_was_said_before_the_trace_is_left_out_and_noted():
    sent = [user("old"), said(("z", "q")), came("z", "r"), said(text="done"), user("new")]
    trace = read(model("m", 1, sent=sent, text="hm"))
    assert trace.tables["events"]["text"] == ["new"]
    assert len(trace.tables["rounds"]["round"]) == 1
    assert len(trace) == 0
    assert any("before the first response" in note.message for note in trace.notes)


def test_a_response_without_a_span_is_read_from_a_later_request():
    sent = [user("hi"), said(("a", "x")), came("a", "ra"), said(("b", "y")), came("b", "rb")]
    trace = read(model("m1", 1, ("a", "x"), sent=sent[:1]), model("m3", 5, sent=sent, text="end"))
    assert trace.tables["calls"]["result"] == ["ra", "rb"]
    assert trace.tables["rounds"]["round"] == [1, 2, 3]
    assert any("later request" in note.message for note in trace.notes)


def test_one_response_logged_by_two_libraries_counts_once_and_keeps_what_either_knows():
    outer = model("outer", 1, ("a", "x"), sent=[user("hi")])
    inner = Span("inner", "outer", "inner", "model", 1.1, 1.9, columns={"input_tokens": 7})
    trace = read(outer, inner, tool("t", 3, "x"))
    assert trace.tables["rounds"]["input_tokens"] == [7]
    assert trace.tables["calls"]["result"] == ["r"]


def test_a_span_around_a_whole_loop_is_no_response():
    loop = Span("loop", None, "loop", "model", 0, 9, columns={"input_tokens": 99})
    trace = read(
        loop,
        model("m1", 1, ("a", "x"), parent="loop"),
        tool("t", 3, "x", parent="loop"),
        model("m2", 4, parent="loop", text="end"),
    )
    assert trace.tables["rounds"]["input_tokens"] == [None, None]
    assert len(trace) == 1


def test_a_tool_in_which_a_model_answers_is_a_sub_agent():
    trace = read(
        model("m1", 1, ("a", "x")),
        tool("t", 3, "x", "report"),
        model("m2", 3.1, ("b", "deep"), parent="t"),
        tool("t2", 3.2, "deep", "found", parent="t"),
        model("m3", 3.3, parent="t", text="report"),
        model("m4", 9, text="end"),
    )
    threads = trace.tables["threads"]
    assert threads["thread"] == ["main", "search"]
    assert threads["parent_call"] == [None, "a"]
    assert trace.tables["rounds"]["thread"] == ["main", "search", "search", "main"]
    assert trace.tables["calls"]["thread"] == ["main", "search"]
    assert trace.tables["calls"]["result"] == ["report", "found"]


def test_a_tool_inside_a_tool_is_no_call_of_the_agent():
    trace = read(model("m", 1, ("a", "x")), tool("t", 3, "x"), tool("in", 3.1, "x", parent="t"))
    assert len(trace) == 1
    assert any("inside" in note.message for note in trace.notes)


def test_agents_at_the_same_time_are_threads_and_agents_in_turn_are_not():
    def agent(name, start, end):
        return Span(name, "top", name, "agent", start, end, label=name)

    def team(second):
        top = Span("top", None, "top", "agent", 0, 99, label="top")
        return read(
            top, agent("a", 1, 5), agent("b", second, second + 3),
            model("m1", 1.5, parent="a"), model("m2", second + 1, parent="b"),
        )  # fmt: skip

    assert team(2).tables["threads"]["thread"] == ["main", "a", "b"]
    assert team(6).tables["threads"]["thread"] == ["main"]


def test_without_models_each_tool_is_a_round_and_those_at_the_same_time_share_one():
    trace = read(tool("t1", 1, "a"), tool("t2", 1.2, "b"), tool("t3", 5, "c"))
    assert trace.tables["calls"]["round"] == [1, 1, 2]
    assert any(note.kind == "guessed" for note in trace.notes)


def test_a_failed_request_is_an_event_and_a_failed_tool_an_error():
    broken = Span("m0", None, "m0", "model", 0, 1, failed=True, problem="429 slow down")
    bad = tool("t", 3, "x", None, failed=True, problem="boom", error_type="ValueError")
    trace = read(broken, model("m1", 2, ("a", "x")), bad)
    assert trace.tables["events"]["kind"] == ["api_error"]
    assert trace.tables["calls"]["status"] == ["error"]
    assert trace.tables["calls"]["result"] == ["boom"]
    assert trace.tables["calls"]["error_type"] == ["ValueError"]


def test_a_child_that_claims_to_be_older_than_its_parent_comes_after_it():
    trace = read(tool("t", 5, "x"), model("m", 1, parent="t", text="deep"))
    assert trace.tables["threads"]["parent"] == [None, "main"]
    assert trace.tables["rounds"]["thread"][-1] == "search"


def test_spans_without_times_keep_the_order_of_their_tree():
    spans = [
        model("m1", 1, ("a", "x")), tool("t", 2, "x", "ra", parent="m1"),
        model("m2", 3, ("b", "y")), tool("t2", 4, "y", "rb", parent="m2"),
    ]  # fmt: skip
    for span in spans:
        span.started = span.ended = None
    trace = read(*spans)
    assert trace.tables["calls"]["result"] == ["ra", "rb"]
    assert trace.tables["rounds"]["started"] == [None, None]
    assert trace.tables["rounds"]["time_quality"] == ["none", "none"]


def test_no_span_at_all_is_an_error():
    with pytest.raises(TraceError, match="holds no span"):
        read()


names = st.sampled_from("a b c d e".split())
times = st.none() | st.floats(0, 9)
drawn = st.builds(
    Span, names, st.none() | names, names, st.sampled_from("model tool agent other".split()),
    times, times, failed=st.none() | st.just(True), tool=names, result=st.none() | st.just("r"),
    asked=st.just("") | names, call_id=st.none() | names,
    answer=st.none() | st.builds(
        Turn, st.just("assistant"), names, calls=st.lists(
            st.builds(CallItem, names, st.just({}), st.none() | names), max_size=2)),
    sent=st.lists(st.builds(Turn, st.sampled_from("user assistant tool".split()), names),
                  max_size=3),
)  # fmt: skip


@given(st.lists(drawn, min_size=1, max_size=9))
def test_any_forest_loops_of_parents_included_makes_a_trace(spans):
    answered = len({s.span_id for s in spans if s.kind == "model"})
    trace = read(*spans)
    tables = trace.tables
    assert set(tables["calls"]["thread"]) <= set(tables["threads"]["thread"])
    assert (
        len(tables["rounds"]["round"])
        <= answered + sum(s.kind == "tool" for s in spans) + sum(bool(s.sent) for s in spans) * 3
    )


def test_dotted_and_nested_attributes_are_the_same():
    flat = Attributes({"a.0.b.c": 1, "a.1.b.c": 2, "a.10.b": 3, "x": "v", "x.y": 4, "n": "12"})
    assert flat.get("a") == [{"b": {"c": 1}}, {"b": {"c": 2}}, {"b": 3}]
    assert (flat.get("x"), flat.get("x.y"), flat.count("n")) == ("v", 4, 12)
    given_dict = {"a": {"b": 1}, "a.c": 2}
    nested = Attributes(given_dict)
    assert (nested.get("a.b"), nested.get("a.c")) == (1, 2)
    assert given_dict == {"a": {"b": 1}, "a.c": 2}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}), ("{'a': True, 'b': None}", {"a": True, "b": None}),
        ("('a', 1)", ["a", 1]), ("{'a': __import__('os')}", "{'a': __import__('os')}"),
        ("[" * 5000 + "]" * 5000, "[" * 5000 + "]" * 5000), ("{'a': 1" , "{'a': 1"),
        ("plain words", "plain words"), ("['x'" + ", 'x'" * 100_000 + "]", None),
    ],
)  # fmt: skip
def test_python_literals_are_parsed_within_bounds_and_nothing_runs(text, value):
    assert loose(text) == (text if value is None else value)
