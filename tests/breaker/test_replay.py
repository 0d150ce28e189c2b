"""What a replay says of a run: the trip, what it saves, the states, and what stays untouched."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from runs import BOUNDARY, INCIDENT, add, run

from agentlens.breaker.policy import Policy
from agentlens.breaker.replay import replay
from agentlens.errors import PolicyError
from agentlens.trace.build import TraceBuilder


def incident():
    return run(INCIDENT, seconds=7.175, time_quality="derived")


def test_r14_r17_the_incident_trips_in_round_3_with_two_searches_executed():
    trip = replay(incident(), "classic").trip
    assert (trip.round, trip.call, trip.phase, trip.rule) == (3, 3, "before", "query")
    assert (trip.saved_rounds, trip.saved_calls) == (3, 3)
    assert trip.saved_seconds == pytest.approx(3 * 35.875 / 5)
    assert trip.saved_tokens is None
    assert trip.saved_cost is None


def test_r14_threshold_1_leaves_one_search_and_threshold_3_three():
    for threshold, executed in ((1, 1), (2, 2), (3, 3)):
        trip = replay(incident(), Policy.preset("classic", threshold=threshold)).trip
        assert trip.round == executed + 1


def test_the_reason_says_which_query_repeats_which_and_what_was_saved():
    found = replay(incident(), "classic")
    assert found.trip.reason == (
        "round 3: 今日天气 晴雨 repeats round 1, 天气 (2 of 2 tokens); count 2 of 2; "
        "rounds 3–5, 21.5 s, would have been saved"
    )
    assert "第 3 轮" in found.explain(lang="zh")
    assert "计数 2/2" in found.explain(lang="zh")


def test_the_machine_goes_from_running_to_partial_within_the_trip_round():
    frame = replay(incident(), "classic").rounds
    assert list(frame["state"]) == ["running", "running", "stalled", "partial", "partial"]
    assert list(frame["counterfactual"]) == [False, False, True, True, True]
    path = replay(incident(), "classic").transitions
    assert list(path["event"]) == ["no_progress", "replan_exhausted", "partial_saved"]
    assert list(path["target"]) == ["stalled", "finalizing", "partial"]
    assert set(path["round"]) == {3}


def test_r03_r05_scores_are_exact_pairs_and_the_bound_is_inclusive():
    frame = replay(run(BOUNDARY), Policy.preset("classic", similarity=0.8)).rounds
    assert list(zip(frame["score_num"], frame["score_den"], strict=True)) == [
        (0, 1),
        (4, 5),
        (4, 5),
    ]
    assert replay(run(BOUNDARY), Policy.preset("classic", similarity=0.8)).trip.round == 3
    assert replay(run(BOUNDARY), Policy.preset("classic", similarity=0.81)).trip is None
    # 4/5 as a float is a little above 4/5; it must still be read as 4/5.
    assert Fraction(0.8) != Fraction(4, 5)


@pytest.mark.parametrize("profile", ["classic@1", "whitespace"])
def test_r06_jaccard_and_whitespace_are_dead_code_on_the_incident(profile):
    measure = "jaccard" if profile == "classic@1" else "containment"
    found = replay(incident(), Policy.preset("classic", measure=measure, profile=profile))
    assert found.trip is None
    assert found.verdict == "progress"


def test_r08_nothing_leaks_from_one_request_or_thread_to_the_next():
    builder = TraceBuilder("test")
    builder.user("first")
    add(builder, INCIDENT[:2])
    builder.user("second")
    add(builder, INCIDENT[2:3])
    add(builder, INCIDENT[:2], thread="sub")
    builder.user("third", thread="sub")
    add(builder, INCIDENT[4:], thread="sub")
    found = replay(builder.finish(), "classic")
    assert found.trip is None
    assert found.counts["query"] == [0, 1, 0, 0, 1, 0]


def test_scope_session_counts_over_user_messages():
    builder = TraceBuilder("test")
    builder.user("first")
    add(builder, INCIDENT[:2])
    builder.user("second")
    add(builder, INCIDENT[2:])
    assert replay(builder.finish(), Policy.preset("classic", scope="session")).trip.round == 3


def test_history_scope_tree_lets_a_sub_agent_see_what_its_parent_asked():
    builder = TraceBuilder("test")
    row = builder.round()
    builder.call(row, "webSearch", {"query": "天气"})
    row = builder.round()
    builder.call(row, "Task", {}, call_id="spawn")
    builder.thread("sub", parent="main", parent_call="spawn")
    add(builder, [["今日天气 气温"], ["今日天气 晴雨"]], thread="sub")
    trace = builder.finish()
    own = replay(trace, "classic").counts["query"]
    tree = replay(trace, Policy.preset("classic", history_scope="tree"))
    assert own == [0, 0, 0, 1]
    assert tree.counts["query"] == [0, 0, 1, 2]
    assert tree.trip.thread == "sub"


def test_one_trip_a_thread_and_request_and_the_earliest_call_is_the_trip():
    builder = TraceBuilder("test")
    builder.user("a")
    add(builder, INCIDENT)
    builder.user("b")
    add(builder, INCIDENT)
    found = replay(builder.finish(), "classic")
    assert [(t.request, t.round, t.call) for t in found.trips] == [(1, 3, 3), (2, 8, 8)]
    assert found.trip == found.trips[0]
    assert found.trips[0].saved_rounds == 3


def test_r12_the_answer_after_the_loop_is_not_saved_since_it_is_written_anyway():
    builder = TraceBuilder("test")
    add(builder, INCIDENT, seconds=7.175)
    builder.round(text="the answer", seconds=4.0)
    trip = replay(builder.finish(), "classic").trip
    assert trip.saved_rounds == 3
    assert trip.saved_seconds == pytest.approx(21.525)


def test_what_a_sub_agent_spent_counts_as_saved_when_its_call_was():
    builder = TraceBuilder("test")
    add(builder, INCIDENT[:2])
    row = builder.round(input_tokens=100, output_tokens=10)
    builder.call(row, "webSearch", {"query": "今日天气 晴雨"}, call_id="spawn")
    builder.thread("sub", parent="main", parent_call="spawn")
    sub = builder.round(thread="sub", input_tokens=1000, output_tokens=5, cost=0.5)
    builder.call(sub, "Read", {})
    trip = replay(builder.finish(), "classic").trip
    assert (trip.saved_rounds, trip.saved_calls, trip.saved_tokens, trip.saved_cost) == (
        1,
        2,
        1115,
        0.5,
    )


def test_r15_switched_off_it_counts_nothing_and_trips_nowhere():
    found = replay(incident(), Policy.preset("classic", enabled=False))
    assert found.trip is None
    assert found.counts["query"] == [0] * 5


@pytest.mark.parametrize(
    "args",
    [None, "", "{", '{"query": 5}', {"query": None}, {"query": ["a", 1]}, {}, [1, 2], "\ud800"],
)
def test_r19_malformed_arguments_never_crash_the_breaker(args):
    builder = TraceBuilder("test")
    for _ in range(3):
        builder.call(builder.round(), "webSearch", args)
    assert len(replay(builder.finish(), "classic").rounds) == 3


def test_r18_a_replay_is_deterministic():
    assert replay(incident(), "classic").to_dict() == replay(incident(), "classic").to_dict()


def test_search_tools_names_the_searches_by_pattern():
    trace = run([["@lookup"], ["北京天气"], ["北京天气"], ["北京天气"]])
    assert replay(trace, Policy.preset("classic", search_tools="^lookup$")).trip is None
    assert replay(trace, "classic").trip.round == 4


def test_retry_failed_excuses_one_repetition_of_a_failed_search():
    builder = TraceBuilder("test")
    for _ in range(4):
        builder.result(
            builder.call(builder.round(), "webSearch", {"query": "北京天气"}), "500", status="error"
        )
    trace = builder.finish()
    assert replay(trace, "classic").trip.round == 3
    lenient = replay(trace, Policy.preset("classic", retry_failed=True))
    assert list(lenient.rounds["kind"]) == ["search", "retry", "search", "search"]
    assert lenient.counts["query"] == [0, 0, 1, 2]


def test_decay_lets_an_old_match_fade():
    rounds = [["北京天气"], ["能源补贴政策"], ["设备能耗"], ["北京天气"]]
    assert replay(run(rounds), "classic").counts["query"] == [0, 0, 0, 1]
    faded = replay(run(rounds), Policy.preset("classic", decay=4))
    assert faded.counts["query"] == [0, 0, 0, 0]
    assert Fraction(faded.signals.num[3], faded.signals.den[3]) == Fraction(
        1, 2
    )  # 3 rounds ago: (4+1-3)/4


def test_a_copied_round_is_shown_and_never_counted():
    builder = TraceBuilder("test")
    add(builder, INCIDENT[:2])
    add(builder, INCIDENT[2:3], copied=True)
    found = replay(builder.finish(), "classic")
    assert list(found.rounds["kind"])[-1] == "copied"
    assert found.trip is None


def slow_clearing(rounds, similarity, threshold):
    """Write A-10 out: one list of remembered sets, emptied at every reset."""
    seen, count = [], 0
    for number, queries in enumerate(rounds, 1):
        sets = [frozenset(q.replace(" ", "")) for q in queries]
        hit = any(
            a and b and Fraction(len(a & b), min(len(a), len(b))) >= similarity
            for a in sets
            for b in seen
        )
        count = count + 1 if hit else 0
        if count >= threshold:
            return number
        if not hit:
            seen = []
        seen += sets
    return None


def test_clear_on_progress_forgets_what_was_asked_before_a_reset(count):
    rng = random.Random(5)
    for _ in range(count(300, 3000)):
        rounds = [
            [
                "".join(rng.choices("北京天气今日", k=rng.randint(1, 4)))
                for _ in range(rng.choice([1, 1, 2]))
            ]
            for _ in range(rng.randint(1, 9))
        ]
        similarity = rng.choice([Fraction(1, 2), Fraction(2, 3), Fraction(4, 5), Fraction(1)])
        threshold = rng.choice([1, 2, 3])
        policy = Policy.preset(
            "classic", similarity=similarity, threshold=threshold, clear_on_progress=True
        )
        trip = replay(run(rounds), policy).trip
        assert (trip.round if trip else None) == slow_clearing(rounds, similarity, threshold), (
            rounds
        )


def test_r20_the_fingerprint_stops_it_the_answer_follows_and_the_budget_is_the_backstop():
    # ① fingerprints and ④ an answer from what is there: on by default.
    found = replay(incident(), "classic")
    assert found.trip.rule == "query"
    assert found.transitions["target"].iloc[-1] == "partial"
    # ③ the budget: off by default, there when asked for, and no loop by itself.
    assert Policy.preset("classic").max_rounds is None
    budget = replay(incident(), Policy.preset("classic", measure="jaccard", max_rounds=2))
    assert (budget.trip.rule, budget.trip.round, budget.verdict) == ("budget", 3, "progress")
    assert list(budget.transitions["event"]) == ["hard_budget_hit", "partial_saved"]
    assert budget.trip.reason == (
        "round 3: the budget of 2 rounds is used up; rounds 3–5, 21.5 s, would have been saved"
    )
    # ② the progress signal is told and does not decide: results that are new each round.
    builder = TraceBuilder("test")
    for number, queries in enumerate(INCIDENT):
        row = builder.round()
        builder.result(
            builder.call(row, "webSearch", {"query": queries[0]}), f"https://example.org/{number}"
        )
    told = replay(builder.finish(), "classic")
    assert list(told.rounds["new_urls"]) == [1] * 5
    assert told.trip.round == 3


def test_a42_when_both_trip_at_the_same_round_the_budget_is_named():
    found = replay(incident(), Policy.preset("classic", max_rounds=2))
    assert (found.trip.rule, found.trip.round) == ("budget", 3)
    assert list(found.rules["trip_round"]) == [3, 3]


def test_a_budget_that_trips_first_ends_the_query_count():
    found = replay(incident(), Policy.preset("classic", max_rounds=1))
    assert found.trip.round == 2
    assert found.counts["query"] == [0, 1, None, None, None]


def test_a_secret_that_the_reason_cuts_is_masked_before_it_is_cut():
    secret = "sk-proj-" + "Ab3" * 14
    query = "weather in the city of " + "x" * 45 + " " + secret
    trip = replay(run([[query]] * 3), "classic").trip
    assert "sk-proj" not in trip.reason
    assert "repeats round" in trip.reason


def test_what_is_no_trace_or_no_policy_is_refused_in_one_line():
    with pytest.raises(TypeError, match="takes a Trace, not str; load it first"):
        replay("session.jsonl", "classic")
    with pytest.raises(PolicyError, match="neither a policy nor the name of a preset"):
        replay(incident(), 3)
    assert replay(incident(), "classic").trip.round == 3


def test_a20_a_search_that_fails_excuses_no_other_of_its_own_round():
    """Before a round runs nobody knows that its first search will fail."""
    builder = TraceBuilder("test")
    row = builder.round()
    for status in ("error", "ok"):
        call = builder.call(row, "webSearch", {"query": "北京天气"})
        builder.result(call, "", status=status)
    policy = Policy.preset("classic", intra=True, retry_failed=True, threshold=1)
    assert replay(builder.finish(), policy).trip.round == 1
