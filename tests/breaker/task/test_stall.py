"""Stall: three questions a round, and three rounds without a yes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.breaker.machine import Machine
from agentlens.breaker.seen import SeenCall, SeenRound
from agentlens.breaker.task.goal import Condition, Goal, failing_tests, filled, required
from agentlens.breaker.task.stall import STALL_ROUNDS, Answers, Stall

CALL = SeenCall(1, "web_search", "search", {}, "", (), "")


def seen(number: int, calls=(CALL,)) -> SeenRound:
    return SeenRound("main", 1, number, "search", calls)


def played(goal: Goal, facts: list[dict], **options) -> tuple[Stall, int | None]:
    """Return the rule, and the round after which it stops, when facts are as listed."""
    now = [facts[0]]
    rule = Stall(goal, lambda: now[0], **options)
    for number, known in enumerate(facts[1:], 1):
        now[0] = known
        assert rule.before(seen(number)) is None
        if rule.after(seen(number), ()):
            return rule, number
    return rule, None


def test_r38_three_rounds_without_progress_are_a_stall():
    assert STALL_ROUNDS == 3  # 连续三轮
    goal = Goal((filled("a", "b"),))
    filling = [{}, {"evidence": {"a": 1}}, *[{"evidence": {"a": 1}, "pages": n} for n in range(5)]]
    rule, stopped = played(goal, filling)
    assert stopped == 4  # round 1 moved, 2 to 4 did not
    assert rule.count == 3
    assert played(goal, filling, rounds=5)[1] == 6
    machine = Machine()
    assert machine.fire("no_progress", round=stopped) == "stalled"


def test_r38_the_reason_names_the_rounds_and_what_is_missing():
    now: dict = {}
    rule = Stall(Goal((filled("price", name="the price"),)), lambda: now)
    findings = [rule.after(seen(n), ()) for n in (1, 2, 3)]
    assert findings[:2] == [None, None]
    assert findings[2].reason == "round 3: 3 rounds brought nothing towards the price"
    assert (findings[2].rule, findings[2].level, findings[2].calls) == ("stall", "stop", (1,))


@pytest.mark.parametrize(
    ("facts", "answers"),
    [
        ([{"evidence": {}}, {"evidence": {"a": 1}}], Answers(True, False, False)),
        ([{"blockers": ["login"]}, {"blockers": []}], Answers(False, True, False)),
        ([{"state": {"file": 1}}, {"state": {"file": 2}}], Answers(False, False, True)),
        ([{"state": {"a": 1, "b": 2}}, {"state": {"b": 2, "a": 1}}], Answers(False, False, False)),
        ([{"blockers": []}, {"blockers": ["login"]}], Answers(False, False, False)),
    ],
)
def test_r38_three_questions_are_asked_of_every_round(facts, answers):
    rule, _ = played(Goal((filled("a"),)), facts)
    assert rule.answers == [answers]


def test_r38_what_is_lost_and_won_back_is_no_progress():
    """An agent that breaks what it mended goes in circles, whatever it changes."""
    tests = Goal((failing_tests(at_first=4),))
    ups_and_downs = [{"failing_tests": n} for n in (4, 2, 4, 2, 4, 2)]
    assert played(tests, ups_and_downs)[1] == 4
    blocked = [{"blockers": b} for b in (["x"], [], ["x"], [], ["x"], [])]
    assert played(Goal(), blocked)[1] == 4
    back = [{"state": s} for s in (0, 1, 0, 1, 0, 1)]
    assert played(Goal(), back)[1] == 4


def test_r24_any_function_of_the_user_is_a_measure():
    goal = Goal((Condition("rows", lambda facts: facts["rows"], 100),))
    growing = [{"rows": n} for n in range(0, 90, 10)]
    assert played(goal, growing)[1] is None
    assert played(goal, [{"rows": 5}] * 6)[1] == 3
    assert (
        played(Goal((required("name"),)), [{"fields": {}, "clicks": n} for n in range(9)])[1] == 3
    )


def test_without_anything_to_measure_it_says_nothing():
    assert played(Goal(), [{}] * 20)[1] is None


def test_rounds_without_calls_do_not_count():
    rule = Stall(Goal((filled("a"),)), dict)
    assert [rule.after(seen(n, ()), ()) for n in range(9)] == [None] * 9
    assert rule.count == 0


@given(st.lists(st.integers(0, 6), min_size=1, max_size=30), st.integers(1, 5))
def test_r38_against_a_slow_count(values, rounds):
    """A round moves if and only if it beats everything before it."""
    goal = Goal((Condition("n", lambda facts: facts["n"], 99),))
    want, idle = None, 0
    for place, value in enumerate(values[1:], 1):
        idle = 0 if value > max(values[:place]) else idle + 1
        if idle >= rounds:
            want = place
            break
    assert played(goal, [{"n": v} for v in values], rounds=rounds)[1] == want
