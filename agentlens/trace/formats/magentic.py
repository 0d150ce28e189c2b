"""Magentic-One histories: an orchestrator and its agents, whose actions are prose.

Facts that it rests on, each seen in a real file: ``history`` holds ``{role, content}`` whose role
is ``Orchestrator (thought)``, ``Orchestrator (-> WebSurfer)``, an agent, or ``human``; a thought
that begins ``Updated Ledger:`` is JSON whose ``is_in_loop`` and ``is_progress_being_made`` have a
reason and an answer, and may be cut or followed by console noise; an agent's first sentence says
what it did (``I typed 'Q' into 'X'.``, ``I clicked 'X'.``), the rest is what it saw; a dispatch may
stay unanswered; ``mistake_step`` is text, and counts the history from 0. There are no times and no
tokens. One turn of the orchestrator is a round, and what the agent then did its call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import text_of
from agentlens.trace.formats.part import Part, dicts, first_dict, numbered, text_or_none
from agentlens.trace.formats.prose import action_of
from agentlens.trace.formats.whowhen import describe, mistake_label
from agentlens.trace.source import Document

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "magentic"
_DISPATCH = re.compile(r"\AOrchestrator \(-> (.+)\)\Z")
_LEDGER = "Updated Ledger:"
_FLAGS = ("is_in_loop", "is_progress_being_made", "is_request_satisfied")
_GUARDS = ("Stalled", "Replan counter exceeded")
_ROUNDS = re.compile(r"Max rounds \((\d{1,9})\)")


def _history(record: Any) -> list[Any]:
    value = record.get("history") if isinstance(record, Mapping) else None
    return value if isinstance(value, list) else []


def _fits(messages: Sequence[Any]) -> bool:
    roles = [m["role"] for m in dicts(list(messages[:40])) if isinstance(m.get("role"), str)]
    return any(role.startswith("Orchestrator (") for role in roles)


def sniff(head: Sequence[Any]) -> float:
    """Fit: messages of an orchestrator that thinks and dispatches, bare or under ``history``."""
    return 0.97 if _fits(_history(first_dict(head))) or _fits(head) else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield the bare list as one part, or one part for each record with a history."""
    if _fits(document.head):
        yield Part(document.records(), document.name)
        return
    for number, record in document.records():
        if not _history(record):
            document.note("skipped", "a record has no list under 'history'", number)
            continue
        about = {k: v for k, v in record.items() if k != "history"}
        name = text_or_none(about.get("question_ID"))
        yield Part(numbered(_history(record)), document.name, name, about)


class _Reader:
    """Follows the history: which round is open, what was asked of which agent, what code waits."""

    def __init__(self, build: TraceBuilder):
        self.build = build
        self.round: int | None = None
        self.numbers: dict[int, int] = {}
        self.count = 0
        self.asked: str | None = None
        self.instruction = ""
        self.code = ""
        self.labels: list[dict[str, Any]] = []
        self.exit_reason: str | None = None

    def open(self, line: int, *, text: str = "", reasoning: str = "", plan: bool = False) -> int:
        self.count += not plan
        number = 0 if plan else self.count
        self.round = self.build.round(number=number, text=text, reasoning=reasoning, line=line)
        return self.round

    def take(self, role: str, text: str, line: int) -> None:
        dispatch = _DISPATCH.match(role)
        if dispatch:
            self.dispatch(dispatch[1], text, line)
        elif role == "Orchestrator (thought)":
            self.thought(text, line)
        elif role.startswith("Orchestrator"):
            self.ending(text, line)
        elif role in ("human", "user", "UserProxy"):
            self.round = None
            self.build.user(text, line=line)
        else:
            self.agent(role, text, line)
        self.numbers[line] = self.count

    def thought(self, text: str, line: int) -> None:
        start = text.lstrip()
        if start.startswith(_LEDGER):
            self.unanswered(line)
            self.open(line, reasoning=text)
            self.ledger(start[len(_LEDGER) :], line)
        elif start.startswith("Initial plan:"):
            self.open(line, text=text, plan=True)
            self.round = None
        elif start.startswith("Next speaker"):
            self.build.note("info", "lines 'Next speaker' only repeat the ledger", line)
        else:
            guard = start.startswith(_GUARDS)
            self.build.event("guard_fired" if guard else "other", text, line=line)

    def ledger(self, text: str, line: int) -> None:
        try:
            value, _ = json.JSONDecoder().raw_decode(text.lstrip())
        except (ValueError, RecursionError):
            self.build.note("damaged", "a ledger is not JSON; its answers are not labels", line)
            return
        for name in _FLAGS:
            entry = value.get(name) if isinstance(value, Mapping) else None
            if isinstance(entry, Mapping) and isinstance(entry.get("answer"), bool):
                self.labels.append({
                    "name": name, "value": entry["answer"], "level": "step", "step": self.count,
                    "thread": "main", "annotator": "model", "source": "ledger",
                    "reason": text_of(entry.get("reason")),
                })  # fmt: skip

    def dispatch(self, agent: str, text: str, line: int) -> None:
        self.unanswered(line)
        row = self.open(line) if self.round is None else self.round
        self.build.add_text(row, "text", text)
        self.asked, self.instruction = agent, text

    def unanswered(self, line: int) -> None:
        if self.asked:
            self.build.note("info", "a dispatch to an agent was never answered", line)
        self.asked = None

    def agent(self, role: str, text: str, line: int) -> None:
        row = self.open(line) if self.round is None else self.round
        tool, args, result, status = action_of(role, text, self.instruction, self.code)
        call = self.build.call(row, tool, args, tool_raw=role, namespace=role, line=line)
        self.build.note("guessed", "calls and their arguments are read out of prose", line)
        self.build.result(
            call, result, status=status, error_type=None if status == "ok" else status,
            paired_by="same_record",
        )  # fmt: skip
        if "```" in text:
            self.code = text
        self.asked = None

    def ending(self, text: str, line: int) -> None:
        self.unanswered(line)
        self.build.event("other", text, line=line)
        self.exit_reason = text.strip().split("\n", 1)[0][:200] or None
        found = _ROUNDS.search(text)
        if found:
            self.build.describe(limits={"max_steps": int(found[1])})


def read(part: Part, build: TraceBuilder) -> None:
    """Read one history, with what people said of it beside."""
    reader, seen = _Reader(build), False
    roles: list[str] = []
    for number, record in part.records:
        role = record.get("role") if isinstance(record, Mapping) else None
        roles.append(role if isinstance(role, str) else "")
        if not isinstance(record, Mapping) or not isinstance(role, str):
            build.note("skipped", "a record is not a message", number)
            continue
        seen = True
        reader.take(role, text_of(record.get("content")), number)
    if not seen:
        raise part.error("holds no message")
    describe(part, build, exit_reason=reader.exit_reason)
    mistake = mistake_label(part, build, roles, reader.numbers)
    build.describe(labels=(*reader.labels, *mistake))
