"""mini-swe-agent trajectories: ``*.traj.json``, with commands in text, in ``extra`` or as calls.

Facts that it rests on: the first user message is the task; from version 2 on
``extra.actions`` lists the commands that a message runs, before that the one fenced block of its
text does; answers follow as user messages (text models), as role ``tool``, or as
``function_call_output`` (Responses models, whose turns have no role but ``object: response``);
``extra`` holds ``returncode``, ``timestamp``, ``cost`` and the provider's whole response; a
malformed message is answered by the host with ``interrupt_type``; the last message has role
``exit``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import MAIN, TraceBuilder
from agentlens.trace.content import as_text, content_of, text_of
from agentlens.trace.formats.openai import calls_of
from agentlens.trace.formats.part import Part, by_messages, dicts, first_dict, mapping, text_or_none
from agentlens.trace.formats.turns import CallItem, usage_columns
from agentlens.trace.source import Document
from agentlens.trace.times import parse_time

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "mini_swe_agent"
_BLOCK = re.compile(r"```(?:bash|sh|mswea_bash_command)?[ \t]*\n(.*?)\n?```", re.DOTALL)
_INFO = ("exit_status", "submission", "model_stats", "mini_version", "config")


def sniff(head: Sequence[Any]) -> float:
    """Fit: messages beside an info with an exit status, the model's statistics and a config."""
    first = first_dict(head)
    if not isinstance(first.get("messages"), list):
        return 0.0
    known = sum(key in mapping(first.get("info")) for key in _INFO)
    return 0.98 if known >= 2 else 0.0


def split(document: Document) -> Iterator[Part]:
    """Return one part for each run."""
    return by_messages(document, "instance_id")


def read(part: Part, build: TraceBuilder) -> None:
    """Read the messages of one run."""
    info = mapping(part.about.get("info"))
    config = mapping(info.get("config"))
    model = text_or_none(mapping(config.get("model")).get("model_name"))
    _describe(part, info, config, build)
    writer, seen = _Writer(build, model), False
    for number, message in part.records:
        if not isinstance(message, Mapping):
            build.note("skipped", "a record is not a message", number)
            continue
        seen = True
        writer.message(message, number)
    if not seen:
        raise part.error("holds no message")


def _describe(
    part: Part, info: Mapping[str, Any], config: Mapping[str, Any], build: TraceBuilder
) -> None:
    stats = {
        key: value
        for key, value in mapping(info.get("model_stats")).items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    agent = mapping(config.get("agent"))
    limits = {
        name: agent[key]
        for name, key in (("max_steps", "step_limit"), ("max_cost", "cost_limit"))
        if isinstance(agent.get(key), int | float) and agent[key] > 0
    }
    reason = text_or_none(info.get("exit_status"))
    build.describe(
        trace_id=part.name, agent="mini-swe-agent",
        agent_version=text_or_none(info.get("mini_version")),
        format_version=text_or_none(part.about.get("trajectory_format")),
        outcome={"status": "unknown", "exit_reason": reason} if reason else None,
        totals=stats or None, totals_source="reported" if stats else None, limits=limits or None,
    )  # fmt: skip


class _Writer:
    """Writes messages into the builder."""

    def __init__(self, build: TraceBuilder, model: str | None):
        self.build = build
        self.model = model
        self.asked = False

    def message(self, message: Mapping[str, Any], line: int) -> None:
        role = message.get("role")
        extra = mapping(message.get("extra"))
        time = parse_time(extra.get("timestamp") or message.get("timestamp"))
        if role == "assistant" or message.get("object") == "response":
            self._turn(message, extra, time, line)
        elif role == "exit":
            self._exit(message, extra, time, line)
        elif role == "tool" or message.get("type") == "function_call_output":
            self._result(message, extra, time, line)
        elif role == "user":
            self._user(message, extra, time, line)
        elif role != "system":
            self.build.note("skipped", "a record is not a message", line)

    def _turn(
        self, message: Mapping[str, Any], extra: Mapping[str, Any], time: float | None, line: int
    ) -> None:
        response = (
            message if message.get("object") == "response" else mapping(extra.get("response"))
        )
        usage = response.get("usage")
        columns: dict[str, Any] = dict(usage_columns(usage, cached_apart=False))
        cost = extra.get("cost")
        if isinstance(cost, int | float) and not isinstance(cost, bool) and cost > 0:
            columns["cost"] = cost  # the library writes 0 where it knows no price
        reasoning = text_of(message.get("reasoning_content"))
        items = [i for i in dicts(message.get("output")) if message.get("object") == "response"]
        text = text_of(message.get("content"))
        for item in items:
            if item.get("type") == "message":
                text = f"{text}\n{text_of(item.get('content'))}".strip("\n")
            elif item.get("type") == "reasoning":
                reasoning = "\n".join(as_text(p.get("text")) for p in dicts(item.get("summary")))
        row = self.build.round(
            text=text, reasoning=reasoning, started=time, line=line,
            model=text_or_none(response.get("model")) or self.model, **columns,
        )  # fmt: skip
        for call in self._calls(message, extra, items, text):
            at = self.build.call(
                row, call.tool, call.args, call_id=call.call_id, started=time, line=line
            )
            if self.build.state_of(at) == "unparsed":
                self.build.note("damaged", "arguments of a call are not JSON; kept as text", line)

    def _calls(
        self, message: Mapping[str, Any], extra: Mapping[str, Any], items: list[Any], text: str
    ) -> list[CallItem]:
        calls = list(calls_of(message)) or [
            CallItem(as_text(i.get("name")) or "?", i.get("arguments"),
                     text_or_none(i.get("call_id")))
            for i in items if i.get("type") == "function_call"
        ]  # fmt: skip
        if calls:
            return calls
        actions = extra.get("actions")
        if isinstance(actions, list):
            return [
                CallItem("bash", {"command": as_text(a.get("command"))},
                         text_or_none(a.get("tool_call_id")))
                for a in dicts(actions)
            ]  # fmt: skip
        blocks = _BLOCK.findall(text)
        return [CallItem("bash", {"command": blocks[0]})] if len(blocks) == 1 else []

    def _user(
        self, message: Mapping[str, Any], extra: Mapping[str, Any], time: float | None, line: int
    ) -> None:
        build, text = self.build, text_of(message.get("content"))
        if build.has_open_calls():
            self._result(message, extra, time, line)
        elif not self.asked:
            self.asked = True
            build.describe(task=text or None)
            build.user(text, started=time, line=line)
        elif extra.get("interrupt_type") not in (None, "FormatError", "Submitted"):
            build.user(text, started=time, line=line)
        else:
            if "interrupt_type" not in extra:
                build.note("guessed", "a user message after no command is the host's", line)
            build.event("other", text, started=time, line=line)

    def _result(
        self, message: Mapping[str, Any], extra: Mapping[str, Any], time: float | None, line: int
    ) -> None:
        build = self.build
        call_id = text_or_none(message.get("tool_call_id") or message.get("call_id"))
        found = build.find_call(call_id, thread=MAIN)
        if found is None:
            build.note("skipped", "a result belongs to no call", line)
            return
        text, parts = content_of(message.get("content", message.get("output")))
        code = extra.get("returncode")
        failed = True if extra.get("exception_info") else None
        if not isinstance(code, int) or isinstance(code, bool) or (failed and code == -1):
            code = None  # the library's own -1: the command came to no end
        status, kind, code = build.judge(text, error=failed, exit_code=code, line=line)
        exception = text_or_none(extra.get("exception_type"))
        if failed and exception:
            status, kind = "timeout" if exception == "TimeoutExpired" else status, exception
        build.result(
            found[0], text, status=status, ended=time, error_type=kind, exit_code=code,
            parts=parts, paired_by=found[1],
        )  # fmt: skip

    def _exit(
        self, message: Mapping[str, Any], extra: Mapping[str, Any], time: float | None, line: int
    ) -> None:
        build = self.build
        reason = text_or_none(extra.get("exit_status"))
        found = build.find_call(None)
        if found and reason == "Submitted":  # the command that ended the run
            build.result(found[0], text_of(message.get("content")), ended=time, paired_by=found[1])
        limit = reason in ("LimitsExceeded", "TimeExceeded", "RepeatedFormatError")
        build.event("guard_fired" if limit else "other", reason or "exit", started=time, line=line)
