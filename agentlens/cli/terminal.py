"""Lines of a listing on a terminal: aligned by what characters take up, coloured where one looks.

Colour only repeats what words and marks say. Rich never gets text of a trace as markup: it is
given `Text`, in which brackets are brackets.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import NoReturn

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from agentlens.cli.listing import Line

__all__ = ["console", "fit", "layout", "print_listing"]

#: Columns of output that nobody's window bounds, such as a pipe's.
_PIPED = 160
_NARROWEST = 48
_STYLES = {"trip": "bold", "event": "italic", "gap": "dim", "message": "", "call": ""}
_HEAD = ("round", "thread", "tool", "query or target", "result", "", "seconds")


class _Console(Console):
    def on_broken_pipe(self) -> NoReturn:
        """Leave it to the command line, where `head` is no failure."""
        raise BrokenPipeError


def console() -> Console:
    """Return a console on standard output; in a pipe it is plain and wide."""
    watched = sys.stdout.isatty()
    width = None if watched or os.environ.get("COLUMNS") else _PIPED
    return _Console(width=width, markup=False, emoji=False, highlight=False)


def fit(text: str, columns: int) -> str:
    """Return a text in exactly so many columns: padded, or cut with an ellipsis.

    Examples
    --------
    >>> fit("天气", 6), fit("天气预报", 6)
    ('天气  ', '天气… ')
    """
    text = text[: 4 * columns]  # marks that take no column must not pile up
    if cell_len(text) > columns:
        text = set_cell_size(text, columns - 1).rstrip() + "…"
    return set_cell_size(text, columns)


def layout(width: int, lines: Sequence[Line]) -> list[int]:
    """Return the columns of round, thread, tool, what, result, mark and seconds; 0 is left out."""
    width = max(width, _NARROWEST)

    def need(texts: Iterable[str], least: int, most: int) -> int:
        return min(most, max([least, *map(cell_len, texts)]))

    many = len({line.thread for line in lines if line.thread}) > 1
    digits = need((str(line.round) for line in lines if line.round is not None), 5, 9)
    thread = need((line.thread for line in lines), 6, 16) if many else 0
    tool = need((line.tool for line in lines), 4, max(8, width // 6))
    mark = need((line.mark for line in lines), 0, 9)
    seconds = 7 if any(line.seconds is not None for line in lines) else 0
    used = [digits, thread, tool, mark, seconds]
    shown = [line for line in lines if line.result]
    left = width - sum(used) - 2 * (sum(map(bool, used)) + bool(shown))
    if left < 16 and thread:  # a narrow window: rather what was done than by whom
        return layout(width, [_without_thread(line) for line in lines])
    wanted = need((line.what for line in shown), len(_HEAD[3]), left)
    result = need((line.result for line in shown), len(_HEAD[4]), left)
    what = min(wanted, max(left // 2, left - result)) if shown else left
    return [digits, thread, tool, what, left - what, mark, seconds]


def _without_thread(line: Line) -> Line:
    return Line(line.kind, line.round, "", line.tool, line.what, line.result, line.mark,
                line.seconds, line.after)  # fmt: skip


def _cells(line: Line, columns: Sequence[int]) -> list[tuple[str, str]]:
    """Return the cells of a line, each with its style."""
    style = "dim" if line.after else _STYLES[line.kind]
    digits, thread, tool, what, result, mark, seconds = columns
    number = "" if line.round is None else str(line.round)
    took = "" if line.seconds is None else f"{line.seconds:.1f}"
    if line.kind in ("trip", "gap"):
        filler = "──" if line.kind == "trip" else ""
        room = sum(columns[1:]) + 2 * (sum(map(bool, columns[1:])) - 1)
        return [(fit(filler, digits), style), (fit(line.what, room), style)]
    wide = what if line.result else what + result + (2 if result else 0)
    cells = [
        (number.rjust(digits), style),
        (fit(line.thread, thread), style),
        (fit(line.tool, tool), style),
        (fit(line.what, wide), style),
        (fit(line.result, result) if line.result else "", style),
        (fit(line.mark, mark), "red" if line.mark.startswith("✗") else style),
        (took.rjust(seconds), style),
    ]
    used = [digits, thread, tool, what, result if line.result else 0, mark, seconds]
    return [cell for cell, size in zip(cells, used, strict=True) if size]


def _rendered(lines: Iterable[Line], columns: Sequence[int]) -> Iterator[list[tuple[str, str]]]:
    names = [fit(n, c) for n, c in zip(_HEAD, columns, strict=True) if c]
    names[0] = names[0].strip().rjust(columns[0])
    if columns[-1]:
        names[-1] = names[-1].strip().rjust(columns[-1])
    yield [(name, "bold") for name in names]
    for line in lines:
        yield _cells(line, columns)


def print_listing(lines: Iterable[Line], out: Console) -> None:
    """Print lines under a head, each on one row of the terminal."""
    lines = list(lines)
    for cells in _rendered(lines, layout(out.width, lines)):
        if not out.is_terminal:
            print("  ".join(text for text, _ in cells).rstrip())
            continue
        made = Text("  ").join(Text(text, style) for text, style in cells)
        made.rstrip()
        out.print(made, soft_wrap=True)
