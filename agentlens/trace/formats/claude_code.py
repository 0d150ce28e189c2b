"""Claude Code sessions: ``~/.claude/projects/<slug>/<uuid>.jsonl`` and the sub-agents beside it.

Facts that it rests on, seen in logs of versions 1.0.31 to 2.1.92:

* One record a line. A model's response is several records, one for each block of its content,
  with the same ``message.id``; each repeats a snapshot of ``usage`` of which only the last is
  true, and which may hold nulls. The prompt is input plus cache reads plus cache writes.
* A result is a ``user`` record; ``toolUseResult`` beside it holds exit codes and the like.
* Records form a graph by ``parentUuid``; see `claude_graph` for rewinds and sub-agents.
* Many ``user`` records are no user's: results, ``isMeta``, summaries, reminders, output of local
  commands, notifications. ``<task-notification>`` brings the result of a background agent.
* A resumed session may repeat older lines with the same ``uuid``; the first one counts, and
  the oldest of the logs in a folder (see `claude_copies`).
* Every release brings new record types: they are counted and skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import MAIN, TraceBuilder
from agentlens.trace.formats.claude_agents import subagent_files
from agentlens.trace.formats.claude_copies import repeated_uuids
from agentlens.trace.formats.claude_entries import Entry, Outcome, Session, Tokens
from agentlens.trace.formats.claude_graph import Threads, find_threads
from agentlens.trace.formats.claude_records import scan
from agentlens.trace.formats.part import Part, dicts, one_part
from agentlens.trace.source import Document

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "claude_code"
_UNKNOWN: Tokens = (None, None, None, None)
_NOTICE = re.compile(r"<(task-id|tool-use-id|status|result|summary)>(.*?)</\1>", re.DOTALL)


def sniff(head: Sequence[Any]) -> float:
    """Fit: records with a type and a message and ids of their own, or the types around them."""
    best = 0.0
    for record in dicts(list(head)):
        kind = record.get("type")
        if not isinstance(kind, str):
            return 0.0
        ours = "uuid" in record or "sessionId" in record
        if kind in ("user", "assistant") and isinstance(record.get("message"), Mapping) and ours:
            return 0.99
        if "leafUuid" in record or isinstance(record.get("snapshot"), Mapping):
            best = 0.8
        elif "sessionId" in record and kind not in ("session", "message"):
            best = max(best, 0.97 if "uuid" in record else 0.8)
    return best


def split(document: Document) -> Iterator[Part]:
    """Yield the session as one part."""
    yield one_part(document)


def read(part: Part, build: TraceBuilder) -> None:
    """Read a session and, where it lies in a folder, the logs of its sub-agents."""
    session = scan(part.records, build)
    entries = session.entries
    _mark_copies(entries, part, build)
    for path in subagent_files(part.path):
        entries = entries + path.read(build, session)
    if len(entries) > len(session.entries):
        entries.sort(key=lambda entry: entry.order)  # stable: a file's own order is kept
    if not entries and not session.known:
        raise part.error("holds no record of a Claude Code session")
    build.describe(
        session_id=session.session_id, trace_id=session.session_id, cwd=session.cwd,
        agent="claude-code", agent_version=session.version, extra=session.extra,
    )  # fmt: skip
    _Writer(build, session, find_threads(entries, session.agents)).write(entries)


def _mark_copies(entries: list[Entry], part: Part, build: TraceBuilder) -> None:
    """Mark the responses that an older session of the same folder holds already."""
    older = repeated_uuids(part.path, next((e.uuid for e in entries if e.uuid), None))
    if not older:
        return
    copies = [e for e in entries if e.kind == "assistant" and e.uuid in older]
    for entry in copies:
        entry.copied = True
    if copies:
        message = "a response repeats one of an older session in the same folder"
        build.note("info", message, copies[0].line, len(copies))


class _Writer:
    """Writes entries, whose threads are known, into the builder."""

    def __init__(self, build: TraceBuilder, session: Session, threads: Threads):
        self.build = build
        self.session_id = session.session_id
        self.usage = session.usage
        self.threads = threads
        self.rows: dict[tuple[str, str], int] = {}
        self.calls: dict[str, tuple[int, float | None]] = {}
        self.late: list[tuple[Entry, Outcome, str]] = []
        self.compacted: set[str] = set()

    def write(self, entries: list[Entry]) -> None:
        build = self.build
        thread_of = self.threads.thread_of
        thread = MAIN
        for entry in entries:
            if thread_of:
                thread = thread_of.get(id(entry), MAIN)
                if thread != MAIN:
                    self._declare(thread)
            kind = entry.kind
            if kind == "assistant":
                self._response(entry, thread)
            elif kind == "result":
                for outcome in entry.blocks:
                    if not self._result(entry, outcome, thread):
                        self.late.append((entry, outcome, thread))
            elif kind == "user":
                if thread == MAIN and build.meta.task is None:
                    build.describe(task=entry.text or None)
                build.user(entry.text, thread=thread, started=entry.time, line=entry.line)
            elif kind == "notice":
                self._notice(entry)
            elif kind not in ("prompt", "link"):
                self._event(entry, thread)
        for entry, outcome, thread in self.late:
            if not self._result(entry, outcome, thread):
                build.note("skipped", "a result belongs to no call", entry.line)

    def _declare(self, thread: str) -> None:
        about = self.threads.about[thread]
        self.build.thread(
            thread, parent=about.parent, parent_call=about.call, kind=about.kind, name=about.name,
            abandoned=about.abandoned,
        )  # fmt: skip

    def _response(self, entry: Entry, thread: str) -> None:
        build = self.build
        key = (thread, entry.message_id or "")
        row = self.rows.get(key)
        if row is None:
            copied = entry.session is not None and entry.session != self.session_id
            prompt, read, written, answer = self.usage.get(entry.message_id or "", _UNKNOWN)
            row = build.round(
                thread=thread, started=entry.time, model=entry.model, line=entry.line,
                message_id=entry.message_id, copied=copied or entry.copied,
                input_tokens=prompt, cached_tokens=read, cache_write_tokens=written,
                output_tokens=answer,
            )  # fmt: skip
            self.rows[key] = row
        for kind, text, args, call_id in entry.blocks:
            if kind == "call":
                begun = entry.time
                call = build.call(row, text, args, call_id=call_id, started=begun, line=entry.line)
                if call_id:
                    self.calls[call_id] = (call, begun)
            elif text:
                build.add_text(row, kind, text)

    def _result(self, entry: Entry, outcome: Outcome, thread: str) -> bool:
        """Give a call its result; False where there is no such call (yet)."""
        build = self.build
        call_id, text, parts, status, kind, code, guessed, truncated = outcome
        found = build.find_call(call_id, thread=thread)
        if found is None:
            return False
        call, how = found
        if how == "adjacency" and call_id:
            build.note(
                "guessed", "a result was paired by its place: its id is not unique", entry.line
            )
        if guessed:
            build.note("guessed", "a result counts as an error by its text", entry.line)
        build.result(
            call, text, status=status, ended=entry.time, error_type=kind, exit_code=code,
            parts=parts, paired_by=how, truncated=truncated,
        )  # fmt: skip
        return True

    def _notice(self, entry: Entry) -> None:
        """Give a background agent's call the result that came later."""
        found = {name: text.strip() for name, text in _NOTICE.findall(entry.text)}
        call_id = found.get("tool-use-id") or self.threads.call_of.get(found.get("task-id", ""))
        call, begun = self.calls.get(call_id or "", (None, None))
        text = found.get("result") or found.get("summary")
        if call is None or text is None:
            self.build.note("skipped", "a task notification belongs to no call", entry.line)
            return
        failed = found.get("status", "completed") not in ("completed", "success", "running")
        times = {} if begun is None or entry.time is None else {"seconds": entry.time - begun}
        self.build.result(
            call,
            text,
            status="error" if failed else "ok",
            ended=entry.time,
            paired_by="id",
            error_type=found.get("status") if failed else None,
            **times,
        )

    def _event(self, entry: Entry, thread: str) -> None:
        if entry.kind == "summary":  # follows its boundary, or stands for it in older logs
            if thread in self.compacted:
                self.compacted.discard(thread)
                return
            kind = "compaction"
        else:
            kind = entry.kind
            if kind == "compaction":
                self.compacted.add(thread)
        self.build.event(kind, entry.text, thread=thread, started=entry.time, line=entry.line)
