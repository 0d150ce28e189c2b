"""OpenHands: events of its SDK, as JSON lines, a list, or a folder with one file an event.

Facts that it rests on: `kind` names an event; actions of one response share ``llm_response_id``;
an observation pairs by ``tool_call_id`` or, failing that, ``action_id``; a command that fails is
no error of the tool (``is_error`` is false), its exit code stands beside it; times are naive; a
folder of events has the state of the conversation, ``base_state.json``, beside it. The older
trajectories are read by `openhands_old`, tokens and cost by `openhands_usage`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text, content_of, text_of
from agentlens.trace.formats.openhands_old import OldEvents, is_old
from agentlens.trace.formats.openhands_usage import Usage
from agentlens.trace.formats.part import Part, dicts, first_dict, mapping, numbered, one_part
from agentlens.trace.formats.part import text_or_none as text_in
from agentlens.trace.source import Document
from agentlens.trace.times import parse_time

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "openhands"
_KINDS = tuple(
    "ActionEvent ObservationEvent MessageEvent SystemPromptEvent AgentErrorEvent "
    "UserRejectObservation ConversationStateUpdateEvent Condensation CondensationRequest "
    "CondensationSummaryEvent PauseEvent InterruptEvent ConversationErrorEvent TokenEvent "
    "LLMCompletionLogEvent HookExecutionEvent StreamingDeltaEvent".split()
)
_QUIET = frozenset(
    "SystemPromptEvent CondensationRequest CondensationSummaryEvent TokenEvent "
    "LLMCompletionLogEvent StreamingDeltaEvent HookExecutionEvent".split()
)


def sniff(head: Sequence[Any]) -> float:
    """Fit: events of a known kind, or old ones with a source and an action or observation."""
    rows = list(dicts(list(head)))
    if not rows:
        return 0.0
    known = sum(r.get("kind") in _KINDS and "source" in r for r in rows)
    if 2 * known >= len(rows):
        return 0.98
    first = first_dict(head)
    if is_state(first):
        return 0.9
    history = list(dicts(first.get("history")))
    old = sum(map(is_old, history or rows))
    return 0.96 if old and 2 * old >= len(history or rows) else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield the events as one part, or one part for each record with a history."""
    if not isinstance(first_dict(document.head).get("history"), list):
        yield one_part(document)
        return
    for number, record in document.records():
        history = record.get("history") if isinstance(record, Mapping) else None
        if not isinstance(history, list):
            document.note("skipped", "a record has no list under 'history'", number)
            continue
        about = {k: v for k, v in record.items() if k != "history"}
        yield Part(numbered(history), document.name, text_in(about.get("instance_id")), about)


def read(part: Part, build: TraceBuilder) -> None:
    """Read the events of one conversation."""
    build.describe(agent="openhands", trace_id=part.name)
    events, old, seen = _Events(build), OldEvents(build), False
    for number, event in part.records:
        pair = event if isinstance(event, list) else [event]  # the oldest write pairs
        for each in pair:
            if isinstance(each, Mapping) and isinstance(each.get("kind"), str):
                events.event(each, number)
            elif is_old(each):
                old.event(each, number)
            elif is_state(each):
                events.usage.count(each["stats"])
            else:
                build.note("skipped", "a record is not an event", number)
                continue
            seen = True
    if not seen:
        raise part.error("holds no event of OpenHands")
    events.finish()
    old.finish()


def is_state(record: Any) -> bool:
    """Say whether a record is the state that is kept beside the events, with what was used."""
    stats = record.get("stats") if isinstance(record, Mapping) else None
    return isinstance(stats, Mapping) and "usage_to_metrics" in stats


class _Events:
    """Writes events of the SDK into the builder."""

    def __init__(self, build: TraceBuilder):
        self.build = build
        self.rows: dict[str, int] = {}
        self.calls: dict[str, int] = {}
        self.usage = Usage()

    def event(self, event: Mapping[str, Any], line: int) -> None:
        kind, time = event["kind"], parse_time(event.get("timestamp"))
        if kind == "ActionEvent":
            self._action(event, time, line)
        elif kind in ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation"):
            self._observation(event, kind, time, line)
        elif kind == "MessageEvent":
            self._message(event, time, line)
        elif kind == "ConversationStateUpdateEvent":
            if event.get("key") == "stats":
                self.usage.count(mapping(event.get("value")))
            elif event.get("key") == "full_state":
                self.usage.count(mapping(mapping(event.get("value")).get("stats")))
        elif kind == "Condensation":
            words = as_text(event.get("summary"))
            self.build.event("compaction", words, started=time, line=line)
        elif kind in ("PauseEvent", "InterruptEvent"):
            self.build.event("interrupt", started=time, line=line)
        elif kind == "ConversationErrorEvent":
            words = as_text(event.get("detail") or event.get("code"))
            self.build.event("api_error", words, started=time, line=line)
        elif kind not in _QUIET:
            self.build.note("skipped", f"events of kind {kind[:40]!r}", line)

    def finish(self) -> None:
        self.usage.finish(self.build, self.rows)

    def _round(self, event: Mapping[str, Any], time: float | None, line: int) -> int:
        """Return the round of a response, which several actions may share."""
        response = text_in(event.get("llm_response_id"))
        if response and response in self.rows:
            return self.rows[response]
        row = self.build.round(started=time, message_id=response, line=line, **self.usage.take())
        if response:
            self.rows[response] = row
        return row

    def _action(self, event: Mapping[str, Any], time: float | None, line: int) -> None:
        build, row = self.build, self._round(event, time, line)
        build.add_text(row, "text", text_of(event.get("thought")))
        build.add_text(row, "reasoning", text_of(event.get("reasoning_content")))
        given = mapping(event.get("tool_call"))
        args = given.get("arguments", mapping(given.get("function")).get("arguments"))
        if args is None:
            args = {k: v for k, v in mapping(event.get("action")).items() if k != "kind"}
        name = as_text(event.get("tool_name") or given.get("name")) or "?"
        call_id = text_in(event.get("tool_call_id"))
        call = build.call(row, name, args, call_id=call_id, started=time, line=line)
        if build.state_of(call) == "unparsed":
            build.note("damaged", "arguments of a call are not JSON; kept as text", line)
        if isinstance(event.get("id"), str):
            self.calls[event["id"]] = call

    def _observation(
        self, event: Mapping[str, Any], kind: str, time: float | None, line: int
    ) -> None:
        build = self.build
        call_id = text_in(event.get("tool_call_id"))
        found = build.find_call(call_id) if call_id else None
        if found is None or found[1] != "id":
            call = self.calls.get(as_text(event.get("action_id")))
            found = (call, "id") if call is not None else found
        if found is None:
            build.note("skipped", "an observation belongs to no call", line)
            return
        inside = mapping(event.get("observation"))
        text, parts = content_of(inside.get("content", inside.get("output")))
        failed: bool | None = True if inside.get("is_error") is True else None
        if kind != "ObservationEvent":
            failed = True
            text = as_text(event.get("error") or event.get("rejection_reason"))
        code = inside.get("exit_code")
        code = code if isinstance(code, int) and code >= 0 else None  # -1: still running
        if failed is None and code is None and inside.get("is_error") is False:
            failed = False
        status, error, code = build.judge(text, error=failed, exit_code=code, line=line)
        if kind == "UserRejectObservation":
            status, error = "denied", "denied"
        elif inside.get("timeout") is True:
            status, error = "timeout", "timeout"
        build.result(
            found[0], text, status=status, ended=time, error_type=error, exit_code=code,
            parts=parts, paired_by=found[1],
        )  # fmt: skip

    def _message(self, event: Mapping[str, Any], time: float | None, line: int) -> None:
        build, message = self.build, mapping(event.get("llm_message"))
        text = text_of(message.get("content"))
        if event.get("source") == "agent":
            row = self._round(event, time, line)
            build.add_text(row, "text", text)
            build.add_text(row, "reasoning", text_of(message.get("reasoning_content")))
        elif event.get("source") == "user":
            if build.meta.task is None:
                build.describe(task=text or None)
            build.user(text, started=time, line=line)
        else:
            build.event("other", text, started=time, line=line)
