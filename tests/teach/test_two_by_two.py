"""Four replays of one recorded run; only bad search without a breaker diverges."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentlens as al
from agentlens.teach.two_by_two import fix_trigger, incident, suggested, two_by_two


def searches(*queries):
    return al.load([
        {"round": n, "tool": "web_search" if q else "read_file", "args": {"query": q or "x"},
         "result": "r", "seconds": 2} for n, q in enumerate(queries, 1)
    ])  # fmt: skip


def test_the_incident():
    grid = two_by_two(incident(), "classic")
    said = {key: (grid[key].rounds, grid[key].diverges)
            for key in ((False, False), (False, True), (True, False), (True, True))}  # fmt: skip
    assert said == {
        (False, False): (5, True), (False, True): (2, False),
        (True, False): (1, False), (True, True): (1, False),
    }  # fmt: skip
    assert grid[False, False].seconds == pytest.approx(35.875)
    assert grid[False, True].seconds == pytest.approx(14.35)
    assert grid[True, True].seconds == pytest.approx(7.175)
    numbers = incident().tables["rounds"]["round"]
    assert [numbers[row] for row in grid.useless] == [1, 2, 3, 4, 5]


def test_only_what_followed_a_useless_result_goes():
    trace = searches("天气", "今日天气", None, "股票", "天气预报")
    assert suggested(trace, "classic") == (0, 1, 4)
    fixed = fix_trigger(trace, {0})
    assert fixed.tables["rounds"]["round"] == [1, 3, 4, 5]
    assert fix_trigger(trace, {2}).tables["rounds"]["round"] == [1, 2, 3, 5]
    assert fix_trigger(trace, ()).tables["rounds"]["round"] == [1, 2, 3, 4, 5]
    assert two_by_two(trace, "classic", [1])[True, False].rounds == 5  # a read follows it


def test_a_new_request_and_another_thread_start_anew():
    rows = [
        {"role": "user", "text": "a"},
        {"round": 1, "tool": "web_search", "args": {"query": "天气"}, "result": ""},
        {"role": "user", "text": "b"},
        {"round": 2, "tool": "web_search", "args": {"query": "天气"}, "result": ""},
        {"round": 1, "tool": "web_search", "args": {"query": "天气"}, "result": "", "thread": "s"},
        {"round": 2, "tool": "web_search", "args": {"query": "天气"}, "result": "", "thread": "s"},
    ]
    fixed = fix_trigger(al.load(rows), range(4))
    places = list(zip(fixed.tables["rounds"]["thread"], fixed.tables["rounds"]["round"],
                      strict=True))  # fmt: skip
    assert sorted(places) == [("main", 1), ("main", 2), ("s", 1)]


@given(st.lists(st.sampled_from(["天气", "今日天气", "股票", None]), min_size=1, max_size=8),
       st.sets(st.integers(0, 7)))  # fmt: skip
def test_no_cell_executes_more_than_the_record(queries, useless):
    grid = two_by_two(searches(*queries), "classic", useless & set(range(len(queries))))
    recorded = grid[False, False]
    assert recorded.rounds == len(queries)
    for fixed in (False, True):
        assert grid[fixed, True].rounds <= grid[fixed, False].rounds <= recorded.rounds
        assert not grid[fixed, True].diverges
