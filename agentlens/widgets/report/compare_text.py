"""The calls of a comparison as rows: what a terminal prints and a page shows, secrets masked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentlens.figures.compare.text import word
from agentlens.figures.view import view_of
from agentlens.figures.words import say
from agentlens.widgets.escape import clean
from agentlens.widgets.plain import table

if TYPE_CHECKING:
    from agentlens.figures.compare.result import Compared

__all__ = ["apart", "cells", "compare_lines", "folded", "head"]

_AROUND, _MOST = 2, 80  # rows around one that differs, and rows in a terminal
_LONG = 200


def head(lang: str) -> list[str]:
    """Return the names of the columns."""
    names = [word(lang, key) for key in ("in", "tool", "asked", "result")]
    return names + [f"{mark} {word(lang, key)}" for mark in "AB" for key in _SIDE]


_SIDE = ("round", "count", "state")


def cells(made: Compared, lang: str) -> list[list[str]]:
    """Return the texts of each step under `head`."""
    a, b = view_of(made.a), view_of(made.b)
    said = {True: word(lang, "result_same"), False: word(lang, "result_other"), None: ""}
    rows = []
    for row in made.rows:
        view = b if row["in"] == "b" else a
        own = [
            word(lang, f"in_{row['in']}"),
            clean(view.masked(row["tool"] or "?", 60)),
            clean(view.masked(row["asked"], _LONG)),
            said[row["same_result"]],
        ]
        for mark in "ab":
            count, state = row[f"count_{mark}"], row[f"state_{mark}"]
            number = row[f"round_{mark}"]
            own += [
                "" if number is None else str(number),
                "" if count is None else f"{count:g}",
                "" if state is None else say(lang, f"state_{state}"),
            ]
        rows.append(own)
    return rows


def apart(made: Compared) -> list[bool]:
    """Say for each step whether the runs differ there: in calls, in state, or in count."""
    return [
        row["in"] != "both"
        or row["state_a"] != row["state_b"]
        or (made.one_run and row["count_a"] != row["count_b"])
        for row in made.rows
    ]


def folded(flags: Sequence[bool], most: int) -> list[int]:
    """Return the rows to show and, negative, how many are left out between them.

    Shown are rows that differ and those around them, from the first on, at most so many.
    """
    near = [False] * len(flags)
    for place in (n for n, flag in enumerate(flags) if flag):
        for n in range(max(0, place - _AROUND), min(len(flags), place + _AROUND + 1)):
            near[n] = True
    shown: list[int] = []
    count = 0
    for place, wanted in enumerate(near):
        if wanted and count < most:
            shown.append(place)
            count += 1
        elif shown and shown[-1] < 0:
            shown[-1] -= 1
        else:
            shown.append(-1)
    return shown


def compare_lines(made: Compared, lang: str) -> list[str]:
    """Return the lines of a table for a terminal: where the runs differ, the rest folded."""
    rows, flags = cells(made, lang), apart(made)
    listed = folded(flags, _MOST)
    blank = [""] * (len(head(lang)) - 1)
    body = [rows[n] if n >= 0 else ["…", *blank] for n in listed]
    limits = {word(lang, "asked"): 48, word(lang, "tool"): 24}
    lines = table(head(lang), body, limits=limits)
    for at, n in enumerate(listed, 1):
        if n < 0:
            lines[at] = word(lang, "more", n=-n)
    if listed and listed[-1] < 0 and any(flags[listed[-1] :]):
        lines[-1] = word(lang, "left", n=-listed[-1])
    return lines
