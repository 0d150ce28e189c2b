"""Replan: counted by itself, once, and only for a plan that is new in substance."""

from __future__ import annotations

import pytest

from agentlens.breaker.budgets.amounts import Amounts, Limits
from agentlens.breaker.budgets.limits import Budget
from agentlens.breaker.machine import IllegalTransitionError, Machine
from agentlens.breaker.task.replan import Action, Plan, Replanner, same_action

DONE = (
    Action("web_search", {"query": "北京天气"}),
    Action("web_search", {"query": "北京 今日天气"}),
    Action("read_file", {"path": "a.txt", "lines": 10}),
)


def given_to(replanner: Replanner, left: Limits | None = None):
    return replanner.handover(facts=["价格已核实"], forbidden=DONE, left=left)


def search(query: str) -> Action:
    return Action("web_search", {"query": query})


NEW_SOURCE = Plan(
    [Action("open_page", {"url": "https://weather.cma.cn/beijing"})], source="weather.cma.cn"
)


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        (Plan([]), "it names no action"),
        # the same search, reordered, in other words, in capitals
        (Plan([search("天气 北京")], constraint="official sites"), "web_search was done already"),
        (Plan([search("北京天气 预报")], source="预报"), "web_search was done already"),
        # reordered arguments are the same arguments
        (Plan([Action("read_file", {"lines": 10, "path": "a.txt"})]), "read_file was done already"),
        # new, but it says no difference
        (Plan([search("能源补贴政策")]), "it names no new source, tool or constraint"),
        # a difference that is only claimed
        (Plan([search("能源补贴政策")], tool="browser"), "what it calls new is not"),
        (Plan([search("能源补贴政策")], tool="web_search"), "what it calls new is not"),
        (Plan([search("能源补贴政策")], source="weather.cma.cn"), "what it calls new is not"),
        (Plan([search("能源补贴政策 a.txt")], source="a.txt"), "what it calls new is not"),
    ],
)  # fmt: skip
def test_r39_the_same_actions_in_new_words_are_no_new_plan(plan, reason):
    replanner = Replanner(limit=3)
    verdict = replanner.judge(plan, given_to(replanner))
    assert not verdict.granted
    assert reason in verdict.reason
    assert verdict.event == "replan_exhausted"
    assert replanner.count == 0


@pytest.mark.parametrize(
    "plan",
    [
        NEW_SOURCE,
        Plan([Action("sql", {"query": "select 1"})], tool="SQL"),
        Plan([search("能源补贴政策")], constraint="only after 2024"),
    ],
)
def test_r39_a_new_source_tool_or_constraint_is_a_new_plan(plan):
    replanner = Replanner()
    assert replanner.judge(plan, given_to(replanner)).event == "novel_plan"


def test_r39_at_most_one_replan():
    replanner = Replanner()
    assert replanner.judge(NEW_SOURCE, given_to(replanner)).granted
    other = Plan([Action("sql", {"q": 1})], tool="sql")
    refused = replanner.judge(other, given_to(replanner))
    assert not refused.granted
    assert refused.reason == "1 of 1 replans are used"
    assert Replanner(limit=0).judge(NEW_SOURCE, given_to(Replanner(0))).event == "replan_exhausted"


def test_r40_a_replan_is_given_facts_forbidden_actions_and_what_is_left():
    budget = Budget(Limits(steps=10, tokens=9_000), reserve=Limits(), clock=lambda: 0.0)
    budget.spend(Amounts(steps=4, tokens=3_000))
    replanner = Replanner()
    handed = given_to(replanner, budget.left())
    assert (handed.facts, handed.forbidden) == (("价格已核实",), DONE)
    assert (handed.left, handed.replans_left) == (Limits(steps=6, tokens=6_000), 1)
    for lang, words in (("zh", "不得再做"), ("en", "Not to be done again")):
        said = handed.prompt(lang)
        assert words in said
        for part in ("价格已核实", '"query":"北京天气"', "steps 6", "tokens 6000"):
            assert part in said


def test_r40_replans_are_counted_apart_and_give_no_budget_back():
    budget = Budget(Limits(steps=10), reserve=Limits(), clock=lambda: 0.0)
    budget.spend(Amounts(steps=4))
    replanner = Replanner()
    assert replanner.judge(NEW_SOURCE, given_to(replanner, budget.left())).granted
    assert (replanner.count, budget.used.steps, budget.left().steps) == (1, 4, 6)


def test_r41_under_new_evidence_a_replan_needs_something_found_since():
    """A-22: the stall report is a new constraint once; under the other policy it is none."""
    other = Plan([Action("sql", {"q": 1})], tool="sql")
    strict = Replanner(limit=3, policy="new_evidence")
    given = given_to(strict)
    assert strict.judge(NEW_SOURCE, given).reason == "nothing was found since the last plan"
    assert strict.judge(NEW_SOURCE, given, evidence=["doc-1"]).granted
    assert not strict.judge(other, given, evidence=["doc-1"]).granted  # the same evidence
    assert strict.judge(other, given, evidence=["doc-1", "doc-2"]).granted


def test_r41_a_constraint_counts_once():
    replanner = Replanner(limit=3)
    given = given_to(replanner)
    first = Plan([search("能源补贴政策")], constraint="Only after 2024")
    again = Plan([search("设备能耗 排名")], constraint="only  after ２０２４")
    assert replanner.judge(first, given).granted
    assert not replanner.judge(again, given).granted


def test_r39_one_probe_then_it_moves_or_ends():
    """What a granted plan does in the machine (A-41), and what a failed probe leads to."""
    for moved, states in (
        (True, ["stalled", "running"]),
        (False, ["stalled", "running", "stalled"]),
    ):
        replanner, machine = Replanner(), Machine()
        machine.fire("no_progress", round=3)
        machine.fire(replanner.judge(NEW_SOURCE, given_to(replanner)).event, round=4)
        assert replanner.probing
        event = replanner.probed(progress=moved)
        assert not replanner.probing
        if event:
            machine.fire(event, round=4)
        assert [t.target for t in machine.path] == states
    with pytest.raises(IllegalTransitionError):
        machine.fire("goal_met")
    machine.fire(replanner.judge(Plan([Action("sql", {})], tool="sql"), given_to(replanner)).event)
    assert machine.state == "finalizing"


def test_searches_for_the_same_are_one_action():
    assert same_action(search("北京天气"), search("天气，北京"))
    assert not same_action(search("北京天气"), search("能源补贴政策"))
    assert not same_action(search("北京天气"), Action("news_search", {"query": "北京天气"}))
    assert not same_action(Action("write", {"path": "a"}), Action("write", {"path": "b"}))


def test_a_policy_that_is_none_is_refused():
    with pytest.raises(ValueError, match="policy: 'any' is none of stall_report, new_evidence"):
        Replanner(policy="any")
