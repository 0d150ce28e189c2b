"""A sample's events as Inspect AI logs them: rounds from model events, results from tool events."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agentlens.trace.build import MAIN, TraceBuilder
from agentlens.trace.content import as_text, content_of, text_of
from agentlens.trace.formats.openai import turn_of
from agentlens.trace.formats.part import dicts, mapping, text_or_none
from agentlens.trace.times import parse_time

__all__ = ["read_events", "resolver"]

_MARK = "attachment://"
_DEPTH = 12
#: Who wrote a user message that is a real one; Inspect writes others to keep an agent going.
_ASKED = ("input", "operator")
_ENDINGS = {"sample_limit": "guard_fired", "error": "api_error", "interrupt": "interrupt",
            "compaction": "compaction", "approval": "approval"}  # fmt: skip


def resolver(sample: Mapping[str, Any]) -> Callable[[Any], Any]:
    """Return a function that puts attachments back where a sample refers to them."""
    attachments = mapping(sample.get("attachments"))

    def resolve(value: Any, depth: int = 0) -> Any:
        if isinstance(value, str):
            return attachments.get(value[len(_MARK) :], value) if value.startswith(_MARK) else value
        if depth < _DEPTH and isinstance(value, list):
            return [resolve(item, depth + 1) for item in value]
        if depth < _DEPTH and isinstance(value, Mapping):
            return {key: resolve(item, depth + 1) for key, item in value.items()}
        return value

    return resolve


class _Reader:
    """Follows the events: which span belongs to which thread, which messages are known."""

    def __init__(self, sample: Mapping[str, Any], resolve: Any, build: TraceBuilder):
        self.build, self.resolve = build, resolve
        pool = sample.get("message_pool") or mapping(sample.get("events_data")).get("messages")
        self.pool: list[Any] = pool if isinstance(pool, list) else []
        self.spans: dict[str, Mapping[str, Any]] = {}
        self.known: dict[str, set[str]] = {}
        self.calls: dict[str, int] = {}
        #: The call of each span of an agent that works as a tool.
        self.callers: dict[str, str] = {}
        self.steps: list[str] = []
        self.begun: set[str] = set()

    def take(self, event: Mapping[str, Any], line: int, within: str | None = None) -> None:
        kind, span = event.get("event"), as_text(event.get("span_id"))
        if kind == "span_begin":
            self.spans[as_text(event.get("id"))] = event
        elif kind == "step":
            self.step(event)
        elif kind == "model":
            scored, thread = self.place(span)
            if scored:
                self.build.note("skipped", "a model call of a scorer is not the agent's", line)
            else:
                self.model(event, within or thread, line)
        elif kind == "tool":
            self.tool(event, within or self.place(span)[1], line)
        elif isinstance(kind, str) and kind in _ENDINGS:
            said = mapping(event.get("error")).get("message") or event.get("message")
            text = as_text(said or event.get("type") or kind)
            self.build.event(_ENDINGS[kind], text, started=self.time(event), line=line)

    def step(self, event: Mapping[str, Any]) -> None:
        """Older logs nest by steps instead of spans."""
        if event.get("action") == "begin":
            self.steps.append(as_text(event.get("type")))
        elif self.steps:
            self.steps.pop()

    def place(self, span: str) -> tuple[bool, str]:
        """Return whether a scorer is at work, and the thread: that of an agent within an agent."""
        scored, agents, seen = "scorer" in self.steps, [], set()
        while span in self.spans and span not in seen:
            seen.add(span)
            begin = self.spans[span]
            kind = begin.get("type")
            scored = scored or kind in ("scorer", "scorers")
            if kind == "agent":
                agents.append((span, as_text(begin.get("name"))))
            span = as_text(begin.get("parent_id"))
        if len(agents) < 2:
            return scored, MAIN
        thread, name = agents[0]
        parent = agents[1][0] if len(agents) > 2 else MAIN
        return scored, self.build.thread(
            thread, parent=parent, parent_call=self.callers.get(thread), kind="subagent", name=name
        )

    def time(self, event: Mapping[str, Any]) -> float | None:
        return parse_time(event.get("completed")) or parse_time(event.get("timestamp"))

    def history(self, event: Mapping[str, Any]) -> list[Any]:
        refs = event.get("input_refs")
        if not isinstance(refs, list) or not refs:
            found = event.get("input")
            return found if isinstance(found, list) else []
        found = []
        for ref in refs:
            if isinstance(ref, list) and len(ref) == 2 and all(isinstance(n, int) for n in ref):
                found += self.pool[max(ref[0], 0) : max(ref[1], 0)]
        return found

    def model(self, event: Mapping[str, Any], thread: str, line: int) -> None:
        asked = self.known.setdefault(thread, set())
        for place, message in enumerate(dicts(self.history(event))):
            key = as_text(message.get("id")) or f"{place} {as_text(message.get('role'))}"
            if key in asked:
                continue
            asked.add(key)
            if message.get("role") == "user":
                self.user(message, thread, line)
        output = mapping(event.get("output"))
        choice = mapping(next(dicts(output.get("choices")), None))
        answer = self.resolve(mapping(choice.get("message")))
        turn = turn_of({**answer, "role": "assistant"}) if answer else None
        failed = event.get("error")
        if failed:
            self.build.event(
                "api_error", as_text(failed), thread=thread, started=self.time(event), line=line
            )
        if turn is None or (failed and not turn.calls and not turn.text):
            return
        asked.add(as_text(answer.get("id")))
        self.begun.add(thread)
        row = self.build.round(
            thread=thread, text=turn.text, reasoning=turn.reasoning, started=self.time(event),
            model=text_or_none(output.get("model")) or text_or_none(event.get("model")),
            message_id=text_or_none(answer.get("id")), line=line, **_usage(output.get("usage")),
        )  # fmt: skip
        for item in turn.calls:
            call = self.build.call(row, item.tool, item.args, call_id=item.call_id, line=line)
            if item.call_id:
                self.calls[item.call_id] = call

    def user(self, message: Mapping[str, Any], thread: str, line: int) -> None:
        text = text_of(self.resolve(message.get("content")))
        source = message.get("source")
        if source in _ASKED or (source is None and thread not in self.begun):
            self.build.user(text, thread=thread, line=line)
        else:
            self.build.event("other", text, thread=thread, line=line)

    def tool(self, event: Mapping[str, Any], thread: str, line: int) -> None:
        call_id = as_text(event.get("id"))
        call = self.calls.pop(call_id, None)
        nested = list(dicts(event.get("events")))
        if any(inner.get("event") == "model" for inner in nested):
            name = self.build.thread(
                f"tool-{call_id or line}", parent=thread, parent_call=call_id or None,
                name=text_or_none(event.get("function")),
            )  # fmt: skip
            for inner in nested:
                self.take(inner, line, name)
        if call is None:
            self.build.note("skipped", "a result belongs to no call", line)
            return
        text, parts = content_of(self.resolve(event.get("result")))
        error = mapping(event.get("error"))
        message = as_text(self.resolve(error.get("message")))
        failed = bool(error) or event.get("failed") is True
        kind = text_or_none(error.get("type"))
        status, guess, code = self.build.judge(
            text or message, error=True if failed else None, line=line
        )
        if kind in ("timeout", "approval"):
            status = "timeout" if kind == "timeout" else "denied"
        cut = event.get("truncated")
        begun, worked = parse_time(event.get("timestamp")), _number(event.get("working_time"))
        self.build.result(
            call, text or message, status=status, ended=parse_time(event.get("completed")),
            error_type=kind or guess, exit_code=code, parts=parts, paired_by="id", started=begun,
            truncated=bool(cut) or kind == "output_limit",
            **({} if worked is None else {"seconds": worked}),
        )  # fmt: skip


def _number(value: Any) -> float | None:
    usual = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if usual and value >= 0 else None


def _usage(usage: Any) -> dict[str, Any]:
    """Return the columns of a usage record; cached tokens are not part of the input there."""
    fields = mapping(usage)
    count = {k: v for k, v in fields.items() if isinstance(v, int) and not isinstance(v, bool)}
    read, written = count.get("input_tokens_cache_read"), count.get("input_tokens_cache_write")
    prompt = count.get("input_tokens")
    total, answered = count.get("total_tokens"), count.get("output_tokens")
    if None not in (prompt, total, answered) and total >= prompt + answered + (read or 0):  # type: ignore[operator]
        prompt = total - answered  # type: ignore[operator]
    columns = {
        "input_tokens": prompt, "cached_tokens": read, "cache_write_tokens": written,
        "output_tokens": answered, "reasoning_tokens": count.get("reasoning_tokens"),
        "tokens": total, "cost": _number(fields.get("total_cost")),
    }  # fmt: skip
    return {name: value for name, value in columns.items() if value is not None}


def read_events(
    sample: Mapping[str, Any], events: Sequence[Mapping[str, Any]], resolve: Any,
    build: TraceBuilder,
) -> None:  # fmt: skip
    """Read a sample's events into the builder."""
    reader = _Reader(sample, resolve, build)
    for event in events:  # a tool's event may stand after those of the agent that it ran
        span, call = event.get("agent_span_id"), event.get("id")
        if event.get("event") == "tool" and isinstance(span, str) and isinstance(call, str):
            reader.callers[span] = call
    for number, event in enumerate(events, 1):
        reader.take(event, number)
