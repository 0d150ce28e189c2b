"""AG2 (AutoGen 0.2) histories: agents that talk by turns, whose code a terminal runs.

Facts that it rests on, each seen in a real file: ``history`` holds ``{name, role, content}``, and
the role says nothing (``user`` is whoever did not speak last); the first message is the task, and
may hold code that is run; a terminal answers ``exitcode: N (execution …)`` and ``Code output:``, or
that there was no code; it runs all fenced blocks of the message before it at once; ``is_correct``
and ``mistake_step`` (text, counted from 0) are what people said. There are no times and no tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import text_of
from agentlens.trace.formats.openai import calls_of
from agentlens.trace.formats.part import Part, dicts, first_dict, numbered, text_or_none
from agentlens.trace.formats.prose import fences
from agentlens.trace.formats.whowhen import describe, mistake_label
from agentlens.trace.source import Document
from agentlens.trace.status import judge

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "ag2"
_KEYS = ("history", "chat_history", "trajectory")
_RAN = re.compile(r"\Aexitcode: (-?\d{1,9}) \(execution (?:succeeded|failed)\)\n?(?:Code output:)?")
_NO_CODE = "There is no code from the last"
_RUNNERS = {"": "python", "py": "python", "python3": "python", "sh": "bash", "shell": "bash"}


def _history(record: Any) -> list[Any]:
    if isinstance(record, Mapping):
        return next((record[k] for k in _KEYS if isinstance(record.get(k), list)), [])
    return []


def _fits(messages: Sequence[Any], *, sure: bool) -> bool:
    rows = list(dicts(list(messages[:40])))
    named = [
        r for r in rows if isinstance(r.get("name"), str) and isinstance(r.get("content"), str)
    ]
    if not rows or len(named) * 2 <= len(rows) or any(r.get("tool_call_id") for r in rows):
        return False
    speaks = {r["name"] for r in named if r.get("role") in ("user", "assistant")}
    ran = any(_RAN.match(r["content"]) or r["content"].startswith(_NO_CODE) for r in named)
    return bool(speaks) and (ran or not sure)


def sniff(head: Sequence[Any]) -> float:
    """Fit: messages that all have a name, under ``history``, or bare with a terminal's answers."""
    if _fits(_history(first_dict(head)), sure=False):
        return 0.95
    return 0.95 if _fits(head, sure=True) else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield the bare list as one part, or one part for each record with a history."""
    if not _history(first_dict(document.head)):
        yield Part(document.records(), document.name)
        return
    for number, record in document.records():
        messages = _history(record)
        if not messages:
            document.note("skipped", "a record has no history", number)
            continue
        about = {k: v for k, v in record.items() if k not in _KEYS and k != "system_prompt"}
        yield Part(numbered(messages), document.name, text_or_none(about.get("question_ID")), about)


def read(part: Part, build: TraceBuilder) -> None:
    """Read one history, with what people said of it beside."""
    rows, names = [], []
    for number, record in part.records:
        name = record.get("name") if isinstance(record, Mapping) else None
        names.append(name if isinstance(name, str) else "")
        if not isinstance(record, Mapping) or not {"content", "name"} & set(record):
            build.note("skipped", "a record is not a message", number)
            continue
        rows.append((number, names[-1], text_of(record.get("content")), record))
    if not rows:
        raise part.error("holds no message")
    numbers, count = {}, 0
    code, row = "", -1
    for place, (number, name, text, record) in enumerate(rows):
        ran = _RAN.match(text)
        runs = place + 1 < len(rows) and _RAN.match(rows[place + 1][2]) is not None
        if ran:
            _execution(row, code, text, ran, name, number, build)
        elif text.startswith(_NO_CODE):
            build.event("other", text, line=number)
        else:
            if place == 0:
                build.user(text, line=number)
            if place or runs or record.get("tool_calls"):
                count += 1
                spoken = f"{name}: {text}" if name and place else text
                row = build.round(text=spoken, injected=not place, line=number)
                for item in calls_of(record):
                    build.call(row, item.tool, item.args, call_id=item.call_id, line=number)
        numbers[number] = count
        code = text
    build.note("info", "who speaks stands before the text of each round")
    describe(part, build)
    build.describe(labels=mistake_label(part, build, names, numbers))


def _execution(
    row: int, code: str, text: str, ran: re.Match[str], name: str, number: int, build: TraceBuilder
) -> None:
    blocks = fences(code)
    if row < 0:
        row = build.round(line=number)
    language = next((tag for tag, _ in blocks if tag), "") if blocks else ""
    tool = _RUNNERS.get(language, language)
    args = {"code": "\n".join(block for _, block in blocks)} if blocks else None
    if not blocks:
        build.note("guessed", "a terminal answered, but the message before holds no code", number)
    call = build.call(row, tool, args, tool_raw=name or tool, line=number)
    status, kind, exit_code, _ = judge(text, exit_code=int(ran[1]))
    build.result(
        call, text[ran.end() :].strip("\n"), status=status, error_type=kind, exit_code=exit_code,
        paired_by="adjacency",
    )  # fmt: skip
