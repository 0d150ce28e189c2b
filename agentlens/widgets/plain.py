"""Tables for a terminal: aligned by what a character takes up, harmless whatever a log holds."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from agentlens.widgets.escape import is_harmful

__all__ = ["cut", "one_line", "table", "width"]


def one_line(text: str) -> str:
    """Return a text on one line, without control, format or private characters."""
    kept = "".join(" " if is_harmful(c) else c for c in text)
    return " ".join(kept.split())


def width(text: str) -> int:
    """Return the columns that a text takes: two for a wide character, none for a mark."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.combining(c)
        else 2
        if unicodedata.east_asian_width(c) in "WF"
        else 1
        for c in text
    )  # fmt: skip


def cut(text: str, columns: int) -> str:
    """Return a text in at most so many columns, with an ellipsis where something was left out."""
    if width(text) <= columns:
        return text
    kept, used = "", 1
    for c in text:
        used += width(c)
        if used > columns:
            break
        kept += c
    return kept + "…"


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    right: Sequence[str] = (),
    limits: dict[str, int] | None = None,
) -> list[str]:
    """Return the lines of a table: the head, then one line a row.

    Parameters
    ----------
    head
        Names of the columns.
    rows
        Cells; None is empty. Nothing in them can leave its line.
    right
        Names of the columns that are aligned to the right.
    limits
        The most columns of the terminal that a column may take; 40 where it is not named.
    """
    limits = limits or {}
    cells = [
        [
            cut(one_line("" if v is None else str(v)), limits.get(name, 40))
            for name, v in zip(head, row, strict=True)
        ]
        for row in rows
    ]
    widths = [max(map(width, column)) for column in zip(head, *cells, strict=True)]
    lines = []
    for row in [list(head), *cells]:
        padded = [
            " " * (w - width(text)) + text if name in right else text + " " * (w - width(text))
            for name, text, w in zip(head, row, widths, strict=True)
        ]
        lines.append("  ".join(padded).rstrip())
    return lines
