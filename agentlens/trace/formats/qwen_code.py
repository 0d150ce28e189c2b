"""Qwen Code sessions: JSON lines of Gemini messages, ``{uuid, sessionId, type, message}``.

Facts that it rests on: `message` holds Gemini's ``parts``; ``tool_result`` records answer by the
id in ``functionResponse``; a record that comes twice has the same ``uuid``; sub-agents' records
name an ``agentId``, and newer versions keep them in ``subagents/<session>/agent-<id>.jsonl``;
`system` records are the host's, among them the compression of the chat and the ``rewind``, whose
``parentUuid`` is the last record that still counts: those after it are an abandoned branch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import MAIN, TraceBuilder
from agentlens.trace.child_files import qwen_children, read_children
from agentlens.trace.content import as_text
from agentlens.trace.formats.gemini_parts import answer_of, text_of_parts
from agentlens.trace.formats.part import Part, dicts, mapping, one_part, text_or_none
from agentlens.trace.source import Document
from agentlens.trace.times import parse_time

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "qwen_code"
_TYPES = ("user", "assistant", "tool_result", "system")
_TOKENS = (
    ("input_tokens", "promptTokenCount"), ("output_tokens", "candidatesTokenCount"),
    ("cached_tokens", "cachedContentTokenCount"), ("reasoning_tokens", "thoughtsTokenCount"),
    ("tokens", "totalTokenCount"),
)  # fmt: skip
_HOST = ("<system-reminder>", "<state_snapshot>", "This is the Qwen Code.")


def sniff(head: Sequence[Any]) -> float:
    """Fit: records with a type, a session, and messages of parts."""
    rows = [r for r in dicts(list(head)) if r.get("type") in _TYPES]
    ours = [r for r in rows if isinstance(mapping(r.get("message")).get("parts"), list)]
    return 0.995 if ours and all("uuid" in r or "sessionId" in r for r in ours) else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield the session as one part."""
    yield one_part(document)


def read(part: Part, build: TraceBuilder) -> None:
    """Read a session, and those of its sub-agents where they lie beside it."""
    build.describe(agent="qwen-code")
    if not _read(part, build):
        raise part.error("holds no record of a Qwen Code session")
    read_children(qwen_children(part.path, build.meta.session_id), build, _child)


def _child(document: Document, build: TraceBuilder) -> str | None:
    if not _read(one_part(document), build, alone=False):
        raise document.error("holds no record of a Qwen Code session")
    return None


def _read(part: Part, build: TraceBuilder, alone: bool = True) -> bool:
    """Read records; those of a sub-agent's own file need not be told apart by their agent."""
    seen: set[str] = set()
    records: list[tuple[int, Mapping[str, Any]]] = []
    for number, record in part.records:
        if not isinstance(record, Mapping) or record.get("type") not in _TYPES:
            build.note("skipped", "a record is not a message", number)
            continue
        key = record.get("uuid")
        if isinstance(key, str) and key in seen:
            build.note("info", "a record came twice; the first one counts", number)
            continue
        seen.add(as_text(key))
        records.append((number, record))
    branches = _branches(records, build, alone)
    for number, record in records:
        agent = text_or_none(record.get("agentId")) if alone else None
        _record(record, number, build, agent, branches.get(number, MAIN))
    return bool(records)


def _branches(
    records: Sequence[tuple[int, Mapping[str, Any]]], build: TraceBuilder, alone: bool
) -> dict[int, str]:
    """Return, for each record that a rewind took back, the name of its abandoned branch."""
    branches: dict[int, str] = {}
    now: list[tuple[int, Any]] = []
    rewinds = 0
    for number, record in records:
        if alone and record.get("agentId"):
            continue
        target = record.get("parentUuid")
        if record.get("subtype") == "rewind" and "parentUuid" in record:
            at = next((n for n, (_, key) in enumerate(now) if key == target), None)
            if at is None and target is not None:
                build.note("skipped", "a rewind names no record that is there", number)
                continue
            gone = now[at + 1 :] if at is not None else now
            if gone:
                rewinds += 1
                message = "messages that a rewind took back are an abandoned branch"
                build.note("info", message, number)
                branches.update({line: f"rewind-{rewinds}" for line, _ in gone})
            now = now[: at + 1] if at is not None else []
        now.append((number, record.get("uuid")))
    return branches


def _record(
    record: Mapping[str, Any], line: int, build: TraceBuilder, agent: str | None, branch: str
) -> None:
    meta = build.meta
    session = meta.session_id or text_or_none(record.get("sessionId"))
    build.describe(
        session_id=session, trace_id=session, cwd=meta.cwd or text_or_none(record.get("cwd")),
        agent_version=meta.agent_version or text_or_none(record.get("version")),
    )  # fmt: skip
    thread = agent or branch
    if agent:
        name = text_or_none(record.get("agentName"))
        build.thread(agent, parent=MAIN, kind="subagent", name=name)
    elif branch != MAIN:
        build.thread(branch, parent=MAIN, kind="branch", name=branch, abandoned=True)
    message, time = mapping(record.get("message")), parse_time(record.get("timestamp"))
    parts, kind = message.get("parts"), record["type"]
    if kind == "assistant":
        _turn(record, parts, time, thread, line, build)
    elif kind == "tool_result" or any("functionResponse" in p for p in dicts(parts)):
        _results(record, parts, time, thread, line, build)
    elif kind == "user":
        text = text_of_parts(parts)
        if text.lstrip().startswith(_HOST):
            build.event("other", text, thread=thread, started=time, line=line)
            return
        if build.meta.task is None and thread == MAIN:
            build.describe(task=text or None)
        build.user(text, thread=thread, started=time, line=line)
    elif record.get("subtype") == "rewind":
        return
    elif "compress" in as_text(record.get("subtype")):
        build.event("compaction", thread=thread, started=time, line=line)
    else:
        build.note("skipped", f"system records {as_text(record.get('subtype'))[:40]!r}", line)


def _turn(
    record: Mapping[str, Any], parts: Any, time: float | None, thread: str, line: int,
    build: TraceBuilder,
) -> None:  # fmt: skip
    usage = mapping(record.get("usageMetadata"))
    columns: dict[str, Any] = {
        column: usage[key]
        for column, key in _TOKENS
        if isinstance(usage.get(key), int) and not isinstance(usage[key], bool)
    }
    row = build.round(
        thread=thread, text=text_of_parts(parts), reasoning=text_of_parts(parts, thoughts=True),
        started=time, line=line, model=text_or_none(record.get("model")),
        message_id=text_or_none(record.get("uuid")), **columns,
    )  # fmt: skip
    for item in dicts(parts):
        call = item.get("functionCall")
        if isinstance(call, Mapping):
            build.call(
                row, as_text(call.get("name")) or "?", call.get("args"),
                call_id=text_or_none(call.get("id")), started=time, line=line,
            )  # fmt: skip


def _results(
    record: Mapping[str, Any], parts: Any, time: float | None, thread: str, line: int,
    build: TraceBuilder,
) -> None:  # fmt: skip
    about = mapping(record.get("toolCallResult"))
    for item in dicts(parts):
        response = item.get("functionResponse")
        if not isinstance(response, Mapping):
            continue
        call_id = text_or_none(response.get("id"))
        found = build.find_call(call_id, thread=thread, tool=text_or_none(response.get("name")))
        if found is None:
            build.note("skipped", "a result belongs to no call", line)
            continue
        answer = answer_of([item])
        failed = True if answer.error or about.get("status") == "error" else None
        told = ("denied", "cancelled") if about.get("status") == "cancelled" else None
        status, kind, code = build.judge(answer.text, error=failed, line=line, told=told)
        build.result(
            found[0], answer.text, status=status, ended=time, error_type=kind, exit_code=code,
            parts=answer.parts, paired_by=found[1],
        )  # fmt: skip
