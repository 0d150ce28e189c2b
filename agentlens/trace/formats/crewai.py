"""CrewAI: a crew's `output_log_file` in JSON, or events of its bus, one a line.

Facts that it rests on, each met in a recorded run: the log file is an array of ``{timestamp,
task_name, task, agent, status, output}``, whose entries begin and end tasks and hold no calls.
Events of the bus have a `type`; ``llm_call_completed`` comes before the ``tool_usage_started`` and
``tool_usage_finished`` (or ``_error``) of what it called, and those name their start in
``started_event_id`` (older ones pair by place). A tool that failed is tried again without asking
the model, with ``run_attempts`` of 2 and more. `tool_args` are a mapping, or JSON as text;
``started_at`` and ``finished_at`` are local times without a zone, ``timestamp`` is UTC.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text, text_of
from agentlens.trace.formats.part import Part, dicts, mapping, one_part, text_or_none
from agentlens.trace.formats.turns import usage_columns
from agentlens.trace.source import Document
from agentlens.trace.times import parse_time

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "crewai"
_STARTED, _ENDED = ("toolusagestarted",), ("toolusagefinished", "toolusageerror")
_FAILED = ("toolvalidateinputerror", "toolselectionerror", "toolexecutionerror")
_ENDINGS = {"llmcallfailed": "api_error", "taskfailed": "other", "crewkickofffailed": "other",
            "agentexecutionerror": "other"}  # fmt: skip
_QUIET = frozenset(
    "llmcallstarted llmstreamchunk crewkickoffstarted crewkickoffcompleted agentexecutionstarted "
    "agentexecutioncompleted toolfailuredetected".split()
)
#: What the library adds to every few results, so that equal ones would differ.
_REMINDER = "\n\n\nYou ONLY have access to the following tools"
_LOG = {"task_name", "agent", "status"}
_EVENT = {"type", "event_id", "emission_sequence"}


def _kind(record: Any) -> str:
    """Return a record's type in one spelling; `log` for an entry of the log file."""
    if not isinstance(record, Mapping):
        return ""
    kind = record.get("type") or record.get("event")
    if isinstance(kind, str):
        return re.sub(r"[^a-z]", "", kind.lower()).removesuffix("event")
    return "log" if set(record) >= _LOG and {"task", "output"} & set(record) else ""


def sniff(head: Sequence[Any]) -> float:
    """Fit: entries of a crew's log, events of its bus, or of tools with a name."""
    rows = list(dicts(list(head)))
    kinds = (*_STARTED, *_ENDED, *_FAILED)
    events = [r for r in rows if set(r) >= _EVENT or (_kind(r) in kinds and "tool_name" in r)]
    logs = [r for r in rows if _kind(r) == "log"]
    return 0.95 if events or (logs and len(logs) == len(rows)) else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield the whole log as one part."""
    yield one_part(document)


def read(part: Part, build: TraceBuilder) -> None:
    """Read entries or events."""
    crew, seen = _Crew(build), False
    for number, record in part.records:
        kind = _kind(record)
        seen = seen or bool(kind)
        if not crew.take(kind, mapping(record), number):
            build.note("skipped", f"records of type {kind[:40] or 'unknown'}", number)
    if not seen:
        raise part.error("holds no entry of a crew")


def _time(record: Mapping[str, Any], *keys: str) -> float | None:
    given = (record.get(key) for key in ("timestamp", *keys))
    return next((t for t in map(parse_time, given) if t is not None), None)


class _Crew:
    """Writes entries and events into the builder."""

    def __init__(self, build: TraceBuilder):
        self.build = build
        #: For each task and agent, the round that is open for calls.
        self.rows: dict[tuple[str, str], int] = {}
        self.spoken: set[tuple[str, str]] = set()
        self.calls: dict[tuple[int, str, str], int] = {}
        self.open: dict[int, int] = {}
        self.starts: dict[str, int] = {}
        self.begun: dict[int, float] = {}

    def take(self, kind: str, record: Mapping[str, Any], line: int) -> bool:
        """Read one record; False where it is of no known kind."""
        build = self.build
        if kind == "log":
            self._entry(record, line)
        elif kind in _STARTED or kind in _ENDED or kind in _FAILED:
            self._tool(record, kind, line)
        elif kind == "llmcallcompleted":
            self._answer(record, line)
        elif kind == "taskstarted":
            task = mapping(record.get("task"))
            self._task(as_text(task.get("description") or record.get("task_name")), record, line)
        elif kind == "taskcompleted":
            output = record.get("output")
            said = text_of(mapping(output).get("raw")) or text_of(output)
            if said and not self.spoken:
                build.round(text=said, started=_time(record), line=line)
        elif kind in _ENDINGS:
            words = as_text(record.get("error"))
            build.event(_ENDINGS[kind], words, started=_time(record), line=line)
        return bool(kind) and (
            kind in ("log", "llmcallcompleted", "taskstarted", "taskcompleted", *_ENDINGS)
            or kind in (*_STARTED, *_ENDED, *_FAILED, *_QUIET)
        )

    def _task(self, text: str, record: Mapping[str, Any], line: int) -> None:
        if self.build.meta.task is None:
            self.build.describe(task=text or None)
        self.build.user(text, started=_time(record), line=line)

    def _entry(self, record: Mapping[str, Any], line: int) -> None:
        output = text_or_none(record.get("output"))
        if record.get("status") == "started" or output is None:
            self._task(text_of(record.get("task")), record, line)
            return
        self._name(record.get("agent"))
        self.build.note("info", "the crew's log holds tasks and answers, no calls of tools", line)
        self.build.round(text=output, started=_time(record), line=line)

    def _name(self, agent: Any) -> None:
        if self.build.meta.agent is None:
            self.build.describe(agent=text_or_none(agent))

    def _key(self, record: Mapping[str, Any]) -> tuple[str, str]:
        self._name(record.get("agent_role"))
        return as_text(record.get("task_id")), as_text(record.get("agent_role"))

    def _answer(self, record: Mapping[str, Any], line: int) -> None:
        key, response = self._key(record), record.get("response")
        called = isinstance(response, list) or record.get("call_type") == "tool_call"
        self.spoken.add(key)
        usage: dict[str, Any] = dict(usage_columns(record.get("usage"), cached_apart=False))
        self.rows[key] = self.build.round(
            text="" if called else text_of(response) or as_text(response), started=_time(record),
            model=text_or_none(record.get("model")), line=line, **usage,
        )  # fmt: skip

    def _row(self, record: Mapping[str, Any], line: int) -> int:
        """Return the round of a call; without events of a model, calls at one time share one."""
        key = self._key(record)
        row = self.rows.get(key)
        together = "event_id" in record and self.open.get(-1 if row is None else row, 0) > 0
        if row is None or not (key in self.spoken or together):
            row = self.rows[key] = self.build.round(started=_time(record, "started_at"), line=line)
        return row

    def _start(self, record: Mapping[str, Any], line: int, **columns: Any) -> int:
        name, args = as_text(record.get("tool_name")) or "?", record.get("tool_args")
        attempt = record.get("run_attempts")
        row = self.rows.get(self._key(record), -1)
        again = self.calls.get((row, name, as_text(args)))
        if again is not None and isinstance(attempt, int) and attempt > 1:
            self.build.note("info", "a call that failed was tried again by the crew", line)
            return again
        row = self._row(record, line)
        call = self.build.call(
            row, name, args, call_id=text_or_none(record.get("event_id")), line=line, **columns
        )
        self.calls[row, name, as_text(args)] = call
        return call

    def _tool(self, record: Mapping[str, Any], kind: str, line: int) -> None:
        build, known = self.build, record.get("started_event_id")
        begun, ended = (parse_time(record.get(k)) for k in ("started_at", "finished_at"))
        took = None if begun is None or ended is None or ended < begun else ended - begun
        ended = _time(record, "finished_at")
        if kind in _STARTED:
            first = _time(record, "started_at")
            call = self._start(record, line, started=first)
            if first is not None:
                self.begun.setdefault(call, first)
            row = self.rows[self._key(record)]
            self.open[row] = self.open.get(row, 0) + 1
            if isinstance(record.get("event_id"), str):
                self.starts[record["event_id"]] = call
            return
        call, how = self.starts.get(known, -1) if isinstance(known, str) else -1, "id"
        if call < 0:
            name = as_text(record.get("tool_name")) or "?"
            found = build.find_call(None, tool=name) if kind in _ENDED else None
            how = "adjacency" if found else "same_record"
            first = ended - took if ended is not None and took is not None else None
            call = found[0] if found else self._start(record, line, started=first)
        row = self.rows.get(self._key(record), -1)
        self.open[row] = self.open.get(row, 0) - 1
        if took is None and ended is not None and call in self.begun:
            took = max(ended - self.begun[call], 0.0)  # all attempts
        problem = record.get("error") or record.get("failure")
        text = text_of(record.get("output")) or as_text(problem)
        text, reminder, _ = text.partition(_REMINDER)
        if reminder:
            build.note("info", "the crew's reminder of its format is no part of a result", line)
        failed = kind != "toolusagefinished" or bool(problem)
        status, type_of, code = build.judge(text, error=True if failed else None, line=line)
        if record.get("from_cache") is True:
            build.note("info", "a result came out of the crew's cache", line)
        build.result(
            call, text, status=status, ended=ended, error_type=type_of, exit_code=code,
            paired_by=how, **({} if took is None else {"seconds": took}),
        )  # fmt: skip
