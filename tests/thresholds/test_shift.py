"""Whether a change of tools, language or query length is seen, and no change is not."""

from __future__ import annotations

from random import Random

import agentlens as al
from agentlens.thresholds.shift import KINDS, Traits, shifts, traits_of


def runs(rng: Random, number: int, *, tool: str = "search", han: float = 0.5, length: float = 4.0):
    return [
        Traits({tool: 0.8, "read": 0.2} if rng.random() < 0.5 else {tool: 0.6, "read": 0.4},
                min(1.0, max(0.0, han + rng.gauss(0, 0.1))), length + rng.gauss(0, 1))
        for _ in range(number)
    ]  # fmt: skip


def test_traits_are_what_can_be_counted_by_hand():
    trace = al.load([
        {"round": 1, "tool": "web_search", "args": {"query": "steel 价格"}},
        {"round": 2, "tool": "web_search", "args": {"query": "copper"}},
        {"round": 3, "tool": "read_file", "args": {"path": "a.md"}},
        {"round": 4, "tool": "read_file", "args": {"path": "b.md"}},
    ])  # fmt: skip
    made = traits_of(trace)
    assert made.tools == {"web_search": 0.5, "read_file": 0.5}
    assert made.han == 2 / 13  # 价格 among steel价格copper
    assert made.length == 2  # steel 价 格, and copper


def test_r51_each_kind_of_shift_is_seen_and_only_that():
    rng = Random(3)
    old = runs(rng, 40)
    changes = {"tools": {"tool": "buy"}, "language": {"han": 0.9}, "query length": {"length": 9.0}}
    for kind, change in changes.items():
        found = {one.kind: one for one in shifts(old, runs(rng, 30, **change))}
        assert tuple(found) == KINDS
        assert [name for name, one in found.items() if one.found] == [kind]
    assert shifts(old, runs(rng, 30, tool="buy"))[0].new == ("buy",)


def test_r51_no_change_is_seldom_called_one():
    rng, said = Random(5), 0
    for seed in range(40):
        said += any(one.found for one in shifts(runs(rng, 12), runs(rng, 12), seed=seed))
    assert said <= 7  # 5 % of 40 are 2; more than 7 has a probability below 0.1 %


def test_nothing_to_compare_is_no_shift():
    assert [one.p_value for one in shifts([], runs(Random(1), 3))] == [1.0, 1.0, 1.0]
    bare = [Traits({"read": 1.0}, None, None)] * 5
    assert not any(one.found for one in shifts(bare, bare))
