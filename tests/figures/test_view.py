"""One thread in a row: positions, sequences, times, masked texts."""

from __future__ import annotations

import pytest

import agentlens as al
from agentlens.figures.view import default_thread, view_of
from agentlens.trace.build import TraceBuilder


def two_threads():
    builder = TraceBuilder("plain")
    builder.user("first")
    a = builder.round()
    call = builder.call(a, "web_search", {"query": "alpha beta"})
    builder.thread("helper", parent="main", parent_call="call-1")
    for _ in range(3):
        builder.call(builder.round(thread="helper"), "web_search", {"query": "gamma delta"})
    builder.result(call, "done")
    builder.user("second")
    builder.call(builder.round(), "web_search", {"query": "alpha beta"})
    return builder.finish()


def test_a_view_holds_one_thread_in_order():
    replay = al.replay(two_threads(), "classic")
    main, helper = view_of(replay, "main"), view_of(replay, "helper")
    assert main.rows == (0, 4)
    assert helper.rows == (1, 2, 3)
    assert main.sequence == (0, 1)  # two requests
    assert helper.sequence == (0, 0, 0)
    assert helper.trips == {0: 2}
    assert helper.counterfactual == [False, False, True]
    assert [replay.signals.queries[q].text for q in main.queries] == ["alpha beta"] * 2


def test_the_thread_of_the_trip_comes_first():
    trace = two_threads()
    assert default_thread(al.replay(trace, "classic")) == "helper"
    never = al.replay(trace, al.Policy.preset("classic", threshold=9))
    assert default_thread(never) == "helper"  # it asks most
    assert default_thread(al.replay(TraceBuilder("plain").finish(), "classic")) == "main"


def test_an_unknown_thread_is_named():
    with pytest.raises(al.TraceError, match="no thread 'other'; there are: helper, main"):
        view_of(al.replay(two_threads(), "classic"), "other")


def timed(*rounds):
    builder = TraceBuilder("plain")
    for started, seconds in rounds:
        builder.call(builder.round(started=started, seconds=seconds), "web_search", {"query": "x"})
    return view_of(al.replay(builder.finish(), "classic")).times


def test_times_come_from_the_log():
    assert timed((100.0, 5.0), (110.0, 20.0), (115.0, 2.0)) == (
        [0.0, 10.0, 15.0],
        [5.0, 15.0, 17.0],  # a round ends at the latest where the next one starts
    )


def test_durations_alone_follow_each_other():
    assert timed((None, 7.0), (None, 3.0)) == ([0.0, 7.0], [7.0, 10.0])


@pytest.mark.parametrize(
    "rounds", [[(None, None)] * 2, [(None, 7.0), (None, None)], [(5.0, 1.0)], []]
)
def test_nothing_is_invented(rounds):
    found = timed(*rounds)
    assert found is None or rounds == [(5.0, 1.0)]


def test_times_never_run_backwards():
    starts, ends = timed((100.0, 1.0), (90.0, 1.0), (120.0, 1.0))
    assert starts == sorted(starts)
    assert all(a <= b for a, b in zip(starts, ends, strict=True))


def test_masked_texts_are_short_and_without_secrets():
    view = view_of(al.replay(two_threads(), "classic"))
    key = "sk-" + "a1B2" * 8
    assert key not in view.masked(f"call with {key} and {'x' * 200}")
    assert len(view.masked("y" * 500)) == 80
    assert view.masked(key) == view.masked(key)


def test_a_message_takes_no_time_of_its_own():
    builder = TraceBuilder("plain")
    builder.round(number=0)
    for _ in range(2):
        builder.call(builder.round(seconds=7.0), "web_search", {"query": "x"})
    builder.round(text="the answer")
    starts, ends = view_of(al.replay(builder.finish(), "classic")).times
    assert starts == [0.0, 0.0, 7.0, 14.0]
    assert ends == [0.0, 7.0, 14.0, 14.0]
