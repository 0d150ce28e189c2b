"""AG2's loop detector, fed the events of tool calls."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from ag2.events import ToolCallEvent
from ag2.observers.loop_detector import LoopDetector

from tests.breaker.peers.draw import Row, rounds_of
from tests.breaker.peers.words import PLAIN

PACKAGE, WORDS, SEED = "ag2", PLAIN, 1


def judge(rows: list[Row]) -> dict[str, list[int]]:
    """Return the rounds of all its alerts."""
    detector, alerts, number = LoopDetector(), [], 0
    context: Any = None  # what it is called in plays no part
    for held in rounds_of(rows):
        number = held[0].get("round", number)
        for row in held:
            if row.get("tool"):
                event = ToolCallEvent(row["tool"], arguments=json.dumps(row["args"]))
                if asyncio.run(detector.process([event], context)) is not None:
                    alerts.append(number)
    return {"alert": alerts}
