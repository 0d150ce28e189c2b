"""goose sessions: its old JSON lines, an exported session, and what `goose_store` finds.

Facts that it rests on: a message is ``{id, role, created, content, metadata}`` with times in
seconds; its parts are ``text``, ``thinking``, ``toolRequest`` (``toolCall`` holds the call, or the
error that it was no sound call) and ``toolResponse`` (in a user message; ``toolResult`` holds MCP
content, twice where one copy is for the user's eyes); parts of one streamed message share its id;
``metadata`` says who sees a message: after a compaction the model no longer sees the older ones;
old lines begin with a header; what a session used is told as a total, in the database also as one
row for each call of the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import MAIN, TraceBuilder
from agentlens.trace.content import as_text
from agentlens.trace.document import Document
from agentlens.trace.formats.goose_parts import Call, answer_of, call_of, describe, joined, usage_of
from agentlens.trace.formats.part import Part, dicts, first_dict, mapping, one_part, text_or_none
from agentlens.trace.times import parse_time

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "goose"
_OWN = frozenset(
    "toolRequest toolResponse frontendToolRequest toolConfirmationRequest actionRequired "
    "redactedThinking systemNotification".split()
)
_QUIET = frozenset(("text", "thinking", "redactedThinking", "image"))
_MAX_DEPTH = 8


def sniff(head: Sequence[Any]) -> float:
    """Fit: messages with parts that only goose has, or with its header or its metadata."""
    rows = list(dicts(list(head)))
    if not rows:
        return 0.0
    inner = _messages(rows[0])
    messages = list(dicts(inner))[:40] if inner is not None else [_message(r) for r in rows]
    ours = [m for m in messages if isinstance(m.get("content"), list) and "role" in m]
    if any(as_text(p.get("type")) in _OWN for m in ours for p in dicts(m["content"])):
        return 0.985
    seen = any("agentVisible" in mapping(m.get("metadata")) for m in ours)
    header = "working_dir" in rows[0] and bool({"message_count", "conversation"} & set(rows[0]))
    return 0.97 if header or (seen and all("created" in m for m in ours)) else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield one part for each session; lines are one session."""
    first = first_dict(document.head)
    if _messages(first) is None:
        yield one_part(document)
        return
    for number, record in document.records():
        if not isinstance(record, Mapping) or _messages(record) is None:
            document.note("skipped", "a record is not a session", number)
            continue
        yield Part([(number, record)], document.name, text_or_none(record.get("id")))


def read(part: Part, build: TraceBuilder) -> None:
    """Read one session and those of its sub-agents."""
    build.describe(agent="goose")
    session = _Session(build)
    lines: list[tuple[int, Mapping[str, Any]]] = []
    for number, record in part.records:
        if isinstance(record, Mapping) and _messages(record) is not None:
            describe(record, build)
            session.family(record, MAIN, 0)
            return
        found = _message(record) if isinstance(record, Mapping) else {}
        if isinstance(found.get("content"), list) and "role" in found:
            lines.append((number, found))
        elif number == 1 and isinstance(record, Mapping) and "working_dir" in record:
            describe(record, build)
        else:
            build.note("skipped", "a record is not a message", number)
    if not lines:
        raise part.error("holds no message of a goose session")
    session.read(lines, MAIN)


def _messages(record: Mapping[str, Any]) -> list[Any] | None:
    for key in ("conversation", "messages"):
        if isinstance(record.get(key), list):
            found: list[Any] = record[key]
            return found
    return None


def _message(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a message, also out of an event of ``--output-format stream-json``."""
    return mapping(record.get("message")) if record.get("type") == "message" else record


class _Session:
    """Writes sessions into the builder, sub-agents' as threads of their own."""

    def __init__(self, build: TraceBuilder):
        self.build = build
        self.hidden = False

    def family(self, record: Mapping[str, Any], thread: str, depth: int) -> None:
        numbered = [
            (number, item)
            for number, item in enumerate(_messages(record) or (), 1)
            if isinstance(item, Mapping)
        ]
        rows = self.read(numbered, thread)
        usage = usage_of(record.get("usage"))
        if usage and len(usage) == len(rows):
            self.build.note("guessed", "what each call of the model used follows in their order")
            for row, columns in zip(rows, usage, strict=True):
                self.build.update_round(row, **columns)
        elif usage:
            self.build.note("info", "what calls of the model used cannot be told to its messages")
        for child in dicts(record.get("children")):
            name = text_or_none(child.get("id"))
            if name is None or name == MAIN or depth >= _MAX_DEPTH:
                self.build.note("skipped", "a sub-agent's session has no id or is too deep")
                continue
            self.build.thread(name, parent=thread, name=text_or_none(child.get("name")))
            self.family(child, name, depth + 1)

    def read(self, messages: Sequence[tuple[int, Mapping[str, Any]]], thread: str) -> list[int]:
        """Write the messages of one thread; return the rows of its rounds."""
        rows: list[int] = []
        self.hidden = False
        for line, message in joined(messages):
            parts = list(dicts(message.get("content")))
            if message.get("role") == "assistant":
                rows += self._round(message, parts, thread, line)
            else:
                self._user(message, parts, thread, line)
        return rows

    def _round(
        self, message: Mapping[str, Any], parts: list[Mapping[str, Any]], thread: str, line: int
    ) -> list[int]:
        """Start a round, if the model said anything; the host's own notices are events."""
        about = mapping(message.get("metadata"))
        time = parse_time(message.get("created"))
        self.hidden = self.hidden or about.get("agentVisible") is False
        if parts and all(p.get("type") in ("systemNotification", "actionRequired") for p in parts):
            self._notices(parts, thread, time, line)
            return []
        row = self.build.round(
            thread=thread, started=time, line=line, message_id=text_or_none(message.get("id")),
            hidden=about.get("agentVisible") is False,
            injected=about.get("userVisible") is False and about.get("agentVisible") is True,
        )  # fmt: skip
        self._fill(row, parts, thread, time, line)
        return [row]

    def _fill(
        self, row: int, parts: list[Mapping[str, Any]], thread: str, time: float | None, line: int
    ) -> None:
        build = self.build
        for part in parts:
            kind = as_text(part.get("type"))
            if kind == "text":
                build.add_text(row, "text", as_text(part.get("text")))
            elif kind == "thinking":
                build.add_text(row, "reasoning", as_text(part.get("thinking")))
            elif kind in ("toolRequest", "frontendToolRequest"):
                self._call(row, call_of(part), time, line)
            elif kind == "toolResponse":  # a tool that ran at the provider
                self._result(part, thread, time, line)
            elif kind in ("systemNotification", "actionRequired", "toolConfirmationRequest"):
                self._notices([part], thread, time, line)
            elif kind not in _QUIET:
                build.note("skipped", f"parts of type {kind[:40]!r}", line)

    def _call(self, row: int, call: Call, time: float | None, line: int) -> None:
        extension = {"namespace": call.extension} if call.extension else {}
        made = self.build.call(
            row, call.tool, call.args, call_id=call.call_id, tool_raw=call.name, started=time,
            line=line, **extension,
        )  # fmt: skip
        if call.error is not None:
            self.build.note("damaged", "a call that the model wrote could not be read", line)
            self.build.result(made, call.error, status="error", error_type="invalid_call")

    def _result(self, part: Mapping[str, Any], thread: str, time: float | None, line: int) -> None:
        build, answer = self.build, answer_of(part.get("toolResult"))
        call_id = text_or_none(part.get("id"))
        found = build.find_call(call_id, thread=thread)
        if found is None:
            build.note("skipped", "a result belongs to no call", line)
            return
        status, kind, code = build.judge(
            answer.text, error=answer.error, exit_code=answer.exit_code, line=line
        )
        build.result(
            found[0], answer.text, status=status, ended=time, error_type=kind, exit_code=code,
            parts=answer.parts, paired_by=found[1],
        )  # fmt: skip

    def _notices(
        self, parts: list[Mapping[str, Any]], thread: str, time: float | None, line: int
    ) -> None:
        for part in parts:
            kind = "other" if part.get("type") == "systemNotification" else "approval"
            words = as_text(part.get("msg") or part.get("message") or part.get("prompt"))
            self.build.event(kind, words, thread=thread, started=time, line=line)

    def _user(
        self, message: Mapping[str, Any], parts: list[Mapping[str, Any]], thread: str, line: int
    ) -> None:
        build, time = self.build, parse_time(message.get("created"))
        about = mapping(message.get("metadata"))
        self.hidden = self.hidden or about.get("agentVisible") is False
        for part in parts:
            if part.get("type") == "toolResponse":
                self._result(part, thread, time, line)
        self._notices(
            [p for p in parts if p.get("type") in ("actionRequired", "toolConfirmationRequest")],
            thread, time, line,
        )  # fmt: skip
        text = "\n".join(as_text(p.get("text")) for p in parts if p.get("type") == "text")
        if not text.strip():
            return
        answers = any(p.get("type") == "toolResponse" for p in parts)
        if about.get("userVisible") is False or answers:
            kind = "compaction" if self.hidden and not answers else "other"
            build.event(kind, text, thread=thread, started=time, line=line)
            return
        if build.meta.task is None and thread == MAIN:
            build.describe(task=text)
        build.user(text, thread=thread, started=time, line=line)
