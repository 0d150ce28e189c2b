"""``ui_messages.json`` of Cline and Roo: what their screen showed of a task.

Facts that it rests on: a row is ``{ts, type: ask|say, ask|say, text, partial}``; `api_req_started`
holds, as JSON text, what a request to the model used, where input leaves out what the cache gave
and took; a request that failed says so there and has no answer; `tool`, `command` and
`use_mcp_server` are calls, asked for or told, and a call that a person had to allow comes as both,
one after the other; what a command printed follows in rows of its own; a ``partial`` row is not
complete.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from agentlens.errors import TraceError
from agentlens.trace.arguments import parse_arguments
from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text
from agentlens.trace.formats.part import dicts, mapping, text_or_none
from agentlens.trace.status import judge
from agentlens.trace.times import parse_time

__all__ = ["Usage", "is_row", "read_rows", "usage_beside"]

_USED = (("input_tokens", "tokensIn"), ("output_tokens", "tokensOut"),
         ("cached_tokens", "cacheReads"), ("cache_write_tokens", "cacheWrites"))  # fmt: skip
_CALLS = {"command": "execute_command", "use_mcp_server": "use_mcp_tool",
          "browser_action_launch": "browser_action", "browser_action": "browser_action",
          "followup": "ask_followup_question", "completion_result": "attempt_completion",
          "plan_mode_respond": "plan_mode_respond", "new_task": "new_task"}  # fmt: skip
_TEXTS = {"command": "command", "followup": "question", "browser_action_launch": "url"}
_RESULTS = frozenset(("command_output", "mcp_server_response", "browser_action_result"))
_EVENTS = {
    "api_req_retried": "retry", "api_req_retry_delayed": "retry", "error_retry": "retry",
    "api_req_failed": "api_error", "error": "api_error", "diff_error": "api_error",
    "mistake_limit_reached": "guard_fired", "condense_context": "compaction",
    "auto_approval_max_req_reached": "guard_fired", "checkpoint_created": "checkpoint",
    "checkpoint_saved": "checkpoint", "resume_task": "other", "resume_completed_task": "other",
}  # fmt: skip
_QUIET = frozenset(
    "api_req_finished api_req_deleted deleted_api_reqs command_permission tool_result "
    "shell_integration_warning mcp_server_request_started task_progress user_feedback_diff".split()
)


def is_row(record: Any) -> bool:
    """Say whether a record is a row of the screen."""
    return (
        isinstance(record, Mapping)
        and record.get("type") in ("ask", "say")
        and isinstance(record.get(record["type"]), str)
        and "role" not in record
    )


class Usage:
    """What each request to the model used, found by the time of its answer."""

    def __init__(self, rows: Iterable[Any]):
        found = sorted(
            (
                (time, columns)
                for row in dicts(list(rows))
                if row.get("say") == "api_req_started" and (columns := _used(row))
                and (time := parse_time(row.get("ts"))) is not None
            ),
            key=lambda pair: pair[0],
        )  # fmt: skip
        self._times = [time for time, _ in found]
        self._columns = [columns for _, columns in found]
        self._given = 0

    def before(self, time: float | None) -> dict[str, Any]:
        """Return the columns of the latest request before a time; each is given once."""
        if time is None:
            return {}
        at = bisect_right(self._times, time)
        if at <= self._given:
            return {}
        self._given = at
        return self._columns[at - 1]

    @property
    def is_lost(self) -> bool:
        """True where nothing of it could be given to a response."""
        return bool(self._times) and not self._given


def usage_beside(path: Path | None) -> Usage | None:
    """Return what the screen's file beside a task's messages says of its requests."""
    from agentlens.trace.source import open_document

    beside = path.with_name("ui_messages.json") if path is not None else None
    if beside is None or not beside.is_file():
        return None
    try:
        with closing(open_document(beside)) as document:
            return Usage(record for _, record in document.records())
    except TraceError:
        return None


def _used(row: Mapping[str, Any]) -> dict[str, Any]:
    told = parse_arguments(row.get("text"))[0] or {}
    columns: dict[str, Any] = {
        column: told[key]
        for column, key in _USED
        if isinstance(told.get(key), int) and not isinstance(told[key], bool) and told[key] >= 0
    }
    if not any(columns.values()):
        return {}  # the request is under way, or failed
    read, written = columns.get("cached_tokens", 0), columns.get("cache_write_tokens", 0)
    columns["input_tokens"] = columns.get("input_tokens", 0) + read + written
    cost = told.get("cost")
    if isinstance(cost, int | float) and not isinstance(cost, bool) and cost >= 0:
        columns["cost"] = cost
    return columns


def read_rows(records: Sequence[tuple[int, Any]], build: TraceBuilder) -> None:
    """Read the rows as a trace of their own: what the screen showed, and no more."""
    build.note("info", "read from what the screen showed: arguments and results are shortened")
    screen = _Screen(build)
    for number, record in records:
        if is_row(record):
            screen.row(record, number)
        else:
            build.note("skipped", "a record is not a row of the screen", number)


class _Screen:
    """Turns rows into rounds, calls and results."""

    def __init__(self, build: TraceBuilder):
        self.build = build
        self.at: int | None = None
        self.model: str | None = None
        self.asked: tuple[str, Any] | None = None
        self.call: int | None = None
        self.output: list[str] = []

    def row(self, row: Mapping[str, Any], line: int) -> None:
        kind, text = row[row["type"]], as_text(row.get("text"))
        time = parse_time(row.get("ts"))
        build = self.build
        if row.get("partial") is True:
            build.note("skipped", "a row is not complete", line)
        elif kind in ("task", "user_feedback"):
            self._close()
            if build.meta.task is None:
                build.describe(task=text or None)
            build.user(text, started=time, line=line)
        elif kind == "api_req_started":
            self._request(row, time, line)
        elif kind in ("text", "reasoning"):
            build.add_text(self._round(time, line), kind, text)
        elif kind == "tool" or kind in _CALLS:
            self._call(kind, text, time, line)
        elif kind in _RESULTS:
            self._result(text, time)
        elif kind in _EVENTS:
            build.event(_EVENTS[kind], text, started=time, line=line)
        elif kind not in _QUIET:
            build.note("skipped", f"rows of kind {kind[:40]!r}", line)

    def _close(self) -> None:
        self.at = self.call = self.asked = None

    def _round(self, time: float | None, line: int) -> int:
        if self.at is None:
            self.at = self.build.round(started=time, line=line, model=self.model)
        return self.at

    def _request(self, row: Mapping[str, Any], time: float | None, line: int) -> None:
        """Start a round; a request that failed has none."""
        self._close()
        told = parse_arguments(row.get("text"))[0] or {}
        self.model = text_or_none(mapping(row.get("modelInfo")).get("modelId")) or self.model
        failure = told.get("streamingFailedMessage") or told.get("cancelReason")
        if failure and told.get("cancelReason") != "user_cancelled":
            self.build.event("api_error", as_text(failure), started=time, line=line)
        if _used(row) or not failure:
            self.build.update_round(self._round(time, line), **_used(row))

    def _call(self, kind: str, text: str, time: float | None, line: int) -> None:
        """Add a call, once: when it is asked for, or where nobody was asked."""
        args = parse_arguments(text)[0]
        name = _CALLS.get(kind, "?")
        shown: Any = None
        if kind == "tool":
            told = dict(args or {})
            name = text_or_none(told.pop("tool", None)) or "?"
            if name.startswith(("read", "list", "search", "codebase")):
                shown = told.pop("content", None)  # there, what was found
            args = told
        elif kind == "use_mcp_server" and args is not None:
            args = {"server_name": args.get("serverName"), "tool_name": args.get("toolName"),
                    "arguments": args.get("arguments")}  # fmt: skip
        elif args is None or kind in ("command", "completion_result"):
            args = {_TEXTS.get(kind, "text"): text}
        if self.asked == (name, args) and self.call is not None:
            return
        if kind == "completion_result" and not text:
            return  # asks whether the person is content with what was said just before
        self.asked, self.output = (name, args), []
        self.call = self.build.call(
            self._round(time, line), name, args, tool_raw=kind, started=time, line=line
        )
        if isinstance(shown, str):
            self._result(shown, time)

    def _result(self, text: str, time: float | None) -> None:
        if self.call is None:
            return
        self.output.append(text)
        whole = "\n".join(piece for piece in self.output if piece)
        status, error, code, _ = judge(whole)
        self.build.result(
            self.call, whole, status=status, ended=time, error_type=error, exit_code=code,
            paired_by="adjacency",
        )  # fmt: skip
