"""Events of OpenHands before its SDK: actions, and observations that name their `cause`.

Facts that it rests on: an event has a `source` and either an `action` with `args` or an
`observation` with `content`; `cause` is the id of the action; ``tool_call_metadata`` holds the
name of the function and the model's whole response, which parallel actions share;
``llm_metrics`` counts the whole run so far; a failed command has its exit code in
``extras.metadata``; much of what happens is bookkeeping of the host (`recall`, states).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text, text_of
from agentlens.trace.formats.part import dicts, mapping, text_or_none
from agentlens.trace.times import parse_time

__all__ = ["OldEvents", "is_old"]

_HOST = frozenset(
    "system recall change_agent_state agent_state_changed null pause resume start stop "
    "condensation_request send_pr loop_recovery".split()
)
_TOKENS = (
    ("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens"),
    ("cached_tokens", "cache_read_tokens"), ("cache_write_tokens", "cache_write_tokens"),
)  # fmt: skip


def is_old(event: Any) -> bool:
    """Say whether a record is an event of the older kind."""
    return (
        isinstance(event, Mapping)
        and isinstance(event.get("source"), str)
        and (isinstance(event.get("action"), str) or isinstance(event.get("observation"), str))
    )


class OldEvents:
    """Writes older events into the builder."""

    def __init__(self, build: TraceBuilder):
        self.build = build
        self.rows: dict[str, int] = {}
        self.calls: dict[Any, int] = {}
        self.so_far: dict[str, float] = {}

    def event(self, event: Mapping[str, Any], line: int) -> None:
        """Read one event."""
        time = parse_time(event.get("timestamp"))
        action = event.get("action")
        if not isinstance(action, str):
            self._observation(event, time, line)
        elif action == "message":
            self._message(event, time, line)
        elif action == "condensation":
            words = as_text(mapping(event.get("args")).get("summary"))
            self.build.event("compaction", words, started=time, line=line)
        elif action not in _HOST and event["source"] == "agent":
            self._action(event, action, time, line)
        elif action not in _HOST:
            self.build.note("skipped", f"actions {action[:40]!r} of the user or the host", line)

    def finish(self) -> None:
        """Tell the totals."""
        totals = {key: value for key, value in self.so_far.items() if value}
        if totals:
            self.build.describe(totals=totals, totals_source="reported")

    def _round(self, event: Mapping[str, Any], time: float | None, line: int) -> int:
        response = mapping(mapping(event.get("tool_call_metadata")).get("model_response"))
        name = text_or_none(response.get("id"))
        if name and name in self.rows:
            return self.rows[name]
        metrics = mapping(event.get("llm_metrics"))
        row = self.build.round(
            started=time, message_id=name, line=line, model=text_or_none(response.get("model")),
            **self._used(metrics),
        )  # fmt: skip
        if name:
            self.rows[name] = row
        return row

    def _used(self, metrics: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the counters of the whole run have grown by."""
        used = mapping(metrics.get("accumulated_token_usage"))
        now = {column: used.get(key) for column, key in _TOKENS}
        now["cost"] = metrics.get("accumulated_cost")
        columns: dict[str, Any] = {}
        for column, value in now.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                grown = value - self.so_far.get(column, 0)
                self.so_far[column] = value
                if grown > 0:
                    columns[column] = grown
        return columns

    def _action(self, event: Mapping[str, Any], action: str, time: float | None, line: int) -> None:
        build, row = self.build, self._round(event, time, line)
        inside = mapping(event.get("args"))
        build.add_text(row, "text", as_text(inside.get("thought")))
        about = mapping(event.get("tool_call_metadata"))
        call_id = text_or_none(about.get("tool_call_id"))
        args: Any = {k: v for k, v in inside.items() if k != "thought"}
        choice = next(dicts(mapping(about.get("model_response")).get("choices")), {})
        for given in dicts(mapping(choice.get("message")).get("tool_calls")):
            if given.get("id") == call_id:
                args = mapping(given.get("function")).get("arguments", args)
        name = text_or_none(about.get("function_name")) or action
        call = build.call(
            row, name, args, call_id=call_id, tool_raw=action, started=time, line=line
        )
        if event.get("id") is not None and not isinstance(event["id"], list | dict):
            self.calls[event["id"]] = call

    def _observation(self, event: Mapping[str, Any], time: float | None, line: int) -> None:
        build, kind = self.build, as_text(event.get("observation"))
        cause = event.get("cause")
        call = None if isinstance(cause, list | dict) else self.calls.get(cause)
        how = "id"
        if call is None:
            call_id = mapping(event.get("tool_call_metadata")).get("tool_call_id")
            found = build.find_call(call_id) if isinstance(call_id, str) else None
            if found is None and cause is None and event["source"] == "agent":
                found = build.find_call(None)  # the oldest logs have no ids
            if found is None:
                if kind not in _HOST:
                    build.note("skipped", "an observation belongs to no call", line)
                return
            call, how = found
        extras = mapping(event.get("extras"))
        code = mapping(extras.get("metadata")).get("exit_code", extras.get("exit_code"))
        code = code if isinstance(code, int) and code >= 0 else None
        failed = True if kind in ("error", "user_rejected") or extras.get("error") is True else None
        text = text_of(event.get("content"))
        status, error, code = build.judge(text, error=failed, exit_code=code, line=line)
        if kind == "user_rejected":
            status, error = "denied", "denied"
        build.result(
            call, text, status=status, ended=time, error_type=error, exit_code=code, paired_by=how
        )

    def _message(self, event: Mapping[str, Any], time: float | None, line: int) -> None:
        build = self.build
        text = as_text(mapping(event.get("args")).get("content") or event.get("message"))
        if event["source"] == "agent":
            build.add_text(self._round(event, time, line), "text", text)
        elif event["source"] == "user":
            if build.meta.task is None:
                build.describe(task=text or None)
            build.user(text, started=time, line=line)
        else:
            build.event("other", text, started=time, line=line)
