"""The strips as an inline SVG for pages that run no code: same marks, middle tones, few bytes.

Marks are thinned to what the drawing can show, so that its size does not grow with the run: dots
are the ends of zero-length strokes with round caps, a few bytes each.
"""

from __future__ import annotations

from html import escape
from zlib import crc32

from agentlens.breaker.states import states
from agentlens.figures.call_lanes import LETTERS, Lanes
from agentlens.figures.svg_frame import (
    LEFT,
    RIGHT,
    WIDTH,
    Frame,
    colour_of,
    dots,
    frame_of,
    label,
    rule,
)
from agentlens.figures.svg_gutter import gutter, letter_mark
from agentlens.figures.theme import MID
from agentlens.figures.view import View
from agentlens.figures.words import say
from agentlens.progress.measures import value_of

__all__ = ["strips_svg"]

_GRAIN = 5  # pixels of a cell in which one mark stands for all, once rounds are many
_FEW = 30  # rounds up to which nodes carry their letters


def strips_svg(view: View, lanes: Lanes, title: str, lang: str = "en") -> str:
    """Return the strips of a view as an ``<svg>`` element.

    Parameters
    ----------
    view, lanes
        What is drawn.
    title
        What it says to a screen reader.
    lang
        ``en`` or ``zh``.
    """
    frame = frame_of(view, lanes)
    mark = f"al{crc32(f'{view.thread}{len(view)}{title}'.encode()):08x}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {frame.height:g}" '
        f'width="100%" style="max-width:{WIDTH}px" font-size="12" fill="currentColor" '
        f'role="img" aria-label="{escape(title)}">',
        f'<defs><pattern id="{mark}" width="7" height="7" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)">'
        '<path d="M0 0V7" stroke="currentColor" stroke-opacity=".3"/></pattern></defs>',
        *gutter(frame, lang),
        *_ghosts(frame, mark),
        *_nodes(frame),
        *_containment(frame),
        *_count(frame),
        *_bands(frame, lang),
        *_trips(frame, lang),
        "</svg>",
    ]
    return "".join(parts)


def _ghosts(frame: Frame, mark: str) -> list[str]:
    view, parts = frame.view, []
    for sequence, place in list(view.trips.items())[:200]:
        last = max(i for i, own in enumerate(view.sequence) if own == sequence)
        x, end = frame.x(place - 0.5), frame.x(last + 0.5)
        parts.append(
            f'<rect x="{x:.1f}" y="20" width="{end - x:.1f}" '
            f'height="{frame.band_top - 20:g}" fill="url(#{mark})"/>'
        )
    return parts


def _grain(frame: Frame) -> int:
    return 1 if len(frame.view) <= 400 else _GRAIN


def _cell(x: float, grain: int) -> int:
    """Return the middle of the cell of `grain` pixels that a place falls into."""
    return round(x) if grain == 1 else int(x // grain * grain + grain // 2)


def _nodes(frame: Frame) -> list[str]:
    view, lanes, grain = frame.view, frame.lanes, _grain(frame)
    rows = view.replay.trace.tables["calls"]["round_row"]
    points: dict[tuple[str, str, bool], set[tuple[int, int]]] = {}
    letters = []
    lettered = len(view) <= _FEW
    for index, call in enumerate(view.calls):
        place = view.position[rows[call]]
        cell = (_cell(frame.x(place), grain), round(frame.lane_y(lanes.y[index])))
        group, kind = lanes.group[index], lanes.kind[index]
        key = (colour_of(group), kind, view.counterfactual[place])
        points.setdefault(key, set()).add(cell)
        if lettered and 0 <= group < len(LETTERS):
            letters.append(letter_mark(cell[0], cell[1] + 4, group))
    spacing = (WIDTH - LEFT - RIGHT) / max(1, len(view))
    wide = max(4.0, min(16.0 if lettered else 7.0, spacing * 0.9))
    parts = []
    for (colour, kind, ghost), cells in points.items():
        size = wide if kind in ("cluster", "more") else min(wide, 7)
        cap = "square" if kind in ("more", "other") else "round"
        made = dots(cells, colour, size if cap == "round" else size * 0.8, cap)
        parts.append(f'<g opacity="{0.45 if ghost else 1}">{made}</g>')
    return parts + letters


def _containment(frame: Frame) -> list[str]:
    view, signals, grain = frame.view, frame.view.replay.signals, _grain(frame)
    width = 6 if grain == 1 else 4
    measure = view.replay.policy.measure
    points: dict[bool, set[tuple[int, int]]] = {}
    for place, row in enumerate(view.rows):
        if signals.query[row] >= 0:
            value = value_of(signals.num[row], signals.den[row], measure)
            cell = (_cell(frame.x(place), grain), _cell(frame.contain_y(value), grain))
            points.setdefault(view.counterfactual[place], set()).add(cell)
    parts = [
        f'<g opacity="{0.45 if ghost else 1}">{dots(cells, "currentColor", width)}</g>'
        for ghost, cells in points.items()
    ]
    similarity = view.replay.policy.similarity
    y = frame.contain_y(float(similarity))
    return [*parts, *rule(y, f"{float(similarity):.3f}".removesuffix("0"))]


def _count(frame: Frame) -> list[str]:
    """Draw steps; where rounds are many, the highest count of each pixel column."""
    view, counts = frame.view, frame.view.replay.counts["query"]
    steps: list[tuple[int, float]] = []  # column, count
    for place, row in enumerate(view.rows):
        count = counts[row]
        column = round(frame.x(place - 0.5))
        if steps and steps[-1][0] == column:
            steps[-1] = (column, max(steps[-1][1], -1 if count is None else count))
        else:
            steps.append((column, -1 if count is None else count))
    path, last = "", -1.0
    for column, count in steps:
        if count < 0:
            path += f"H{column}" if last >= 0 else ""
        elif last < 0:
            path += f"M{column} {frame.count_y(count):.0f}"
        elif count != last:
            path += f"H{column}V{frame.count_y(count):.0f}"
        last = count
    path += f"H{frame.x(len(view) - 0.5):.0f}" if last >= 0 else ""
    threshold = view.replay.policy.threshold
    line = (
        f'<path d="{path}" fill="none" stroke="currentColor" stroke-width="1.5"/>' if path else ""
    )
    return [line, *rule(frame.count_y(threshold), str(threshold))]


def _bands(frame: Frame, lang: str) -> list[str]:
    view, (names, _) = frame.view, states(frame.view.replay)
    spans: list[list[int]] = []
    for place, row in enumerate(view.rows):
        if spans and names[view.rows[spans[-1][0]]] == names[row]:
            spans[-1][1] = place
        else:
            spans.append([place, place])
    parts = []
    for first, last in spans[:300]:
        name = names[view.rows[first]]
        x, end = frame.x(first - 0.5), frame.x(last + 0.5)
        faint = ' fill-opacity=".3"' if name == "running" else ""
        parts.append(
            f'<rect x="{x:.1f}" y="{frame.band_top:g}" width="{max(1.0, end - x - 1):.1f}" '
            f'height="20" fill="{MID[name]}"{faint}/>'
        )
        text = say(lang, f"state_{name}")
        if end - x > 13 * len(text) * (1 if lang == "zh" else 0.55) + 10:
            ink = "" if name == "running" else 'fill="#fff"'
            parts.append(label(round(x + 6, 1), frame.band_top + 14, text, f'font-size="11" {ink}'))
    return parts


def _trips(frame: Frame, lang: str) -> list[str]:
    parts, colour = [], MID["trip"]
    for number, place in enumerate(sorted(frame.view.trips.values())[:200]):
        x = frame.x(place - 0.5)
        parts.append(
            f'<path d="M{x:.1f} 18V{frame.band_top + 20:g}" stroke="{colour}" stroke-width="2"/>'
        )
        if number == 0:
            flip = x > WIDTH - 120
            anchor = 'text-anchor="end"' if flip else ""
            style = f'fill="{colour}" font-weight="600" {anchor}'
            parts.append(label(round(x + (-5 if flip else 5), 1), 13, say(lang, "flag"), style))
    return parts
