"""What people wrote beside a history: the answer, who made the mistake, and in which message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text
from agentlens.trace.formats.part import Part, text_or_none

__all__ = ["describe", "mistake_label"]


def describe(part: Part, build: TraceBuilder, *, exit_reason: str | None = None) -> None:
    """Set task and outcome; both spellings, ``is_correct`` and ``is_corrected``, are met."""
    about = part.about
    verdict = next((about[k] for k in ("is_correct", "is_corrected") if k in about), None)
    outcome: dict[str, Any] = {"status": "unknown"}
    if isinstance(verdict, bool):
        outcome = {"status": "success" if verdict else "failure", "raw": verdict}
    if exit_reason:
        outcome["exit_reason"] = exit_reason
    build.describe(
        trace_id=part.name,
        task=text_or_none(about.get("question")),
        outcome=outcome,
        extra={k: about[k] for k in ("question_ID", "level", "ground_truth", "mistake_type")
               if isinstance(about.get(k), str | int | float)},
    )  # fmt: skip


def mistake_label(
    part: Part, build: TraceBuilder, speakers: Sequence[str], rounds: Mapping[int, int]
) -> tuple[dict[str, Any], ...]:
    """Return the label of the mistake, its message turned into a round.

    Parameters
    ----------
    speakers
        Who speaks in each message; noted where it is not the agent that is blamed.
    rounds
        Number of the round for each message, messages counted from 1.
    """
    about = part.about
    if not {"mistake_step", "mistake_agent", "mistake_reason"} & set(about):
        return ()
    label: dict[str, Any] = {
        "name": "mistake", "value": as_text(about.get("mistake_reason")), "level": "trace",
        "annotator": "human", "source": "record",
        "agent": as_text(about.get("mistake_agent")),
    }  # fmt: skip
    given = as_text(about.get("mistake_step")).strip()
    if not given.isdecimal() or len(given) > 9 or int(given) >= len(speakers):
        build.note("guessed", f"mistake_step {given[:20]!r} names no message of the history")
        return (label,)
    step = int(given)
    if not speakers[step].startswith(label["agent"]):
        build.note(
            "info", "the message of the mistake is not of the agent that is blamed", step + 1
        )
    label.update(level="step", step=rounds.get(step + 1, 0), thread="main", message=step)
    return (label,)
