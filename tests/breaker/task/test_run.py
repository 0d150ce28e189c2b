"""A task under the whole design: every part at work together, in a host's plain loop."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import agentlens as al
from agentlens.breaker.budgets.amounts import DIMENSIONS, Amounts, Limits
from agentlens.breaker.budgets.limits import ToolTimeouts
from agentlens.breaker.machine import IllegalTransitionError
from agentlens.breaker.task.checkpoint import CheckpointError, read
from agentlens.breaker.task.endings import ending_of
from agentlens.breaker.task.goal import Goal, filled
from agentlens.breaker.task.messages import lint_message
from agentlens.breaker.task.replan import Action, Plan
from agentlens.breaker.task.sub_agents import ChildResult, FamilyLimits
from agentlens.errors import PolicyError

GOAL = Goal((filled("price", "supplier"),))
TOOLS = {"pay": "write"}


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def start(tmp_path: Path):
    def started(policy=None, **options) -> al.Run:
        options = {"task": "task-7", "path": tmp_path / "task.json", "tools": TOOLS, **options}
        return al.Run(policy, **options)

    return started


def open_page(number: int) -> dict:
    return {"tool": "open_page", "args": {"url": f"https://example.org/{number}"}}


def turn(run: al.Run, *calls: dict, **said) -> al.Decision:
    """Play one round in which every call that may run brings a line of its own."""
    decision = run.before(calls, **said)
    if not decision.stop:
        run.after([{"result": f"line {call['args']}"} for call in calls])
    return decision


def steps(run: al.Run) -> list[tuple[str, str]]:
    return [(step.event, step.target) for step in run.path]


def stall(run: al.Run, first: int = 0) -> None:
    for number in range(first, first + 20):
        if turn(run, open_page(number)).stop:
            return
    raise AssertionError("never stalled")


NEW = Plan([Action("ask_vendor", {"name": "acme"})], tool="ask_vendor")


def test_r38_r39_stalled_then_one_probe_then_running_then_the_end(start):
    facts: dict = {"evidence": {}}
    run = start(goal=GOAL, facts=facts)
    stall(run)
    assert (run.state, run.path[0].round) == ("stalled", 3)
    assert run.replan(NEW).granted
    assert run.state == "running"
    calls = [{"tool": "ask_vendor", "args": {"name": "acme"}}, open_page(90)]
    assert run.before(calls).blocked == (1,)  # a probe is one call
    facts["evidence"]["price"] = 3
    assert run.after([{"result": "3"}]).action == "proceed"
    assert run.before([open_page(91), open_page(92)]).blocked == ()  # it moved: no probe any more
    facts["evidence"]["supplier"] = "acme"
    run.after([{"result": "a"}, {"result": "b"}])
    assert run.end(["price 3"]).state == "completed"
    assert steps(run) == [
        ("no_progress", "stalled"), ("novel_plan", "running"),
        ("goal_met", "finalizing"), ("result_saved", "completed"),
    ]  # fmt: skip
    told = [e for e in run.events if e["event"] == "transition"]
    assert [e["by"] for e in told] == [event for event, _ in steps(run)]


def test_r39_a_probe_that_brings_nothing_ends_the_run(start):
    run = start(goal=GOAL, facts={"evidence": {}})
    stall(run)
    run.replan(NEW)
    run.before([{"tool": "ask_vendor", "args": {"name": "acme"}}])
    assert run.after([{"result": "no idea"}]).stop
    assert steps(run)[-2:] == [("no_progress", "stalled"), ("replan_exhausted", "finalizing")]
    with pytest.raises(IllegalTransitionError):
        run.replan(NEW)


def test_r39_r40_a_plan_in_new_words_ends_the_run_and_the_budget_stays_used(start):
    run = start(goal=GOAL, facts={"evidence": {}}, budget=Limits(steps=20))
    stall(run)
    given = run.handover()
    assert [a.args["url"] for a in given.forbidden] == [
        open_page(n)["args"]["url"] for n in (0, 1, 2)
    ]
    assert (given.left.steps, given.replans_left) == (15, 1)  # 20 less the reserve of 2, less 3
    again = Plan([Action("open_page", open_page(1)["args"])], constraint="slowly")
    assert not run.replan(again).granted
    assert run.state == "finalizing"
    assert run.budget.used.steps == 3


def test_r39_a_probe_that_does_what_was_forbidden_is_stopped(start):
    run = start(goal=GOAL, facts={"evidence": {}})
    stall(run)
    run.replan(NEW)
    assert run.before([open_page(1)]).rule == "probe"
    assert run.state == "finalizing"


def test_r40_a_replan_pays_nothing_back(start):
    run = start(goal=GOAL, facts={"evidence": {}}, budget=Limits(steps=5))
    stall(run)  # three of the four that the main loop may use
    assert run.replan(NEW).granted
    turn(run, {"tool": "ask_vendor", "args": {"name": "acme"}})
    assert run.before([open_page(50)]).stop
    assert run.budget.used.steps == 4


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_r32_r34_every_budget_stops_at_its_limit_and_the_finalizer_ends_within_the_reserve(
    start, dimension: str
):
    total = {"steps": 10, "seconds": 100.0, "tokens": 10_000, "calls": 10, "cost": 1.0}
    main = {"steps": 9, "seconds": 80.0, "tokens": 8_500, "calls": 9, "cost": 0.9}[dimension]
    clock = Clock()
    run = start(budget=Limits(**{dimension: total[dimension]}), goal=GOAL,
                facts=iter_facts(), clock=clock)  # fmt: skip
    used = 0
    for number in range(200):
        decision = run.before([open_page(number)], tokens=500, cost=0.1)
        assert not decision.stop
        used += 1
        clock.now += 10
        decision = run.after([{"result": f"line {number}"}])
        if decision.stop:
            break
    assert (decision.rule, run.state) == (f"budget_{dimension}", "finalizing")
    per_round = {"steps": 1, "seconds": 10, "tokens": 500, "calls": 1, "cost": 0.1}[dimension]
    assert used == round(main / per_round)  # the limit reached exactly is used up
    spent: list[float] = []

    def summarise(left: Limits) -> str:
        spent.append(getattr(left, dimension))
        if dimension == "seconds":
            clock.now += 1
        else:
            run.budget.spend(
                Amounts(**{dimension: {"tokens": 500, "cost": 0.01}.get(dimension, 0)})
            )
        return "what was found"

    ended = run.end(["price 3"], summarise=summarise)
    assert ended.state == "partial"
    assert spent[0] > 0
    assert run.budget.exhausted() == ()
    assert ended.checkpoint.stop["causes"] == [f"budget_{dimension}"]
    assert ending_of(run.path) == "budget"
    assert lint_message(ended.message("zh")) == lint_message(ended.message("en")) == []


def test_r38_a_round_that_only_waits_is_no_stall(start):
    run = start(goal=GOAL, facts={"evidence": {}})
    for _ in range(6):
        run.before([{"tool": "build_status", "args": {"id": "b-1"}}])
        assert not run.after([{"result": "status: running"}]).stop
    assert run.state == "running"
    assert [turn(run, open_page(n)).stop for n in range(4)] == [False, False, False, True]


def iter_facts():
    """Return facts that move every round, so that nothing but a budget stops."""
    state = iter(range(10**6))
    return lambda: {"evidence": {"price": 3}, "state": next(state)}


def test_r34_calls_beyond_the_budget_are_blocked_and_the_reserve_stays_whole(start):
    run = start(budget=Limits(calls=10), goal=GOAL, facts=iter_facts())
    turn(run, *map(open_page, range(7)))
    assert run.before(list(map(open_page, range(10, 15)))).blocked == (2, 3, 4)
    run.after([{"result": "a"}, {"result": "b"}])
    assert run.budget.used.calls == 9
    assert run.before([open_page(50)]).rule == "budget_calls"


def test_r33_a_call_that_takes_longer_than_its_tool_may_is_named(start):
    run = start(timeouts=ToolTimeouts(of_tool={"open_page": 5}))
    run.before([open_page(1)])
    told = run.after([{"result": "a", "seconds": 5}])
    assert (told.action, told.rule) == ("nudge", "tool_timeout")


def test_r32_a_policy_s_budgets_are_the_task_s(start):
    run = start(al.Policy(max_rounds=3))
    assert run.budget.main.steps == 3
    for number in range(3):
        assert not turn(run, open_page(number)).stop
    run.new_request("another question of the same task")
    assert turn(run, open_page(4)).rule == "budget_steps"  # nothing sets it back


def test_r30_a_run_without_a_goal_warns_in_its_end_report(start):
    ended = start().end(["x"])
    assert ended.state == "completed"  # the run itself said so
    assert "没有终态" in ended.message("zh")
    assert "no end state" in ended.message("en")
    assert "没有终态" not in start(goal=GOAL, facts={}).end(["x"]).message("zh")


def test_r31_a_run_that_gives_up_before_its_goal_is_partial_and_says_what_is_missing(start):
    run = start(goal=GOAL, facts={"evidence": {"price": 3}})
    turn(run, open_page(1))
    ended = run.end(["price 3"])
    assert ended.state == "partial"
    assert steps(run)[0] == ("no_progress", "stalled")
    assert "supplier" in ended.message("zh")
    with pytest.raises(RuntimeError):
        run.end()


PAY = {"tool": "pay", "args": {"amount": 5, "to": "ana"}}


def test_r36_r47_a_write_that_timed_out_is_asked_about_and_never_run_twice(start):
    run = start()
    run.before([PAY])
    run.after([{"result": "", "status": "timeout"}])
    decision = run.before([PAY])
    assert (decision.action, decision.blocked, decision.rule) == ("block", (0,), "ledger")
    run.after([])
    (entry,) = run.ledger.unconfirmed
    run.ledger.confirm(entry.key, took_effect=True)
    assert "its result stands" in run.before([dict(PAY)]).reason
    assert [e.attempts for e in run.ledger.entries] == [1]
    assert run.ledger.duplicates == 0


def test_r36_a_query_that_finds_that_it_failed_lets_it_run_again(start):
    run = start(query=lambda entry: False)
    run.before([PAY])
    run.after([{"result": "HTTP 503", "error": True}])  # who knows
    assert run.before([PAY]).action == "proceed"
    run.after([{"result": "paid"}])
    assert [(e.status, e.attempts, e.effects) for e in run.ledger.entries] == [("done", 2, 1)]


def test_r47_a_query_that_cannot_tell_waits_for_a_person(start, tmp_path):
    run = start(query=lambda entry: None)
    run.before([PAY])
    run.after([{"result": "connection reset", "error": True}])
    assert run.before([PAY]).stop
    assert run.state == "waiting_human"
    assert run.end(["x"]).checkpoint.ask == "pay"
    again = al.Run.resume(tmp_path / "task.json", tools=TOOLS)
    assert (again.state, again.task) == ("waiting_human", "task-7")
    assert again.before([open_page(1)]).stop
    again.ledger.confirm(again.ledger.unconfirmed[0].key, took_effect=True)
    assert again.answer(approved=True) == "running"
    assert again.before([PAY, open_page(1)]).blocked == (0,)  # paid already


def test_r36_the_same_write_twice_in_one_round_runs_once(start):
    run = start()
    assert run.before([PAY, dict(PAY)]).blocked == (1,)


def test_r35_a_file_written_over_by_another_write_may_be_written_again(start):
    run = start()
    for text in ("a", "b", "a"):
        call = {"tool": "write_file", "args": {"path": "x.txt", "text": text}}
        assert turn(run, call).action == "proceed"
    assert run.before([call]).blocked == (0,)
    assert run.ledger.duplicates == 0


def test_r36_one_key_for_two_different_writes_is_blocked_and_never_raises(start):
    run = start()
    turn(run, {"tool": "pay", "args": {"amount": 5, "idempotency_key": "k"}})
    decision = run.before([{"tool": "pay", "args": {"amount": 6, "idempotency_key": "k"}}])
    assert decision.blocked == (0,)
    assert "other arguments" in decision.reason
    assert [e for e in run.events if e["event"] == "guard_error"] == []


def test_r46_after_the_stop_nothing_runs_and_an_unknown_write_is_asked_about_first(start):
    run = start(goal=GOAL, facts={"evidence": {"price": 1}}, budget=Limits(steps=3),
                query=lambda entry: entry.attempts == 1 and None)  # fmt: skip
    turn(run, open_page(1))
    run.before([PAY])
    run.after([{"result": "", "status": "timeout"}])
    assert run.before([open_page(2)]).stop
    ended = run.end(["price"])
    assert ended.state == "waiting_human"
    assert run.dispatch("anything").cause == "stopping"
    assert steps(run)[-1] == ("write_unconfirmed", "waiting_human")


def test_r45_approval_goes_on_with_the_same_task(start, tmp_path):
    run = start(budget=Limits(steps=10))
    turn(run, PAY)
    run.ask("may the mail to all customers be sent?")
    assert run.before([open_page(1)]).stop
    assert "confirm" in run.closing_prompt("en")
    assert "may the mail" in run.end(["x"]).message("en")
    again = al.Run.resume(tmp_path / "task.json", tools=TOOLS)
    assert again.answer(approved=True) == "running"
    assert again.budget.used.steps == 1
    assert again.before([PAY]).blocked == (0,)
    assert [s.event for s in again.path] == ["approval_required", "approved"]


def test_r45_a_person_who_never_answers_ends_it_too(start):
    clock = Clock()
    run = start(clock=clock)
    run.ask("sign?")
    clock.now += 99
    assert run.check(patience=100) == "waiting_human"
    clock.now += 1
    assert run.check(patience=100) == "finalizing"
    assert run.end(["x"]).state == "partial"
    assert ending_of(run.path) == "human"


def test_r45_what_is_completed_is_not_resumed(start, tmp_path):
    start(goal=GOAL, facts={"evidence": {"price": 1, "supplier": 2}}).end(["x"])
    with pytest.raises(CheckpointError):
        al.Run.resume(tmp_path / "task.json")


def test_r43_no_safe_way_is_saved_before_it_fails(start, tmp_path):
    run = start(goal=GOAL, facts={})
    ended = run.end(unsafe="the only way deletes the customer's data", attempts=["asked twice"])
    assert (ended.state, read(tmp_path / "task.json").state) == ("failed", "failed")
    assert ending_of(run.path) == "unsafe"


def test_r42_sub_agents_draw_on_the_task_s_budget(start):
    run = start(budget=Limits(steps=20), family=FamilyLimits(total=2))
    child = run.dispatch("price of steel", wanted=Limits(steps=2))
    guard = run.thread(child.name)
    assert [turn(guard, open_page(n)).stop for n in range(3)] == [False, True, True]
    assert guard.state == "finalizing"
    assert run.state == "running"
    assert run.budget.used.steps == 1
    assert run.dispatch("Price of steel").cause == "same_goal"
    guard.finish(ChildResult("partial"))
    assert run.handover().left.steps == 17


def test_r42_two_that_wait_for_each_other_stall_the_task(start):
    run = start()
    one, other = (run.thread(run.dispatch(goal).name) for goal in ("ask legal", "ask sales"))
    assert one.wait(other._thread.name) == ()
    assert one._thread.name in other.wait(one._thread.name)
    assert run.state == "stalled"
    assert "wait for each other" in run.path[0].cause


def test_r15_r51_in_shadow_nothing_changes_and_everything_is_told(start):
    run = start("classic", mode="shadow", budget=Limits(steps=2))
    decisions = [turn(run, PAY) for _ in range(4)]
    assert {d.action for d in decisions} == {"proceed"}
    assert [d.would for d in decisions] == ["proceed", "stop", "stop", "stop"]
    assert run.state == "running"


def test_r09_r14_a_run_trips_where_its_policy_does(start):
    run = start("classic")
    for query in ("天气", "今日天气 气温", "今日天气 晴雨"):
        decision = run.before([{"tool": "webSearch", "args": {"query": query}}])
        if not decision.stop:
            run.after([{"result": "..."}])
    assert (decision.rule, run.state) == ("query", "stalled")
    assert al.replay(run.trace(), "classic").trip.round == 3
    ended = run.end(["a"], product="报告")
    assert ended.message("zh").startswith("连续两轮未取得进展，已停止；当前报告")


def test_r19_facts_that_fail_are_an_event_and_nothing_more(start):
    def facts():
        if run_started:
            raise OSError("no database")
        return {}

    run_started: list[int] = []
    run = start(goal=GOAL, facts=facts)
    run_started.append(1)
    assert turn(run, open_page(1)).action == "proceed"
    assert "no database" in json.dumps(run.events)


def test_r32_bad_settings_raise_at_once(start):
    with pytest.raises(ValueError, match="mode"):
        start(mode="loud")
    with pytest.raises(PolicyError):
        start("no such preset")
    with pytest.raises(TypeError, match="verdict"):
        start().end(["x"], verdict="good")
