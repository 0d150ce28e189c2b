"""What presets do to runs whose end is known: `python -m benchmarks.rules FOLDER [PRESET ...]`.

FOLDER holds ``intercode``, ``who_and_when`` and ``tau_bench``, one log a run. A trip is a stop that
keeps a round with calls from running; it is false where the run succeeded at a later round. The
unit is the log. Logs fall into two halves by the checksum of their name.
"""

from __future__ import annotations

import sys
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import agentlens as al
from agentlens.thresholds.intervals import wilson


@dataclass(slots=True)
class Tally:
    """Runs, trips, false trips, turns saved on failed runs; and agreement with a label."""

    runs: int = 0
    trips: int = 0
    later: int = 0
    saved: int = 0
    good: int = 0
    good_stopped: int = 0
    hit: int = 0
    false: int = 0
    missed: int = 0

    def row(self) -> str:
        """Return its cells."""
        low, high = wilson(self.later, self.trips)
        f1 = 2 * self.hit / max(1, 2 * self.hit + self.false + self.missed)
        share = self.trips / max(1, self.runs)
        return (
            f"{self.runs} | {self.trips} ({share:.1%}) | {self.later} "
            f"({low:.1%}–{high:.1%}) | {self.saved} | {f1:.2f}"
        )


def half_of(trace: al.Trace) -> int:
    """Return 0 or 1 by the checksum of a log's name."""
    return zlib.crc32((trace.meta.source or "").replace("\\", "/").split("/")[-1].encode()) % 2


def runs(folder: Path) -> Iterator[al.Trace]:
    """Yield the runs of every file below a folder."""
    for path in sorted(folder.glob("*.json")):
        yield from al.load_many(str(path))


def add(tally: Tally, trace: al.Trace, preset: str) -> None:
    """Replay one preset over one run."""
    made = al.replay(trace, preset)
    trip, rows = made.trip, range(len(trace.round_calls))
    loops = [x["value"] for x in trace.meta.labels if x.get("name") == "is_in_loop"]
    tally.runs += 1
    if loops:
        tally.hit += made.verdict == "loop" and any(loops)
        tally.false += made.verdict == "loop" and not any(loops)
        tally.missed += made.verdict != "loop" and any(loops)
    success = trace.meta.outcome.get("status") == "success"
    tally.good += success
    cut = None if trip is None else trip.row + (trip.phase == "after")
    acting = [r for r in rows if cut is not None and r >= cut and trace.round_calls[r]]
    if not acting or cut is None:
        return
    raw = trace.meta.outcome.get("raw") or {}
    best = raw.get("max_reward_idx") if isinstance(raw, dict) else None
    later = success and (best is None or best >= cut)
    tally.trips += 1
    tally.later += later
    tally.good_stopped += success
    tally.saved += 0 if success else len(acting)


def main(folder: str, names: list[str]) -> int:
    """Print one table a data set and half."""
    presets = names or [
        "classic", "layered", *(n for n in al.Policy.presets() if n not in ("classic", "layered"))
    ]  # fmt: skip
    for name in ("who_and_when", "tau_bench", "intercode"):
        tallies = {(p, h): Tally() for p in presets for h in (0, 1)}
        spent = time.process_time()
        for trace in runs(Path(folder) / name):
            for preset in presets:
                add(tallies[preset, half_of(trace)], trace, preset)
        print(f"\n{name} ({time.process_time() - spent:.0f} s)\n")
        print("preset | half | runs | trips | later success (95 %) | turns saved on failed | F1")
        print("---|---|---|---|---|---|---")
        for (preset, half), tally in tallies.items():
            if tally.trips or tally.hit or preset in ("classic", "layered"):
                print(f"{preset} | {half + 1} | {tally.row()}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
