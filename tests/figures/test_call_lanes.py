"""Lanes: clusters by union-find over all pairs, at most eight of them, parallel calls stacked."""

from __future__ import annotations

import random
from fractions import Fraction

import agentlens as al
from agentlens.figures.call_lanes import lanes_of
from agentlens.figures.view import view_of
from agentlens.trace.build import TraceBuilder
from tests.browser.stage_page import searches


def lanes(trace, **policy):
    return lanes_of(view_of(al.replay(trace, al.Policy.preset("classic", **policy))))


def union_find(sets, similarity):
    """Join every two sets that are similar; the slow way."""
    parent = list(range(len(sets)))

    def root(i):
        while parent[i] != i:
            i = parent[i]
        return i

    for i, a in enumerate(sets):
        for j, b in enumerate(sets[:i]):
            if a and b and Fraction(len(a & b), min(len(a), len(b))) >= similarity:
                parent[max(root(i), root(j))] = min(root(i), root(j))
    return [root(i) for i in range(len(sets))]


def test_clusters_are_those_of_all_pairs(count):
    rng = random.Random(5)
    words = "alpha beta gamma delta epsilon zeta eta theta".split()
    for _ in range(count(60, 600)):
        queries = [" ".join(rng.sample(words, rng.randint(1, 4))) for _ in range(12)]
        similarity = rng.choice([Fraction(1, 2), Fraction(2, 3), Fraction(4, 5), Fraction(1)])
        made = lanes(searches(queries), similarity=similarity)
        roots = union_find([set(q.split()) for q in queries], similarity)
        for i in range(12):
            alone = roots.count(roots[i]) == 1
            assert (made.group[i] < 0) == alone
            for j in range(i):
                together = made.group[i] == made.group[j] and made.group[i] >= 0
                assert together == (not alone and roots[i] == roots[j])


def test_at_most_eight_clusters_have_a_lane():
    names = [f"topic{chr(97 + i)}" for i in range(11)]
    queries = [q for name in names for q in [name] * (3 if name != "topica" else 2)]
    made = lanes(searches(queries))
    assert [lane.kind for lane in made.lanes] == ["cluster"] * 8 + ["more"]
    assert "topica" not in {lane.text for lane in made.lanes[:8]}  # the smallest gives way
    assert [lane.group for lane in made.lanes[:8]] == list(range(8))
    assert max(made.group) == 10


def test_singles_and_other_tools_share_a_lane_each():
    builder = TraceBuilder("plain")
    row = builder.round()
    for tool, args in (
        ("web_search", {"query": "one"}),
        ("web_search", {"query": "two"}),
        ("bash", {"command": "ls"}),
        ("read_file", {"path": "x"}),
    ):
        builder.call(row, tool, args)
    made = lanes(builder.finish())
    assert [(lane.kind, lane.size) for lane in made.lanes] == [("single", 2), ("other", 2)]
    assert made.lane == [0, 0, 1, 1]


def test_parallel_calls_are_stacked_within_their_lane():
    made = lanes(searches([("same words", "same words", "same words"), "same words"]))
    assert made.y[3] == 0
    assert made.y[:3] == [-0.35, 0.0, 0.35]
    assert max(map(abs, made.y)) < 0.5


def test_a_strict_cut_leaves_equal_scores_apart():
    trace = searches(["a1 b1 c1 d1 e1", "a1 b1 c1 d1 f1"])
    assert lanes(trace, similarity="4/5").group == [0, 0]
    assert lanes(trace, similarity="4/5", strict=True).group == [-1, -1]
