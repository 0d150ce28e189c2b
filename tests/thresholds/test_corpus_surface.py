"""The surface of a corpus against replays of every run at, below and above every breakpoint."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

import agentlens as al
from agentlens.breaker.policy import Policy
from agentlens.thresholds.runs import run_of
from agentlens.trace.build import TraceBuilder
from agentlens.trace.labels import Label

HAN = "北京今日天气温晴雨预报"
TASKS = [None, None, "one", "two"]


def random_trace(rng: random.Random, threads: bool = True) -> al.Trace:
    builder = TraceBuilder("test")
    calls = []
    for _ in range(rng.choice([0, 1, 1, 1, 2])):
        builder.user("ask")
        for _ in range(rng.randint(1, 7)):
            row = builder.round()
            builder.update_round(row, seconds=rng.choice([None, 1.0, 2.5]))
            for _ in range(rng.choice([0, 1, 1, 1, 2])):
                calls.append(random_call(rng, builder, row))
    for name in ("helper", "other") if threads and calls and rng.random() < 0.3 else ():
        call = rng.choice(calls)
        builder.thread(name, parent="main", parent_call=f"c{call}", kind="subagent")
        for _ in range(rng.randint(1, 5)):
            random_call(rng, builder, builder.round(thread=name))
    return builder.finish()


def random_call(rng: random.Random, builder: TraceBuilder, row: int) -> int:
    if rng.random() < 0.15:
        call = builder.call(row, rng.choice(["Edit", "read_page"]), {})
    else:
        text = "".join(rng.choices(HAN, k=rng.randint(0, 5)))
        call = builder.call(row, "webSearch", {"query": text})
    builder.result(call, f"https://a.example/{rng.randint(0, 3)}")
    return call


def random_policy(rng: random.Random, **fixed: Any) -> Policy:
    switches = {
        "agg": rng.choice(["any", "all", "majority"]),
        "mixed": rng.choice(["neutral", "reset", "count"]),
        "business": rng.choice(["reset", "neutral"]),
        "intra": rng.random() < 0.3,
        "strict": rng.random() < 0.3,
        "scope": rng.choice(["request", "request", "session"]),
        "staged": rng.random() < 0.2,
        "max_rounds": rng.choice([None, None, None, 3, 5]),
        "max_calls": rng.choice([None, None, 4]),
        "measure": rng.choice(["containment", "containment", "jaccard", "cosine"]),
        "clear_on_progress": rng.random() < 0.1,
    }
    return Policy.preset("classic", **{**switches, **fixed})


def random_corpus(rng: random.Random) -> al.Corpus:
    n = rng.randint(1, 6)
    marks = [
        Label(rng.choice(["good", "good", "loop", "unknown"]), task=rng.choice(TASKS))
        for _ in range(n)
    ]
    return al.Corpus([random_trace(rng) for _ in range(n)], labels=marks)


def settings_of(made: Any, rng: random.Random, most: int) -> list[tuple[Fraction, int]]:
    """Return settings at, just below and just above breakpoints, at every threshold."""
    found = []
    for k in range(1, made.max_threshold + 2):
        points = set()
        for value in made.breakpoints(k):
            root = Fraction(float(value) ** 0.5) if made.policy.measure == "cosine" else value
            root = root.limit_denominator(10**6)
            points |= {root, root - Fraction(1, 10**5), root + Fraction(1, 10**5)}
        points |= {Fraction(1), Fraction(1, 2)}
        found += [(s, k) for s in points if 0 < s <= 1]
    return rng.sample(found, most) if len(found) > most else found


def brute_force(corpus: al.Corpus, policy: Policy) -> dict[str, Any]:
    runs = [run_of(t, m, policy, n) for n, (t, m) in enumerate(corpus.labelled())]

    def tasks(label: str, flag: str) -> int:
        return len({r.task for r in runs if r.label == label and getattr(r, flag)})

    good, loops = ([r for r in runs if r.label == label] for label in ("good", "loop"))
    rules: dict[str, int] = {}
    for r in runs:
        if r.stopped:
            rules[r.rule] = rules.get(r.rule, 0) + 1
    return {
        "good": len(good), "loops": len(loops),
        "stopped_good": sum(r.stopped for r in good), "harmful": sum(r.harmful for r in good),
        "stopped_loops": sum(r.stopped for r in loops),
        "stopped_good_tasks": tasks("good", "stopped"),
        "harmful_tasks": tasks("good", "harmful"),
        "stopped_loop_tasks": tasks("loop", "stopped"),
        "good_tasks": len({r.task for r in good}), "loop_tasks": len({r.task for r in loops}),
        "saved_rounds": sum(r.saved_rounds for r in loops),
        "saved_seconds": pytest.approx(sum(r.saved_seconds or 0 for r in loops)),
        "saved_tokens": sum(r.saved_tokens or 0 for r in loops),
        "saved_cost": sum(r.saved_cost or 0 for r in loops),
        "first_rule": rules,
    }  # fmt: skip


def agree(corpus: al.Corpus, policy: Policy, rng: random.Random, most: int = 25) -> None:
    made = al.surface(corpus, policy)
    for similarity, threshold in settings_of(made, rng, most):
        setting = policy.with_(similarity=similarity, threshold=threshold)
        assert made.at(similarity, threshold) == brute_force(corpus, setting), setting
        frame = made.runs(similarity, threshold)
        for row, (trace, mark) in zip(frame.itertuples(), corpus.labelled(), strict=True):
            run = run_of(trace, mark, setting)
            round_ = None if row.trip_round is not row.trip_round or not row.stopped else (
                int(row.trip_round))  # fmt: skip
            assert (row.stopped, row.harmful, round_) == (run.stopped, run.harmful, run.trip_round)
            assert row.saved_rounds == run.saved_rounds


def test_it_equals_replays_on_random_corpora(count) -> None:
    for seed in range(count(25, 500)):
        rng = random.Random(seed)
        agree(random_corpus(rng), random_policy(rng), rng)


def test_between_two_breakpoints_nothing_changes() -> None:
    for seed in range(20):
        rng = random.Random(1000 + seed)
        corpus, policy = random_corpus(rng), random_policy(rng, measure="containment")
        made = al.surface(corpus, policy)
        for k in range(1, made.max_threshold + 1):
            for low, high, counts in made.cells(k):
                middle = (low + high) / 2
                assert made.at(middle, k) == counts
                assert made.plateau(middle, k) == (low, high)


def test_every_breakpoint_changes_a_run() -> None:
    for seed in range(20):
        rng = random.Random(2000 + seed)
        corpus = random_corpus(rng)
        policy = random_policy(rng, measure="containment", clear_on_progress=False, strict=False)
        made = al.surface(corpus, policy)
        for k in range(1, made.max_threshold + 1):
            for value in made.breakpoints(k):
                above = [
                    [(t.thread, t.row, t.rule) for t in al.replay(trace, setting).trips]
                    for setting in (
                        policy.with_(similarity=value, threshold=k),
                        policy.with_(similarity=min(Fraction(1), value + Fraction(1, 10**6)),
                                     threshold=k),
                    )
                    for trace in corpus
                ]  # fmt: skip
                half = len(above) // 2
                assert value == 1 or above[:half] != above[half:]


def searches(*queries: str) -> al.Trace:
    return al.load(
        [
            {"round": n, "tool": "web_search", "args": {"query": q}, "result": "x"}
            for n, q in enumerate(queries, 1)
        ]
    )


def test_regions_and_rules_have_names() -> None:
    corpus = al.Corpus([searches("a b c d", "a b x y", "a b p q"), searches("a", "b", "c", "d")])
    made = al.surface(corpus, Policy.preset("classic", max_rounds=3))
    assert made.max_threshold == 2
    assert made.region(0.5, 2) == "stops"
    assert made.region(0.8, 2) == "dead"
    assert made.region(0.5, 3) == "unreachable"
    assert made.at(0.5, 2)["first_rule"] == {"query": 1, "budget": 1}
    assert made.at(0.8, 2)["first_rule"] == {"budget": 1}
    assert made.breakpoints() == [Fraction(1, 2)]
    assert made.plateau(0.3, 1) == (0, Fraction(1, 2))


def test_new_labels_need_no_new_reading() -> None:
    rng = random.Random(7)
    corpus = random_corpus(rng)
    policy = Policy.preset("classic")
    marks = [Label("good", task=m.task) for m in corpus.marks]
    old = al.surface(corpus, policy)
    old.totals(1)
    made = old.relabelled(marks)
    again = al.Corpus(list(corpus), labels=marks)
    for k in (1, 2):
        found = made.at("4/5", k)
        assert found == brute_force(again, policy.with_(similarity="4/5", threshold=k))


def test_empty_corpora_have_a_surface() -> None:
    made = al.surface(al.Corpus([]), "classic")
    assert (made.breakpoints(), made.max_threshold) == ([], 0)
    assert made.at(0.8, 2)["stopped_good"] == 0
    assert len(made.runs(0.8, 2)) == 0
    one = al.surface(al.Corpus([al.load([{"round": 1, "tool": "x"}])]), "classic")
    assert not one.at(0.8, 2)["first_rule"]
