"""agentlens-eval's loop check of a trace, asked after each step."""

from __future__ import annotations

from agentlens_eval.detectors import detect_loops
from agentlens_eval.trace import Step, Trace

from tests.breaker.peers.draw import Row
from tests.breaker.peers.words import PLAIN

PACKAGE, WORDS, SEED = "agentlens-eval", PLAIN, 3


def judge(rows: list[Row]) -> dict[str, list[int]]:
    """Return the first rounds at which it warns, and at which of calls that are not in a row."""
    trace, found = Trace(), {"consecutive": [], "frequent": []}
    for row in rows:
        if row.get("tool"):
            step = trace.add(Step(index=trace.total_steps + 1))
            step.tool_call(row["tool"], row["args"], result=row["result"])
            for warning in detect_loops(trace):
                if not found[warning.kind]:
                    found[warning.kind].append(row["round"])
    return found
