"""Steps of an ATIF trajectory into rounds, calls, results and events; see `atif` for the format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text, content_of, text_of
from agentlens.trace.formats.part import dicts, mapping, text_or_none
from agentlens.trace.run_log import MAIN
from agentlens.trace.times import parse_time

__all__ = ["StepReader"]

_MAX_DEPTH = 20
#: Column of the rounds table, and where ATIF keeps it: the metrics, or their ``extra``.
_METRICS = (
    ("input_tokens", "prompt_tokens"),
    ("cached_tokens", "cached_tokens"),
    ("output_tokens", "completion_tokens"),
)
#: Columns of a call that `to_atif` keeps in its extra.
_CALL_FACTS = ("seconds", "tokens", "cost", "id_generated")
_CALL_NAMES = ("tool_raw", "namespace")
_EXTRA_METRICS = (
    ("cache_write_tokens", "cache_write_tokens"),
    ("reasoning_tokens", "reasoning_tokens"),
)


class StepReader:
    """Reads a trajectory into a thread, and those embedded in it into theirs."""

    def __init__(self, build: TraceBuilder, model: str | None):
        self.build = build
        self.model = model
        #: For each embedded trajectory, the call whose result refers to it.
        self.started_by: dict[str, tuple[str, str]] = {}

    def trajectory(self, about: Mapping[str, Any], thread: str, depth: int) -> None:
        """Read steps, then embedded trajectories."""
        build = self.build
        if thread == MAIN:
            own = mapping(mapping(about.get("extra")).get("agentlens"))
            if any(own.get(key) for key in ("parent", "parent_call", "name", "abandoned")):
                parent, call, label = map(
                    text_or_none, map(own.get, ("parent", "parent_call", "name"))
                )
                build.thread(MAIN, parent=parent, parent_call=call, name=label,
                             abandoned=own.get("abandoned") is True)  # fmt: skip
        for number, step in enumerate(dicts(about.get("steps")), 1):
            self._step(step, number, thread)
        for number, inner in enumerate(dicts(about.get("subagent_trajectories")), 1):
            if depth >= _MAX_DEPTH:
                build.note("skipped", "a sub-agent is nested too deeply")
                continue
            facts = mapping(mapping(inner.get("extra")).get("agentlens"))
            name = text_or_none(inner.get("trajectory_id")) or f"{thread}-agent-{number}"
            starter: tuple[str | None, str | None] = self.started_by.get(name, (thread, None))
            parent, call = starter
            label = text_or_none(mapping(inner.get("agent")).get("name"))
            if "kind" in facts:  # written by `to_atif`
                label, parent = text_or_none(facts.get("name")), text_or_none(facts.get("parent"))
                call = text_or_none(facts.get("parent_call"))
            build.thread(
                name,
                parent=parent,
                parent_call=call,
                kind=text_or_none(facts.get("kind")) or "subagent",
                name=label,
                abandoned=facts.get("abandoned") is True,
            )
            self.trajectory(inner, name, depth + 1)

    def _step(self, step: Mapping[str, Any], number: int, thread: str) -> None:
        build = self.build
        text, parts = content_of(step.get("message"))
        facts = mapping(mapping(step.get("extra")).get("agentlens"))
        exactly = facts.get("started")
        started = parse_time(step.get("timestamp"))
        if isinstance(exactly, int | float) and not isinstance(exactly, bool):
            started = float(exactly)
        source = step.get("source")
        if source == "agent":
            self._turn(step, facts, text, started, number, thread)
        elif source == "user":
            if step.get("is_copied_context") or facts.get("asks") is False:
                kind = "other" if step.get("is_copied_context") else "user_message"
                build.event(kind, text, thread=thread, started=started, line=number)
                return
            if build.meta.task is None and thread == MAIN:
                build.describe(task=text or None)
            build.user(text, thread=thread, started=started, line=number)
        elif facts.get("event"):
            build.event(str(facts["event"]), text, thread=thread, started=started, line=number)
        if parts and source != "agent":
            build.note("info", "pictures in a message are named only in the log", number)

    def _turn(
        self,
        step: Mapping[str, Any],
        facts: Mapping[str, Any],
        text: str,
        started: float | None,
        number: int,
        thread: str,
    ) -> None:
        build = self.build
        metrics = mapping(step.get("metrics"))
        inside = mapping(metrics.get("extra"))
        columns: dict[str, Any] = {
            column: metrics[key] for column, key in _METRICS if isinstance(metrics.get(key), int)
        }
        columns |= {
            column: inside[key]
            for column, key in _EXTRA_METRICS
            if isinstance(inside.get(key), int)
        }
        if isinstance(metrics.get("cost_usd"), int | float):
            columns["cost"] = metrics["cost_usd"]
        for key in ("seconds", "tokens", "time_quality", "message_id", "injected", "hidden"):
            if facts.get(key) is not None:
                columns[key] = facts[key]
        if step.get("llm_call_count") == 0:
            columns["injected"] = True
        if "round" in facts:
            columns["number"] = facts["round"]
        row = build.round(
            thread=thread,
            text=text,
            reasoning=text_of(step.get("reasoning_content")),
            model=text_or_none(step.get("model_name")) or self.model,
            started=started,
            copied=step.get("is_copied_context") is True,
            line=number,
            **columns,
        )
        mine: dict[str, int] = {}
        for call in dicts(step.get("tool_calls")):
            inner = mapping(mapping(call.get("extra")).get("agentlens"))
            args = inner["args_raw"] if "args_raw" in inner else call.get("arguments")
            if inner.get("args_state") == "missing":
                args = None
            call_id = text_or_none(call.get("tool_call_id"))
            at = build.call(
                row,
                as_text(call.get("function_name")) or "?",
                args,
                call_id=text_or_none(inner.get("call_id")) or call_id,
                started=inner.get("started", started),
                line=number,
                **{k: inner[k] for k in _CALL_FACTS if k in inner},
                **{k: inner[k] for k in _CALL_NAMES if isinstance(inner.get(k), str)},
            )
            if call_id:
                mine[call_id] = at
        self._observation(step, mine, thread, number)

    def _observation(
        self, step: Mapping[str, Any], mine: Mapping[str, int], thread: str, number: int
    ) -> None:
        build = self.build
        for result in dicts(mapping(step.get("observation")).get("results")):
            call_id = text_or_none(result.get("source_call_id"))
            for reference in dicts(result.get("subagent_trajectory_ref")):
                name = text_or_none(reference.get("trajectory_id"))
                if name and call_id:
                    self.started_by[name] = (thread, call_id)
                elif not name:
                    build.note("skipped", "a sub-agent lies in another file, not opened", number)
            at = mine.get(call_id or "")
            how = "id"
            if at is None:
                found = build.find_call(call_id, thread=thread)
                if found is None:
                    build.note("info", "an observation belongs to no call", number)
                    build.event("other", text_of(result.get("content")), thread=thread, line=number)
                    continue
                at, how = found
            self._result(result, at, how, number)

    def _result(self, result: Mapping[str, Any], at: int, how: str, number: int) -> None:
        text, parts = content_of(result.get("content"))
        extra = mapping(result.get("extra"))
        facts = mapping(extra.get("agentlens"))
        if "status" in facts:
            columns = {
                k: facts[k]
                for k in ("error_type", "exit_code", "truncated", "paired_by")
                if k in facts
            }
            columns = {"paired_by": how, "parts": tuple(facts.get("parts", parts)), **columns}
            self.build.result(at, text, status=str(facts["status"]), **columns)
            return
        flag = next(
            (
                extra[k]
                for k in ("is_error", "error", "tool_error")
                if isinstance(extra.get(k), bool)
            ),
            None,
        )
        code = next(
            (
                extra[k]
                for k in ("exit_code", "exitCode", "returncode")
                if isinstance(extra.get(k), int)
            ),
            None,
        )
        status, kind, code = self.build.judge(text, error=flag, exit_code=code, line=number)
        self.build.result(
            at, text, status=status, error_type=kind, exit_code=code, parts=parts, paired_by=how
        )
