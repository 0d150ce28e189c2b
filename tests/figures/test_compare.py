"""Two runs beside each other: every call once, in order, with what each policy says of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentlens as al

INCIDENT = ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时"]


def run(queries: list[str], **columns: Any) -> al.Trace:
    return al.load(
        [
            {"round": n, "tool": "web_search", "args": {"query": q}, "result": f"about {q}",
             **columns}
            for n, q in enumerate(queries, 1)
        ]
    )  # fmt: skip


def test_calls_in_both_and_in_one_of_them() -> None:
    made = al.compare(run(["rain", "snow", "wind"]), run(["rain", "wind", "hail"]), "classic")
    frame = made.calls
    assert list(frame["in"]) == ["both", "a", "both", "b"]
    assert list(frame["asked"]) == ["rain", "snow", "wind", "hail"]
    assert list(frame["call_a"].fillna(0)) == [1, 2, 3, 0]
    assert list(frame["call_b"].fillna(0)) == [1, 0, 2, 3]
    assert (made.both, made.only_a, made.only_b, made.parts_at) == (2, 1, 1, 1)
    assert "Calls in both: 2; only in A: 1; only in B: 1." in made.text()
    assert "after 1 call in common: A calls web_search (snow), B calls web_search (wind)" in str(
        made
    )


@given(st.data())
def test_every_call_stands_once_in_its_order(data: st.DataObject) -> None:
    words = st.lists(st.sampled_from(["rain", "snow", "wind"]), min_size=1, max_size=12)
    one, other = data.draw(words), data.draw(words)
    made = al.compare(run(one), run(other), "classic")
    for side, queries in ((0, one), (1, other)):
        places = [step[side] for step in made.steps if step[side] is not None]
        assert places == list(range(len(queries)))
    for a, b in made.steps:
        if a is not None and b is not None:
            assert one[a] == other[b]


def test_equal_calls_are_equal_whatever_a_run_repeats() -> None:
    """What one run shows to be volatile must not part its calls from the other's."""
    calls = [
        {"round": n, "tool": "bash", "args": {"command": "ls", "stamp": f"{n:032x}"}, "result": "x"}
        for n in range(1, 9)
    ]
    made = al.compare(al.load(calls), al.load(calls[4:]), "classic")
    assert (made.both, made.only_a, made.only_b) == (4, 4, 0)


def test_one_run_under_two_policies() -> None:
    incident = run(INCIDENT)
    made = al.compare(incident, policy="classic", other=al.Policy.preset("classic", threshold=3))
    assert made.one_run
    assert [made.a.trip.round, made.b.trip.round] == [3, 4]
    frame = made.calls
    assert set(frame["in"]) == {"both"}
    assert list(frame["state_a"]) == ["running", "running", "stalled", "partial", "partial"]
    assert list(frame["state_b"]) == ["running", "running", "running", "stalled", "partial"]
    assert "The state differs in 2 rounds" in made.text()
    assert "有 2 轮状态不同" in made.text("zh")


def test_the_same_call_with_another_result_is_said() -> None:
    one, other = run(["rain", "snow"], result="at 10:00:01 dry"), run(["rain", "snow"])
    made = al.compare(one, other, "classic")
    assert made.same_result == (False, False)
    assert "2 of the calls in both had another result" in made.text()
    later = run(["rain", "snow"], result="at 11:30:59 dry")
    assert al.compare(one, later, "classic").same_result == (True, True)


def test_a_replay_keeps_its_policy() -> None:
    made = al.compare(al.replay(run(INCIDENT), "classic"), run(INCIDENT), other="openhands")
    assert [made.a.policy.name, made.b.policy.name] == ["classic", "openhands"]


def test_one_run_and_one_policy_is_nothing_to_compare() -> None:
    with pytest.raises(al.TraceError, match="two runs, or one run and two policies"):
        al.compare(run(INCIDENT), policy="classic")


def test_runs_without_calls() -> None:
    empty = al.load([{"round": 1, "tool": None, "text": "hello"}])
    made = al.compare(empty, empty.with_tools({}), "classic")
    assert made.text().endswith("Neither run has a call.")
    assert list(made.calls.columns)[:4] == ["in", "tool", "asked", "same_result"]


def test_the_notebook_shows_text_and_a_picture_that_does_not_grow() -> None:
    evil = "<img src=x onerror=alert(1)>"
    one = run([f"{evil} {n}" for n in range(3000)])
    other = run([f"{evil} {n}" for n in range(0, 3000, 2)])
    made = al.compare(one, other, "classic")
    shown = made._repr_html_()
    assert (made.both, made.only_a) == (1500, 1500)
    assert "<img" not in shown
    assert len(shown) < 40_000
