"""The plain format: a list (or JSONL) of calls, oldest first, that anyone can write.

One row a call: ``{"round": 1, "tool": "web_search", "args": {...}, "result": "..."}``; see the
docs for all keys. ``tool: null`` is a message without a call, ``"role": "user"`` starts a request,
``"event": ...`` marks one. Records ``{"trace": [rows], ...}`` are traces of a file of many.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.errors import TraceError
from agentlens.trace.build import MAIN, TraceBuilder
from agentlens.trace.content import as_text
from agentlens.trace.formats.part import Part, dicts, first_dict, numbered, one_part
from agentlens.trace.formats.plain_events import give_result, read_event
from agentlens.trace.source import Document
from agentlens.trace.times import parse_time

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "plain"

#: Keys of a row, and the types that each may have.
KEYS: Mapping[str, tuple[type, ...]] = {
    "round": (int,), "tool": (str,), "args": (Mapping, str), "result": (str, Mapping, list),
    "error": (bool,),
    "thought": (str,), "text": (str,), "content": (str,), "started": (str, int, float),
    "seconds": (int, float),
    "tokens": (int,), "input_tokens": (int,), "output_tokens": (int,), "cost": (int, float),
    "cached_tokens": (int,), "cache_write_tokens": (int,), "reasoning_tokens": (int,),
    "thread": (str,), "total": (bool,), "error_type": (str,),
    "role": (str,), "event": (str,), "time_quality": (str,), "model": (str,), "call_id": (str,),
    "exit_code": (int,), "status": (str,), "ended": (str, int, float),
    "parent": (str,), "parent_call": (str,),
}  # fmt: skip
#: Columns of a round to which each of its rows adds.
_AMOUNTS = ("seconds", "tokens", "input_tokens", "cached_tokens", "cache_write_tokens",
            "output_tokens", "reasoning_tokens", "cost")  # fmt: skip
_WORDS = {int: "a whole number", float: "a number", str: "text", bool: "true or false",
          Mapping: "an object", list: "a list"}  # fmt: skip


class _WrongError(Exception):
    """What is wrong with a row, and the value that is."""

    def __init__(self, message: str, value: str = "") -> None:
        super().__init__(message + value)
        self.message = message


def _looks_plain(rows: Sequence[Mapping[str, Any]]) -> float:
    if not rows:
        return 0.0
    calls = [r for r in rows if "tool" in r and ("round" in r or "args" in r)]
    others = [r for r in rows if "event" in r or r.get("role") == "user"]
    alien = [r for r in rows if "tool_calls" in r or "message" in r or "step_id" in r]
    if not calls or alien:
        return 0.0
    return 0.97 * min(1.0, (len(calls) + len(others)) / len(rows))


def sniff(head: Sequence[Any]) -> float:
    """Fit: rows that have a tool and a round, bare or under ``trace``."""
    first = first_dict(head)
    if isinstance(first.get("trace"), list):
        return _looks_plain(list(dicts(first["trace"]))[:20])
    return _looks_plain(list(dicts(list(head))))


def split(document: Document) -> Iterator[Part]:
    """Yield the bare list as one part, or one part for each record with a ``trace``."""
    if "trace" not in first_dict(document.head):
        yield one_part(document)
        return
    for number, record in document.records():
        rows = record.get("trace") if isinstance(record, Mapping) else None
        if not isinstance(rows, list):
            document.note("skipped", "a record has no list under 'trace'", number)
            continue
        about = {key: value for key, value in record.items() if key != "trace"}
        name = about.get("id") or about.get("name") or about.get("task_id")
        yield Part(
            numbered(rows), document.name, as_text(name) if name is not None else None, about
        )


def _check(row: Any, number: int, build: TraceBuilder) -> dict[str, Any]:
    """Return the row's known keys, whole floats as ints; raise where a value is wrong."""
    if not isinstance(row, Mapping):
        raise _WrongError("expected an object", f", found {str(row)[:40]!r}")
    out: dict[str, Any] = {}
    for key, value in row.items():
        kinds = KEYS.get(key)
        if kinds is None:
            build.note("skipped", f"key {key!r} is not part of the plain format", number)
            continue
        if value is None:
            continue
        if int in kinds and float not in kinds and isinstance(value, float) and value.is_integer():
            value = int(value)  # noqa: PLW2901 - spreadsheets and frames write 3.0
        wrong = not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)
        if wrong or (isinstance(value, float) and not math.isfinite(value)):
            words = " or ".join(
                dict.fromkeys(_WORDS[k] for k in kinds if k is not int or float not in kinds)
            )
            raise _WrongError(f"{key!r} must be {words}", f", not {str(value)[:40]!r}")
        out[key] = value
    for key in ("round", *_AMOUNTS):
        if out.get(key, 0) < 0:
            raise _WrongError(f"{key!r} must not be negative")
    for key in ("started", "ended"):
        if key in out:
            moment = parse_time(out[key]) if out[key] != 0 else 0.0
            if moment is None:
                raise _WrongError(f"{key!r} is no time", f": {str(out[key])[:40]!r}")
            out[key] = moment
    aside = "tool" not in row and out.get("role") in ("system", "tool")
    if aside or out.get("role") == "user" or out.get("event"):
        return out
    if "round" not in out:
        raise _WrongError("'round' is missing")
    if "tool" not in row and out.get("role") != "assistant":
        raise _WrongError("'tool' is missing (null for a message without a call)")
    return out


def read(part: Part, build: TraceBuilder) -> None:
    """Read rows; those of one number, one after the other in their thread, are one round.

    A row with a wrong value costs that row; it is an error only where no other holds a round.
    """
    _describe(part.about, build)
    rounds: dict[str, tuple[int, int]] = {}  # for each thread, number and row of its open round
    highest: dict[str, int] = {}  # of its request so far
    told: set[int] = set()  # rounds whose amounts a row with 'total' gives
    seen: dict[str, None] = {}
    found = False
    wrong: TraceError | None = None
    for number, record in part.records:
        try:
            row = _check(record, number, build)
        except _WrongError as error:
            wrong = wrong or part.error(str(error), number)
            build.note("damaged", f"{error.message}; the row is left out", number)
            continue
        thread = row["thread"] = row.get("thread") or MAIN
        seen[thread] = None
        words = row.get("text") or row.get("content") or ""
        if row.get("role") == "user" or row.get("event"):
            if row.get("role") == "user":
                if build.meta.task is None:
                    build.describe(task=words or None)
                build.user(words, thread=thread, started=row.get("started"), line=number)
                rounds.pop(thread, None)
                highest.pop(thread, None)  # some logs number each request anew
            else:
                read_event(row, record, words, number, build)
            continue
        if "tool" not in record and row.get("role") in ("system", "tool"):
            build.note("skipped", f"a row of role {row['role']!r}", number)
            continue
        found = True
        given, (open_number, at) = row["round"], rounds.get(thread, (None, -1))
        if given != open_number:
            if given <= highest.get(thread, -1):
                build.note("guessed", "round number goes backwards; kept, in rows' order", number)
            highest[thread] = max(given, highest.get(thread, -1))
            at = build.round(thread=thread, number=given, started=row.get("started"), line=number)
            rounds[thread] = given, at
        _fill_round(row, words, at, at in told, build)
        if row.get("total"):
            told.add(at)
        if row.get("tool"):
            _call(row, record, at, number, build)
    if not found:
        raise wrong or part.error("holds no round: no row has 'round' and 'tool'")
    for thread in seen:  # those with nothing but events
        build.thread(thread)


def _fill_round(
    row: Mapping[str, Any], words: str, at: int, told: bool, build: TraceBuilder
) -> None:
    """Add what one row says to its round: texts once, amounts added up unless all are told."""
    for column, value in (("text", words), ("reasoning", row.get("thought", ""))):
        build.add_text(at, column, value)
    if row.get("model"):
        build.update_round(at, model=row["model"])
    if told:
        return
    for column in _AMOUNTS:
        if column in row:
            build.add_amount(at, column, row[column])
    if "seconds" in row:
        build.update_round(at, time_quality=row.get("time_quality", "real"))
    elif "time_quality" in row:
        build.update_round(at, time_quality=row["time_quality"])


def _call(
    row: Mapping[str, Any], record: Mapping[str, Any], at: int, number: int, build: TraceBuilder
) -> None:
    columns = {k: row[k] for k in ("started", "seconds", "tokens", "cost", "call_id") if k in row}
    args = row.get("args")
    if isinstance(args, Mapping):
        args = dict(args)  # the caller's own object, which may change later
    call = build.call(at, row["tool"], args, line=number, **columns)
    give_result(call, row, record, number, build)


def _describe(about: Mapping[str, Any], build: TraceBuilder) -> None:
    if not about:
        return
    truth = about.get("truth") or about.get("label")
    labels = (
        ({"name": "truth", "value": truth, "level": "trace", "source": "record"},)
        if truth
        else None
    )
    task = about.get("task")
    build.describe(
        trace_id=as_text(about["id"]) if about.get("id") is not None else None,
        task=task if isinstance(task, str) else None,
        labels=labels,
        extra=dict(about),
    )
