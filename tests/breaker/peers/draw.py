"""Short random runs in the plain format, the same for a peer's package and for our preset.

Nothing but the standard library and `random.Random.random` is used, so that each seed draws the
same runs wherever a peer runs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

Row = dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True)
class Words:
    """What runs are made of, and how likely what is.

    A run moves between three ways: it makes one call `same` again and again, goes round a short
    `lap` of calls, or makes a `fresh` one; the three numbers are weights. Then, each call: the
    answer changes (`change`), the thought does (`rethink`), the order of the arguments' names
    does (`turn`), it fails (`fail`), it joins the round before (`fan`). Between calls a user
    speaks (`user`), or the model without calling anything (`say`), mostly more than once.
    """

    calls: Sequence[tuple[str, dict[str, Any]]]
    answers: Sequence[str]
    failures: Sequence[tuple[str, int | None]] = ()
    thoughts: Sequence[str] = ("",)
    says: Sequence[str] = ()
    same: float = 1.0
    lap: float = 1.0
    fresh: float = 1.0
    change: float = 0.1
    rethink: float = 0.0
    turn: float = 0.1
    fail: float = 0.15
    fan: float = 0.0
    user: float = 0.04
    say: float = 0.04
    rounds: tuple[int, int] = (3, 24)
    laps: tuple[int, int] = (2, 4)


def draw(words: Words, seed: int, count: int = 500) -> list[list[Row]]:
    """Return so many runs; each is a list of rows of the plain format."""
    return [_run(words, Random(1_000_000 * seed + number)) for number in range(count)]


def digest(runs: Sequence[Sequence[Row]]) -> str:
    """Return what tells that two drew the same runs, the order of arguments included."""
    return hashlib.sha256(json.dumps(runs).encode()).hexdigest()[:16]


def rounds_of(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield the rows of each round, and each user's message by itself."""
    held: list[Row] = []
    for row in rows:
        if held and row.get("round") != held[0].get("round"):
            yield held
            held = []
        if row.get("role") == "user":
            yield [row]
        else:
            held.append(row)
    if held:
        yield held


def _pick(rng: Random, among: Sequence[T]) -> T:
    return among[int(rng.random() * len(among))]


def _run(words: Words, rng: Random) -> list[Row]:
    low, high = words.rounds
    wanted = low + int(rng.random() * (high - low + 1))
    rows: list[Row] = []
    calls: list[Row] = []
    number, back, left, talk = 0, 0, 0, 0
    while number < wanted:
        if talk or rng.random() < words.say:
            talk = talk - 1 if talk else int(4 * rng.random())
            number += 1
            rows.append({"round": number, "tool": None, "text": _pick(rng, words.says)})
            continue
        if rows and rng.random() < words.user:
            rows.append({"role": "user", "text": "go on"})
        if not left:
            back, left = _way(words, rng), 1 + int(9 * rng.random())
        left -= 1
        made = dict(calls[-back]) if 0 < back <= len(calls) else _fresh(words, rng)
        made = _stir(words, rng, made)
        joins = bool(rows) and bool(rows[-1].get("tool")) and rng.random() < words.fan
        number += not joins
        if joins:
            made["thought"] = rows[-1]["thought"]
        rows.append({**made, "round": number})
        calls.append(made)
    return rows


def _way(words: Words, rng: Random) -> int:
    """Return how many calls back the next one is copied from; 0 for a fresh one."""
    at = rng.random() * (words.same + words.lap + words.fresh)
    if at < words.same:
        return 1
    if at >= words.same + words.lap:
        return 0
    shortest, longest = words.laps
    return shortest + int(rng.random() * (longest - shortest + 1))


def _fresh(words: Words, rng: Random) -> Row:
    tool, args = _pick(rng, words.calls)
    thought = _pick(rng, words.thoughts)
    return {"tool": tool, "args": args, "thought": thought, **_answer(words, rng)}


def _answer(words: Words, rng: Random) -> Row:
    if words.failures and rng.random() < words.fail:
        text, code = _pick(rng, words.failures)
        return {"result": text, "error": True, "exit_code": code}
    return {"result": _pick(rng, words.answers), "error": False, "exit_code": None}


def _stir(words: Words, rng: Random, row: Row) -> Row:
    """Change what may change from one call to the next that repeats it."""
    if rng.random() < words.change:
        row.update(_answer(words, rng))
    if rng.random() < words.rethink:
        row["thought"] = _pick(rng, words.thoughts)
    if rng.random() < words.turn:
        row["args"] = dict(reversed(row["args"].items()))
    return row
