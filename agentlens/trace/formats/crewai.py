"""CrewAI: a crew's `output_log_file` in JSON, or events of its bus, one a line.

Facts that it rests on: the log file is an array of ``{timestamp, task_name, task, agent, status,
output}``, whose entries begin and end tasks and hold no calls; events of the bus have a `type` such
as ``tool_usage_started``, ``tool_usage_finished`` or ``tool_usage_error``, with `tool_name`,
`tool_args` (a mapping, or text), `output`, `error`, `from_cache`, `run_attempts`, `agent_role` and
times; a call is one start and one end, paired by place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text, text_of
from agentlens.trace.formats.part import Part, dicts, one_part, text_or_none
from agentlens.trace.source import Document
from agentlens.trace.status import judge
from agentlens.trace.times import parse_time

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "crewai"
_STARTED, _ENDED = ("toolusagestarted",), ("toolusagefinished", "toolusageerror")
_FAILED = ("toolvalidateinputerror", "toolselectionerror", "toolexecutionerror")
_MODEL = ("llmcallcompleted",)
_LOG = {"task_name", "agent", "status"}


def _kind(record: Any) -> str:
    """Return a record's type in one spelling; `log` for an entry of the log file."""
    if not isinstance(record, Mapping):
        return ""
    kind = record.get("type") or record.get("event")
    if isinstance(kind, str):
        return re.sub(r"[^a-z]", "", kind.lower()).removesuffix("event")
    return "log" if set(record) >= _LOG and {"task", "output"} & set(record) else ""


def sniff(head: Sequence[Any]) -> float:
    """Fit: entries of a crew's log, or events of tools with a name and an agent's role."""
    rows = list(dicts(list(head)))
    events = [r for r in rows if _kind(r) in (*_STARTED, *_ENDED, *_FAILED) and "tool_name" in r]
    logs = [r for r in rows if _kind(r) == "log"]
    return 0.95 if events or (logs and len(logs) == len(rows)) else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield the whole log as one part."""
    yield one_part(document)


def read(part: Part, build: TraceBuilder) -> None:
    """Read entries or events."""
    row: int | None = None
    seen = False
    for number, record in part.records:
        kind = _kind(record)
        seen = seen or bool(kind)
        if kind == "log":
            row = _entry(record, number, build)
        elif kind in _STARTED or kind in _FAILED or kind in _ENDED:
            fresh = kind in _STARTED or not build.has_open_calls()
            row = _round(record, number, build) if fresh or row is None else row
            _tool(record, kind, row, fresh, number, build)
        elif kind in _MODEL:
            text = text_of(record.get("response"))
            build.round(text=text, started=_time(record), line=number)
        else:
            build.note("skipped", f"records of type {kind[:40] or 'unknown'}", number)
    if not seen:
        raise part.error("holds no entry of a crew")


def _time(record: Mapping[str, Any], *keys: str) -> float | None:
    given = (record.get(key) for key in (*keys, "timestamp"))
    return next((t for t in map(parse_time, given) if t is not None), None)


def _entry(record: Mapping[str, Any], number: int, build: TraceBuilder) -> int | None:
    task, output = text_of(record.get("task")), text_or_none(record.get("output"))
    if record.get("status") == "started" or output is None:
        if build.meta.task is None:
            build.describe(task=task or None)
        build.user(task, started=_time(record), line=number)
        return None
    build.describe(agent=text_or_none(record.get("agent")))
    build.note("info", "the crew's log holds tasks and answers, no calls of tools", number)
    return build.round(text=output, started=_time(record), line=number)


def _round(record: Mapping[str, Any], number: int, build: TraceBuilder) -> int:
    return build.round(started=_time(record, "started_at"), line=number)


def _tool(
    record: Mapping[str, Any], kind: str, row: int, fresh: bool, number: int, build: TraceBuilder
) -> None:
    name = as_text(record.get("tool_name")) or "?"
    started, ended = _time(record, "started_at"), _time(record, "finished_at")
    if fresh:
        call = build.call(row, name, record.get("tool_args"), started=started, line=number)
    else:
        found = build.find_call(None, tool=name)
        call = found[0] if found else build.call(row, name, record.get("tool_args"), line=number)
    if kind in _STARTED:
        return
    error = record.get("error")
    failed = kind not in ("toolusagefinished",) or bool(error)
    text = text_of(record.get("output")) or as_text(error)
    status, type_of, code, guessed = judge(text, error=True if failed else None)
    if guessed:
        build.note("guessed", "a result counts as an error by its text", number)
    if record.get("from_cache") is True:
        build.note("info", "a result came out of the crew's cache", number)
    build.result(
        call, text, status=status, ended=ended, error_type=type_of, exit_code=code,
        paired_by="same_record" if fresh else "adjacency",
    )  # fmt: skip
