"""The exact surface of many runs, against replaying a grid of settings.

Runs of 30 rounds, as in `runs`, no two alike. *Signals* are the profiles of all runs: tokens,
matches, other rules, what each stop would save. *Surface* is everything from there: every
breakpoint of every threshold, and the counts of every cell. *Crosshair* is the picker's, dragged
over all of these runs in Chromium, from the pointer's move to the painted frame. The peers answer
less: a grid of 100 similarities and 10 thresholds by a replay each, on fewer runs and scaled up,
since all of it would take an hour; and one single setting by a replay of each run, which is what a
backtest does, ours and that of agent-vitals.

agent-vitals is installed apart: ``python -m venv peers && peers/bin/pip install agent-vitals``, and
``AGENTLENS_VITALS=peers/bin/python``; without it its rows are empty. It is given what its monitor
takes (distinct results so far, tokens, the text of each result), and runs with its own settings.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.runs import calls

if TYPE_CHECKING:
    from agentlens.thresholds.corpus_surface import CorpusSurface

ROUNDS = 30
#: What agent-vitals does with a file of runs; prints its seconds for signals and for the backtest.
_VITALS = """
import json, sys, time
from agent_vitals import AgentVitals
from agent_vitals.backtest import Dataset, run_backtest
began, traces = time.process_time(), {}
for number, line in enumerate(open(sys.argv[1], encoding="utf-8")):
    monitor, seen = AgentVitals(mission_id=f"run{number}"), set()
    for done, call in enumerate(json.loads(line)["trace"], 1):
        seen.add(call["result"])
        monitor.step(findings_count=len(seen), sources_count=len(seen), error_count=0,
                     coverage_score=min(1.0, len(seen) / 30), total_tokens=800 * done,
                     query_count=done, output_text=call["result"])
    traces[f"run{number}"] = monitor.history
signals, began = time.process_time() - began, time.process_time()
run_backtest(Dataset(traces, {}), {name: {"loop_at": {0}} for name in traces})
print(signals, time.process_time() - began)
"""


def _lines(runs: int) -> Iterator[str]:
    for seed in range(runs):
        record = {"id": f"run{seed}", "label": "loop" if seed % 3 else "good"}
        yield json.dumps({**record, "trace": calls(ROUNDS, seed)}, ensure_ascii=False) + "\n"


def run(quick: bool) -> list[dict[str, Any]]:
    """Return one row for each way, with the CPU seconds it takes (the crosshair: seconds)."""
    import agentlens as al
    from agentlens.thresholds.corpus_surface import CorpusSurface, profiles_of

    runs, few = (1000, 10) if quick else (10_000, 60)
    policy = al.Policy.preset("classic")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.jsonl"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(_lines(runs))
        read = al.load_many(path, progress=False)
        corpus = al.Corpus(list(read), labels=read.labels)
        vitals = _vitals(Path(folder), 5 if quick else 40, runs)
    began = time.process_time()
    profiles = profiles_of(corpus, policy)
    signals = time.process_time() - began
    alike = len({(p.num.tobytes(), p.den.tobytes(), p.saved.tobytes()) for p in profiles})
    assert alike == runs, f"only {alike} runs differ"
    began = time.process_time()
    made = CorpusSurface(policy, profiles)
    cells = sum(len(made.cells(k)) for k in range(1, made.max_threshold + 1))
    surface = time.process_time() - began
    began = time.process_time()
    for trace in list(corpus)[:few]:
        for k in range(1, 11):
            for s in range(1, 101):
                al.replay(trace, policy.with_(similarity=s / 100, threshold=k))
    grid = (time.process_time() - began) * runs / few
    began = time.process_time()
    stopped = [bool(al.replay(trace, policy).trips) for trace in corpus]
    single = time.process_time() - began
    assert made.runs(policy.similarity, policy.threshold)["stopped"].tolist() == stopped
    middle, late = _crosshair(made, 20 if quick else 60)
    return [
        {"": f"signals of {runs:,} runs of {ROUNDS} rounds", "seconds": signals},
        {"": f"surface: {cells:,} exact cells, counts in each", "seconds": surface},
        {"": "crosshair to painted frame, median", "seconds": middle},
        {"": "crosshair to painted frame, 95th percentile", "seconds": late},
        {"": f"grid of 100 × 10 settings by replays ({few} runs, scaled up)", "seconds": grid},
        {"": "one setting by replays, signals known", "seconds": single},
        {"": "agent-vitals, its signals (scaled up)", "seconds": vitals[0]},
        {"": "agent-vitals, backtest of one setting (scaled up)", "seconds": vitals[1]},
    ]


def _vitals(folder: Path, few: int, runs: int) -> tuple[float | None, float | None]:
    python = os.environ.get("AGENTLENS_VITALS")
    if not python:
        return None, None
    path = folder / "few.jsonl"
    path.write_text("".join(_lines(few)), "utf-8")
    done = subprocess.run(
        [python, "-c", _VITALS, path], capture_output=True, text=True, check=True
    ).stdout.split()
    return float(done[0]) * runs / few, float(done[1]) * runs / few


def _crosshair(made: CorpusSurface, moves: int) -> tuple[float | None, float | None]:
    """Return median and 95th percentile, in seconds, of a dragged crosshair."""
    from agentlens.breaker.policy import Policy
    from agentlens.widgets.picker.payload import picker_payload
    from agentlens.widgets.picker.picker import PickerView
    from agentlens.widgets.picker.still import PICKER_WORDS
    from benchmarks.bare import BarePage
    from benchmarks.lab import browser, chromium_path
    from benchmarks.paint import drag, percentile

    if chromium_path() is None:
        return None, None
    payload = picker_payload(made, Policy.preset("classic"))
    view = PickerView(payload=payload, words=dict(PICKER_WORDS["en"]), cell=payload["start"])
    with browser() as chromium:
        shown = BarePage(chromium, view)
        grip = shown.page.locator(".al-picker-map canvas")
        box = grip.bounding_box()
        left, top = box["x"] + 40, box["y"] + 14
        wide, high = box["width"] - 60, box["height"] - 64
        places = [  # each in another cell than the one before
            (left + wide * (0.15 + 0.7 * (n % 2)), top + high * ((n * 7) % 10) / 10)
            for n in range(moves)
        ]
        body = "element.getAttribute('aria-valuetext')"
        times = [lag[0] for lag in drag(shown.page, grip, body, (left, top + high), places)]
    return percentile(times, 0.5) / 1000, percentile(times, 0.95) / 1000
