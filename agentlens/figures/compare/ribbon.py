"""Two runs as two ribbons on one axis: pale where both made the same call, full where one did."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from zlib import crc32

from agentlens.figures.theme import MID

if TYPE_CHECKING:
    from agentlens.figures.compare.result import Compared

__all__ = ["ribbon"]

_WIDTH, _LEFT, _HIGH, _AIR, _TOP = 760, 24, 24, 8, 18
_COLOURS = {"A": MID["accent"], "B": MID["stalled"]}
_PALE, _FULL = ".28", ".95"


def ribbon(made: Compared, lang: str = "en") -> str:
    """Return the ribbons as an ``<svg>`` element of a few kilobytes at any length of the runs."""
    from agentlens.figures.compare.text import counts_of, word

    if not made.steps:
        return ""
    title = f"{word(lang, 'picture')} {' '.join(counts_of(made, lang))}"
    mark = f"al{crc32(title.encode()):08x}"
    height = _TOP + 2 * _HIGH + _AIR + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="100%" '
        f'style="max-width:1192px;margin-top:8px" font-size="12" fill="currentColor" role="img" '
        f'aria-label="{escape(title)}"><defs><pattern id="{mark}" width="7" height="7" '
        'patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V7" '
        'stroke="currentColor" stroke-opacity=".55"/></pattern></defs>'
    ]
    for side, (name, colour) in enumerate(_COLOURS.items()):
        top = _TOP + side * (_HIGH + _AIR)
        parts.append(f'<text x="0" y="{top + 16}" font-weight="600">{name}</text>')
        for (kind, gone), start, end in _spans(made, side):
            box = f'x="{start:g}" y="{top}" width="{end - start:g}" height="{_HIGH}"'
            fill = f'fill="{colour}" fill-opacity="{_FULL if kind == "own" else _PALE}"'
            parts.append(f"<rect {box} {fill}/>")
            if gone:
                parts.append(f'<rect {box} fill="url(#{mark})"/>')
        parts += _stop(made, side, top)
    return "".join([*parts, "</svg>"])


def _x(made: Compared, step: int) -> float:
    return _LEFT + step / len(made.steps) * (_WIDTH - _LEFT)


def _spans(made: Compared, side: int) -> list[tuple[tuple[str, bool], float, float]]:
    """Return runs of steps of one kind, in columns of a pixel where there are more than that."""
    one = (made.a, made.b)[side]
    rows = one.trace.tables["calls"]["round_row"]
    many = len(made.steps) > _WIDTH - _LEFT
    columns: list[tuple[float, float, str, bool]] = []
    for number, step in enumerate(made.steps):
        start, end = _x(made, number), _x(made, number + 1)
        if many:
            start, end = float(int(start)), float(int(start)) + 1
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
    return [(what, round(start, 1), round(end, 1)) for what, start, end in spans]


def _stop(made: Compared, side: int, top: int) -> list[str]:
    """Return the mark of the earliest trip: a line over the ribbon, and a flag above it."""
    trip = (made.a, made.b)[side].trip
    if trip is None:
        return []
    step = next((n for n, s in enumerate(made.steps) if s[side] == trip.call - 1), None)
    if step is None:
        return []
    x = _x(made, step)
    path = f"M{x:.1f} {top - 5}V{top + _HIGH + 3}M{x - 4:.1f} {top - 5}h8"
    return [f'<path d="{path}" stroke="{MID["trip"]}" stroke-width="2.5" fill="none"/>']
