"""LoopBrake: its brake with a line set from 25 good runs, and the fixed rule that it shows."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from loopbrake.brake import Brake
from loopbrake.calibration import _save
from loopbrake.signals import Step, method

from tests.breaker.peers.draw import Row
from tests.breaker.peers.words import LONG

PACKAGE, WORDS, SEED = "loopbrake", LONG, 6
#: The lengths of the good runs that the line is set from.
GOOD = [4 + (7 * number) % 25 for number in range(25)]

_HOME = Path(tempfile.mkdtemp())
(_HOME / "calibration").mkdir()
_LINE = _save(GOOD, {"kind": "records"}, "runs", 0.2, _HOME)
NOTE = {"good": GOOD, "alpha": 0.2, "stop_line": _LINE["stop_line"]}


def judge(rows: list[Row]) -> dict[str, list[int]]:
    """Return the rounds at which the fixed rule stops, and at which the brake does."""
    brake = Brake("p", "s", "r", _HOME, _LINE, record=False)
    steps, found = [], {"fixed": [], "brake": []}
    for row in rows:
        if row.get("tool"):
            action = f"{row['tool']} {json.dumps(row['args'])}"
            steps.append(Step(action, row["result"], row["error"], 0))
            if not found["fixed"] and method("fixed")(steps)[-1][0] >= 1:
                found["fixed"].append(row["round"])
            if not found["brake"] and brake.step(action, row["result"]).stop:
                found["brake"].append(row["round"])
    return found
