"""Random runs and random policies that turn every switch of the query rule."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

from agentlens.breaker.policy import Policy

_WORDS = "北京 天气 气温 beijing 2023 2024 c++ iphone15".split()

#: What each switch of the query rule may be set to; `test_live_query` sees that none is left out.
CHOICES: dict[str, tuple[Any, ...]] = {
    "enabled": (True, True, True, True, False),
    "similarity": (Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(4, 5), Fraction(1)),
    "threshold": (1, 2, 2, 3),
    "profile": ("classic@1", "safe@1", "whitespace"),
    "measure": ("containment", "jaccard", "dice", "cosine"),
    "strict": (False, False, True),
    "agg": ("any", "all", "majority"),
    "mixed": ("neutral", "reset", "count"),
    "mixed_join_history": (True, False),
    "business": ("reset", "neutral"),
    "intra": (False, True),
    "empty": ("ignore", "equal", "similar"),
    "min_tokens": (1, 1, 2, 3),
    "numeric_veto": (False, True),
    "window": (None, None, 1, 2, 3, "last"),
    "decay": (None, None, 1, 2, 5),
    "clear_on_progress": (False, False, True),
    "punct": (None, "delete", "space"),
    "split_alnum": (False, True),
    "search_tools": (None, None, "earch|look", "^web"),
    "history_scope": ("agent", "tree"),
    "scope": ("request", "session"),
    "max_rounds": (None, None, 3, 6),
    "retry_failed": (False, True),
}


def random_policy(rng: Random) -> Policy:
    """Return `classic` with every switch drawn anew."""
    drawn = {name: rng.choice(values) for name, values in CHOICES.items()}
    if drawn["profile"] != "classic@1":
        drawn["punct"] = None
    return Policy.preset("classic", **drawn)


def query(rng: Random) -> str:
    """Return a few words; sometimes none, sometimes only symbols."""
    if rng.random() < 0.08:
        return rng.choice(["", "？！", "…"])
    glue = rng.choice(["", " "])
    return glue.join(rng.choice(_WORDS) for _ in range(rng.randint(1, 4)))


def call(rng: Random) -> dict[str, Any]:
    """Return a call: mostly a search, in many shapes."""
    shape = rng.random()
    if shape < 0.75:
        tool = rng.choice(["webSearch", "webSearch", "web_search", "lookup"])
        return {"tool": tool, "args": {"query": query(rng)}}
    if shape < 0.82:
        return {"tool": "webSearch", "args": {"queries": [query(rng), query(rng)]}}
    if shape < 0.86:
        return {"tool": "webSearch", "args": '{"query": "' + query(rng) + '"}'}
    if shape < 0.90:
        return {"tool": "webSearch", "args": rng.choice([None, "{broken", query(rng), 7, [1]])}
    return {"tool": rng.choice(["readFile", "sendMail"]), "args": {"path": str(rng.randint(1, 3))}}


def calls(rng: Random) -> list[dict[str, Any]]:
    """Return the calls of a round; sometimes none."""
    return [call(rng) for _ in range(rng.choice([0, 1, 1, 1, 1, 2, 3]))]


def result(rng: Random) -> dict[str, Any]:
    """Return a result; one in four is a failure, told in one of three ways."""
    shape = rng.random()
    if shape < 0.1:
        return {"result": "no", "error": True}
    if shape < 0.2:
        return {"result": rng.choice(["Error: 500", "Request timed out", "exit code: 1"])}
    if shape < 0.25:
        return {"result": None}
    return {"result": rng.choice(["ok", {"urls": ["https://a.example"]}, ["x"]]), "error": False}
