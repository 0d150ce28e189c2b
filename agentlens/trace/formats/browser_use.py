"""browser-use histories: steps of a browser agent, as `save_to_file` writes them.

Facts that it rests on: ``{"history": [{model_output, result, state, metadata}]}``; a step may hold
several actions, each a mapping of one name to its arguments, paired with `result` by place;
elements are numbered anew on every page, so an element is what `interacted_element` says (its
xpath or hash) on the page's URL; newer versions keep what a step sent to the model, the task in it
(``state_message``); a null `model_output` is an answer that could not be parsed, and its error
stands in the result; `step_start_time` and `step_end_time` are epoch seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text
from agentlens.trace.formats.part import Part, dicts, first_dict, mapping, numbered, text_or_none
from agentlens.trace.source import Document
from agentlens.trace.times import parse_time

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "browser_use"
_TASK = re.compile(r"<user_request>\n?(.*?)\n?</user_request>", re.DOTALL)
_THOUGHTS = ("thinking", "evaluation_previous_goal", "memory", "next_goal")
_ELEMENT = ("x_path", "xpath", "element_hash", "stable_hash", "css_selector", "node_name")


def _is_step(value: Any) -> bool:
    return isinstance(value, Mapping) and {"model_output", "result", "state"} <= set(value)


def _history(record: Any) -> list[Any]:
    inner = mapping(record).get("history")
    return inner if isinstance(inner, list) and any(map(_is_step, inner[:5])) else []


def sniff(head: Sequence[Any]) -> float:
    """Fit: steps with a model's output, results and the browser's state."""
    rows = _history(first_dict(head)) or head
    return 0.97 if any(map(_is_step, rows[:5])) else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield the bare list as one part, or one part for each history."""
    if not _history(first_dict(document.head)):
        yield Part(document.records(), document.name)
        return
    for number, record in document.records():
        steps = _history(record)
        if not steps:
            document.note("skipped", "a record has no history", number)
            continue
        yield Part(numbered(steps), document.name)


def read(part: Part, build: TraceBuilder) -> None:
    """Read the steps of one history."""
    seen = False
    done: Mapping[str, Any] = {}
    for number, step in part.records:
        if not _is_step(step):
            build.note("skipped", "a record is not a step", number)
            continue
        if not seen:
            _task(step, number, build)
        seen = True
        _step(step, number, build)
        last = [r for r in dicts(step.get("result")) if r.get("is_done") is True]
        done = last[-1] if last else done
    if not seen:
        raise part.error("holds no step")
    if done:
        success = done.get("success")
        known = isinstance(success, bool)
        build.describe(outcome={
            "status": ("success" if success else "failure") if known else "unknown",
            "exit_reason": "done", "raw": success,
        })  # fmt: skip


def _task(step: Mapping[str, Any], number: int, build: TraceBuilder) -> None:
    """Take the task out of what the first step sent; older histories do not hold it."""
    found = _TASK.search(as_text(step.get("state_message")))
    if found:
        build.describe(task=found[1] or None)
        build.user(found[1], line=number)


def _step(step: Mapping[str, Any], number: int, build: TraceBuilder) -> None:
    output, state = mapping(step.get("model_output")), mapping(step.get("state"))
    meta = mapping(step.get("metadata"))
    begun, ended = parse_time(meta.get("step_start_time")), parse_time(meta.get("step_end_time"))
    brain = mapping(output.get("current_state")) or output
    thoughts = [f"{key}: {brain[key]}" for key in _THOUGHTS if text_or_none(brain.get(key))]
    timed = begun is not None and ended is not None and ended >= begun
    row = build.round(
        reasoning="\n".join(thoughts), started=begun, line=number,
        seconds=ended - begun if timed else None,  # type: ignore[operator]
    )  # fmt: skip
    results = list(dicts(step.get("result")))
    actions = list(dicts(output.get("action")))
    if not actions:
        build.note("info", "a step has no action: the model's answer could not be used", number)
        for result in results:
            text = as_text(result.get("error") or result.get("extracted_content"))
            build.event("other", text, started=ended, line=number)
        return
    elements = state.get("interacted_element")
    for place, action in enumerate(actions):
        name, args = _action(action)
        element = elements[place] if isinstance(elements, list) and place < len(elements) else None
        if "index" in args:
            args = _located(args, mapping(element), state, number, build)
        call = build.call(row, name, args, line=number)
        if place >= len(results):
            build.note("info", "an action has no result: the page changed before it", number)
            continue
        _result(call, results[place], number, build)


def _action(action: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return name and arguments of an action; keys that are null were not chosen."""
    name, args = next(((k, v) for k, v in action.items() if v is not None), ("?", {}))
    return name, dict(args) if isinstance(args, Mapping) else {"value": args}


def _located(
    args: dict[str, Any], element: Mapping[str, Any], state: Mapping[str, Any], number: int,
    build: TraceBuilder,
) -> dict[str, Any]:  # fmt: skip
    """Return the arguments with the element's place in the page instead of its number."""
    place = next((element[k] for k in _ELEMENT if element.get(k) is not None), None)
    url = text_or_none(state.get("url"))
    if place is None:
        build.note(
            "guessed", "an element is told by its number, which each page gives anew", number
        )
        return {**args, "url": url} if url else args
    kept = {key: value for key, value in args.items() if key != "index"}
    return {**kept, "element": as_text(place), **({"url": url} if url else {})}


def _result(call: int, result: Mapping[str, Any], number: int, build: TraceBuilder) -> None:
    error = text_or_none(result.get("error"))
    content = result.get("extracted_content")
    text = as_text(content if content is not None else result.get("long_term_memory"))
    status, kind, code = build.judge(error or text, error=True if error else None, line=number)
    build.result(call, error or text, status=status, error_type=kind, exit_code=code)
