"""Replaying 25 presets: over one run of 10,000 rounds, and over 1,000 runs of 50 rounds.

Two kinds of runs: *searches*, as in `runs`, with results of one line; and *coding*, reads, edits
and commands over and over, with results of up to 60 lines that mask and compare. Loading is not in
the figures, everything else is: views, keys, signs, tokens, matches. Seconds of one process by the
clock; the 1,000 runs also on two processes, as `agentlens sweep` spreads them.
"""

from __future__ import annotations

import random
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from benchmarks import runs

__all__ = ["NAMES", "coding", "replay_all", "run"]

#: The default, the article's rule, and every agent and library whose rules look for repeats.
NAMES = (
    "layered classic ag2 browser-use cline crewai crush deepeval deerflow forge gemini-cli goose "
    "hermes kilo openclaw opencode openhands openhands-sdk openrouter pilo qwen-code "
    "qwen-code-heuristics roo-code stella unwedge"
).split()
_WORDS = "parse load key value error retry limit token path index cache flush merge state".split()


def coding(rounds: int, seed: int = 1) -> list[dict[str, Any]]:
    """Return a run of so many rounds that reads, edits and tests; a third of its calls repeat."""
    rng = random.Random(seed)
    files = [f"src/{a}_{b}.py" for a in _WORDS for b in _WORDS]
    texts = {name: _lines(rng, rng.randint(5, 60)) for name in files}
    made: list[dict[str, Any]] = []
    before: list[dict[str, Any]] = []
    for number in range(1, rounds + 1):
        if before and rng.random() < 1 / 3:
            call = dict(rng.choice(before[-8:]))
        else:
            name = rng.choice(files)
            kind = rng.random()
            if kind < 0.5:
                call = {"tool": "read_file", "args": {"path": name}, "result": texts[name]}
            elif kind < 0.7:
                texts[name] = _lines(rng, rng.randint(5, 60))
                change = {"path": name, "old": _lines(rng, 2), "new": _lines(rng, 2)}
                call = {"tool": "edit_file", "args": change, "result": "ok"}
            else:
                failed = rng.randrange(4)
                said = f"{failed} failed, {rng.randrange(90)} passed in {rng.random():.2f}s"
                call = {"tool": "bash", "args": {"command": f"pytest {name}"},
                        "result": f"{_lines(rng, 12)}\n{said}", "error": failed > 0}  # fmt: skip
            before.append(call)
        made.append({"round": number, "thought": f"Look at {rng.choice(_WORDS)}.", **call})
    return made


def _lines(rng: random.Random, n: int) -> str:
    said = []
    for _ in range(n):
        line = f"    {rng.choice(_WORDS)} = {rng.choice(_WORDS)}({rng.choice(_WORDS)}"
        if rng.random() < 0.4:
            line += f", {rng.randrange(500)}"
        said.append(line + (")  # since 12:30:07" if rng.random() < 0.05 else ")"))
    return "\n".join(said)


def replay_all(trace: Any) -> int:
    """Replay every preset over one trace; return how many stop it."""
    import agentlens as al

    return sum(al.replay(trace, name).trip is not None for name in NAMES)


def _many(job: tuple[str, int, int, int]) -> tuple[float, int]:
    """Return the seconds that runs with some seeds take, loading left out, and the stops."""
    import agentlens as al

    kind, rounds, first, last = job
    spent, stops = 0.0, 0
    for seed in range(first, last):
        trace = al.load({"searches": runs.calls, "coding": coding}[kind](rounds, seed))
        began = time.perf_counter()
        stops += replay_all(trace)
        spent += time.perf_counter() - began
    return spent, stops


def run(quick: bool) -> list[dict[str, Any]]:
    """Return a row for each kind of run: seconds, and how many stops were found."""
    long, number, short = (1000, 100, 50) if quick else (10_000, 1000, 50)
    _many(("coding", 30, 0, 1))  # imports
    rows = []
    for kind in ("searches", "coding"):
        one, stops = _many((kind, long, 1, 2))
        many, found = _many((kind, short, 0, number))
        jobs = [(kind, short, at * number // 2, (at + 1) * number // 2) for at in (0, 1)]
        with ProcessPoolExecutor(2) as pool:
            both = max(spent for spent, _ in pool.map(_many, jobs))
        rows.append(
            {"runs": kind, f"1 × {long:,} rounds": one, f"{number:,} × {short}": many,
             "the same, 2 processes": both, "stops": f"{stops} and {found:,}"}
        )  # fmt: skip
    return rows
