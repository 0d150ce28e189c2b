"""The guard in a loop: modes, stops, prompts, requests, what it logs, and what it never does."""

from __future__ import annotations

import asyncio
import copy
import json
import subprocess
import sys
from random import Random

import pytest
from hosts import INCIDENT, host, search
from random_runs import calls, result

import agentlens as al
from agentlens.breaker.live.guard import Guard
from agentlens.errors import PolicyError, TraceError

CLOSING = "已就相似查询搜索多次且无新信息，请基于现有结果作答，不要再重复搜索。"


def decisions(guard: Guard) -> list[dict]:
    return [event for event in guard.events if event["event"] == "decision"]


def script(rng: Random) -> list[list[dict]]:
    return [[call for call in calls(rng) if call] for _ in range(rng.randint(1, 9))]


def test_r14_r16_the_incident_is_stopped_in_round_3_and_answered_without_tools():
    guard = Guard("classic")
    transcript = json.loads(host([[search(q)] for q in INCIDENT], guard))
    assert [line[0] for line in transcript].count("正在调用") == 2
    assert transcript[-1] == ["answer without tools", CLOSING]
    assert (guard.state, guard.stopped) == ("finalizing", True)
    assert [step.event for step in guard.path] == ["no_progress", "replan_exhausted"]
    assert [step.round for step in guard.path] == [3, 3]
    decision = guard.before([search("天气")])
    assert decision.reason == (
        "round 3: 今日天气 晴雨 repeats round 1, 天气 (2 of 2 tokens); count 2 of 2"
    )


def test_r16_the_prompt_differs_by_cause():
    prompts = {}
    for policy in (al.Policy.preset("classic"), al.Policy.preset("classic", max_rounds=1)):
        guard = Guard(policy)
        host([[search(q)] for q in INCIDENT], guard)
        cause = decisions(guard)[-1]["rule"]
        prompts[cause] = guard.closing_prompt("zh")
        assert guard.closing_prompt("en").isascii()
    guard = Guard("classic", mode="forced_open")
    prompts["forced"] = guard.closing_prompt()
    assert prompts.keys() == {"query", "budget", "forced"}
    assert len(set(prompts.values())) == 3
    assert prompts["query"] == CLOSING
    assert "最大轮次" not in prompts["query"]  # a loop is not told as a budget
    assert "最大轮次" in prompts["budget"]
    assert Guard("classic").closing_prompt() == ""
    with pytest.raises(ValueError, match="zh"):
        Guard("classic").closing_prompt("fr")


def test_r15_r51_off_and_shadow_leave_the_host_byte_identical(count):
    rng = Random(15)
    would = 0
    for _ in range(count(150, 2000)):
        rounds = script(rng)
        as_asked = copy.deepcopy(rounds)
        golden = host(rounds)
        guards = [
            Guard("classic", mode="off"),
            Guard("classic", mode="shadow"),
            Guard(al.Policy.preset("classic", enabled=False)),
        ]
        for guard in guards:
            assert host(rounds, guard) == golden
            assert rounds == as_asked  # nothing that the host owns was touched
            assert not guard.stopped
            assert guard.closing_prompt() == ""
        assert guards[0].events == []
        made = decisions(guards[1])
        assert len(made) == len(rounds)
        assert {e["action"] for e in made} <= {"proceed"}
        enforced = Guard("classic")
        host(rounds, enforced)
        first = [e["round"] for e in made if e["would"] == "stop"][:1]
        assert first == [e["round"] for e in enforced.events if e.get("action") == "stop"]
        would += bool(first)
    assert would > count(10, 150)


def test_r09_no_call_is_told_to_start_that_does_not_finish(count):
    rng = Random(9)
    for _ in range(count(200, 3000)):
        guard = Guard(al.Policy.preset("classic", similarity=0.5))
        for asked in script(rng):
            stopped = guard.before(asked).stop
            running = [e for e in guard.events if e["event"] == "tool_started"]
            if stopped:
                assert not [e for e in running if e["round"] == guard.events[-1]["round"]]
            elif rng.random() < 0.9:  # now and then a host loses a round
                guard.after([result(rng) for _ in asked])
        guard.close()
        order = [(e["event"], e["call"]) for e in guard.events if e["event"].startswith("tool_")]
        started = [call for event, call in order if event == "tool_started"]
        assert sorted(started) == sorted(c for event, c in order if event == "tool_finished")
        assert all(
            order.index(("tool_started", c)) < order.index(("tool_finished", c)) for c in started
        )


def test_r08_nothing_leaks_from_one_request_to_the_next():
    guard = Guard("classic")
    for _ in range(3):
        for query in INCIDENT[:2]:
            assert not guard.before([search(query)]).stop
            guard.after([{"result": "x"}])
        guard.new_request("and now?")
    for query in INCIDENT[:3]:
        stopped = guard.before([search(query)]).stop
    assert stopped
    guard.new_request()
    assert not guard.stopped
    assert not guard.before([search("天气")]).stop
    assert guard.events[-1]["request"] == 5


def test_a21_after_a_stop_everything_is_stopped_until_the_next_request():
    guard = Guard("classic")
    for query in INCIDENT[:3]:
        guard.before([search(query)])
        guard.after([{"result": "x"}])
    for asked in ([search("股票")], [{"tool": "sendMail", "args": {}}], []):
        decision = guard.before(asked)
        assert (decision.stop, decision.blocked) == (True, tuple(range(len(asked))))
        assert guard.after([]).stop


def test_a42_a_budget_that_is_hit_with_a_loop_goes_first_and_both_are_kept():
    guard = Guard(al.Policy.preset("classic", max_rounds=2))
    for query in INCIDENT[:3]:
        decision = guard.before([search(query)])
    assert decision.rule == "budget"
    assert [finding.rule for finding in decision.findings] == ["budget", "query"]
    assert [f["rule"] for f in decisions(guard)[-1]["findings"]] == ["budget", "query"]
    assert [step.event for step in guard.path] == ["hard_budget_hit"]


def test_an_operator_may_open_and_close_it_at_any_time():
    guard = Guard("classic", mode="forced_open")
    decision = guard.before([search("x")])
    assert (decision.action, decision.rule, decision.blocked) == ("stop", "forced_open", (0,))
    guard.mode = "enforce"
    assert not guard.before([search("y")]).stop
    guard.mode = "off"
    assert guard.before([search("y")]) is guard.before([search("y")])
    with pytest.raises(ValueError, match="forced_open"):
        guard.mode = "maybe"
    assert [e["mode"] for e in guard.events if e["event"] == "mode"] == ["enforce", "off"]


def test_a18_sub_agents_count_by_themselves_or_with_their_tree():
    for scope, trips in (("agent", False), ("tree", True)):
        guard = Guard(al.Policy.preset("classic", history_scope=scope))
        guard.before([search(INCIDENT[0]), {"tool": "task", "args": {}}])
        helper = guard.thread("helper")
        assert guard.thread("helper")._thread is helper._thread
        for query in INCIDENT[1:3]:
            decision = helper.before([search(query)])
        assert decision.stop is trips
        assert not guard.before([{"tool": "read", "args": {}}]).stop
        threads = guard.trace().tables["threads"]
        assert threads["parent"] == [None, "main"]
        assert threads["parent_call"] == [None, "call-1"]


def test_wrong_settings_are_told_at_once():
    for error, options in (
        (PolicyError, {"policy": "no such"}),
        (ValueError, {"mode": "on"}),
        (TraceError, {"tools": {"x": "no such effect"}}),
    ):
        with pytest.raises(error):
            Guard(**options)


def test_tools_may_be_told_as_for_load():
    guard = Guard("classic", tools={"lookup": ("search", "term")})
    for query in INCIDENT[:3]:
        decision = guard.before([{"tool": "lookup", "args": {"term": query}}])
        guard.after([{"result": "x"}])
    assert decision.stop
    assert al.replay(guard.trace(), "classic").trip.round == 3


def test_it_works_in_a_loop_that_awaits():
    async def one(number: int) -> int:
        guard = Guard("classic")
        for place, query in enumerate(INCIDENT, 1):
            if (await guard.abefore([search(f"{query} {number}")], text="…")).stop:
                return place
            await asyncio.sleep(0)
            await guard.aafter([{"result": "x"}])
        return 0

    async def all_of_them() -> list[int]:
        return await asyncio.gather(*map(one, range(50)))

    assert asyncio.run(all_of_them()) == [3] * 50


def test_a_guard_brings_in_no_notebook_library():
    code = (
        "import sys\nfrom agentlens import Guard\n"
        "g = Guard('classic')\n"
        "g.before([{'tool': 'webSearch', 'args': {'query': '天气'}}]); g.after([{'result': 'x'}])\n"
        "g.closing_prompt(); g.trace()\n"
        "print([m for m in ('pandas', 'plotly', 'ipywidgets', 'jieba', 'anywidget', 'IPython')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_r11_a_stopped_round_has_no_results_in_the_record():
    guard = Guard("classic")
    for query in INCIDENT[:3]:
        guard.before([search(query)])
        guard.after([] if guard.stopped else [{"result": "x"}])
    assert guard.trace().tables["calls"]["status"] == ["ok", "ok", "missing"]
