"""Rows of the plain format that are no calls: events, results that come later, and threads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentlens.trace.build import MAIN, TraceBuilder
from agentlens.trace.content import as_text
from agentlens.trace.status import judge

__all__ = ["EVENTS", "give_result", "read_event"]

#: Kinds of events that a row may mark; any other is kept as the last one.
EVENTS = frozenset(
    "user_message compaction interrupt api_error retry checkpoint guard_fired approval "
    "other".split()
)
_STATUSES = frozenset("ok error denied timeout interrupted".split())


def read_event(
    row: Mapping[str, Any], record: Mapping[str, Any], words: str, number: int, build: TraceBuilder
) -> None:
    """Read a row with an ``event``.

    ``result`` gives an earlier call, by its ``call_id``, what it brought; ``thread`` says who
    started a thread. Anything else is an event of the run.

    Parameters
    ----------
    row
        Its known keys, checked.
    record
        The row as it stands.
    """
    kind, thread = row["event"], row.get("thread", MAIN)
    if kind == "result":
        found = build.find_call(row.get("call_id"), thread=thread, tool=row.get("tool"))
        if found is None:
            build.note("damaged", "a result without its call; left out", number)
        else:
            give_result(found[0], row, record, number, build, paired_by=found[1])
        return
    if kind == "thread":
        build.thread(thread, parent=row.get("parent"), parent_call=row.get("parent_call"))
        return
    if kind not in EVENTS:
        build.note("guessed", f"event {kind!r} is not a known one, kept as 'other'", number)
        kind = "other"
    if not words and "text" not in row:
        words = row["event"]
    build.event(kind, words, thread=thread, started=row.get("started"), line=number)


def give_result(
    call: int,
    row: Mapping[str, Any],
    record: Mapping[str, Any],
    number: int,
    build: TraceBuilder,
    *,
    paired_by: str = "same_record",
) -> None:
    """Give a call the result that a row holds, if it holds one."""
    if record.get("result") is None and not row.keys() & {"error", "status"}:
        return
    text = as_text(row.get("result"))
    status, kind, code, guessed = judge(
        text, error=row.get("error"), exit_code=row.get("exit_code")
    )
    if "error_type" in row:
        kind = row["error_type"] or None
    told = row.get("status")
    if told in _STATUSES:
        status = told
    elif guessed:
        build.note("guessed", "a result counts as an error by its text", number)
    columns = {key: row[key] for key in ("seconds", "tokens", "cost") if key in row}
    build.result(
        call, text, status=status, ended=row.get("ended"), paired_by=paired_by, error_type=kind,
        exit_code=code, **columns,
    )  # fmt: skip
