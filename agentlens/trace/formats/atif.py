"""ATIF trajectories (Agent Trajectory Interchange Format, v1.0 to v1.8), read and written.

Facts that it rests on: ``steps`` hold system prompts, user messages and agent turns; a turn has
its calls and, under ``observation``, their results by ``source_call_id``; prompt tokens include
cached ones; there is no flag for errors, converters put one into ``extra``; steps with
``is_copied_context`` repeat an earlier trajectory; sub-agents are embedded trajectories, to which
a result refers by ``trajectory_id``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import MAIN, TraceBuilder
from agentlens.trace.formats.atif_steps import StepReader
from agentlens.trace.formats.atif_write import to_atif, write_atif
from agentlens.trace.formats.part import Part, dicts, first_dict, mapping, text_or_none
from agentlens.trace.source import Document

__all__ = ["NAME", "read", "sniff", "split", "to_atif", "write_atif"]

NAME = "atif"


def sniff(head: Sequence[Any]) -> float:
    """Fit: an object with an agent and steps that have a source."""
    first = first_dict(head)
    steps = list(dicts(first.get("steps")))[:5]
    if not isinstance(first.get("agent"), Mapping) or not isinstance(first.get("steps"), list):
        return 0.0
    return 0.99 if all("source" in step and "step_id" in step for step in steps) else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield one part for each trajectory."""
    for number, record in document.records():
        if not isinstance(record, Mapping) or not isinstance(record.get("steps"), list):
            document.note("skipped", "a record has no list under 'steps'", number)
            continue
        name = record.get("trajectory_id") or record.get("session_id")
        yield Part([(number, record)], document.name, text_or_none(name), record)


def read(part: Part, build: TraceBuilder) -> None:
    """Read a trajectory and those embedded in it."""
    about = part.about
    agent, extra = mapping(about.get("agent")), mapping(about.get("extra"))
    totals = mapping(about.get("final_metrics"))
    known = mapping(extra.get("agentlens")).get("models") or [agent.get("model_name")]
    models = [name for name in known if text_or_none(name)] if isinstance(known, list) else []
    build.describe(
        format_version=text_or_none(about.get("schema_version")),
        session_id=text_or_none(about.get("session_id")),
        trace_id=text_or_none(about.get("trajectory_id")),
        agent=text_or_none(agent.get("name")),
        agent_version=text_or_none(agent.get("version")),
        models=tuple(dict.fromkeys(models)) or None,
        cwd=text_or_none(extra.get("cwd")),
        task=text_or_none(extra.get("task")),
        outcome=mapping(extra.get("outcome")) or None,
        totals=dict(totals) or None,
        totals_source="reported" if totals else None,
        labels=tuple(dicts(extra.get("labels"))) or None,
        extra={key: value for key, value in extra.items() if key != "agentlens"} or None,
    )
    if about.get("continued_trajectory_ref"):
        build.note("skipped", "the run goes on in another trajectory, which was not opened")
    StepReader(build, text_or_none(agent.get("model_name"))).trajectory(about, MAIN, 0)
