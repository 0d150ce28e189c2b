"""`clear_on_progress` beside the other switches of the history, against a rule written out."""

from __future__ import annotations

import random
from fractions import Fraction

from runs import run

from agentlens.breaker.policy import Policy
from agentlens.breaker.replay import replay


def by_hand(rounds, policy: Policy) -> int | None:
    """Write the rule out: one list of remembered rounds, each with its place, emptied at resets."""
    seen: list[tuple[int, frozenset[str]]] = []
    count = place = 0
    window = {None: None, "last": 1}.get(policy.window, policy.window)
    for number, items in enumerate(rounds, 1):
        sets = [frozenset(q.split()) for q in items if not q.startswith("@")]
        mixed = bool(sets) and len(sets) < len(items)
        if not sets:
            count, seen = 0, [] if policy.clear_on_progress else seen
            continue
        best = Fraction(0)
        for new in sets:
            for at, old in seen:
                age = place - at
                if not new or not old or (window is not None and age > window):
                    continue
                score = Fraction(len(new & old), min(len(new), len(old)))
                if policy.decay:
                    score *= Fraction(max(0, policy.decay + 1 - age), policy.decay)
                best = max(best, score)
        if not mixed:
            hit = best > 0 and best >= policy.similarity
            count = count + 1 if hit else 0
            if count >= policy.threshold:
                return number
            if not hit and policy.clear_on_progress:
                seen = []
        seen += [(place, new) for new in sets]
        place += 1
    return None


def test_window_decay_and_clearing_together_equal_the_rule_written_out(count):
    rng = random.Random(21)
    words = "a b c d".split()
    for _ in range(count(1500, 20_000)):
        rounds = []
        for _ in range(rng.randint(1, 9)):
            items = [
                " ".join(rng.sample(words, rng.randint(1, 3))) for _ in range(rng.choice([1, 1, 2]))
            ]
            if rng.random() < 0.25:
                items.append("@tool")
            rounds.append(items if rng.random() < 0.9 else ["@tool"])
        policy = Policy.preset(
            "classic",
            similarity=rng.choice(["1/2", "2/3", "4/5", 1]),
            threshold=rng.choice([1, 1, 2]),
            window=rng.choice([None, 1, 2, "last"]),
            decay=rng.choice([None, None, 1, 2, 3]),
            clear_on_progress=rng.random() < 0.6,
        )
        found = replay(run(rounds), policy)
        assert (found.trip.round if found.trip else None) == by_hand(rounds, policy), (
            rounds,
            policy,
        )
