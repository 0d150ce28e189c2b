"""What the message formats have in common: turns of a conversation, fed into the builder.

Each message format only says what one record holds (a `Turn`); how turns become requests, rounds,
calls and paired results is decided here, once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agentlens.trace.build import MAIN, TraceBuilder
from agentlens.trace.formats.part import Part
from agentlens.trace.mcp_text import Unwrapped, unwrap_result

__all__ = ["CallItem", "ResultItem", "Turn", "feed", "feed_all", "usage_columns"]


@dataclass(slots=True)
class CallItem:
    """A call in a model's message."""

    tool: str
    args: Any
    call_id: str | None = None


@dataclass(slots=True)
class ResultItem:
    """A tool's answer; `error` is what the log says outright, or None."""

    text: str
    call_id: str | None = None
    tool: str | None = None
    error: bool | None = None
    error_type: str | None = None
    parts: tuple[str, ...] = ()
    exit_code: int | None = None


@dataclass(slots=True)
class Turn:
    """One message, whichever format wrote it.

    Parameters
    ----------
    role
        ``user``, ``assistant``, ``tool``, ``system`` or ``event``.
    columns
        Columns of the rounds table, for an assistant.
    event
        Kind of the event, for role ``event``.
    """

    role: str
    text: str = ""
    reasoning: str = ""
    calls: list[CallItem] = field(default_factory=list)
    results: list[ResultItem] = field(default_factory=list)
    started: float | None = None
    columns: dict[str, Any] = field(default_factory=dict)
    event: str = "other"


def feed_all(part: Part, build: TraceBuilder, turn_of: Callable[[Any], Turn | None]) -> None:
    """Feed every record of a part, and complain where none of them is a message."""
    seen = False
    for number, record in part.records:
        turn = turn_of(record)
        if turn is None:
            build.note("skipped", "a record is not a message", number)
            continue
        seen = True
        feed(turn, build, number)
    if not seen:
        raise part.error("holds no message")


def feed(turn: Turn, build: TraceBuilder, line: int | None, thread: str = MAIN) -> None:
    """Write one turn into the builder."""
    if turn.role == "assistant":  # tools that run at the provider answer within the message
        _assistant(turn, build, line, thread)
    for item in turn.results:
        _result(item, turn, build, line, thread)
    if turn.role == "assistant":
        return
    if turn.role == "event":
        build.event(turn.event, turn.text, thread=thread, started=turn.started, line=line)
    elif turn.role == "user" and turn.results:
        if turn.text.strip():
            build.note("info", "text that came along with tool results starts no request", line)
            build.event("other", turn.text, thread=thread, started=turn.started, line=line)
    elif turn.role == "user":
        _user(turn, build, line, thread)


def _user(turn: Turn, build: TraceBuilder, line: int | None, thread: str) -> None:
    if build.has_open_calls(thread) and not build.answered(thread):
        # No result has come in a message of its own: this log writes them as the user's.
        build.note("guessed", "a user message after a call without result is its result", line)
        _result(ResultItem(turn.text), turn, build, line, thread)
        return
    if build.meta.task is None and thread == MAIN:
        build.describe(task=turn.text or None)
    build.user(turn.text, thread=thread, started=turn.started, line=line)


def _assistant(turn: Turn, build: TraceBuilder, line: int | None, thread: str) -> None:
    row = build.round(
        thread=thread, text=turn.text, reasoning=turn.reasoning, started=turn.started, line=line,
        **turn.columns,
    )  # fmt: skip
    for item in turn.calls:
        call = build.call(
            row, item.tool, item.args, call_id=item.call_id, started=turn.started, line=line
        )
        if build.state_of(call) == "unparsed":
            build.note("damaged", "arguments of a call are not JSON; kept as text", line)


def _result(
    item: ResultItem, turn: Turn, build: TraceBuilder, line: int | None, thread: str
) -> None:
    found = build.find_call(item.call_id, thread=thread, tool=item.tool)
    if found is None:
        build.note("skipped", "a result belongs to no call", line)
        return
    call, how = found
    if how == "adjacency" and item.call_id:
        build.note("guessed", "a result was paired by its place: its id is not unique", line)
    inside = unwrap_result(item.text) or Unwrapped(item.text)
    flag = item.error if item.error is not None else inside.error
    status, kind, code = build.judge(inside.text, error=flag, exit_code=item.exit_code, line=line)
    columns = {"truncated": True} if inside.truncated else {}
    build.result(
        call, inside.text, status=status, ended=turn.started, error_type=item.error_type or kind,
        exit_code=code, parts=(*item.parts, *inside.parts), paired_by=how, **columns,
    )  # fmt: skip


def usage_columns(usage: Any, *, cached_apart: bool) -> dict[str, int]:
    """Return token columns of a usage record, whoever wrote it; nulls are left out.

    Parameters
    ----------
    usage
        OpenAI's, Anthropic's or LangChain's usage mapping.
    cached_apart
        True where cached tokens are not part of the input tokens (Anthropic), so that the prompt
        is their sum.
    """
    if not isinstance(usage, dict):
        return {}

    def pick(*names: str, of: Any = usage) -> int | None:
        for name in names:
            value = of.get(name) if isinstance(of, Mapping) else None
            if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
                return value
        return None

    inside = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
    inside = inside or usage.get("input_token_details") or {}
    outside = usage.get("completion_tokens_details") or usage.get("output_tokens_details")
    outside = outside or usage.get("output_token_details") or {}
    prompt = pick("input_tokens", "prompt_tokens", "inputTokens")
    read = pick("cache_read_input_tokens", "cacheReadTokens")
    written = pick("cache_creation_input_tokens", "cacheWriteTokens")
    if cached_apart and any(value is not None for value in (prompt, read, written)):
        prompt = (prompt or 0) + (read or 0) + (written or 0)
    columns = {
        "input_tokens": prompt,
        "cached_tokens": read
        if read is not None
        else pick("cached_tokens", "cache_read", of=inside),
        "cache_write_tokens": written if written is not None else pick("cache_creation", of=inside),
        "output_tokens": pick("output_tokens", "completion_tokens", "outputTokens"),
        "reasoning_tokens": pick("reasoning_tokens", "reasoning", of=outside),
        "tokens": None if cached_apart else pick("total_tokens"),
    }
    return {name: value for name, value in columns.items() if value is not None}
