"""Cline and Roo Code: ``api_conversation_history.json``, and the messages of Cline's CLI.

Facts that it rests on: messages are Anthropic's with ``ts`` in ms; Roo keeps what the model no
longer sees, marked ``condenseParent`` or ``truncationParent``, and has rows of type
``reasoning``; the CLI adds ``modelInfo`` and ``metrics``; older tasks call tools as XML in text
and are answered by user texts ``[tool for '…'] Result:``; every user message carries
``<environment_details>`` of the host, which change each time and are no answer; what a person
says stands in ``<task>``, ``<feedback>``, ``<user_message>`` or ``<answer>``. Times and costs of
a task stand beside it in ``ui_messages.json``, which is also read alone; see `cline_ui`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text, text_of
from agentlens.trace.formats import anthropic
from agentlens.trace.formats.cline_ui import is_row, read_rows, usage_beside
from agentlens.trace.formats.openai import conversation, describe
from agentlens.trace.formats.part import Part, dicts, text_or_none
from agentlens.trace.formats.turns import CallItem, ResultItem, Turn, feed
from agentlens.trace.source import Document
from agentlens.trace.xml_calls import RESULT, xml_calls

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "cline"
_MARKS = (
    "condenseParent", "condenseId", "truncationParent", "truncationId", "isTruncationMarker",
    "modelInfo", "metrics", "conversationHistoryIndex",
)  # fmt: skip
_DETAILS = re.compile(r"<environment_details>.*?(?:</environment_details>|\Z)", re.DOTALL)
_PERSON = re.compile(r"<(feedback|user_message)>(.*?)</\1>", re.DOTALL)
_TASK = re.compile(r"\s*<task>\s*(.*?)\s*</task>", re.DOTALL)
_FILES = ("api_conversation_history.json", "ui_messages.json")
_HOST = ("[ERROR]", "[TASK RESUMPTION]", "[NOTE]", "# task_progress", "[FILE CONTEXT")
_FAILED = ("The tool execution failed", "Error ", "Error:", "<error>")


def sniff(head: Sequence[Any]) -> float:
    """Fit: Anthropic messages with the host's marks, details of its environment, or XML calls."""
    if head and sum(map(is_row, head)) * 2 > len(head):
        return 0.96
    first = head[0] if head else None
    inner = conversation(first) if isinstance(first, Mapping) else None
    rows = list(dicts(list(inner if inner is not None else head)))[:30]
    ours = [m for m in rows if m.get("role") in ("user", "assistant") and "content" in m]
    if not ours or len(ours) * 2 < len(rows) or any("tool_calls" in m or "uuid" in m for m in rows):
        return 0.0
    texts = [text_of(m["content"]) for m in ours]
    marked = any(mark in m for m in ours for mark in _MARKS)
    stamped = sum("ts" in m for m in ours) * 2 > len(ours)
    details = any("<environment_details>" in text for text in texts)
    spoken = zip(ours, texts, strict=True)
    called = any(m["role"] == "assistant" and xml_calls(text)[1] for m, text in spoken)
    if details or (called and any(RESULT.match(text) for text in texts)):
        return 0.96
    return 0.955 if marked and stamped else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield the list of messages as one part, or one part a conversation."""
    yield from anthropic.split(document)


def read(part: Part, build: TraceBuilder) -> None:
    """Read the messages of one task, or the rows that its screen showed."""
    describe(part, build)
    if part.path is not None and part.path.name in _FILES:
        task = part.path.parent.name or None  # the folder is named by the task
        build.describe(trace_id=task, session_id=task)
    records = iter(part.records)
    first = next(records, None)
    if first is not None and is_row(first[1]):
        read_rows([first, *records], build)
        return
    usage = usage_beside(part.path)
    thoughts, seen = "", False
    for number, message in chain([first] if first else [], records):
        if isinstance(message, Mapping) and message.get("type") == "reasoning":
            thoughts = _reasoning(message)
            continue
        turn = anthropic.turn_of(message)
        if turn is None:
            build.note("skipped", "a record is not a message", number)
            continue
        seen = True
        if message.get("isTruncationMarker"):
            turn = Turn("event", turn.text, started=turn.started, event="compaction")
        if turn.role == "assistant":
            turn = replace(turn, reasoning=turn.reasoning or thoughts)
            if usage is not None and not turn.columns.keys() & {"input_tokens", "cost"}:
                turn.columns.update(usage.before(turn.started))
            thoughts = ""
            feed(_with_calls(turn), build, number)
        elif turn.role == "user":
            _user(turn, build, number)
        else:
            feed(turn, build, number)
    if usage is not None and usage.is_lost:
        build.note("info", "no message has a time by which to tell what its request used")
    if not seen:
        raise part.error("holds no message")


def _reasoning(message: Mapping[str, Any]) -> str:
    found = [text_or_none(p.get("text")) for p in dicts(message.get("summary"))]
    return (
        text_of(message.get("content"))
        or as_text(message.get("text"))
        or "\n".join(text for text in found if text)
    )


def _with_calls(turn: Turn) -> Turn:
    if turn.calls:
        return turn
    text, calls = xml_calls(turn.text)
    return replace(turn, text=text, calls=[CallItem(tool, args) for tool, args in calls])


def _user(turn: Turn, build: TraceBuilder, line: int) -> None:
    """Feed a user message: answers first, then what the person said, if anything."""
    text = _DETAILS.sub("", turn.text).strip()
    if turn.results:
        items = [_judged(replace(i, text=_DETAILS.sub("", i.text).rstrip())) for i in turn.results]
        said = "\n".join([text, *(item.text for item in items)])
        feed(replace(turn, text="", results=items), build, line)
        rest = _PERSON.sub("", text).strip()
    else:
        items = list(_answers(text)) if build.has_open_calls() else []
        for item in items:
            feed(Turn("tool", results=[item], started=turn.started), build, line)
        said, rest = text, "" if items else text
    people = [match[2].strip() for match in _PERSON.finditer(said)]
    if people:
        build.user("\n".join(people), started=turn.started, line=line)
    elif rest.startswith(_HOST) or (rest and turn.results):
        build.event("other", rest, started=turn.started, line=line)
    elif rest:
        task = _TASK.match(rest)
        words = task[1] if task else rest
        if build.meta.task is None:
            build.describe(task=words)
        build.user(words, started=turn.started, line=line)


def _answers(text: str) -> Iterator[ResultItem]:
    """Yield the answers in a user text, each of which begins with the name of its tool."""
    starts = [m for m in RESULT.finditer(text) if m.start() == 0 or text[m.start() - 1] == "\n"]
    for place, match in enumerate(starts[:50]):
        end = starts[place + 1].start() if place + 1 < len(starts) else len(text)
        yield _judged(ResultItem(text[match.end() : end].strip("\n"), tool=match[1]))


def _judged(item: ResultItem) -> ResultItem:
    opening = item.text.lstrip()[:100]
    if item.error is None and opening.startswith(_FAILED):
        return replace(item, error=True)
    return item
