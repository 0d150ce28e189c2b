"""A trace in the plain format: one row a call, so that reading it again gives the same tables.

What a round holds beside its calls stands in the row of its first call. Where that would not add
up (a round's time is not that of its calls, an answer has no call), a row without a tool holds
it, and ``"total": true`` says that the amounts of its calls are parts of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentlens.trace.build import MAIN
from agentlens.trace.derive import derive_seconds
from agentlens.trace.formats.plain_order import Step, steps
from agentlens.trace.names import dress
from agentlens.trace.redact_trace import leaving
from agentlens.trace.status import judge
from agentlens.trace.whole_file import write_whole

if TYPE_CHECKING:
    from agentlens.trace.model import Trace

__all__ = ["plain_lines", "to_plain", "write_plain"]

#: Columns of a round that its calls do not have, and the keys of the plain format.
_OF_ROUND = (
    ("text", "text"), ("reasoning", "thought"), ("model", "model"),
    ("input_tokens", "input_tokens"), ("cached_tokens", "cached_tokens"),
    ("cache_write_tokens", "cache_write_tokens"), ("output_tokens", "output_tokens"),
    ("reasoning_tokens", "reasoning_tokens"),
)  # fmt: skip
_AMOUNTS = ("seconds", "tokens", "cost")


def to_plain(trace: Trace) -> list[dict[str, Any]]:
    """Return the trace as rows of the plain format, oldest first.

    It does not hold what a tool was called beside its name, how results were paired, and which
    messages were copied, injected or hidden.

    Parameters
    ----------
    trace
        The trace; nothing in it is masked.

    Examples
    --------
    >>> import agentlens as al
    >>> al.to_plain(al.load([{"round": 1, "tool": "ls", "args": {}, "result": "a"}]))
    [{'round': 1, 'tool': 'ls', 'args': {}, 'result': 'a', 'error': False}]
    """
    return list(_Writer(trace).rows())


def plain_lines(trace: Trace) -> Iterator[str]:
    """Yield the trace as JSON lines in the plain format."""
    for row in _Writer(trace).rows():
        yield json.dumps(row, ensure_ascii=False, default=str)


def write_plain(trace: Trace, path: str | os.PathLike[str], *, redact: bool = True) -> Path:
    """Write the trace as JSON lines in the plain format; return the file's path.

    Parameters
    ----------
    trace, path
        The trace, and the file to write.
    redact
        Mask secrets, e-mail addresses and names of home folders.

    Raises
    ------
    TypeError
        If it is no trace.
    OSError
        If the file cannot be written.
    """
    target = Path(path).expanduser()
    lines = plain_lines(leaving(trace, "write_plain", redact=redact))
    write_whole(target, "".join(f"{line}\n" for line in lines).encode("utf-8"))
    return target


def _time(moment: float) -> str | float:
    """Return a time in ISO 8601 where that says it exactly, as a number otherwise."""
    try:
        text = datetime.fromtimestamp(moment, UTC).isoformat()
        exact = datetime.fromisoformat(text).timestamp() == moment
    except (ValueError, OverflowError, OSError):
        return moment
    return text.replace("+00:00", "Z") if exact else moment


class _Writer:
    def __init__(self, trace: Trace):
        self.trace = trace
        rounds = trace.tables["rounds"]
        many = len(rounds["round"])
        again: dict[str, list[Any]] = {n: rounds[n] for n in ("thread", "request", "started")}
        again |= {"seconds": [None] * many, "time_quality": ["none"] * many}
        derive_seconds(again, [None] * many)
        #: What a reader derives by itself where no row says how long a round took.
        self.derived = again["seconds"]

    def rows(self) -> Iterator[dict[str, Any]]:
        for step in steps(self.trace):
            if step.kind == "thread":
                yield self._thread(step.at)
            elif step.kind == "event":
                yield self._event(step.at)
            elif step.kind == "round":
                row = self._round(step)
                if row is not None:
                    yield row
            else:
                yield self._call(step)

    def _thread(self, at: int) -> dict[str, Any]:
        cells = {name: column[at] for name, column in self.trace.tables["threads"].items()}
        row = {"event": "thread", "thread": cells["thread"]}
        return row | {k: cells[k] for k in ("parent", "parent_call") if cells[k] is not None}

    def _event(self, at: int) -> dict[str, Any]:
        events, rounds = self.trace.tables["events"], self.trace.tables["rounds"]
        cells = {name: column[at] for name, column in events.items()}
        after = cells["after_row"]
        asks = cells["kind"] == "user_message" and (
            rounds["request"][after] != cells["request"]
            if after >= 0
            else self.trace.meta.task is not None or not cells["text"]
        )
        row: dict[str, Any] = {"role": "user"} if asks else {"event": cells["kind"]}
        row["text"] = cells["text"]
        if cells["started"] is not None:
            row["started"] = _time(cells["started"])
        return row | _named(cells["thread"])

    def _of_round(self, at: int) -> dict[str, Any]:
        rounds = self.trace.tables["rounds"]
        found = {key: rounds[column][at] for column, key in _OF_ROUND}
        return {key: value for key, value in found.items() if value not in (None, "")}

    def _adds_up(self, at: int) -> bool:
        """Say whether a reader makes the same of the rows of its calls alone."""
        calls, tables = self.trace.round_calls[at], self.trace.tables
        cells = {name: column[at] for name, column in tables["rounds"].items()}
        begun = tables["calls"]["started"][calls[0]] if calls else cells["started"]
        made: dict[str, Any] = {"started": begun}
        for name in _AMOUNTS:
            total = None
            for call in calls:
                amount = tables["calls"][name][call]
                if amount is not None:
                    total = amount if total is None else total + amount
            made[name] = total
        parts = [cells[n] for n in ("input_tokens", "output_tokens") if cells[n] is not None]
        if made["tokens"] is None and parts:
            made["tokens"] = sum(parts)
        quality = "real" if made["seconds"] is not None or begun is not None else "none"
        if made["seconds"] is None and self.derived[at] is not None:
            made["seconds"], quality = self.derived[at], "derived"
        made["time_quality"] = quality
        return all(cells[name] == value for name, value in made.items())

    def _round(self, step: Step) -> dict[str, Any] | None:
        """Return a row for what the rows of its calls cannot say; None where they say it all."""
        rounds, at = self.trace.tables["rounds"], step.at
        if step.called and self._adds_up(at):
            return None
        cells = {name: column[at] for name, column in rounds.items()}
        row: dict[str, Any] = {"round": cells["round"], "tool": None, **self._of_round(at)}
        if cells["started"] is not None:
            row["started"] = _time(cells["started"])
        row |= {name: cells[name] for name in _AMOUNTS if cells[name] is not None}
        default = "real" if cells["started"] is not None or "seconds" in row else "none"
        if cells["time_quality"] != default:
            row["time_quality"] = cells["time_quality"]
        if self.trace.round_calls[at]:
            row["total"] = True
        return row | _named(cells["thread"])

    def _call(self, step: Step) -> dict[str, Any]:
        cells = {name: column[step.at] for name, column in self.trace.tables["calls"].items()}
        row_of_round = cells["round_row"]
        first = step.called and self._adds_up(row_of_round)
        row: dict[str, Any] = {"round": cells["round"], **_what(cells)}
        if cells["status"] != "missing":
            row |= _result(cells)
        if first:
            row |= self._of_round(row_of_round)
        if not cells["id_generated"]:
            row["call_id"] = cells["call_id"]
        if cells["started"] is not None:
            row["started"] = _time(cells["started"])
        row |= {name: cells[name] for name in _AMOUNTS if cells[name] is not None}
        return row | _named(cells["thread"])


def _named(thread: str) -> dict[str, str]:
    return {"thread": thread} if thread != MAIN else {}


def _what(cells: Mapping[str, Any]) -> dict[str, Any]:
    args = cells["args"] if cells["args"] is not None else cells["args_raw"]
    tool, dressed, _ = dress(cells["tool"], cells["tool_raw"], cells["namespace"], args)
    return {"tool": tool} | ({"args": dressed} if dressed is not None else {})


def _result(cells: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result, and how it ended where text and flag do not say it."""
    failed, code = cells["status"] != "ok", cells["exit_code"]
    row: dict[str, Any] = {"result": cells["result"], "error": failed}
    if code is not None:
        row["exit_code"] = code
    status, kind, _, _ = judge(cells["result"], error=failed, exit_code=code)
    if (status, kind) != (cells["status"], cells["error_type"]):
        row |= {"status": cells["status"], "error_type": cells["error_type"] or ""}
    return row
