"""The exact trip surface against brute force: a replay at every breakpoint and between them."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from agentlens.breaker.policy import Policy
from agentlens.breaker.replay import replay
from agentlens.errors import PolicyError
from agentlens.thresholds.steps import window_records
from agentlens.thresholds.surface import surface
from agentlens.trace.build import TraceBuilder

HAN = "北京今日天气温晴雨预报"


def random_trace(rng: random.Random):
    builder = TraceBuilder("test")
    for _ in range(rng.choice([1, 1, 2])):
        builder.user("ask")
        for _ in range(rng.randint(1, 9)):
            row = builder.round()
            for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
                if rng.random() < 0.12:
                    builder.call(row, "Edit", {})
                else:
                    builder.call(
                        row, "webSearch", {"query": "".join(rng.choices(HAN, k=rng.randint(0, 6)))}
                    )
    return builder.finish()


def random_policy(rng: random.Random, **fixed) -> Policy:
    switches = {
        "agg": rng.choice(["any", "all", "majority"]),
        "mixed": rng.choice(["neutral", "reset", "count"]),
        "mixed_join_history": rng.random() < 0.7,
        "business": rng.choice(["reset", "neutral"]),
        "intra": rng.random() < 0.3,
        "empty": rng.choice(["ignore", "equal", "similar"]),
        "min_tokens": rng.choice([1, 1, 2]),
        "strict": rng.random() < 0.3,
        "window": rng.choice([None, None, "last", 2]),
        "decay": rng.choice([None, None, None, 2]),
        "max_rounds": rng.choice([None, None, None, 3]),
        "measure": rng.choice(["containment", "containment", "jaccard", "dice", "cosine"]),
    }
    return Policy.preset("classic", **{**switches, **fixed})


def agree(trace, policy, thresholds=(1, 2, 3)) -> None:
    """Compare the surface with replays at, just below and just above every breakpoint."""
    made = surface(trace, policy)
    for threshold in thresholds:
        points = set()
        for value in made.breakpoints(threshold):
            root = Fraction(float(value) ** 0.5) if policy.measure == "cosine" else value
            points |= {root, root - Fraction(1, 5000), root + Fraction(1, 5000)}
        points |= {Fraction(1), Fraction(1, 3), Fraction(4, 5)}
        for similarity in sorted(p.limit_denominator(10**6) for p in points if 0 < p <= 1):
            found = replay(trace, policy.with_(similarity=similarity, threshold=threshold))
            want = found.trip.row if found.trip else None
            assert made.trip_row(similarity, threshold) == want, (similarity, threshold, policy)
            trips = {trip.row for trip in found.trips}
            assert {r for r in made.trip_rows(similarity, threshold) if r is not None} == trips


def test_the_surface_equals_brute_force_on_random_traces(count):
    rng = random.Random(11)
    for _ in range(count(250, 10_000)):
        agree(random_trace(rng), random_policy(rng), (rng.randint(1, 3),))


def test_the_surface_equals_brute_force_where_the_history_depends_on_the_setting(count):
    rng = random.Random(12)
    for _ in range(count(40, 500)):
        agree(random_trace(rng), random_policy(rng, clear_on_progress=True), (rng.randint(1, 3),))


def test_the_boundary_sample_trips_up_to_four_fifths_exactly():
    builder = TraceBuilder("test")
    for query in ("今日天气 气温", "今日天气 晴雨", "今日天气 风力"):
        builder.call(builder.round(), "webSearch", {"query": query})
    made = surface(builder.finish(), "classic")
    assert made.breakpoints(2) == [Fraction(4, 5)]
    assert made.trip_round(0.8, 2) == 3
    assert made.trip_round(0.81, 2) is None
    assert made.cells(2) == [(0, Fraction(4, 5), 2), (Fraction(4, 5), 1, None)]
    assert made.max_threshold == 2


def test_a_threshold_above_the_longest_run_is_unreachable():
    builder = TraceBuilder("test")
    for query in ("a b", "a", "b", "x"):
        builder.call(builder.round(), "webSearch", {"query": query})
    made = surface(builder.finish(), "classic")
    assert made.max_threshold == 2
    assert made.trip_round("1/1000", 3) is None
    assert list(made.to_frame()["threshold"].unique()) == [1, 2]


def test_window_records_by_hand():
    scores = [Fraction(0), Fraction(1, 2), Fraction(1), Fraction(3, 4), Fraction(1)]
    steps = window_records([(row, "count", s) for row, s in enumerate(scores)], 2)
    assert steps.values == (Fraction(1, 2), Fraction(3, 4))
    assert steps.rows == (2, 3)


def test_a_list_of_traces_is_refused_with_its_type():
    with pytest.raises(TypeError, match="a Trace or a Corpus, not list"):
        surface([], "classic")


@pytest.mark.parametrize("threshold", [0, -1, True, 2.0, None])
def test_a_threshold_that_is_no_count_is_refused(threshold):
    made = surface(random_trace(random.Random(1)), "classic")
    with pytest.raises(PolicyError, match="threshold"):
        made.trip_round(0.8, threshold)
