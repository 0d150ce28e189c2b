"""agent-vitals on what it can take from a log: outputs; the numbers of an application all rise."""

from __future__ import annotations

from agent_vitals import AgentVitals

from tests.breaker.peers.draw import Row
from tests.breaker.peers.words import OUTPUTS

PACKAGE, WORDS, SEED = "agent-vitals", OUTPUTS, 9


def judge(rows: list[Row]) -> dict[str, list[int]]:
    """Return the first round at which it sees a loop."""
    monitor, steps = AgentVitals(mission_id="m"), 0
    for row in rows:
        if row.get("tool"):
            steps += 1
            seen = monitor.step(
                findings_count=steps, coverage_score=min(1.0, steps / 50), error_count=0,
                total_tokens=100 * steps, sources_count=steps, output_text=row["result"],
            )  # fmt: skip
            if seen.loop_detected:
                return {"loop": [row["round"]]}
    return {"loop": []}
