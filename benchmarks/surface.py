"""The exact surface of many runs, against replaying a grid of settings.

Runs of 30 rounds, as in `runs`. *Signals* are the profiles of all runs: tokens, matches, other
rules, what each stop would save. *Surface* is everything from there: every breakpoint of every
threshold, and the counts of every cell. The peers answer less: a grid of 100 similarities and 10
thresholds by a replay each, on fewer runs and scaled up, since all of it would take hours; and one
single setting by a replay of each run, which is what a backtest does.
"""

from __future__ import annotations

import time
from typing import Any

from benchmarks.runs import calls

ROUNDS = 30


def run(quick: bool) -> list[dict[str, Any]]:
    """Return one row for each way, with the seconds it takes."""
    import agentlens as al
    from agentlens.thresholds.corpus_surface import CorpusSurface, profiles_of

    runs = 1000 if quick else 10_000
    policy = al.Policy.preset("classic")
    traces = [al.load(calls(ROUNDS, seed)) for seed in range(runs)]
    marks = ["loop" if n % 3 else "good" for n in range(runs)]
    began = time.perf_counter()
    profiles = profiles_of(al.Corpus(traces, labels=marks), policy)
    signals = time.perf_counter() - began
    began = time.perf_counter()
    made = CorpusSurface(policy, profiles)
    cells = sum(len(made.cells(k)) for k in range(1, made.max_threshold + 1))
    surface = time.perf_counter() - began
    some = traces[: 20 if quick else 100]
    began = time.perf_counter()
    for trace in some:
        for k in range(1, 11):
            for s in range(1, 101):
                al.replay(trace, policy.with_(similarity=s / 100, threshold=k))
    grid = (time.perf_counter() - began) * runs / len(some)
    began = time.perf_counter()
    stopped = [bool(al.replay(trace, policy).trips) for trace in traces]
    single = time.perf_counter() - began
    frame = made.runs(policy.similarity, policy.threshold)
    assert frame["stopped"].tolist() == stopped
    return [
        {"": f"signals of {runs:,} runs of {ROUNDS} rounds", "seconds": signals},
        {"": f"surface: {cells:,} exact cells, counts in each", "seconds": surface},
        {"": "grid of 100 × 10 settings by replays (scaled up)", "seconds": grid},
        {"": "one setting by replays, signals known", "seconds": single},
    ]
