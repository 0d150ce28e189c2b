"""Gemini CLI sessions: one JSON object, or JSON lines that update, set and rewind it.

Facts that it rests on: a ``gemini`` message holds its ``toolCalls`` with arguments, status and
result in one record; ``tokens`` counts the whole prompt (cached ones included) and thoughts apart
from the answer; in lines, a message with a known id replaces the older one, ``message_update``
changes some of its fields and may come first, ``$set`` changes the session and ``$rewindTo`` takes
back a message and all after it. What was taken back did happen: it is an abandoned branch here.
Sub-agents have files of their own, of ``kind`` subagent, in the folder named after the session.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import MAIN, TraceBuilder
from agentlens.trace.child_files import gemini_children, read_children
from agentlens.trace.content import as_text
from agentlens.trace.formats.gemini_parts import answer_of, text_of_parts
from agentlens.trace.formats.part import Part, dicts, mapping, one_part, text_or_none
from agentlens.trace.source import Document
from agentlens.trace.times import parse_time

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "gemini"
_TYPES = ("user", "gemini", "info", "error", "warning")
_HOST = ("This is the Gemini CLI.", "<session_context>", "<state_snapshot>", "<system-reminder>")
_TOKENS = (("input_tokens", "input"), ("cached_tokens", "cached"), ("tokens", "total"),
           ("reasoning_tokens", "thoughts"))  # fmt: skip


def sniff(head: Sequence[Any]) -> float:
    """Fit: a session with messages of type ``gemini``, or lines of such messages."""
    rows = list(dicts(list(head)))
    if not rows:
        return 0.0
    inner = list(dicts(rows[0].get("messages")))
    messages = inner or rows
    ours = sum(m.get("type") == "gemini" and "content" in m for m in messages)
    session = "sessionId" in rows[0] and ("projectHash" in rows[0] or "startTime" in rows[0])
    changes = any("$set" in r or "$rewindTo" in r for r in rows)
    known = sum(m.get("type") in _TYPES and "id" in m for m in messages)
    if ours and (session or changes or known == len(messages)):
        return 0.98
    return 0.9 if session and "type" not in rows[0] and (changes or known or inner == []) else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield the session as one part."""
    yield one_part(document)


def read(part: Part, build: TraceBuilder) -> None:
    """Read a session, and those of its sub-agents where they lie beside it."""
    if _read(part, build) is None:
        raise part.error("holds no record of a Gemini session")


def _read(part: Part, build: TraceBuilder) -> _Session | None:
    """Read a session into a builder; None where there is none."""
    session = _Session(build)
    for number, record in part.records:
        if isinstance(record, Mapping):
            session.record(record, number)
        else:
            build.note("skipped", "a record is not one of a session", number)
    if not session.about and not session.entries:
        return None
    about = session.about
    name = text_or_none(about.get("sessionId"))
    extra = {
        k: about[k] for k in ("kind", "projectHash", "summary") if isinstance(about.get(k), str)
    }
    build.describe(session_id=name, trace_id=name, agent="gemini-cli", extra=extra or None)
    for entry in session.entries:
        _write(entry, build)
    calls = {
        item["agentId"]: item["id"]
        for entry in session.entries
        for item in dicts(entry.record.get("toolCalls"))
        if isinstance(item.get("agentId"), str) and isinstance(item.get("id"), str)
    }
    read_children(gemini_children(part.path, name), build, _child, calls)
    return session


def _child(document: Document, build: TraceBuilder) -> str | None:
    session = _read(one_part(document), build)
    if session is None:
        raise document.error("holds no record of a Gemini session")
    return text_or_none(session.about.get("summary"))


class _Entry:
    """One message, as it stands after all updates."""

    def __init__(self, record: dict[str, Any], line: int):
        self.record, self.line, self.thread = record, line, MAIN


class _Session:
    """Follows the records of a session: what replaces, updates or takes back what."""

    def __init__(self, build: TraceBuilder):
        self.build = build
        self.about: dict[str, Any] = {}
        self.entries: list[_Entry] = []
        self.by_id: dict[str, _Entry] = {}
        self.early: dict[str, list[Mapping[str, Any]]] = {}
        self.rewinds = 0

    def record(self, record: Mapping[str, Any], line: int) -> None:
        kind, key = record.get("type"), record.get("id")
        if "$rewindTo" in record:
            self._rewind(record["$rewindTo"], line)
        elif isinstance(record.get("$set"), Mapping):
            self._session(record["$set"], line)
        elif kind == "message_update":
            if isinstance(key, str) and key in self.by_id:
                _update(self.by_id[key].record, record)
            elif isinstance(key, str):
                self.early.setdefault(key, []).append(record)
        elif kind in _TYPES:
            self._message(record, line)
        elif "sessionId" in record or "messages" in record:
            self._session(record, line)
        else:
            self.build.note("skipped", f"records of type {as_text(kind)[:40]!r}", line)

    def _session(self, record: Mapping[str, Any], line: int) -> None:
        self.about.update({k: v for k, v in record.items() if k != "messages"})
        for number, message in enumerate(dicts(record.get("messages")), 1):
            if message.get("type") in _TYPES:
                self._message(message, number if "sessionId" in record else line)
            else:
                self.build.note(
                    "skipped", f"messages of type {as_text(message.get('type'))[:40]!r}"
                )

    def _message(self, record: Mapping[str, Any], line: int) -> None:
        key = record.get("id")
        if isinstance(key, str) and key in self.by_id:
            self.by_id[key].record.update(record)
            return
        entry = _Entry(dict(record), line)
        self.entries.append(entry)
        if isinstance(key, str):
            self.by_id[key] = entry
            for update in self.early.pop(key, []):
                _update(entry.record, update)

    def _rewind(self, target: Any, line: int) -> None:
        """Take back a message and all after it; everything, where there is no such message."""
        now = [entry for entry in self.entries if entry.thread == MAIN]
        at = next((n for n, entry in enumerate(now) if entry.record.get("id") == target), 0)
        self.rewinds += 1
        self.build.note("info", "messages that a rewind took back are an abandoned branch", line)
        for entry in now[at:]:
            entry.thread = f"rewind-{self.rewinds}"
            self.by_id.pop(as_text(entry.record.get("id")), None)


def _update(record: dict[str, Any], update: Mapping[str, Any]) -> None:
    for key, value in update.items():
        if key in ("type", "id"):
            continue
        old = record.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        record[key] = {**old, **value} if both else value  # type: ignore[dict-item]


def _write(entry: _Entry, build: TraceBuilder) -> None:
    record, thread, line = entry.record, entry.thread, entry.line
    time, kind = parse_time(record.get("timestamp")), record.get("type")
    if thread != MAIN:
        build.thread(thread, parent=MAIN, kind="branch", name=thread, abandoned=True)
    text = text_of_parts(record.get("displayContent") or record.get("content"))
    if kind == "gemini":
        _turn(record, text, time, thread, line, build)
    elif kind == "user":
        if text.lstrip().startswith(_HOST) or not text.strip():
            build.event("other", text, thread=thread, started=time, line=line)
            return
        if build.meta.task is None and thread == MAIN:
            build.describe(task=text)
        build.user(text, thread=thread, started=time, line=line)
    else:
        event = "api_error" if kind == "error" else "other"
        build.event(event, text, thread=thread, started=time, line=line)


def _turn(
    record: Mapping[str, Any], text: str, time: float | None, thread: str, line: int,
    build: TraceBuilder,
) -> None:  # fmt: skip
    tokens = mapping(record.get("tokens"))
    columns: dict[str, Any] = {
        column: tokens[key] for column, key in _TOKENS if _is_count(tokens.get(key))
    }
    if _is_count(tokens.get("output")):
        columns["output_tokens"] = tokens["output"] + columns.get("reasoning_tokens", 0)
    thoughts = [
        ": ".join(t for t in (as_text(x.get("subject")), as_text(x.get("description"))) if t)
        for x in dicts(record.get("thoughts"))
    ]
    row = build.round(
        thread=thread, text=text, reasoning="\n".join(thoughts), started=time, line=line,
        model=text_or_none(record.get("model")), message_id=text_or_none(record.get("id")),
        **columns,
    )  # fmt: skip
    for item in dicts(record.get("toolCalls")):
        call = build.call(
            row, as_text(item.get("name")) or "?", item.get("args"),
            call_id=text_or_none(item.get("id")), started=time, line=line,
        )  # fmt: skip
        _result(item, call, line, build)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _result(item: Mapping[str, Any], call: int, line: int, build: TraceBuilder) -> None:
    state = item.get("status")
    if state not in ("success", "error", "cancelled") and item.get("result") is None:
        return  # it never ran, or never ended
    answer = answer_of(item.get("result"))
    text = answer.text
    if not text and isinstance(item.get("resultDisplay"), str):
        text = item["resultDisplay"]
    failed = True if state == "error" or answer.error else None
    told = ("denied", "cancelled") if state == "cancelled" else None
    status, kind, code = build.judge(text, error=failed, line=line, told=told)
    build.result(
        call, text, status=status, ended=parse_time(item.get("timestamp")), error_type=kind,
        exit_code=code, parts=answer.parts,
    )  # fmt: skip
