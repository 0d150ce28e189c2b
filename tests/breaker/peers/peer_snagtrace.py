"""snagtrace's loop detector, fed a span a tool call, as its LangChain adapter does."""

from __future__ import annotations

from snagtrace.core import Doctor, Span
from snagtrace.detectors.loop import LoopDetector

from tests.breaker.peers.draw import Row
from tests.breaker.peers.words import PLAIN

PACKAGE, WORDS, SEED = "snagtrace", PLAIN, 2


def judge(rows: list[Row]) -> dict[str, list[int]]:
    """Return the rounds of all its faults."""
    doctor = Doctor([LoopDetector()])
    for row in rows:
        if row.get("tool"):
            doctor.feed(Span(step_id=row["round"], tool=row["tool"], args=row["args"]))
    return {"fault": [fault.step_id for fault in doctor.diagnose(strict=True).faults]}
