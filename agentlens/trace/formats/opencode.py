"""opencode sessions: ``opencode export``, and what `opencode_store` finds in its stores.

Facts that it rests on: a session is ``{info, messages: [{info, parts}]}``; a ``tool`` part holds
call and result together under ``state``, with times in ms; a message of the model may span several
responses, which ``step-start`` and ``step-finish`` parts bound, the latter with its tokens and
cost; input tokens leave out what the cache gave; a sub-agent is a session that names its parent;
parts of a user that are ``synthetic`` are the host's; ``compaction`` parts and messages with
``summary`` shorten the history.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import MAIN, TraceBuilder
from agentlens.trace.content import as_text, content_of
from agentlens.trace.formats.part import Part, dicts, first_dict, mapping, text_or_none
from agentlens.trace.source import Document
from agentlens.trace.times import parse_time

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "opencode"
_QUIET = frozenset("step-start step-finish snapshot patch file agent text reasoning tool".split())
_MAX_DEPTH = 8


def sniff(head: Sequence[Any]) -> float:
    """Fit: sessions with an info and messages that have an info and parts of their own."""
    first = first_dict(head)
    if not isinstance(first.get("info"), Mapping) or not isinstance(first.get("messages"), list):
        return 0.0
    messages = list(dicts(first["messages"]))[:10]
    ours = [m for m in messages if isinstance(m.get("parts"), list) and "info" in m]
    if messages:
        return 0.985 if len(ours) == len(messages) else 0.0
    return 0.985 if {"id", "title"} & set(first["info"]) and "children" in first else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield one part for each top-level session."""
    for number, record in document.records():
        messages = record.get("messages") if isinstance(record, Mapping) else None
        if not isinstance(messages, list):
            document.note("skipped", "a record is not a session", number)
            continue
        name = text_or_none(mapping(record.get("info")).get("id"))
        yield Part([(number, record)], document.name, name)


def read(part: Part, build: TraceBuilder) -> None:
    """Read one session and those of its sub-agents."""
    for number, record in part.records:
        info = mapping(mapping(record).get("info"))
        build.describe(
            trace_id=part.name, session_id=part.name, agent="opencode",
            agent_version=text_or_none(info.get("version")),
            cwd=text_or_none(info.get("directory")),
            extra={"title": info["title"]} if isinstance(info.get("title"), str) else None,
        )  # fmt: skip
        if not isinstance(mapping(record).get("messages"), list):
            raise part.error("is not a session of opencode", number)
        _Session(build).read(record, MAIN, 0)


class _Session:
    """Writes sessions into the builder, children after the calls that started them."""

    def __init__(self, build: TraceBuilder):
        self.build = build
        self.started_by: dict[str, str] = {}

    def read(self, record: Mapping[str, Any], thread: str, depth: int) -> None:
        for number, message in enumerate(dicts(record.get("messages")), 1):
            info, parts = mapping(message.get("info")), list(dicts(message.get("parts")))
            if info.get("role") == "assistant":
                self._model(info, parts, thread, number)
            elif info.get("role") == "user":
                self._user(info, parts, thread, number)
            else:
                self.build.note("skipped", "a message has no role", number)
        for child in dicts(record.get("children")):
            about = mapping(child.get("info"))
            name = text_or_none(about.get("id"))
            if name is None or name == MAIN or depth >= _MAX_DEPTH:
                self.build.note("skipped", "a sub-agent's session has no id or is too deep")
                continue
            self.build.thread(
                name, parent=thread, parent_call=self.started_by.get(name), kind="subagent",
                name=text_or_none(about.get("title")),
            )  # fmt: skip
            self.read(child, name, depth + 1)

    def _user(
        self, info: Mapping[str, Any], parts: list[Mapping[str, Any]], thread: str, line: int
    ) -> None:
        build, time = self.build, parse_time(mapping(info.get("time")).get("created"))
        texts = [p for p in parts if p.get("type") == "text" and not p.get("ignored")]
        said = "\n".join(as_text(p.get("text")) for p in texts if not p.get("synthetic"))
        if any(p.get("type") == "compaction" for p in parts):
            build.event("compaction", said, thread=thread, started=time, line=line)
        elif said.strip():
            if build.meta.task is None and thread == MAIN:
                build.describe(task=said)
            build.user(said, thread=thread, started=time, line=line)
        else:
            hosts = "\n".join(as_text(p.get("text")) for p in texts)
            build.event("other", hosts, thread=thread, started=time, line=line)

    def _model(
        self, info: Mapping[str, Any], parts: list[Mapping[str, Any]], thread: str, line: int
    ) -> None:
        """Write the responses of a message: one round for each step that its parts bound."""
        time = parse_time(mapping(info.get("time")).get("created"))
        model = text_or_none(info.get("modelID"))
        key = text_or_none(info.get("id"))
        groups = _steps(parts)
        for place, group in enumerate(groups):
            last = next((p for p in group if p.get("type") == "step-finish"), None)
            told = last if last is not None else info if len(groups) == 1 else {}
            row = self.build.round(
                thread=thread, started=time if place == 0 else _start(group), model=model,
                line=line, message_id=key, **_usage(mapping(told)),
            )  # fmt: skip
            for part in group:
                self._part(part, row, line, thread)
        failure = mapping(info.get("error"))
        if failure:
            words = as_text(mapping(failure.get("data")).get("message") or failure.get("name"))
            stopped = failure.get("name") == "MessageAbortedError"
            kind = "interrupt" if stopped else "api_error"
            self.build.event(kind, words, thread=thread, line=line)
        if info.get("summary") is True:
            self.build.event("compaction", thread=thread, started=time, line=line)

    def _part(self, part: Mapping[str, Any], row: int, line: int, thread: str) -> None:
        build, kind = self.build, as_text(part.get("type"))
        if kind == "text":
            build.add_text(row, "text", as_text(part.get("text")))
        elif kind == "reasoning":
            build.add_text(row, "reasoning", as_text(part.get("text")))
        elif kind == "tool":
            self._tool(part, row, line)
        elif kind == "retry":
            words = as_text(mapping(mapping(part.get("error")).get("data")).get("message"))
            build.event("retry", words, thread=thread, line=line)
        elif kind not in _QUIET:
            build.note("skipped", f"parts of type {kind[:40]!r}", line)

    def _tool(self, part: Mapping[str, Any], row: int, line: int) -> None:
        build, state = self.build, mapping(part.get("state"))
        times = mapping(state.get("time"))
        call_id = text_or_none(part.get("callID")) or text_or_none(part.get("id"))
        args = state.get("input")
        if args is None:
            args = state.get("raw")
        call = build.call(
            row, as_text(part.get("tool")) or "?", args, call_id=call_id,
            started=parse_time(times.get("start")), line=line,
        )  # fmt: skip
        about = mapping(state.get("metadata"))
        child = about.get("sessionId") or about.get("sessionID")
        if isinstance(child, str) and call_id:
            self.started_by[child] = call_id
        status = state.get("status")
        if status not in ("completed", "error"):
            return  # pending or running: the log ends before its result
        text = as_text(state.get("output") if status == "completed" else state.get("error"))
        code = about.get("exit")
        code = code if isinstance(code, int) and not isinstance(code, bool) else None
        how, kind, code = build.judge(
            text, error=True if status == "error" else None, exit_code=code, line=line
        )
        if status == "error" and text.startswith(("The user rejected", "The user dismissed")):
            how, kind = "denied", "denied"
        pictures = [
            {"type": "file", "file": {"media_type": f.get("mime"), "url": f.get("url")}}
            for f in dicts(state.get("attachments"))
        ]
        build.result(
            call, text, status=how, ended=parse_time(times.get("end")), error_type=kind,
            exit_code=code, parts=content_of(pictures)[1],
            truncated=about.get("truncated") is True,
        )  # fmt: skip


def _steps(parts: list[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Return the parts of each response of a message."""
    groups: list[list[Mapping[str, Any]]] = [[]]
    for part in parts:
        if part.get("type") == "step-start" and any(
            p.get("type") in ("step-start", "step-finish") for p in groups[-1]
        ):
            groups.append([])
        groups[-1].append(part)
    return groups


def _start(group: list[Mapping[str, Any]]) -> float | None:
    times = (mapping(p.get("time")) or mapping(mapping(p.get("state")).get("time")) for p in group)
    return next((t for time in times if (t := parse_time(time.get("start"))) is not None), None)


def _usage(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return round columns; the prompt is input plus what the cache gave and took."""
    tokens = mapping(told.get("tokens"))
    cache = mapping(tokens.get("cache"))

    def count(value: Any) -> int | None:
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    read, written = count(cache.get("read")), count(cache.get("write"))
    prompt, answer = count(tokens.get("input")), count(tokens.get("output"))
    thought = count(tokens.get("reasoning"))
    columns = {
        "input_tokens": None if prompt is None else prompt + (read or 0) + (written or 0),
        "cached_tokens": read, "cache_write_tokens": written, "reasoning_tokens": thought,
        "output_tokens": None if answer is None else answer + (thought or 0),
    }  # fmt: skip
    if not any(columns.values()):
        return {}  # all zero: an aborted response, not a free one
    cost = told.get("cost")
    if isinstance(cost, int | float) and not isinstance(cost, bool) and cost > 0:
        columns["cost"] = cost  # type: ignore[assignment]  # 0 where it knows no price
    return {name: value for name, value in columns.items() if value is not None}
