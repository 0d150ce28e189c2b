"""`load_many` by one process and by several: folders of mixed logs, and a few large ones.

Seconds by the clock in fresh processes, from the call to the last trace, with the start of the
workers and the import of the readers in it: that is what a user waits for.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.formats import SOURCES, repeat
from benchmarks.loading import write_log

_ROOT = Path(__file__).resolve().parents[1]
#: Formats that take turns with Claude Code, whose logs are half of the files.
_OTHERS = ("codex", "openai", "atif", "langchain", "mini_swe_agent", "langsmith", "otlp", "gemini")

_MEASURE = """
import sys, time
from agentlens.trace.load import load_many
started = time.perf_counter()
number = sum(1 for trace in load_many(sys.argv[1], workers=int(sys.argv[2]) or None,
                                      progress=False))
print(time.perf_counter() - started, number)
"""


def mixed(folder: Path, files: int, total: int) -> None:
    """Write logs whose sizes differ as those of sessions do (log-normal), together of a size."""
    rng = random.Random(7)
    sizes = [rng.lognormvariate(0, 1.2) for _ in range(files)]
    scale = total / sum(sizes)
    for number, share in enumerate(sizes):
        path = folder / f"{number:04d}.jsonl"
        size = max(2_000, int(share * scale))
        if number % 2:
            source, own = SOURCES[_OTHERS[number // 2 % len(_OTHERS)]]
            repeat(source, own, path, size)
        else:
            write_log(path, size, seed=number)


def measure(folder: Path, workers: int, runs: int) -> tuple[float, int]:
    """Return the least seconds of some runs, and the traces."""
    found = []
    for _ in range(runs):
        done = subprocess.run(
            [sys.executable, "-c", _MEASURE, str(folder), str(workers)],
            capture_output=True, text=True, check=True, cwd=_ROOT,
        )  # fmt: skip
        seconds, number = done.stdout.split()
        found.append((float(seconds), int(number)))
    return min(found)


def run(quick: bool) -> list[dict[str, Any]]:
    """Return one row a folder: MB, files, traces, seconds of one process, of two, and as chosen."""
    cases = [("mixed", 300, 5), ("mixed", 300, 15), ("mixed", 300, 40), ("mixed", 300, 120),
             ("Claude Code", 4, 120)]  # fmt: skip
    rows = []
    for what, files, megabytes in [("mixed", 60, 1)] if quick else cases:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            if what == "mixed":
                mixed(folder, files, megabytes * 1_000_000)
            else:
                for number in range(files):
                    write_log(folder / f"{number}.jsonl", megabytes * 1_000_000 // files, number)
            on_disk = sum(path.stat().st_size for path in folder.iterdir())
            each = {workers: measure(folder, workers, 1 if quick else 3) for workers in (1, 2, 0)}
        rows.append({
            "files": f"{files} {what}", "MB": round(on_disk / 1e6), "traces": each[1][1],
            "one process s": each[1][0], "two s": each[2][0], "as chosen s": each[0][0],
            "two / one": each[2][0] / each[1][0],
        })  # fmt: skip
    return rows
