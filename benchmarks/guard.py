"""What a guard costs a loop: before and after of one round, by how long the run is already.

Every round asks one new query of 3 to 15 tokens, as in `matching`: the history grows by one
fingerprint a round, common characters are in almost every other query, and a threshold out of
reach keeps the run going. Microseconds of CPU time a round, the median and the 95th percentile of
the next 300 rounds. The peer is the rule as the article has it, each query against all earlier
ones, without log, record, or anything else.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.matching import zipf_sets

ROUNDS = 300


def queries(n: int) -> list[str]:
    return [" ".join(sorted(tokens)) for tokens in zipf_sets(n)]


def guarded(policy: str, **options: Any) -> Callable[[str], None]:
    """Return a step that takes one round through a guard."""
    from agentlens import Guard, Policy

    guard = Guard(Policy.preset(policy, threshold=10**9), **options)
    result = [{"result": "nothing of use", "error": False}]

    def step(query: str) -> None:
        guard.before([{"tool": "webSearch", "args": {"query": query}}])
        guard.after(result)

    return step


def pair_by_pair() -> Callable[[str], None]:
    """Return a step of the rule alone, as the article writes it; `learn` only remembers."""
    from agentlens.progress.text import tokenize

    seen: list[frozenset[str]] = []
    count = 0

    def step(query: str) -> None:
        nonlocal count
        mine = tokenize(query, "classic@1")
        similar = any(
            mine and old and 5 * len(mine & old) >= 4 * min(len(mine), len(old)) for old in seen
        )
        count = count + 1 if similar else 0
        seen.append(mine)

    step.learn = lambda query: seen.append(tokenize(query, "classic@1"))  # type: ignore[attr-defined]
    return step


def measure(step: Callable[[str], None], texts: list[str], histories: list[int]) -> dict[int, Any]:
    """Return for each length of history the times of the next rounds, in microseconds."""
    times: dict[int, list[float]] = {n: [] for n in histories}
    learn = getattr(step, "learn", step)
    for number, text in enumerate(texts):
        windows = [n for n in histories if n <= number < n + ROUNDS]
        if not windows:
            learn(text)
            continue
        began = time.process_time_ns()
        step(text)
        took = (time.process_time_ns() - began) / 1000
        for n in windows:
            times[n].append(took)
    return times


def run(quick: bool) -> list[dict[str, Any]]:
    """Return one row for each way to run: median and 95th percentile by length of history."""
    histories = [100, 1000] if quick else [100, 1000, 10_000]
    texts = queries(max(histories) + ROUNDS)
    circles = (texts[:20] * (len(texts) // 20 + 1))[: len(texts)]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "run.jsonl"
        ways: list[tuple[str, Callable[[str], None], list[str]]] = [
            ("guard, all queries different", guarded("classic"), texts),
            ("the same, recorded to a file", guarded("classic", record=record), texts),
            ("the same, preset layered", guarded("layered"), texts),
            ("guard, 20 queries over and over", guarded("classic"), circles),
            ("guard, mode off", guarded("classic", mode="off"), texts),
            ("the rule alone, pair by pair", pair_by_pair(), texts),
        ]
        for name, step, asked in ways:
            found = measure(step, asked, histories)
            row: dict[str, Any] = {"": name}
            for n in histories:
                median, high = np.percentile(found[n], [50, 95])
                row[f"{n:,} rounds"] = f"{median:.0f} / {high:.0f}"
            rows.append(row)
    return rows
