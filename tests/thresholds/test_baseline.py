"""The calibrated step count: its rank by hand, and its promise by leaving each run out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentlens as al
from agentlens.thresholds.baseline import calibrated_steps, longest_request, step_limit


@pytest.mark.parametrize(
    ("runs", "share", "limit"),
    [
        (19, 0.05, 19),  # LoopBrake's rule: 19 good runs are the least, and give the longest
        (18, 0.05, None),
        (39, 0.05, 38),
        (9, 0.1, 9),
        (8, 0.1, None),
        (3, 0.25, 3),
        (100, 0.2, 81),
        (0, 0.05, None),
    ],
)
def test_the_rank(runs, share, limit):
    assert step_limit(list(range(runs, 0, -1)), share).limit == limit


@given(
    st.lists(st.integers(0, 60), min_size=4, max_size=30),
    st.sampled_from([0.05, 0.1, 0.2, 0.3, 0.5]),
)
def test_of_all_runs_left_out_in_turn_few_are_longer(lengths, share):
    """Any of n + 1 runs may be the new one; at most a share exceeds what the others give."""
    longer = 0
    for place, length in enumerate(lengths):
        limit = step_limit(lengths[:place] + lengths[place + 1 :], share).limit
        longer += limit is not None and length > limit
    assert longer <= share * len(lengths) + 1e-9


def test_it_says_what_it_needs():
    assert step_limit([4] * 5, 0.05).needed == 19
    assert step_limit([4] * 5, 0.1).needed == 9
    with pytest.raises(ValueError, match="not within"):
        step_limit([1], 1.0)


def run(rounds, requests=1):
    rows = []
    for request in range(requests):
        rows.append({"role": "user", "text": f"task {request}"})
        rows += [{"tool": "bash", "args": {"command": f"c{i}"}} for i in range(rounds)]
        rows.append({"tool": None, "text": "done"})
    numbered, number = [], 0
    for row in rows:
        number += row.get("role") != "user"
        numbered.append({"round": number, **row})
    return al.load(numbered)


def test_rounds_with_calls_count_in_each_request():
    assert longest_request(run(3)) == 3
    assert longest_request(run(3, requests=4)) == 3


def test_the_unit_is_the_task_and_only_good_runs_count():
    from agentlens.trace.labels import Label

    traces = [run(3), run(7), run(5), run(90)]
    labels = [Label("good", task="a"), Label("good", task="a"), Label("good"), Label("loop")]
    found = calibrated_steps(al.Corpus(traces, labels=labels), share=0.5)
    assert (found.runs, found.limit) == (2, 7)
