"""The staged query rule: replayed, live and on the trip surface, the same."""

from __future__ import annotations

import random

import agentlens as al

POOL = ["a b", "a b c", "a c", "b c d", "a b c d"]


def rows(rng: random.Random) -> list[dict]:
    return [
        {"round": n, "tool": "web_search", "args": {"query": rng.choice(POOL)},
         "result": rng.choice(["old", f"new {n}", "429 Too Many Requests"])}
        for n in range(1, rng.randint(3, 14))
    ]  # fmt: skip


def test_a_similar_search_that_brought_news_starts_the_count_anew():
    def trip(*results: str) -> int | None:
        made = [{"round": n, "tool": "web_search", "args": {"query": "a b c"}, "result": r}
                for n, r in enumerate(results, 1)]  # fmt: skip
        found = al.replay(al.load(made), al.Policy.preset("classic", staged=True)).trip
        return found and found.round

    assert trip("x", "x", "x") == 3
    assert trip("x", "y", "z", "w") is None
    assert trip("x", "y", "y", "z") == 4
    assert trip("x", "y", "y", "y", "z") == 4


def test_the_surface_is_the_replay_at_every_setting():
    rng = random.Random(5)
    for _ in range(40):
        trace = al.load(rows(rng))
        policy = al.Policy.preset("classic", staged=True)
        surface = al.surface(trace, policy)
        for threshold in (1, 2, 3, 4):
            for similarity in ("1/3", "1/2", "2/3", "1"):
                made = al.replay(trace, policy.with_(similarity=similarity, threshold=threshold))
                want = made.trip and made.trip.round
                assert surface.trip_round(similarity, threshold) == want


def test_live_is_the_replay():
    rng = random.Random(6)
    for _ in range(60):
        run = rows(rng)
        policy = al.Policy.preset("classic", staged=True, threshold=rng.choice([1, 2, 3]))
        made, guard, live = al.replay(al.load(run), policy), al.Guard(policy), None
        for row in run:
            if guard.before([row]).stop:
                live = row["round"]
                break
            guard.after([{"result": row["result"]}])
        assert live == (made.trip and made.trip.round)
