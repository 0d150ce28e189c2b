"""deepeval's AgentLoopDetectionMetric, measured over every beginning of a run."""

from __future__ import annotations

import os

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "1"

from deepeval.metrics import AgentLoopDetectionMetric
from deepeval.test_case import LLMTestCase

from tests.breaker.peers.draw import Row
from tests.breaker.peers.words import PLAIN

PACKAGE, WORDS, SEED = "deepeval", PLAIN, 10


def judge(rows: list[Row]) -> dict[str, list[int]]:
    """Return the first rounds at which the score of the calls is a half, and is zero."""
    spans, found = [], {"half": [], "zero": []}
    metric = AgentLoopDetectionMetric(async_mode=False)
    for row in rows:
        if not row.get("tool"):
            continue
        spans.append({"type": "tool", "name": row["tool"], "input": row["args"], "children": []})
        case = LLMTestCase(input="a task", actual_output="an answer")
        case._trace_dict = {"type": "agent", "name": "agent", "input": "t", "children": spans}
        metric.measure(case, _show_indicator=False)
        score = metric.score_breakdown["tool_repetition"]
        for name, at in (("half", 0.5), ("zero", 0.0)):
            if score == at and not found[name]:
                found[name].append(row["round"])
    return found
