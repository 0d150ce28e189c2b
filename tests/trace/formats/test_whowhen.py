"""What people wrote beside a history: the message that is blamed, as a round."""

from __future__ import annotations

import pytest

from agentlens.trace.build import TraceBuilder
from agentlens.trace.formats.part import Part
from agentlens.trace.formats.whowhen import describe, mistake_label


@pytest.mark.parametrize("key", ["is_correct", "is_corrected"])
@pytest.mark.parametrize(
    ("value", "status"), [(True, "success"), (False, "failure"), ("no", "unknown")]
)
def test_both_spellings_of_the_verdict(key, value, status):
    build = TraceBuilder("f")
    describe(Part([], about={key: value}), build)
    assert build.meta.outcome["status"] == status


@pytest.mark.parametrize("step", ["2", 2])
def test_the_message_counts_from_zero(step):
    part = Part([], about={"mistake_step": step, "mistake_agent": "B", "mistake_reason": "why"})
    build = TraceBuilder("f")
    (label,) = mistake_label(part, build, ["A", "A", "B"], {1: 1, 2: 1, 3: 2})
    assert (label["message"], label["step"], label["value"]) == (2, 2, "why")
    assert not build.finish().notes


@pytest.mark.parametrize("step", ["9", "", "x", None, "1" * 5000, "²"])
def test_a_step_that_names_no_message_is_noted(step):
    part = Part([], about={"mistake_step": step, "mistake_agent": "A"})
    build = TraceBuilder("f")
    (label,) = mistake_label(part, build, ["A"], {1: 1})
    assert label["level"] == "trace"
    assert len(build.finish().notes) == 1
    assert not mistake_label(Part([]), build, [], {})
