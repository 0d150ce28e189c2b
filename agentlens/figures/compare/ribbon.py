"""Two runs as two ribbons on one axis: pale where both made the same call, full where one did."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from zlib import crc32

from agentlens.figures.theme import MID

if TYPE_CHECKING:
    from agentlens.figures.compare.result import Compared

__all__ = ["ribbon"]

_COLUMNS, _LEFT, _HIGH, _AIR, _TOP = 736, 24, 24, 8, 18  # at most so many spans; pixels
_COLOURS = {"A": MID["accent"], "B": MID["stalled"]}
_PALE, _FULL = ".28", ".95"


def ribbon(made: Compared, lang: str = "en") -> str:
    """Return the ribbons as an ``<svg>`` element of a few kilobytes at any length of the runs.

    Across it is measured in shares of its width, so that letters and marks keep their size in a
    window of any width.
    """
    from agentlens.figures.compare.text import counts_of, word

    if not made.steps:
        return ""
    title = f"{word(lang, 'picture')} {' '.join(counts_of(made, lang))}"
    mark = f"al{crc32(title.encode()):08x}"
    height = _TOP + 2 * _HIGH + _AIR + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="{height}" '
        f'style="max-width:1192px;margin-top:8px" font-size="12" fill="currentColor" role="img" '
        f'aria-label="{escape(title)}"><defs><pattern id="{mark}" width="7" height="7" '
        'patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V7" '
        'stroke="currentColor" stroke-opacity=".55"/></pattern></defs>'
    ]
    parts += [
        f'<text x="0" y="{_top(side) + 16}" font-weight="600">{name}</text>'
        for side, name in enumerate(_COLOURS)
    ]
    parts.append(f'<svg x="{_LEFT}" style="width:calc(100% - {_LEFT}px)" overflow="visible">')
    for side, (_, colour) in enumerate(_COLOURS.items()):
        top = _top(side)
        for (kind, gone), start, end in _spans(made, side):
            box = f'x="{start:g}%" y="{top}" width="{end - start:.4g}%" height="{_HIGH}"'
            fill = f'fill="{colour}" fill-opacity="{_FULL if kind == "own" else _PALE}"'
            parts.append(f"<rect {box} {fill}/>")
            if gone:
                parts.append(f'<rect {box} fill="url(#{mark})"/>')
        parts += _stop(made, side, top)
    return "".join([*parts, "</svg></svg>"])


def _top(side: int) -> int:
    return _TOP + side * (_HIGH + _AIR)


def _x(made: Compared, step: int) -> float:
    """Return where a step begins, in percent of the width."""
    return step / len(made.steps) * 100


def _spans(made: Compared, side: int) -> list[tuple[tuple[str, bool], float, float]]:
    """Return runs of steps of one kind, in columns about a pixel wide where there are more."""
    one = (made.a, made.b)[side]
    rows = one.trace.tables["calls"]["round_row"]
    many = len(made.steps) > _COLUMNS
    columns: list[tuple[float, float, str, bool]] = []
    for number, step in enumerate(made.steps):
        start, end = _x(made, number), _x(made, number + 1)
        if many:
            column = number * _COLUMNS // len(made.steps)
            start, end = column / _COLUMNS * 100, (column + 1) / _COLUMNS * 100
        place = step[side]
        kind = "" if place is None else "both" if step[1 - side] is not None else "own"
        gone = place is not None and one.counterfactual[rows[place]]
        if columns and columns[-1][0] == start:
            before = columns[-1]  # of a column's calls the one that stands alone is seen
            best = max(
                (before[2], before[3]), (kind, gone), key=lambda k: ("", "both", "own").index(k[0])
            )
            columns[-1] = (start, end, *best)
        else:
            columns.append((start, end, kind, gone))
    spans: list[tuple[tuple[str, bool], float, float]] = []
    for start, end, kind, gone in columns:
        if spans and spans[-1][0] == (kind, gone) and spans[-1][2] >= start - 1e-6:
            spans[-1] = ((kind, gone), spans[-1][1], end)
        elif kind:
            spans.append(((kind, gone), start, end))
    return [(what, round(start, 3), round(end, 3)) for what, start, end in spans]


def _stop(made: Compared, side: int, top: int) -> list[str]:
    """Return the mark of the earliest trip: a line over the ribbon, and a flag above it."""
    trip = (made.a, made.b)[side].trip
    if trip is None:
        return []
    step = next((n for n, s in enumerate(made.steps) if s[side] == trip.call - 1), None)
    if step is None:
        return []
    path = f'<path d="M0 {top - 5}V{top + _HIGH + 3}M-4 {top - 5}h8"'
    return [
        f'<svg x="{_x(made, step):.3f}%" overflow="visible">{path} stroke="{MID["trip"]}" '
        'stroke-width="2.5" fill="none"/></svg>'
    ]
