"""What the events of a Copilot CLI session mean: rounds, calls, their ends, sub-agents."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agentlens.trace.build import MAIN, TraceBuilder
from agentlens.trace.content import as_text, content_of
from agentlens.trace.formats.part import dicts, mapping, text_or_none
from agentlens.trace.times import parse_time

__all__ = ["Events"]

_USED = (
    ("input_tokens", "inputTokens"), ("output_tokens", "outputTokens"),
    ("cached_tokens", "cacheReadTokens"), ("cache_write_tokens", "cacheWriteTokens"),
    ("reasoning_tokens", "reasoningTokens"),
)  # fmt: skip
#: Events that only move a screen, or say again what others say.
_QUIET = (
    "assistant.turn_", "assistant.intent", "assistant.message_", "assistant.reasoning_",
    "assistant.streaming", "assistant.message_start", "tool.execution_partial",
    "tool.execution_progress", "tool.user_requested", "session.idle", "session.info",
    "session.title", "session.usage", "session.mode", "session.plan", "session.context_changed",
    "session.workspace", "session.snapshot_rewind", "session.compaction_start",
    "session.task_complete", "session.import", "hook.", "skill.", "system.", "permission.requested",
    "user_input.", "elicitation.", "command", "pending_messages", "subagent.selected",
    "subagent.deselected", "subagent.completed", "external_tool.",
)  # fmt: skip
_EXIT = re.compile(r"<exited with exit code (-?\d{1,10})>\s*\Z")
_DENIED = ("denied", "rejected", "permission", "declined")


class Events:
    """Writes events into the builder, each into the thread of its agent."""

    def __init__(self, build: TraceBuilder):
        self.build = build
        self.model: str | None = None
        self.rows: dict[str, int] = {}
        self.keys: dict[str, int] = {}
        self.calls: dict[str, int] = {}
        self.agents: dict[str, str] = {}
        self.thoughts: dict[str, str] = {}

    def event(self, record: Mapping[str, Any], line: int, branch: str | None) -> None:
        """Read one event.

        Parameters
        ----------
        branch
            Name of the abandoned branch that it belongs to, where a rewind took it back.
        """
        kind, data = as_text(record.get("type")), mapping(record.get("data"))
        time = parse_time(record.get("timestamp"))
        if kind == "subagent.started":
            self._subagent(record, data, branch)
            return
        thread = self._thread(record, data, branch)
        if kind == "user.message":
            self._user(data, thread, time, line)
        elif kind == "assistant.message":
            self._message(data, thread, time, line)
        elif kind == "assistant.reasoning":
            self.thoughts[thread] = as_text(data.get("content"))
        elif kind == "assistant.usage":
            self._usage(data, thread)
        elif kind == "tool.execution_start":
            self._start(data, thread, time, line)
        elif kind == "tool.execution_complete":
            self._complete(data, time, line)
        elif kind in ("session.start", "session.resume", "session.model_change"):
            self._session(data)
        elif kind == "session.shutdown":
            self._totals(data)
        elif kind in _MARKS:
            mark, key = _MARKS[kind]
            self.build.event(mark, as_text(data.get(key)), thread=thread, started=time, line=line)
        elif kind == "permission.completed":
            words = as_text(mapping(data.get("result")).get("kind"))
            self.build.event("approval", words, thread=thread, started=time, line=line)
        elif not kind.startswith(_QUIET):
            self.build.note("skipped", f"events of type {kind[:40]!r}", line)

    def _thread(
        self, record: Mapping[str, Any], data: Mapping[str, Any], branch: str | None
    ) -> str:
        agent = text_or_none(record.get("agentId")) or text_or_none(data.get("parentToolCallId"))
        name = branch or MAIN
        if branch:
            self.build.thread(branch, parent=MAIN, kind="branch", name=branch, abandoned=True)
        if agent is None or agent == MAIN:
            return name
        thread = self.agents.get(agent)
        if thread is None:
            parent_call = agent if agent in self.calls else None
            thread = self.agents[agent] = agent
            self.build.thread(agent, parent=name, parent_call=parent_call)
        return thread

    def _subagent(
        self, record: Mapping[str, Any], data: Mapping[str, Any], branch: str | None
    ) -> None:
        call_id = text_or_none(data.get("toolCallId"))
        thread = text_or_none(record.get("agentId")) or call_id
        if thread is None or thread == MAIN:
            return
        title = text_or_none(data.get("agentDisplayName")) or text_or_none(data.get("agentName"))
        self.build.thread(thread, parent=branch or MAIN, parent_call=call_id, name=title)
        for key in (thread, call_id):  # older events of it name the call instead
            if key is not None:
                self.agents.setdefault(key, thread)

    def _user(self, data: Mapping[str, Any], thread: str, time: float | None, line: int) -> None:
        text, source = as_text(data.get("content")), as_text(data.get("source"))
        if source and source != "user":
            self.build.event("other", text, thread=thread, started=time, line=line)
            return
        if self.build.meta.task is None and thread == MAIN:
            self.build.describe(task=text or None)
        self.build.user(text, thread=thread, started=time, line=line)

    def _message(self, data: Mapping[str, Any], thread: str, time: float | None, line: int) -> None:
        build, key = self.build, text_or_none(data.get("messageId"))
        row = self.keys.get(key) if key else None
        text = as_text(data.get("content"))
        if row is None:
            count = data.get("outputTokens")
            used = {"output_tokens": count} if _is_count(count) else {}
            row = build.round(
                thread=thread, started=time, line=line, message_id=key, text=text,
                reasoning=as_text(data.get("reasoningText")) or self.thoughts.pop(thread, ""),
                model=text_or_none(data.get("model")) or self.model, **used,
            )  # fmt: skip
            if key:
                self.keys[key] = row
        else:
            build.add_text(row, "text", text)
        self.rows[thread] = row
        for item in dicts(data.get("toolRequests")):
            self._call(row, item, as_text(item.get("name")), None, line)

    def _call(
        self, row: int, item: Mapping[str, Any], name: str, time: float | None, line: int
    ) -> int:
        call_id = text_or_none(item.get("toolCallId"))
        if call_id and call_id in self.calls:
            return self.calls[call_id]
        server = text_or_none(item.get("mcpServerName"))
        tool = text_or_none(item.get("mcpToolName")) if server else None
        more = {"namespace": server} if server else {}
        call = self.build.call(
            row, tool or name or "?", item.get("arguments"), call_id=call_id,
            tool_raw=name or "?", started=time, line=line, **more,
        )  # fmt: skip
        if call_id:
            self.calls[call_id] = call
        return call

    def _start(self, data: Mapping[str, Any], thread: str, time: float | None, line: int) -> None:
        """Say when a call began; it is one of its own where no message asked for it."""
        row = self.rows.get(thread)
        if row is None:
            row = self.rows[thread] = self.build.round(
                thread=thread, started=time, line=line, model=self.model
            )
        call = self._call(row, data, as_text(data.get("toolName")), time, line)
        columns: dict[str, Any] = {"started": time}
        server, tool = text_or_none(data.get("mcpServerName")), data.get("mcpToolName")
        if server and isinstance(tool, str) and tool:
            columns.update(tool=tool, namespace=server)
        self.build.update_call(call, **columns)

    def _complete(self, data: Mapping[str, Any], time: float | None, line: int) -> None:
        build, call_id = self.build, text_or_none(data.get("toolCallId"))
        call = self.calls.get(call_id or "")
        if call is None:
            build.note("skipped", "a result belongs to no call", line)
            return
        answer, failure = data.get("result"), mapping(data.get("error"))
        about = mapping(answer)
        text, parts = content_of(about.get("content") if about else answer)
        if not text and about.get("contents"):
            text, parts = content_of(about["contents"])
        success = data.get("success")
        if failure or success is False:
            text = text or as_text(failure.get("message")) or as_text(data.get("error"))
        elif answer is None:
            build.note("info", "of some results the log keeps only that they succeeded", line)
        flag = not success if isinstance(success, bool) else None
        match = _EXIT.search(text[-100:])
        status, kind, code = build.judge(
            text,
            error=True if flag else None,
            exit_code=int(match[1]) if match else None,
            line=line,
        )
        if flag and as_text(failure.get("code")).startswith(_DENIED):
            status, kind = "denied", "denied"
        build.result(
            call, text, status=status, ended=time, error_type=kind, exit_code=code, parts=parts,
            paired_by="id",
        )  # fmt: skip

    def _usage(self, data: Mapping[str, Any], thread: str) -> None:
        row = self.rows.get(thread)
        columns = {column: data[key] for column, key in _USED if _is_count(data.get(key))}
        if row is not None and columns:
            self.build.update_round(row, **columns)

    def _session(self, data: Mapping[str, Any]) -> None:
        build, meta = self.build, self.build.meta
        self.model = (
            text_or_none(data.get("newModel")) or text_or_none(data.get("selectedModel"))
            or self.model
        )  # fmt: skip
        session = meta.session_id or text_or_none(data.get("sessionId"))
        cwd = text_or_none(mapping(data.get("context")).get("cwd"))
        build.describe(
            session_id=session, trace_id=session, cwd=meta.cwd or cwd,
            agent_version=meta.agent_version or text_or_none(data.get("copilotVersion")),
        )  # fmt: skip

    def _totals(self, data: Mapping[str, Any]) -> None:
        """Add up what the models used; a session that was resumed is shut down more than once."""
        totals: dict[str, int] = {}
        for metric in mapping(data.get("modelMetrics")).values():
            usage = mapping(mapping(metric).get("usage"))
            for column, key in _USED:
                if _is_count(usage.get(key)):
                    totals[column] = totals.get(column, 0) + usage[key]
        if totals:
            self.build.describe(totals=totals, totals_source="reported")


_MARKS = {
    "session.error": ("api_error", "message"), "session.warning": ("other", "message"),
    "session.compaction_complete": ("compaction", "summaryContent"),
    "session.truncation": ("compaction", "performedBy"), "abort": ("interrupt", "reason"),
    "session.handoff": ("other", "summary"), "subagent.failed": ("other", "error"),
}  # fmt: skip


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
