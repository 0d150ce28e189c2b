"""Sub-agents: limits, goals that are not dispatched twice, and circles of waiting."""

from __future__ import annotations

from fractions import Fraction
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.breaker.budgets.amounts import Amounts, Limits
from agentlens.breaker.budgets.limits import Budget
from agentlens.breaker.budgets.shares import ChildResult, FamilyLimits, goal_fingerprint
from agentlens.breaker.task.sub_agents import Family
from agentlens.errors import PolicyError

MORE = ChildResult("needs_more", missing=("price",))


def test_r42_depth_total_and_concurrency_are_limited():
    family = Family(FamilyLimits(depth=2, total=4, at_once=2))
    one = family.dispatch("goal one").name
    two = family.dispatch("goal two", parent=one).name
    assert family.dispatch("goal three", parent=two).cause == "depth"
    assert family.dispatch("goal four").cause == "at_once"
    family.finish(two, ChildResult("completed"))
    three = family.dispatch("goal five").name
    family.finish(three, ChildResult("partial"))
    family.finish(family.dispatch("goal six").name, ChildResult("failed"))
    refused = family.dispatch("goal seven")
    assert (refused.cause, refused.reason) == ("total", "total: 4 of 4 are used")
    assert not refused.granted
    assert family.dispatch("x", parent="nobody").cause == "unknown_parent"


@pytest.mark.parametrize(
    "again", ["Find the price of steel", "price of steel: find the", "ｆｉｎｄ THE price, of steel"]
)
def test_r42_one_goal_is_not_dispatched_twice(again):
    family = Family()
    name = family.dispatch("find the price of steel").name
    assert family.dispatch(again).cause == "same_goal"
    family.finish(name, ChildResult("partial"))
    assert family.dispatch(again).reason == f"{name} returned partial, with the same goal"
    assert family.dispatch("find the price of copper").granted


def test_r42_goals_in_other_words_can_be_the_same_goal_too():
    family = Family(FamilyLimits(similarity=Fraction(4, 5)))
    assert family.dispatch("北京天气").granted
    assert family.dispatch("北京今日天气 气温").cause == "same_goal"
    assert family.dispatch("能源补贴政策").granted


def test_r42_that_it_needs_more_research_is_no_ground_to_start_it_again():
    family = Family()
    family.finish(family.dispatch("price of steel").name, MORE)
    assert family.dispatch("price of steel").cause == "same_goal"
    claimed = family.dispatch("price of steel", brings=["more research"])
    assert claimed.cause == "nothing_new"


def test_r42_a_source_that_it_named_is_a_ground_once():
    family = Family()
    found = ChildResult("needs_more", missing=("price",), sources=("lme.com",))
    family.finish(family.dispatch("price of steel").name, found)
    second = family.dispatch("price of steel", brings=["lme.com"])
    assert second.granted
    assert family.dispatch("price of steel", brings=["lme.com"]).cause == "nothing_new"
    family.finish(second.name, found)
    assert family.dispatch("price of steel", brings=["lme.com"]).cause == "nothing_new"


def test_r42_a_result_has_a_status_and_fields():
    with pytest.raises(PolicyError, match="status: 'fine' is none of completed, partial"):
        ChildResult("fine")
    family = Family()
    name = family.dispatch("a goal").name
    assert family.results == {name: None}
    family.finish(name, ChildResult("completed", {"price": 3}))
    assert family.results[name].facts == {"price": 3}
    with pytest.raises(KeyError):
        family.finish("main/99", MORE)


def test_r42_a_sub_agent_draws_on_its_parent_s_budget():
    budget = Budget(Limits(tokens=100), reserve=Limits(), clock=lambda: 0.0)
    family = Family(budget=budget)
    one = family.dispatch("one", wanted=Limits(tokens=70))
    assert family.dispatch("two", wanted=Limits(tokens=40)).cause == "budget"
    inner = family.dispatch("three", parent=one.name, wanted=Limits(tokens=35))
    assert one.budget.left() == Limits(tokens=0)  # its own finalizer keeps the other half
    inner.budget.spend(Amounts(tokens=20))
    assert budget.used.tokens == 20
    family.finish(inner.name, ChildResult("completed"))
    family.finish(one.name, ChildResult("completed"))
    assert budget.left().tokens == 80


def test_r46_no_sub_agent_starts_once_the_run_is_stopping():
    family = Family()
    one = family.dispatch("one").name
    family.block()
    assert family.dispatch("two").cause == "stopping"
    family.finish(one, ChildResult("partial"))  # one at work may finish
    assert family.results[one].status == "partial"


def test_r42_two_that_wait_for_each_other_are_found():
    """S5."""
    family = Family()
    one, two = family.dispatch("one").name, family.dispatch("two").name
    assert family.wait("main", one) == ()
    assert family.wait(one, two) == ()
    assert family.wait(two, one) == (two, one)
    family.finish(two, ChildResult("failed"))
    assert family.wait(one, two) == ()  # finished: no waiting


def test_r42_a_circle_through_the_main_agent_is_found():
    family = Family()
    one = family.dispatch("one").name
    family.wait("main", one)
    assert set(family.wait(one, "main")) == {"main", one}
    assert family.wait(one, one) == (one,)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=30))
def test_r42_waiting_never_holds_a_circle(pairs):
    """Against a slow search for a way back, edge by edge."""
    family, edges = Family(FamilyLimits(total=9, at_once=9)), set()
    names = [family.dispatch(f"goal {'abcdef'[k]}").name for k in range(6)]

    def leads(start, goal):
        seen, todo = set(), [start]
        while todo:
            here = todo.pop()
            if here == goal:
                return True
            if here not in seen:
                seen.add(here)
                todo += [b for a, b in edges if a == here]
        return False

    for a, b in pairs:
        closes = leads(b, a)
        circle = family.wait(names[a], names[b])
        assert bool(circle) == closes
        if circle:
            assert circle[0] == names[a]
        else:
            edges.add((a, b))


def test_threads_that_dispatch_at_once_keep_the_limits():
    family = Family(FamilyLimits(total=5, at_once=5))
    told = []

    def work(n):
        told.append(family.dispatch(f"goal {n % 10}").granted)

    threads = [Thread(target=work, args=(n,)) for n in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told.count(True) == 5 == len(family.results)


def test_goals_without_a_token_are_their_text():
    assert goal_fingerprint("！？") != goal_fingerprint("……")
    with pytest.raises(PolicyError, match="depth: -1"):
        FamilyLimits(depth=-1)
