"""tau-bench results: a list of ``{task_id, trial, reward, info, traj}``, one trace each.

Facts that it rests on: ``traj`` holds OpenAI messages; the user is simulated, and each of its
messages starts a request; the reward is the outcome (1.0: the task was solved); results carry no
flag for errors, but begin with ``Error:``; there are no times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text
from agentlens.trace.formats.openai import turn_of
from agentlens.trace.formats.part import Part, first_dict, numbered
from agentlens.trace.formats.turns import feed_all
from agentlens.trace.source import Document

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "tau"


def sniff(head: Sequence[Any]) -> float:
    """Fit: records with a trajectory and a reward or task."""
    first = first_dict(head)
    return (
        0.98 if isinstance(first.get("traj"), list) and {"reward", "task_id"} & set(first) else 0.0
    )


def split(document: Document) -> Iterator[Part]:
    """Yield one part for each task and trial."""
    for number, record in document.records():
        messages = record.get("traj") if isinstance(record, Mapping) else None
        if not isinstance(messages, list):
            document.note("skipped", "a record has no list under 'traj'", number)
            continue
        about = {key: value for key, value in record.items() if key != "traj"}
        name = f"task {as_text(about.get('task_id'))} trial {as_text(about.get('trial'))}"
        yield Part(numbered(messages), document.name, name, about)


def read(part: Part, build: TraceBuilder) -> None:
    """Read one trajectory and its reward."""
    about = part.about
    reward = about.get("reward")
    outcome: dict[str, Any] = {"status": "unknown"}
    if isinstance(reward, int | float) and not isinstance(reward, bool):
        outcome = {"status": "success" if reward >= 1 else "failure", "score": float(reward)}
    info = about.get("info") if isinstance(about.get("info"), Mapping) else {}
    task = info.get("task") if isinstance(info, Mapping) else None
    instruction = task.get("instruction") if isinstance(task, Mapping) else None
    build.describe(
        trace_id=part.name,
        task=instruction if isinstance(instruction, str) else None,
        outcome=outcome,
        extra={k: about[k] for k in ("task_id", "trial") if k in about},
    )
    feed_all(part, build, turn_of)
