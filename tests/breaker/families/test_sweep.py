"""A rule over a whole recorded thread says what the same rule says round by round."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

import agentlens as al
from agentlens.breaker.families.panel import Panel
from agentlens.breaker.families.recorded import run_panel, views_of
from agentlens.breaker.families.spec import RuleSpec


def random_trace(rng: random.Random) -> al.Trace:
    """Return a few requests, threads and parallel calls over a small repertoire."""
    rows: list[dict[str, Any]] = []
    number = {"main": 0, "scout": 0}
    for _ in range(rng.randint(5, 40)):
        thread = rng.choice(["main", "main", "main", "scout"])
        if rng.random() < 0.08:
            rows.append({"role": "user", "text": "next", "thread": thread})
        number[thread] += 1
        thought = rng.choice(["", "hm", "again"])
        for _ in range(rng.choice([1, 1, 1, 1, 2, 3])):
            tool = rng.choice(["bash", "bash", "read_file", "write_file", "think", "get_job"])
            args = {"path": rng.choice("ab"), "command": rng.choice(["ls", "ls", "make"])}
            if rng.random() < 0.3:
                args = dict(reversed(args.items()))
            rows.append(
                {"round": number[thread], "thread": thread, "tool": tool, "args": args,
                 "result": rng.choice(["ok", "ok", "no", "exit code: 1"]), "thought": thought,
                 "error": rng.random() < 0.25}
            )  # fmt: skip
        if rng.random() < 0.1:
            number[thread] += 1
            rows.append({"round": number[thread], "tool": None, "text": "so", "thread": thread})
    return al.load(rows)


def random_rule(rng: random.Random, number: int) -> RuleSpec:
    """Return a rule with every modifier drawn."""
    key = rng.choice(
        [("tool", "args"), ("tool",), ("tool", "args", "result"), ("tool", "args", "thought"),
         ("tool", "error"), ("effect",), ("tool", "args", "result", "thought")]
    )  # fmt: skip
    levels = sorted(rng.sample(range(1, 7), 3))
    return RuleSpec(
        name=f"r{number}", family=rng.choice(["streak", "count", "cycle", "text", "similar"]),
        key=key, args=rng.choice(["sorted", "raw", "salient", "browser"]), fields=("path",),
        result=rng.choice(["full", "exit", "first100", "masked"]),
        group=rng.choice(["all", "tool", "call"]),
        only=rng.choice(["", "", "", "error", "success", "read"]),
        unit=rng.choice(["call", "call", "round"]),
        tools=rng.choice([(), (), ("bash",), ("effect:read",)]),
        exempt=rng.choice([(), (), ("think",), ("effect:think", "waits")]),
        scope=rng.choice(["request", "request", "run", "message"]),
        events=rng.choice([None, None, 6]), window=rng.choice([None, 4, 9]),
        min_len=rng.choice([0, 0, 4]), periods=rng.choice([(1, 1), (1, 5), (2, 4), (1, 30)]),
        partial=rng.random() < 0.3, evidence=rng.random() < 0.2,
        reset=rng.choice(["other", "other", "success", "mutation"]),
        when=rng.choice(["", "", "", "next"]), of=rng.choice(["message", "any", "thought"]),
        warn=(levels[0],), block=rng.choice([None, levels[1]]), stop=rng.choice([None, levels[2]]),
        clear=rng.random() < 0.2, once=rng.random() < 0.2,
    )  # fmt: skip


def step_by_step(trace: al.Trace, rules: list[RuleSpec], scope: str) -> tuple[list, dict]:
    """Run the rules as a running loop does: a panel a thread, round after round."""
    counts = {rule.name: [0] * len(trace.round_calls) for rule in rules}
    said = []
    views = views_of(trace, scope)
    for thread in views.threads:
        panel = Panel(rules, quiet=True)
        for row, seen, results in zip(thread.rows, thread.seen, thread.results, strict=True):
            panel.eyes.before(seen)
            said += [(row, "before", found) for found in panel.speak_before(seen)]
            panel.eyes.after(seen, results)
            said += [(row, "after", found) for found in panel.speak_after(seen, results)]
            for name, count in panel.counts.items():
                counts[name][row] = count
    return said, counts


@pytest.mark.parametrize("scope", ["request", "session"])
def test_a_sweep_is_the_rule_step_by_step(scope, count):
    rng = random.Random(17)
    spoke = 0
    for _ in range(count(150, 3000)):
        trace = random_trace(rng)
        rules = [random_rule(rng, n) for n in range(4)]
        if rng.random() < 0.3:
            rules.append(RuleSpec("waiting", "waiting", warn=(2,)))
        made = run_panel(trace, rules, scope)
        said, counts = step_by_step(trace, rules, scope)
        assert [(s.row, s.phase, s.finding) for s in made.spoken] == said, rules
        assert made.counts == counts, rules
        spoke += len(said)
    assert spoke > 500


def test_rules_that_share_keys_do_not_disturb_each_other():
    rng = random.Random(18)
    rule = RuleSpec("one", "streak", key=("tool", "args", "result"), warn=(2,), stop=3)
    others = [
        replace(rule, name="two", exempt=("bash",)), replace(rule, name="three", group="tool"),
        replace(rule, name="four", family="count", window=5),
        replace(rule, name="five", result="exit"),
    ]  # fmt: skip
    for _ in range(40):
        trace = random_trace(rng)
        alone = run_panel(trace, [rule])
        trace.cache.clear()
        for other in others:
            run_panel(trace, [other])
        again = run_panel(trace, [rule])
        assert again == alone
