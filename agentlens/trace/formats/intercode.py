"""InterCode results: one record a task, or a file that holds many of them by number.

Facts that it rests on, each seen in a real file: records lie in one object by number, bare or
under ``logs`` beside a ``meta`` of the run; ``turn_history`` has parallel lists (`actions`,
`observations`, `rewards`, `valid_action`, and `thoughts` or `steps` of agents that plan); the last
action may have no observation; `valid_action` is True, False or null (not checked); agents that
reason write ``execute[...]`` and ``submit``; Python's observations are the text of a mapping of
`output` and `error`; ``summary`` holds the best reward and, mostly, the cap on turns. There are no
times and no tokens. The reward is the outcome: 1 means that the task was solved.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text
from agentlens.trace.formats.part import Part, first_dict, mapping, text_or_none
from agentlens.trace.source import Document

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "intercode"
#: Tool and argument of an environment's actions.
_TOOLS = {"bash": ("bash", "command"), "ctf": ("bash", "command"), "sql": ("execute_sql", "sql"),
          "python": ("python", "code")}  # fmt: skip
_WRAPPED = re.compile(r"\A\s*execute\[(.*)\]\s*\Z", re.DOTALL)
#: What the environment says to an agent that forgot to write ``execute[...]``.
_REFUSED = "Error executing query: Your last `execute` action did not contain"
_SUBMIT = re.compile(r"\A\s*submit\b\s*(.*)\Z", re.DOTALL)


def _is_record(value: Any) -> bool:
    history = mapping(mapping(value).get("turn_history"))
    return isinstance(history.get("actions"), list)


def _records(value: Any) -> Mapping[str, Any]:
    """Return the records that an object holds, by their keys; empty where it holds none."""
    holder = mapping(mapping(value).get("logs")) or mapping(value)
    first = next(iter(holder.values()), None)
    return holder if _is_record(first) else {}


def sniff(head: Sequence[Any]) -> float:
    """Fit: records whose turn history has a list of actions, bare or by number."""
    first = first_dict(head)
    return 0.98 if _is_record(first) or _records(first) else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield one part for each task."""
    for number, value in document.records():
        records = {str(number): value} if _is_record(value) else _records(value)
        if not records:
            document.note("skipped", "a record has no turn history", number)
        for place, (key, record) in enumerate(records.items(), number):
            if not _is_record(record):
                document.note("skipped", "a record has no turn history", place)
                continue
            name = f"task {as_text(record.get('task_id', key))}"
            yield Part([(place, record)], document.name, name, mapping(value).get("meta") or {})


def read(part: Part, build: TraceBuilder) -> None:
    """Read the turns of one task."""
    _, record = next(iter(part.records))
    history = mapping(record["turn_history"])
    _describe(part, record, history, build)
    build.user(as_text(record.get("query")))
    environment = as_text(record.get("environment")).lower().removeprefix("ic_")
    if environment not in _TOOLS:
        build.note("guessed", f"actions of environment {environment!r} are taken for commands")
    thoughts = history.get("thoughts") or history.get("steps")
    if not history["actions"]:
        build.note("info", "no action was taken")
    for index, action in enumerate(history["actions"]):
        thought = text_or_none(_at(thoughts, index)) or ""
        row = build.round(text=thought, line=index + 1)
        tool, given = _call_of(as_text(action), environment)
        args: dict[str, str] | str = given
        if as_text(_at(history.get("observations"), index)).startswith(_REFUSED):
            args = as_text(action)  # it never ran: not the same call as the one put right
        call = build.call(row, tool, args, tool_raw=environment or None, line=index + 1)
        observation = _at(history.get("observations"), index)
        if observation is None:
            build.note("info", "an action has no observation", index + 1)
            continue
        _result(call, as_text(observation), _at(history.get("valid_action"), index), index, build)


def _at(values: Any, index: int) -> Any:
    return values[index] if isinstance(values, list) and index < len(values) else None


def _call_of(action: str, environment: str) -> tuple[str, dict[str, str]]:
    wrapped = _WRAPPED.match(action)
    if wrapped:
        action = wrapped[1]
    submit = _SUBMIT.match(action)
    if submit:
        return "submit", {"answer": submit[1]} if submit[1] else {}
    tool, key = _TOOLS.get(environment, (environment or "execute", "command"))
    return tool, {key: action}


def _result(call: int, text: str, valid: Any, index: int, build: TraceBuilder) -> None:
    text, failed = _python_output(text)
    flag = not valid if isinstance(valid, bool) else failed
    status, kind, code = build.judge(text, error=flag, line=index + 1)
    build.result(
        call, text, status=status, error_type=kind, exit_code=code, paired_by="same_record"
    )


def _python_output(text: str) -> tuple[str, bool | None]:
    """Return the output in the text of a mapping that Python's environment writes, and a flag."""
    if not (text.startswith("{'output':") and text.endswith("}")):
        return text, None
    try:
        value = ast.literal_eval(text)  # literals only: nothing is executed
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text, None
    output, error = as_text(value.get("output")), as_text(value.get("error"))
    return "\n".join(t for t in (output, error) if t), bool(error)


def _describe(
    part: Part, record: Mapping[str, Any], history: Mapping[str, Any], build: TraceBuilder
) -> None:
    summary = mapping(record.get("summary"))
    best, cap, taken = (summary.get(k) for k in ("max_reward", "turns_max", "turns_taken"))
    outcome: dict[str, Any] = {"status": "unknown", "raw": dict(summary)}
    if isinstance(best, int | float) and not isinstance(best, bool):
        outcome.update(status="success" if best >= 1 else "failure", score=float(best))
    capped = isinstance(cap, int) and isinstance(taken, int) and taken >= cap
    if capped and outcome["status"] != "success":
        outcome["exit_reason"] = "turns_max"
    rewards = history.get("rewards")
    labels = [
        {"name": "reward", "value": reward, "level": "step", "step": step, "thread": "main",
         "annotator": "environment", "source": "rewards"}
        for step, reward in enumerate(rewards if isinstance(rewards, list) else [], 1)
        if isinstance(reward, int | float) and not isinstance(reward, bool)
    ]  # fmt: skip
    build.describe(
        trace_id=part.name,
        task=text_or_none(record.get("query")),
        outcome=outcome,
        labels=tuple(labels),
        limits={"max_steps": cap} if isinstance(cap, int) and not isinstance(cap, bool) else None,
        extra={
            **{k: v for k, v in part.about.items() if isinstance(v, str | int | float | bool)},
            **{k: record[k] for k in ("environment", "dataset", "task_id", "hardness")
               if k in record},
        },
    )  # fmt: skip
