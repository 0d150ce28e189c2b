"""The rows of a scan as a table for a terminal or a page, secrets masked."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agentlens.breaker.words import duration
from agentlens.errors import amount
from agentlens.widgets.escape import mask
from agentlens.widgets.plain import one_line, table

if TYPE_CHECKING:
    from agentlens.thresholds.scan import Row

__all__ = ["HEAD", "RIGHT", "cells", "headline", "masked", "root_of", "scan_html", "scan_lines"]

HEAD = ("saved", "time", "tokens", "trip", "trips", "rounds", "searches", "session", "why")
RIGHT = ("saved", "time", "tokens", "trip", "trips", "rounds", "searches")
#: A saved notebook holds so many rows; the frame has them all.
MOST = 100


def masked(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with the secrets in their texts masked."""
    return [
        replace(
            row,
            source=mask(row.source),
            thread=None if row.thread is None else mask(row.thread),
            reason=mask(row.reason),
            error=None if row.error is None else mask(row.error),
        )
        for row in rows
    ]


def headline(rows: Sequence[Row]) -> str:
    """Say in one sentence what a scan found."""
    read = [row for row in rows if row.error is None]
    tripped = [row for row in read if row.trips]
    bad = len(rows) - len(read)
    saved = sum(row.saved_rounds for row in tripped)
    seconds = [row.saved_seconds for row in tripped if row.saved_seconds is not None]
    time = f", {duration(sum(seconds))}" if sum(seconds) > 0 else ""
    if time and len(seconds) < len(tripped):
        time += f" in the {amount(len(seconds), 'session')} with times"
    blind = sum(not row.searches for row in read)
    said = f"{len(tripped)} of {amount(len(read), 'session')} would have been stopped"
    if tripped:
        said += f"; saved: {amount(saved, 'round')}{time}"
    said += f". No recognised search in {blind}" if blind else ""
    return said + (f". Not readable: {bad}." if bad else ".")


def cells(row: Row, root: str = "") -> list[Any]:
    """Return the cells of a row under `HEAD`; the session's path is relative to `root`."""
    name = os.path.relpath(row.source, root) if root and row.source.startswith(root) else row.source
    if row.error is not None:
        return [None] * 7 + [name, f"not readable: {row.error}"]
    stopped = row.trips > 0
    return [
        f"{row.saved_rounds}" if stopped else None,
        duration(row.saved_seconds) if row.saved_seconds is not None else None,
        f"{row.saved_tokens:,}" if row.saved_tokens is not None else None,
        row.trip_round,
        row.trips or None,
        row.rounds,
        row.searches,
        name,
        row.reason or _why_not(row),
    ]


def _why_not(row: Row) -> str:
    """Say of a session that is not stopped what a reader should know: it waits, it is not seen."""
    if row.verdict == "waiting":
        return "waits, which is no loop"
    return "" if row.searches else "no search is recognised"


def root_of(rows: Sequence[Row]) -> str:
    """Return the folder that all sources share, or nothing."""
    folders = [os.path.dirname(row.source) for row in rows]  # noqa: PTH120 - may be a URL
    try:
        return os.path.commonpath(folders) if len(folders) > 1 else folders[0]
    except (ValueError, IndexError):
        return ""


def scan_lines(rows: Sequence[Row], most: int | None = None) -> list[str]:
    """Return the lines of a scan for a terminal; `rows` as `masked` returns them."""
    root = root_of(rows)
    body = [cells(row, root) for row in rows[:most]]
    lines = table(HEAD, body, right=RIGHT, limits={"session": 60, "why": 120})
    more = [f"… {len(rows) - len(body)} sessions more"] if len(body) < len(rows) else []
    return [headline(rows), *([f"in {one_line(root)}"] if root else []), "", *lines, *more]


def scan_html(rows: Sequence[Row]) -> str:
    """Return a scan as a table for a page that runs no code; `rows` as `masked` returns them."""
    root = root_of(rows)
    head = "".join(f"<th{_align(name)}>{name}</th>" for name in HEAD)
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{_align(name)}>{'' if cell is None else html.escape(one_line(str(cell)))}</td>"
            for name, cell in zip(HEAD, cells(row, root), strict=True)
        )
        + "</tr>"
        for row in rows[:MOST]
    )
    more = f"<p>{len(rows) - MOST} sessions more.</p>" if len(rows) > MOST else ""
    return (
        f"<div><p><strong>{html.escape(headline(rows))}</strong></p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}</div>"
    )


def _align(name: str) -> str:
    return f' style="text-align:{"right" if name in RIGHT else "left"}"'
