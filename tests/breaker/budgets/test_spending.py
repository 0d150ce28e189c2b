"""Budgets over a recorded trace and in a live loop: the same verdicts, each dimension by itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentlens as al
from agentlens.breaker.budgets.amounts import Limits
from agentlens.breaker.budgets.spending import Spending, budget_of, main_limits
from agentlens.breaker.live.seeing import results_of, seen_round
from agentlens.breaker.policy import Policy
from agentlens.breaker.replay import replay
from agentlens.breaker.rules import start_rules
from agentlens.trace.build import TraceBuilder


def lived(rounds: list[dict]) -> al.Trace:
    return al.load(
        [{"tool": "read_file", "args": {"path": f"{n}"}, **r} for n, r in enumerate(rounds)]
    )


def rows(count: int, **columns) -> list[dict]:
    return [{"round": n + 1, **columns} for n in range(count)]


@pytest.mark.parametrize(
    ("switches", "columns", "round_", "rule", "reason"),
    [
        # 10 rounds of 1,000 tokens; 8,000 less the floor of 1,500: 6,500, reached with the 7th.
        ({"max_tokens": 8_000}, {"tokens": 1_000}, 8, "budget_tokens", "6,500 tokens is used up"),
        ({"max_tokens": 7_000, "reserve": False}, {"tokens": 1_000}, 8, "budget_tokens", "(7,000"),
        # 60 s less 20: 40, reached exactly after four rounds of 10 s.
        ({"max_seconds": 60}, {"seconds": 10.0}, 5, "budget_seconds", "40.0 s is used up (40.0 s"),
        ({"max_calls": 6}, {}, 6, "budget_calls", "of 5 calls is used up (5 calls used)"),
        ({"max_cost": 1.0}, {"cost": 0.3}, 4, "budget_cost", "$0.9 is used up ($0.9 used)"),
        ({"max_rounds": 4}, {}, 5, "budget", "the budget of 4 rounds is used up"),
    ],
)  # fmt: skip
def test_r32_each_budget_trips_by_itself_in_a_replay(switches, columns, round_, rule, reason):
    found = replay(lived(rows(10, **columns)), Policy.preset("classic", **switches))
    assert (found.trip.round, found.trip.rule, found.trip.phase) == (round_, rule, "before")
    assert reason in found.trip.reason
    assert found.verdict == "progress"  # a budget alone makes no loop
    assert found.trip.saved_rounds == 10 - round_ + 1
    assert [t.event for t in found.paths[0]] == ["hard_budget_hit", "partial_saved"]
    other = lived(rows(10, **{k: v / 10 if k == "cost" else v // 10 for k, v in columns.items()}))
    assert columns == {} or replay(other, Policy.preset("classic", **switches)).trip is None


def test_r34_what_is_kept_for_the_finalizer_can_be_switched_off():
    assert main_limits(
        Policy.preset("classic", max_seconds=60, max_tokens=8_000, max_calls=6, max_cost=1.0)
    ) == (Limits(None, 40.0, 6_500, 5, 0.9))
    off = Policy.preset("classic", max_seconds=60, max_tokens=8_000, reserve=False)
    assert main_limits(off) == Limits(None, 60, 8_000)
    assert (
        main_limits(Policy.preset("classic", max_rounds=5)).steps == 5
    )  # its answer calls no tool


def test_r34_a_live_budget_holds_the_main_loop_to_the_same():
    policy = Policy.preset("classic", max_rounds=50, max_seconds=60, max_tokens=8_000)
    budget = budget_of(policy, clock=lambda: 0.0)
    assert budget.main == main_limits(policy)
    assert budget.reserve == Limits(steps=5, seconds=20.0, tokens=1_500)
    assert budget_of(policy.with_(reserve=False)).main == Limits(50, 60, 8_000)


def test_a42_a_budget_is_named_before_the_loop():
    search = {"tool": "web_search", "args": {"query": "天气"}, "tokens": 10}
    trace = al.load([{"round": n, **search} for n in range(1, 6)])
    found = replay(trace, Policy.preset("classic", max_tokens=20, reserve=False))
    assert (found.trip.rule, found.trip.round) == ("budget_tokens", 3)
    assert found.outcomes["query"][0].trip == 2  # tripped there too: both causes can be read
    assert (
        replay(trace, Policy.preset("classic", max_tokens=30, reserve=False)).trip.rule == "query"
    )


def test_time_runs_between_responses_where_they_are_dated():
    at = [1_700_000_000 + t for t in (0, 30, 55, 90)]
    trace = lived([{"round": n + 1, "started": t, "seconds": 1.0} for n, t in enumerate(at)])
    found = replay(trace, Policy.preset("classic", max_seconds=55, reserve=False))
    assert found.trip.round == 3
    assert found.counts["budget_seconds"][:3] == [0.0, 30.0, 55.0]


def test_r42_what_a_sub_agent_uses_its_parent_pays():
    def family(spawned: bool) -> al.Trace:
        builder = TraceBuilder("test")
        for n in range(4):
            row = builder.round(tokens=100)
            call = builder.call(row, "task", {"n": n}, call_id=f"c{n}")
            builder.result(call, "done")
            if n == 0:
                if spawned:
                    builder.thread("sub", parent="main", parent_call="c0", kind="subagent")
                for _ in range(3):
                    if spawned:
                        inner = builder.round(thread="sub", tokens=100)
                        builder.result(builder.call(inner, "read", {}), "x")
        return builder.finish()

    policy = Policy.preset("classic", max_tokens=500, reserve=False)
    assert replay(family(spawned=False), policy).trip is None
    trip = replay(family(spawned=True), policy).trip
    assert (trip.thread, trip.round) == ("main", 3)  # 400 after the first round, 500 after two


def test_unset_budgets_are_neither_counted_nor_listed():
    found = replay(lived(rows(3)), Policy.preset("classic"))
    assert list(found.outcomes) == ["budget", "query"]
    assert "used" not in {key[0] for key in found.trace.cache if isinstance(key, tuple)}
    assert replay(lived(rows(3)), Policy.preset("classic", enabled=False, max_calls=1)).trip is None


def stepped(trace: al.Trace, policy: Policy) -> tuple[int, str] | None:
    """Run the rules of a policy as a guard does: round by round, stopping where one says so."""
    rules = start_rules(policy)
    for row in range(len(trace.tables["rounds"]["round"])):
        seen = seen_round(trace, row)
        for rule in rules:
            finding = rule.before(seen)
            if finding and finding.level == "stop":
                return row, finding.rule
        for rule in rules:
            rule.after(seen, results_of(trace, row))
    return None


number = st.one_of(st.none(), st.integers(0, 50))


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "calls": st.integers(0, 3),
                "tokens": number,
                "cost": st.one_of(st.none(), st.integers(0, 9)),
                "took": number,
                "gap": st.one_of(st.none(), st.integers(-5, 60)),
            }
        ),
        max_size=14,
    ),
    st.fixed_dictionaries(
        {
            "max_rounds": st.one_of(st.none(), st.integers(1, 8)),
            "max_seconds": st.one_of(st.none(), st.integers(1, 200)),
            "max_tokens": st.one_of(st.none(), st.integers(1, 200)),
            "max_calls": st.one_of(st.none(), st.integers(1, 12)),
            "max_cost": st.one_of(st.none(), st.integers(1, 40).map(lambda n: n / 100)),
            "reserve": st.booleans(),
        }
    ),
)  # fmt: skip
def test_r32_live_and_replayed_verdicts_are_equal(rounds, switches):
    """What is dated, what costs and what is not known is mixed at will."""
    builder, at = TraceBuilder("test"), 1_000.0
    for n, r in enumerate(rounds):
        at += r["gap"] or 0
        row = builder.round(
            tokens=r["tokens"],
            cost=None if r["cost"] is None else r["cost"] / 100,
            started=None if r["gap"] is None else at,
        )
        for k in range(r["calls"]):
            call = builder.call(
                row, "work", {"n": n, "k": k}, seconds=r["took"], tokens=7, cost=0.01
            )
            builder.result(call, "fine")
    trace, policy = builder.finish(), Policy.preset("classic", **switches)
    trip = replay(trace, policy).trip
    # A recorded round's own seconds may be derived from dates that a live loop has not seen yet.
    undated = all(r["gap"] is None for r in rounds)
    dated = all(r["gap"] is not None for r in rounds)
    if switches["max_seconds"] is None or undated or dated:
        assert stepped(trace, policy) == (None if trip is None else (trip.row, trip.rule))


def test_r32_the_incidents_of_one_round_are_all_kept():
    trace = lived(rows(3, tokens=10, cost=0.5))
    rule = Spending(
        Policy.preset("classic", max_tokens=20, max_cost=1.0, max_calls=9, reserve=False)
    )
    for row in range(2):
        assert rule.before(seen_round(trace, row)) is None
        rule.after(seen_round(trace, row), results_of(trace, row))
    assert rule.before(seen_round(trace, 2)).rule == "budget_tokens"
    assert [i.kind for i in rule.incidents] == ["budget_tokens", "budget_cost"]


@pytest.mark.parametrize("value", [-5, float("nan"), float("inf"), None])
def test_a_log_that_holds_no_sound_amount_uses_nothing(value):
    builder = TraceBuilder("test")
    for n in range(3):
        row = builder.round(tokens=value, seconds=value, cost=value)
        builder.result(builder.call(row, "work", {"n": n}, seconds=value), "fine")
    trace, policy = (
        builder.finish(),
        Policy.preset("classic", max_tokens=5, max_seconds=5, max_cost=5),
    )
    assert replay(trace, policy).trip is None
    assert stepped(trace, policy) is None


@pytest.mark.parametrize(
    ("switches", "rule", "round_"),
    [
        # A round starts every 12 s: 60 less 20 is reached by the fifth response, at 48 s.
        ({"max_seconds": 60}, "budget_seconds", 5),
        ({"max_tokens": 2_500, "reserve": False}, "budget_tokens", 6),
        ({"max_calls": 9}, "budget_calls", 5),  # two a round; 8 are the main loop's
        ({"max_cost": 0.5}, "budget_cost", 6),
        ({"max_rounds": 3}, "budget", 4),
    ],
)
def test_r32_a_guard_stops_where_the_replay_of_its_record_does(switches, rule, round_):
    now = [1_000.0]
    guard = al.Guard(Policy.preset("classic", **switches), clock=lambda: now[0])
    for number in range(1, 20):
        calls = [{"tool": "read_file", "args": {"path": f"{number}.{k}"}} for k in (1, 2)]
        decision = guard.before(calls, tokens=500, cost=0.09)
        if decision.stop:
            break
        now[0] += 8
        guard.after([{"result": f"line {number}"}, {"result": "x"}])
        now[0] += 4
    assert (decision.rule, number) == (rule, round_)
    trip = replay(guard.trace(), Policy.preset("classic", **switches)).trip
    assert (trip.rule, trip.round) == (rule, round_)
    assert "预算" in guard.closing_prompt("zh") or rule == "budget"
