"""SWE-agent trajectories: ``*.traj`` with steps, or a demonstration with only a history.

Facts that it rests on: a step is ``{action, observation, response, thought, state,
execution_time}``, so that a result stands beside its call; `action` is the text of a command
whose first word is the tool; ``query`` and ``messages`` repeat the whole prompt in every step and
are not read; in `history`, observations end with the prompt of the shell, demonstrations are
marked ``is_demo``, and results name their calls in ``tool_call_ids``. There are no times of day;
tokens and cost are told for the run as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text, text_of
from agentlens.trace.formats.openai import turn_of
from agentlens.trace.formats.part import (
    Part,
    dicts,
    first_dict,
    mapping,
    numbered,
    text_or_none,
)
from agentlens.trace.formats.turns import CallItem, Turn, feed
from agentlens.trace.source import Document

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "sweagent"
#: What the host writes as the action when a limit is reached.
_EXIT = re.compile(r"exit_[a-z_]+")
_PROMPT = re.compile(
    r"\s*(?:\(Open file: [^\n]{0,1000}\)\s*)?\(Current directory: [^\n]{0,1000}\)\s*bash-\$\s*\Z"
)
_MARKS = ("message_type", "is_demo", "agent", "thought", "action")


def sniff(head: Sequence[Any]) -> float:
    """Fit: steps with an action and an observation, or a history with the host's marks."""
    first = first_dict(head)
    steps = list(dicts(first.get("trajectory")))
    if steps and all("action" in s and "observation" in s for s in steps[:5]):
        return 0.98
    history = list(dicts(first.get("history")))[:20]
    if not history or not all(isinstance(m.get("role"), str) for m in history):
        return 0.0
    marked = sum(any(mark in m for mark in _MARKS) for m in history)
    empty = isinstance(first.get("trajectory"), list)
    return 0.97 if 2 * marked > len(history) else 0.9 if empty else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield one part for each run."""
    for number, record in document.records():
        if not isinstance(record, Mapping) or not {"trajectory", "history"} & set(record):
            document.note("skipped", "a record has no trajectory and no history", number)
            continue
        steps = record.get("trajectory")
        about = {key: value for key, value in record.items() if key != "trajectory"}
        name = text_or_none(record.get("instance_id")) or text_or_none(record.get("environment"))
        yield Part(numbered(steps if isinstance(steps, list) else []), document.name, name, about)


def read(part: Part, build: TraceBuilder) -> None:
    """Read the steps of one run, or its history where there are none."""
    about = part.about
    info = mapping(about.get("info"))
    _describe(info, about, build)
    history = about.get("history")
    steps = list(part.records)
    if not steps:
        _history(history, part, build)
        return
    asked = [m for m in dicts(history) if m.get("role") == "user" and not m.get("is_demo")]
    if asked:
        task = text_of(asked[0].get("content"))
        build.describe(task=task or None)
        build.user(task)
    if any(m.get("is_demo") for m in dicts(history)):
        build.note("skipped", "a demonstration in the prompt is not part of the run")
    for number, step in steps:
        if isinstance(step, Mapping):
            _step(step, number, build)
        else:
            build.note("skipped", "a step is not an object", number)


def _describe(info: Mapping[str, Any], about: Mapping[str, Any], build: TraceBuilder) -> None:
    stats = mapping(info.get("model_stats"))
    numbers = {
        key: value
        for key, value in stats.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    reason = text_or_none(info.get("exit_status"))
    extra = {k: v for k, v in about.items() if k in ("environment", "instance_id") and v}
    build.describe(
        agent="swe-agent", agent_version=text_or_none(info.get("swe_agent_version")),
        trace_id=text_or_none(about.get("instance_id")),
        outcome={"status": "unknown", "exit_reason": reason} if reason else None,
        totals=numbers or None, totals_source="reported" if numbers else None, extra=extra or None,
    )  # fmt: skip


def _step(step: Mapping[str, Any], number: int, build: TraceBuilder) -> None:
    response, thought = text_of(step.get("response")), text_of(step.get("thought"))
    action = as_text(step.get("action")).strip()
    observation = _clean(text_of(step.get("observation")))
    if _EXIT.fullmatch(action):
        build.event("guard_fired", f"{action}: {thought or response}", line=number)
        return
    row = build.round(
        text=response or thought, reasoning="" if thought.strip() in response else thought,
        line=number,
    )  # fmt: skip
    if not action:
        if observation:
            build.event("other", observation, line=number)
        return
    seconds = step.get("execution_time")
    seconds = seconds if isinstance(seconds, int | float) and seconds > 0 else None
    calls = [_command(action)]
    given = list(dicts(step.get("tool_calls")))
    if len(given) == 1:
        turn = turn_of({"role": "assistant", "tool_calls": given})
        calls = turn.calls if turn and turn.calls else calls
    call = build.call(
        row, calls[0].tool, calls[0].args, call_id=calls[0].call_id, seconds=seconds, line=number
    )
    status, kind, code = build.judge(observation, line=number)
    build.result(call, observation, status=status, error_type=kind, exit_code=code)


def _command(action: str) -> CallItem:
    """Return a command as a call: the first word is the tool, the whole text its arguments."""
    return CallItem(action.split(None, 1)[0][:200], action)


def _clean(text: str) -> str:
    """Take off the prompt of the shell, which shows after every command."""
    tail = text[-3000:]
    match = _PROMPT.search(tail)
    return text[: len(text) - len(tail) + match.start()] if match else text


def _history(history: Any, part: Part, build: TraceBuilder) -> None:
    seen = False
    for number, message in enumerate(dicts(history), 1):
        turn = turn_of(message)
        if turn is None or message.get("is_demo"):
            build.note("skipped", "a message of the history is not part of the run", number)
            continue
        seen = True
        feed(_completed(turn, message), build, number)
    if not seen:
        raise part.error("holds no step and no message")


def _completed(turn: Turn, message: Mapping[str, Any]) -> Turn:
    """Add the command of an old history, and clean what the shell adds."""
    if turn.role == "assistant":
        action = as_text(message.get("action")).strip()
        calls = turn.calls or ([_command(action)] if action else [])
        reasoning = "" if turn.reasoning.strip() in turn.text else turn.reasoning
        return replace(turn, calls=calls, reasoning=reasoning)
    results = [replace(item, text=_clean(item.text)) for item in turn.results]
    return replace(turn, text=_clean(turn.text), results=results)
