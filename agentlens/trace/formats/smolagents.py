"""Steps of smolagents: ``memory.get_full_steps()``, a list, or a run's result with `steps`.

Facts that it rests on, each seen in a real file: a step has `step_number`, ``timing``,
``tool_calls`` (``function.arguments`` a mapping, or the code), `code_action`, one text of
`observations` for all calls of the step, `error` with type and message, and `token_usage`; a code
agent calls only ``python_interpreter``, the tools stand in the code; `model_input_messages` sends
the history again. A step's time is when it began, before the model answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.code_calls import calls_in
from agentlens.trace.content import as_text, text_of
from agentlens.trace.formats.openai import calls_of
from agentlens.trace.formats.part import Part, dicts, first_dict, mapping, numbered, text_or_none
from agentlens.trace.formats.turns import usage_columns
from agentlens.trace.source import Document
from agentlens.trace.times import parse_time

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "smolagents"
_SIGNS = {"model_output", "code_action", "observations", "tool_calls", "model_output_message"}
_INTERPRETER = "python_interpreter"


def _is_step(value: Any) -> bool:
    return isinstance(value, Mapping) and "step_number" in value and len(_SIGNS & set(value)) > 1


def sniff(head: Sequence[Any]) -> float:
    """Fit: steps with a number and what a model put out, bare or under ``steps``."""
    steps = first_dict(head).get("steps")
    rows = steps if isinstance(steps, list) else head
    return 0.96 if any(_is_step(row) for row in rows[:40]) else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield the bare list as one part, or one part for each result with `steps`."""
    if not isinstance(first_dict(document.head).get("steps"), list):
        unit = "line" if document.shape == "lines" else "item"
        yield Part(document.records(), document.name, path=document.path, unit=unit)
        return
    for number, record in document.records():
        steps = mapping(record).get("steps")
        if not isinstance(steps, list):
            document.note("skipped", "a record has no steps", number)
            continue
        about = {key: value for key, value in record.items() if key != "steps"}
        yield Part(numbered(steps), document.name, None, about)


def read(part: Part, build: TraceBuilder) -> None:
    """Read the steps of one agent's memory."""
    seen = False
    for number, step in part.records:
        if not isinstance(step, Mapping):
            build.note("skipped", "a record is not a step", number)
        elif _is_step(step):
            seen = True
            _action(step, number, build)
        elif isinstance(step.get("task"), str):
            if build.meta.task is None:
                build.describe(task=step["task"] or None)
            build.user(step["task"], line=number)
        elif isinstance(step.get("plan"), str):
            build.round(text=step["plan"], line=number, **_columns(step))
        elif not {"system_prompt", "output", "final_answer"} & set(step):
            build.note("skipped", "a step of an unknown kind", number)
    if not seen:
        raise part.error("holds no step")
    state = text_or_none(part.about.get("state"))
    if state:
        build.describe(outcome={"status": "unknown", "exit_reason": state})


def _columns(step: Mapping[str, Any]) -> dict[str, Any]:
    timing = mapping(step.get("timing"))
    columns: dict[str, Any] = dict(usage_columns(step.get("token_usage"), cached_apart=False))
    begun, lasted = parse_time(timing.get("start_time")), timing.get("duration")
    if begun is not None:
        columns["started"] = begun
    if isinstance(lasted, int | float) and not isinstance(lasted, bool) and lasted >= 0:
        columns["seconds"] = float(lasted)
    return columns


def _action(step: Mapping[str, Any], number: int, build: TraceBuilder) -> None:
    said = step.get("model_output")
    message = mapping(step.get("model_output_message"))
    text = text_of(said if said is not None else message.get("content"))
    row = build.round(text=text, line=number, **_columns(step))
    calls = [
        build.call(row, tool, args, call_id=call_id, tool_raw=raw, line=number)
        for tool, args, call_id, raw in _calls(step, number, build)
    ]
    error = mapping(step.get("error"))
    observed = step.get("observations")
    result = text_of(observed) or as_text(error.get("message"))
    if not calls:
        if result:
            build.event("other", result, line=number)
        return
    if observed is None and not error and step.get("action_output") is None:
        return
    if len(calls) > 1:
        build.note("guessed", "calls of one step share one result; it is given to the last", number)
    for call in calls[:-1]:
        build.result(call, "", paired_by="same_record")
    status, kind, code = build.judge(result, error=True if error else None, line=number)
    build.result(
        calls[-1], result or as_text(step.get("action_output")), status=status,
        error_type=text_or_none(error.get("type")) or kind, exit_code=code,
        paired_by="same_record",
    )  # fmt: skip


def _calls(
    step: Mapping[str, Any], number: int, build: TraceBuilder
) -> Iterator[tuple[str, Any, str | None, str]]:
    """Yield ``(tool, arguments, id, name as written)``; those in the code of a code agent."""
    given = list(calls_of({"tool_calls": list(dicts(step.get("tool_calls")))}))
    if not given and isinstance(step.get("code_action"), str):
        yield from _in_code(step["code_action"], None, number, build)
    for item in given:
        if item.tool != _INTERPRETER:
            yield item.tool, item.args, item.call_id, item.tool
            continue
        code = item.args.get("code") if isinstance(item.args, Mapping) else item.args
        yield from _in_code(as_text(code), item.call_id, number, build)


def _in_code(
    code: str, call_id: str | None, number: int, build: TraceBuilder
) -> Iterator[tuple[str, Any, str | None, str]]:
    found = calls_in(code)
    if found is None:
        build.note("damaged", "code is not Python; its calls are not listed", number)
    if not found:
        yield _INTERPRETER, {"code": code}, call_id, _INTERPRETER
        return
    build.note("guessed", "calls are read out of code; which of them ran is not logged", number)
    for place, (tool, args) in enumerate(found, 1):
        yield tool, args, f"{call_id}-{place}" if call_id else None, _INTERPRETER
