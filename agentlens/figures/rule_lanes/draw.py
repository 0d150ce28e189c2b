"""The lanes as a plotly figure: a row a rule and a row a preset along one axis of rounds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from agentlens.figures.base import Axis, figure, look_of
from agentlens.figures.rule_lanes.drawing import Drawing
from agentlens.figures.rule_lanes.rows import lane_rows
from agentlens.figures.rule_lanes.texts import Texts
from agentlens.figures.view import view_of

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from agentlens.breaker.replay import Replay

__all__ = ["lanes"]

_ROW = 20  # pixels
_SLIM = 640


def lanes(
    replay: Replay, presets: Iterable[str] | None = None, *, steps: Any = None,
    thread: str | None = None, x: str = "round", near: bool | None = None, theme: str = "light",
    lang: str = "en", width: int | None = None,
) -> go.Figure:  # fmt: skip
    """Return where every rule of a policy, and every preset, would have spoken.

    A row a rule, a row a preset, a row for the plain step count; the first to speak on top, those
    that never do last. Solid marks are facts: nothing had spoken before. Hollow ones only stand if
    what was said before had changed nothing. What a stop keeps from happening is hatched, and what
    it would have saved stands at the right, with ≤ where the log lacks what the preset looks at.
    Crosses are near misses. Hovering says why. Warnings of the log itself have a row of their own.

    Parameters
    ----------
    replay
        The policy whose rules are shown, over the trace.
    presets
        Names of presets; all where none are given.
    steps
        The limit of the step count: a number, a corpus whose good runs calibrate it, or a
        `agentlens.thresholds.baseline.StepLimit`. Without it the row says what it needs.
    thread, x, theme, lang
        As in `agentlens.figures.call_graph`.
    near
        Look for near misses; by default in traces of up to 1,000 rounds and 3 million characters
        of results.
    width
        Pixels; by default as wide as there is room.

    Raises
    ------
    TraceError
        If there is no such thread.
    PolicyError
        If there is no such preset, axis, theme or language.
    """
    look, view = look_of(theme, lang), view_of(replay, thread)
    found = lane_rows(view, presets, steps=steps, near=near, lang=lang)
    axis, texts = Axis(view, x), Texts(found, lang)
    slim = width is not None and width < _SLIM
    drawing = Drawing(found, texts, axis, look, slim=slim)
    key_rows = math.ceil(drawing.key_width / ((width or 1000) - 24))
    ticks = 6 if slim else 20 if len(view) < 1_000 else 10
    top = 26 + 20 * key_rows
    made = figure(look, _ROW * len(drawing.names) + 62 + top, width=width)
    for trace in drawing.traces():
        made.add_trace(trace)
    made.update_layout(
        barmode="overlay", bargap=0, showlegend=True, hovermode="closest",
        margin={"l": drawing.left, "r": drawing.right, "t": top, "b": 44},
        xaxis={**_fewer(axis.layout(), ticks), "title": {"text": look.say(axis.key)}},
        yaxis={
            "range": [len(drawing.names) - 0.5, -0.5], "tickvals": list(range(len(drawing.names))),
            "ticktext": drawing.names, "showgrid": False, "zeroline": False, "fixedrange": True,
        },
        legend={
            "orientation": "h", "xref": "container", "x": 0.01, "xanchor": "left",
            "yref": "container", "y": 1, "yanchor": "top", "itemclick": False,
            "itemdoubleclick": False, "bgcolor": "rgba(0,0,0,0)",
            "font": {"size": 11, "color": look.colours["muted"]},
        },
        annotations=drawing.savings(),
        shapes=drawing.lines(),
    )  # fmt: skip
    return made


def _fewer(layout: dict[str, Any], most: int) -> dict[str, Any]:
    """Return the layout of an axis with at most so many ticks."""
    places, words = layout.get("tickvals"), layout.get("ticktext")
    if places is None or words is None:
        return {**layout, "nticks": most}
    step = max(1, math.ceil(len(places) / most))
    return {
        **layout,
        "tickvals": places[step - 1 :: step],
        "ticktext": words[step - 1 :: step],
        "tickangle": 0,
    }
