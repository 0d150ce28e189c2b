"""What stands beside the strips of a still picture: names, lane labels, ticks, the x axis."""

from __future__ import annotations

from agentlens.figures.call_lanes import LETTERS
from agentlens.figures.svg_frame import LEFT, RIGHT, WIDTH, Frame, colour_of, label
from agentlens.figures.theme import MID, ink_on
from agentlens.figures.words import say

__all__ = ["gutter", "letter_mark"]

#: Units that the gutter has room for.
_ROOM = 16


def gutter(frame: Frame, lang: str) -> list[str]:
    """Return names, lanes, ticks and grid lines."""
    grid, muted = f'stroke="{MID["grid"]}" stroke-opacity=".5"', f'fill="{MID["muted"]}"'
    right = WIDTH - RIGHT
    parts = []
    for k, lane in enumerate(frame.lanes.lanes):
        y = frame.lane_y(k)
        parts.append(f'<path d="M{LEFT} {y:g}H{right}" {grid}/>')
        text = (
            _fitting(frame.view.masked(lane.text))
            if lane.kind == "cluster"
            else say(lang, f"lane_{lane.kind}")
        )
        if lane.kind == "cluster":
            parts.append(
                f'<rect y="{y - 8:g}" width="16" height="16" fill="{colour_of(lane.group)}"/>'
            )
            parts.append(letter_mark(8, y + 4, lane.group))
        parts.append(label(22, y + 4, text))
    for value in (0, 0.5, 1):
        y = frame.contain_y(value)
        parts.append(f'<path d="M{LEFT} {y:g}H{right}" {grid}/>')
        parts.append(
            label(LEFT - 6, y + 4, f"{value:g}", f'text-anchor="end" font-size="11" {muted}')
        )
    for value in sorted({0, frame.view.replay.policy.threshold}):
        tick = f'text-anchor="end" font-size="11" {muted}'
        parts.append(label(LEFT - 6, frame.count_y(value) + 4, f"{value}", tick))
    measure = say(lang, f"strip_{frame.view.replay.policy.measure}")
    parts.append(label(0, frame.contain_y(0.5) + 4, measure, muted))
    parts.append(label(0, frame.count_y(frame.count_most / 2) + 4, say(lang, "strip_count"), muted))
    parts.append(label(0, frame.band_top + 14, say(lang, "strip_state"), muted))
    parts.append(label(0, frame.band_top + 36, say(lang, "axis_round"), muted))
    return parts + _ticks(frame, muted)


def _fitting(text: str) -> str:
    """Return as much of a text as the gutter holds; a Chinese character takes two of its units."""
    used = 0
    for at, letter in enumerate(text):
        used += 2 if ord(letter) > 0x2E7F else 1
        if used > _ROOM:
            return text[: max(1, at - 1)] + "…"
    return text


def _ticks(frame: Frame, muted: str) -> list[str]:
    numbers = [frame.view.replay.trace.tables["rounds"]["round"][row] for row in frame.view.rows]
    step = next(
        s for s in (10**p * m for p in range(9) for m in (1, 2, 5)) if len(numbers) / s <= 12
    )
    anchor = f'text-anchor="middle" {muted}'
    return [
        label(round(frame.x(place), 1), frame.band_top + 36, f"{number:,}", anchor)
        for place, number in enumerate(numbers)
        if step == 1 or (number and number % step == 0)
    ]


def letter_mark(x: float, y: float, group: int) -> str:
    """Return a cluster's letter, in the ink that its colour takes."""
    ink = ink_on(colour_of(group))
    style = f'text-anchor="middle" fill="{ink}" font-size="11" font-weight="700"'
    return label(x, y, LETTERS[group], style)
