"""What presets do to runs whose end is known: `python -m benchmarks.rules PATH [PRESET ...]`.

PATH is one of three things, and the table is that of its kind:

- a folder with ``intercode``, ``who_and_when`` and ``tau_bench``, one log a run: trips, later
  successes, turns saved and agreement with a label, for both halves of each set;
- a file of reported cases, one a line with the ``truth`` and the ``trace``: loops found, work
  disturbed, waiting told apart;
- any other folder of runs that only look like loops: which of them each preset stops, and why.

A trip is a stop that keeps a round with calls from running; it is false where the run succeeded at
a later round. The unit is the log. Logs fall into two halves by the checksum of their name. The
row *step count* is a limit of rounds, calibrated on the good runs of one half and shown on the
other.
"""

from __future__ import annotations

import json
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import agentlens as al
from agentlens.thresholds.baseline import StepLimit, calibrated_steps
from agentlens.thresholds.intervals import wilson

STEPS = "step count"
#: Shares of good runs that a step count may cut, the first that there are enough runs for.
SHARES = (0.05, 0.1, 0.2)
#: A loop is found in time up to so many calls after the first redundant one.
LATE = 6
WANTED = {"loop": "loop", "progress": "progress", "wait": "waiting"}


@dataclass(slots=True)
class Tally:
    """Runs, trips, false trips, turns saved on failed runs; and agreement with a label."""

    runs: int = 0
    trips: int = 0
    later: int = 0
    saved: int = 0
    hit: int = 0
    false: int = 0
    missed: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(getattr(self, f) + getattr(other, f) for f in self.__slots__))

    @property
    def f1(self) -> float:
        """Twice what was found, of all that was said or labelled."""
        return 2 * self.hit / max(1, 2 * self.hit + self.false + self.missed)

    def add(self, trace: al.Trace, policy: al.Policy, *, says: bool = False) -> None:
        """Replay a policy over one run; `says`: any stop counts as the verdict ``loop``."""
        made = al.replay(trace, policy)
        trip, rows = made.trip, range(len(trace.round_calls))
        said = made.verdict == "loop" or (says and trip is not None)
        loops = [x["value"] for x in trace.meta.labels if x.get("name") == "is_in_loop"]
        self.runs += 1
        if loops:
            self.hit += said and any(loops)
            self.false += said and not any(loops)
            self.missed += not said and any(loops)
        cut = None if trip is None else trip.row + (trip.phase == "after")
        acting = [r for r in rows if cut is not None and r >= cut and trace.round_calls[r]]
        if not acting or cut is None:
            return
        success = trace.meta.outcome.get("status") == "success"
        raw = trace.meta.outcome.get("raw") or {}
        best = raw.get("max_reward_idx") if isinstance(raw, dict) else None
        self.trips += 1
        self.later += success and (best is None or best >= cut)
        self.saved += 0 if success else len(acting)


def half_of(trace: al.Trace) -> int:
    """Return 0 or 1 by the checksum of a log's name."""
    return zlib.crc32((trace.meta.source or "").replace("\\", "/").split("/")[-1].encode()) % 2


def runs(folder: Path) -> Iterator[al.Trace]:
    """Yield the runs of every file below a folder."""
    for path in sorted(folder.glob("*.json")):
        yield from al.load_many(str(path))


def row_of(preset: str, first: Tally, second: Tally, labelled: bool) -> str:
    """Return a preset's row of the table of labelled runs."""
    both = first + second
    low, high = wilson(both.later, both.trips)
    cells = [
        preset, f"{first.trips} / {second.trips}", f"{first.later} / {second.later}",
        f"{both.later} of {both.trips} ({low:.1%}–{high:.1%})", f"{first.saved} / {second.saved}",
    ]  # fmt: skip
    if labelled:
        precision = both.hit / max(1, both.hit + both.false)
        recall = both.hit / max(1, both.hit + both.missed)
        cells.append(f"{precision:.2f}, {recall:.2f}")
        cells.append(f"{first.f1:.2f} / {second.f1:.2f} / {both.f1:.2f}")
    return f"| {' | '.join(cells)} |"


def limit_of(folder: Path, half: int) -> StepLimit:
    """Return the limit that the good runs of a half give, for the smallest share they can promise.

    One log is held at a time.
    """
    for share in SHARES:
        found = calibrated_steps((t for t in runs(folder) if half_of(t) == half), share)
        if found.limit is not None or not found.runs:
            break
    return found


def labelled_table(folder: Path, presets: Sequence[str]) -> None:
    """Print the table of one data set: figures of half 1 / half 2."""
    tallies = {(p, h): Tally() for p in (*presets, STEPS) for h in (0, 1)}
    logs = [0, 0]
    limits = [limit_of(folder, 1 - half) for half in (0, 1)]
    for trace in runs(folder):
        half = half_of(trace)
        logs[half] += 1
        for preset in presets:
            tallies[preset, half].add(trace, al.Policy.preset(preset))
        steps = limits[half].limit
        if steps is not None:
            policy = al.Policy.preset("classic", query=False, max_rounds=steps)
            tallies[STEPS, half].add(trace, policy, says=True)
    labelled = any(t.hit + t.missed for t in tallies.values())
    more = " precision, recall | F1 |" if labelled else ""
    print(f"\n### {folder.name} ({logs[0]} / {logs[1]} logs)\n")
    print(f"| preset | trips | later success | of both (95 %) | turns saved on failed |{more}")
    print("|---" * (7 if labelled else 5) + "|")
    for preset in (*presets, STEPS):
        first, second = tallies[preset, 0], tallies[preset, 1]
        if first.trips + second.trips + first.hit + second.hit or preset in ("classic", "layered"):
            print(row_of(preset, first, second, labelled), flush=True)
    said = " / ".join(
        f"{x.limit} rounds, from {x.runs} good tasks of the other half, of which at most "
        f"{x.share:.0%} are longer" if x.limit is not None
        else f"none: {x.runs} good tasks of {x.needed} needed" for x in limits
    )  # fmt: skip
    print(f"\nStep count: {said}.")


def cases_table(path: Path, presets: Sequence[str]) -> None:
    """Print for each preset what it says of the reported cases."""
    cases = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    cases = [(WANTED[c["truth"]], c, al.load(c["trace"])) for c in cases if c["truth"] in WANTED]
    of = {want: sum(w == want for w, _, _ in cases) for want in WANTED.values()}
    print(f"| preset | loops stopped (of {of['loop']}) | in time | warned of or stopped | "
          f"work stopped (of {of['progress']}) | warned of or stopped | "
          f"waiting stopped (of {of['waiting']}) | told as waiting |")  # fmt: skip
    print("|---" * 8 + "|")
    silent = []
    for preset in presets:
        n: Counter[object] = Counter()
        for want, case, trace in cases:
            made = al.replay(trace, preset)
            loop, onset = made.verdict == "loop", case["onset"]
            n[want] += loop
            n["spoke", want] += loop or any(s.finding.level != "wait" for s in made.spoken)
            late = made.trip is not None and onset and made.trip.call > onset + LATE
            n["time"] += want == "loop" and loop and not late
            n["told"] += want == made.verdict == "waiting"
        cells = [
            n["loop"], n["time"], n["spoke", "loop"], n["progress"], n["spoke", "progress"],
            n["waiting"], n["told"],
        ]  # fmt: skip
        if any(cells):
            print(f"| {preset} | {' | '.join(map(str, cells))} |")
        else:
            silent.append(preset)
    print(f"\nSilent on all of them: {', '.join(silent)}.")


def lookalikes_table(folder: Path, presets: Sequence[str]) -> None:
    """Print for each preset which runs it stops that only look like loops."""
    traces = list(runs(folder))
    print(f"| preset | stopped (of {len(traces)}) | which |\n|---|---|---|")
    for preset in presets:
        trips = [(t.name, trip) for t in traces if (trip := al.replay(t, preset).trip)]
        print(f"| {preset} | {len(trips)} | {', '.join(name for name, _ in trips)} |")
    for trace in traces:
        if trip := al.replay(trace, "layered").trip:
            print(f"\n{trace.name}: {trip.phase} round {trip.round}, {trip.rule}: {trip.reason}")


def main(path: Path, names: list[str]) -> int:
    """Print the tables of what lies at a path."""
    others = [n for n in al.Policy.presets() if n not in ("layered", "classic")]
    presets = names or ["layered", "classic", *others]
    sets = [path / name for name in ("who_and_when", "tau_bench", "intercode")]
    if path.is_file():
        cases_table(path, presets)
    elif any(folder.is_dir() for folder in sets):
        for folder in sets:
            labelled_table(folder, presets)
    else:
        lookalikes_table(path, presets)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
