"""The query rule round by round: the verdicts of the replay, for every switch, and quickly."""

from __future__ import annotations

from random import Random

import pytest
from random_runs import CHOICES, calls, random_policy, result

import agentlens as al
from agentlens.breaker.live.seeing import results_of, seen_round
from agentlens.breaker.policy import Policy
from agentlens.breaker.query import live_pool
from agentlens.breaker.query.signals import _SIGNAL_SWITCHES, history_groups
from agentlens.breaker.replay import Replay, replay
from agentlens.breaker.rules import start_rules
from agentlens.trace.model import Trace


def step(trace: Trace, policy: Policy) -> list[tuple[int, str, int, list[int]]]:
    """Return of each sequence that is stopped: row, rule, count, and the counts of the rule."""
    groups, shared, rules, stops, counts = history_groups(trace, policy), {}, {}, {}, {}
    rounds = trace.tables["rounds"]
    for row, group in enumerate(groups):
        request = rounds["request"][row] if policy.scope == "request" else 0
        key = (rounds["thread"][row], request)
        if key not in rules:
            rules[key] = start_rules(policy, group=group, shared=shared)
        seen = seen_round(trace, row)
        for rule in rules[key]:
            finding = rule.before(seen)
            if key not in stops:
                counts.setdefault(key, {}).setdefault(type(rule).__name__, []).append(rule.count)
                if finding is not None:
                    stops[key] = (row, finding.rule, finding.count)
            rule.after(seen, results_of(trace, row))
    return sorted((*stop, counts[key].get("LiveQuery", [])) for key, stop in stops.items())


def replayed(found: Replay) -> list[tuple[int, str, int, list[int]]]:
    stops = []
    for number, (rows, stop) in enumerate(zip(found.signals.sequences, found.stops, strict=True)):
        if stop is not None:
            outcome = found.outcomes[stop.rule.name][number]
            counts = found.outcomes["query"][number].counts
            upto = stop.place + (stop.rule.name == "query")  # the budget speaks first
            stops.append((rows[stop.place], stop.rule.name, outcome.counts[-1], counts[:upto]))
    return sorted(stops)


def random_trace(rng: Random) -> Trace:
    rows = []
    numbers: dict[str, int] = {}
    for _ in range(rng.randint(1, 20)):
        thread = rng.choice(["main", "main", "helper"])
        if rng.random() < 0.12:
            rows.append({"role": "user", "text": "again", "thread": thread})
        numbers[thread] = numbers.get(thread, 0) + 1
        made = calls(rng) or [{"tool": None}]
        rows += [
            {"round": numbers[thread], "thread": thread, **c, **result(rng)}
            | ({"args": None} if not isinstance(c.get("args"), dict | str) else {})
            for c in made
        ]
    return al.load(rows, format="plain")


def test_no_switch_is_left_out():
    others = {"similarity", "threshold", "strict", "clear_on_progress", "enabled", "max_rounds"}
    assert CHOICES.keys() == {*_SIGNAL_SWITCHES, *others}


@pytest.mark.parametrize("few", [0, 96], ids=["at once", "one by one"])
def test_r09_r10_live_verdicts_equal_the_replay_under_every_switch(few, count, monkeypatch):
    monkeypatch.setattr(live_pool, "_FEW", few)
    rng = Random(20261130)
    stopped = 0
    for _ in range(count(600, 10_000)):
        trace, policy = random_trace(rng), random_policy(rng)
        live, want = step(trace, policy), replayed(replay(trace, policy))
        assert live == want, policy
        stopped += bool(want)
    assert stopped > count(120, 2000)


def test_a20_one_repetition_of_a_failed_search_is_excused_and_no_second():
    rows = [
        {"round": n, "tool": "webSearch", "args": {"query": "北京天气"}, "error": True}
        for n in range(1, 5)
    ]
    policy = Policy.preset("classic", retry_failed=True, threshold=1)
    trace = al.load(rows)
    assert step(trace, policy) == [(2, "query", 1, [0, 0, 1])]
    assert replayed(replay(trace, policy)) == step(trace, policy)
