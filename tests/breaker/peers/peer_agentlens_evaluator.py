"""agentlens-evaluator's loop detector, fed the events that its LangChain adapter records."""

from __future__ import annotations

from agentlens.detectors.loop_detector import LoopDetector
from agentlens.models import AgentEvent, AgentRun, EventType

from tests.breaker.peers.draw import Row
from tests.breaker.peers.words import PLAIN

PACKAGE, WORDS, SEED = "agentlens-evaluator", PLAIN, 4


def judge(rows: list[Row]) -> dict[str, list[int]]:
    """Return the first round at which it sees a loop."""
    run, events, detector = AgentRun(task="t"), [], LoopDetector()
    for row in rows:
        if not row.get("tool"):
            continue
        ended = EventType.ERROR if row["error"] else EventType.TOOL_CALL_COMPLETED
        for kind in (EventType.TOOL_CALL_STARTED, ended):
            events.append(
                AgentEvent(
                    run_id=run.id, sequence_number=len(events), event_type=kind,
                    name=row["tool"], input=row["args"],
                )
            )  # fmt: skip
        if detector.detect(run, events):
            return {"loop": [row["round"]]}
    return {"loop": []}
