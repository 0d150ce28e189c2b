"""LiveMCPBench runs: OpenAI messages beside a task and what people said of the result.

Facts that it rests on, each seen in a real file: ``{task_id, Question, messages, response,
task_success, …}``, one object or a list of them; tools of hundreds of servers are found by
``route`` and called through ``execute-tool {server_name, tool_name, params}``; results are kept as
the text of an MCP object, cut at 10,000 characters; `task_success` is ``success`` or ``failure``,
judged by people. There are no times and no tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text
from agentlens.trace.formats.openai import turn_of
from agentlens.trace.formats.part import Part, by_messages, first_dict, text_or_none
from agentlens.trace.formats.turns import feed_all
from agentlens.trace.source import Document

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "livemcp"
_ABOUT = ("task_id", "category", "answers", "file_name", "response")


def sniff(head: Sequence[Any]) -> float:
    """Fit: messages beside a question and a judgement or the annotator's data."""
    first = first_dict(head)
    judged = {"task_success", "Annotator Metadata"} & set(first)
    return 0.98 if isinstance(first.get("messages"), list) and "Question" in first and judged else 0


def split(document: Document) -> Iterator[Part]:
    """Return one part for each task."""
    return by_messages(document, "task_id")


def read(part: Part, build: TraceBuilder) -> None:
    """Read one task."""
    about, verdict = part.about, part.about.get("task_success")
    known = verdict in ("success", "failure")
    label = {
        "name": "task_success", "value": verdict, "level": "trace", "annotator": "human",
        "source": "record",
    }  # fmt: skip
    build.describe(
        trace_id=part.name,
        task=text_or_none(about.get("Question")),
        outcome={"status": as_text(verdict) if known else "unknown", "raw": verdict},
        labels=(label,) if verdict is not None else None,
        extra={k: about[k] for k in _ABOUT if isinstance(about.get(k), str)},
    )
    feed_all(part, build, turn_of)
