"""AutoGen 0.4 and later: messages of AgentChat, or events of its core's log.

Facts that it rests on: AgentChat dumps ``{type, source, content, models_usage, created_at}``; a
``ToolCallRequestEvent`` holds ``[{id, name, arguments}]`` (text), its ``ToolCallExecutionEvent``
``[{call_id, name, content, is_error}]``, and a ``ToolCallSummaryMessage`` says the results again;
the core logs ``LLMCall`` (messages, response, tokens) and ``ToolCall`` (tool_name, arguments,
result) with an `agent_id` but no call id and no time, and each LLMCall sends the history again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text, text_of
from agentlens.trace.formats.openai import turn_of as openai_turn
from agentlens.trace.formats.part import Part, dicts, first_dict, mapping, numbered, text_or_none
from agentlens.trace.formats.turns import CallItem, ResultItem, Turn, feed, usage_columns
from agentlens.trace.source import Document
from agentlens.trace.times import parse_time

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "autogen"
_CORE = ("LLMCall", "LLMStreamEnd", "ToolCall")
_QUIET = ("Event", "Message")
_REPEATS = ("ToolCallSummaryMessage", "ModelClientStreamingChunkEvent", "LLMStreamStart")


def _kind(record: Any) -> str | None:
    """Return ``chat`` or ``core`` where a record is one of theirs."""
    if not isinstance(record, Mapping) or not isinstance(record.get("type"), str):
        return None
    if record["type"] in _CORE and {"agent_id", "tool_name", "response"} & set(record):
        return "core"
    chat = record["type"].endswith(_QUIET) and "source" in record and "content" in record
    return "chat" if chat else None


def _messages(record: Any) -> list[Any]:
    inner = mapping(record).get("messages")
    return inner if isinstance(inner, list) and any(_kind(m) == "chat" for m in inner[:20]) else []


def sniff(head: Sequence[Any]) -> float:
    """Fit: messages with a source and a type, or logged calls of models and tools."""
    rows = _messages(first_dict(head)) or list(dicts(list(head)))
    known = sum(_kind(row) is not None for row in rows[:40])
    return 0.96 if known and known * 2 >= len(rows[:40]) else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield the bare list as one part, or one part for each result of a run."""
    if not _messages(first_dict(document.head)):
        unit = "line" if document.shape == "lines" else "item"
        yield Part(document.records(), document.name, path=document.path, unit=unit)
        return
    for number, record in document.records():
        messages = _messages(record)
        if not messages:
            document.note("skipped", "a record holds no messages", number)
            continue
        about = {key: value for key, value in record.items() if key != "messages"}
        yield Part(numbered(messages), document.name, None, about)


def read(part: Part, build: TraceBuilder) -> None:
    """Read messages or events, whichever the log holds."""
    seen, thought = False, ""
    core = _Core(build)
    for number, record in part.records:
        kind = _kind(record)
        if kind is None:
            build.note("skipped", "a record is neither a message nor a call", number)
            continue
        seen = True
        if kind == "core":
            core.take(record, number)
        elif record["type"] == "ThoughtEvent":
            thought = text_of(record.get("content"))
        elif record["type"] in _REPEATS:
            build.note("skipped", "a message only repeats what others hold", number)
        else:
            turn = _turn(record)
            if turn.role == "assistant":
                turn.reasoning, thought = thought, ""
            feed(turn, build, number)
    if not seen:
        raise part.error("holds no message")
    reason = text_or_none(part.about.get("stop_reason"))
    if reason:
        build.describe(outcome={"status": "unknown", "exit_reason": reason})


def _turn(record: Mapping[str, Any]) -> Turn:
    """Return what one message of AgentChat holds."""
    kind, content = record["type"], record.get("content")
    started = parse_time(record.get("created_at"))
    columns = dict(usage_columns(record.get("models_usage"), cached_apart=False))
    if kind == "ToolCallRequestEvent":
        calls = [
            CallItem(as_text(c.get("name")) or "?", c.get("arguments"), text_or_none(c.get("id")))
            for c in dicts(content)
        ]
        return Turn("assistant", calls=calls, started=started, columns=columns)
    if kind == "ToolCallExecutionEvent":
        results = [
            ResultItem(
                text_of(r.get("content")), text_or_none(r.get("call_id")),
                text_or_none(r.get("name")),
                r["is_error"] if isinstance(r.get("is_error"), bool) else None,
            )
            for r in dicts(content)
        ]  # fmt: skip
        return Turn("tool", results=results, started=started)
    if kind == "CodeGenerationEvent":
        calls = [
            CallItem(as_text(b.get("language")) or "code", {"code": as_text(b.get("code"))})
            for b in dicts(record.get("code_blocks"))
        ]
        return Turn("assistant", text_of(content), calls=calls, started=started, columns=columns)
    if kind == "CodeExecutionEvent":
        outcome = mapping(record.get("result"))
        code = outcome.get("exit_code")
        exit_code = code if isinstance(code, int) else None
        item = ResultItem(text_of(outcome.get("output")), exit_code=exit_code)
        return Turn("tool", results=[item], started=started)
    text = text_of(content)
    if kind in ("HandoffMessage", "StopMessage") or kind.endswith("Event"):
        return Turn("event", text, started=started)
    if record.get("source") in ("user", "user_proxy"):
        return Turn("user", text, started=started)
    return Turn("assistant", text, started=started, columns=columns)


class _Core:
    """Follows the core's events: which messages were sent before, which round is open."""

    def __init__(self, build: TraceBuilder):
        self.build = build
        self.sent: set[str] = set()
        self.row: int | None = None

    def take(self, event: Mapping[str, Any], line: int) -> None:
        if event["type"] == "ToolCall":
            self.tool(event, line)
        else:
            self.model(event, line)

    def model(self, event: Mapping[str, Any], line: int) -> None:
        for message in dicts(event.get("messages")):
            text = text_of(message.get("content"))
            if message.get("role") != "user" or text in self.sent:
                continue
            self.sent.add(text)
            turn = Turn("user", text)
            if not self.build.has_open_calls():
                feed(turn, self.build, line)
        response = mapping(event.get("response"))
        choice = mapping(next(dicts(response.get("choices")), None))
        message = mapping(choice.get("message")) or response
        turn_found = openai_turn({**message, "role": "assistant"})
        turn = turn_found or Turn("assistant")
        turn.columns.update(usage_columns(event, cached_apart=False))
        if isinstance(response.get("model"), str):
            turn.columns["model"] = response["model"]
        self.row = self.build.round(
            text=turn.text, reasoning=turn.reasoning, line=line, **turn.columns
        )
        for item in turn.calls:
            self.build.call(self.row, item.tool, item.args, call_id=item.call_id, line=line)

    def tool(self, event: Mapping[str, Any], line: int) -> None:
        name = as_text(event.get("tool_name")) or "?"
        found = self.build.find_call(None, tool=name)
        if found is None:
            row = self.build.round(line=line) if self.row is None else self.row
            call, how = self.build.call(row, name, event.get("arguments"), line=line), "same_record"
        else:
            call, how = found
        text = text_of(event.get("result"))
        status, kind, code = self.build.judge(text, line=line)
        self.build.result(call, text, status=status, error_type=kind, exit_code=code, paired_by=how)
