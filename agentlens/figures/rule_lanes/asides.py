"""What stands beside the marks of the lanes: near misses, and the warnings of the log itself."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

from agentlens.breaker.near.words import advice_words

if TYPE_CHECKING:
    from agentlens.figures.base import Axis, Look
    from agentlens.figures.rule_lanes.rows import LaneRows
    from agentlens.figures.rule_lanes.texts import Texts

__all__ = ["log_marks", "miss_marks", "wrapped"]


def wrapped(lines: Iterable[str]) -> list[str]:
    """Return lines as short as a tooltip is wide, escaped."""
    return [escape(part) for line in lines for part in textwrap.wrap(line, 76) or [""]]


def miss_marks(found: LaneRows, texts: Texts, axis: Axis, look: Look, first: int) -> list[Any]:
    """Return crosses where a streak broke; `first` is the height of the first row."""
    import plotly.graph_objects as go

    misses = [
        (axis.middle(found.view.position[miss.row]), y, said)
        for y, row in enumerate(found.rows, first)
        for miss, said in zip(row.near, texts.near(row, len(row.near)), strict=True)
        if miss.row in found.view.position
    ]
    if not misses:
        return []
    return [
        go.Scatter(
            x=[x for x, _, _ in misses], y=[y for _, y, _ in misses], mode="markers",
            name=texts.say("key_miss"), cliponaxis=False,
            text=["<br>".join(wrapped([said])) for *_, said in misses],
            hovertemplate="%{text}<extra></extra>",
            marker={"symbol": "x-thin-open", "size": 8, "color": look.colours["muted"],
                    "line": {"width": 1.5, "color": look.colours["muted"]}},
        )
    ]  # fmt: skip


def log_marks(found: LaneRows, texts: Texts, axis: Axis, look: Look) -> list[Any]:
    """Return the warnings of the log itself, and how long each was ignored."""
    import plotly.graph_objects as go

    if not found.advice:
        return []
    position, rows = found.view.position, found.view.rows
    xs, told, bars = [], [], []
    for advice in found.advice:
        place = position[advice.row]
        xs.append(axis.middle(place))
        told.append("<br>".join(wrapped([advice_words(advice, texts.lang)])))
        end = len(rows) - 1
        if advice.next_row is not None and advice.next_row in position:
            end = position[advice.next_row] - 1
        if advice.ignored:
            bars.append((axis.middle(place), axis.cell(end)[1], told[-1]))
    shared = {"hovertemplate": "%{text}<extra></extra>", "showlegend": False}
    colour = look.colours["trigger"]
    made: list[Any] = []
    if bars:
        made.append(
            go.Bar(
                orientation="h", base=[low for low, _, _ in bars], y=[0] * len(bars),
                x=[high - low for low, high, _ in bars], width=0.3, opacity=0.45,
                marker={"color": colour}, text=[t for *_, t in bars], textposition="none",
                **shared,
            )
        )  # fmt: skip
    marker = {"symbol": "triangle-up", "size": 10, "color": colour}
    return [*made, go.Scatter(x=xs, y=[0] * len(xs), mode="markers", text=told, marker=marker,
                              cliponaxis=False, **shared)]  # fmt: skip
