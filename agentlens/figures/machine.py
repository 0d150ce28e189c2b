"""The state machine, drawn from its table: what was given, what was added, and one run's path."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from agentlens.breaker.machine import TABLE, TERMINALS, Arc, Machine, Transition
from agentlens.figures.base import Look, figure, look_of
from agentlens.figures.machine_layout import BOX, PLACES, ROUTES, SIZE, curve, route_of
from agentlens.figures.theme import ink_on
from agentlens.trace.redact import redact

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from agentlens.breaker.replay import Replay

__all__ = ["state_machine"]

_Key = tuple[str, str, bool]


def state_machine(
    path: Replay | Machine | Sequence[Transition] | None = None,
    *,
    theme: str = "light",
    lang: str = "en",
) -> go.Figure:
    """Return the machine with every state and transition, and a run's path lit in it.

    Solid are the transitions that the design's article gives, dashed those that it needs besides.
    A double border marks an end, a broken one the wait for a person, which counts as an end and
    can be resumed.

    Parameters
    ----------
    path
        What is lit: the path of a replay's first trip, of a machine, or transitions; None lights
        nothing.
    theme, lang
        As in `agentlens.figures.call_graph`.

    Raises
    ------
    PolicyError
        If there is no such theme or language.
    """
    look = look_of(theme, lang)
    steps, current = _steps(path)
    lit: dict[Arc, list[int]] = {}
    for number, step in enumerate(steps, 1):
        arc = next(
            a for a in TABLE
            if (a.source, a.event, a.target) == (step.source, step.event, step.target)
        )  # fmt: skip
        lit.setdefault(arc, []).append(number)
    made = figure(look, SIZE[1])
    made.update_layout(
        width=SIZE[0], margin={"l": 0, "r": 0, "t": 0, "b": 0}, dragmode=False,
        xaxis={"range": [0, SIZE[0]], "visible": False, "fixedrange": True},
        yaxis={"range": [0, SIZE[1]], "visible": False, "fixedrange": True},
    )  # fmt: skip
    visited = {current, *(s.source for s in steps)} - {None}
    groups: dict[_Key, list[Arc]] = {}
    for arc in TABLE:
        groups.setdefault(route_of(arc), []).append(arc)
    for key in sorted(groups, key=lambda k: any(a in lit for a in groups[k])):  # lit ones on top
        _draw_curve(made, key, groups[key], lit, steps, look)
    _draw_start(made, look, begun=bool(visited))
    for state in PLACES:
        _draw_state(made, state, look, current=state == current, on=state in visited or not visited)
    _draw_key(made, look, lit=current is not None)
    return made


def _steps(path: Any) -> tuple[Sequence[Transition], str | None]:
    """Return a run's transitions, and where it is; None where there is no run."""
    if path is None:
        return (), None
    if isinstance(path, Machine):
        return tuple(path.path), path.state
    paths = getattr(path, "paths", None)
    if paths is not None:  # a replay: the path of its first trip
        trip = path.trip
        steps = next(
            (p for p, rows in zip(paths, path.signals.sequences, strict=True)
             if trip is not None and trip.row in rows), (),
        )  # fmt: skip
    else:
        steps = tuple(path)
    return steps, steps[-1].target if steps else "running"


def _label(arc: Arc, lit: dict[Arc, list[int]], look: Look) -> str:
    said = look.say(f"event_{arc.event}")
    if arc.usable is not None:
        said += look.say("machine_usable" if arc.usable else "machine_unusable")
    if arc not in lit:
        plain = "ink" if arc.given and not lit else "muted"
        return _coloured(said, look.colours[plain])
    numbers = look.say("comma").join(map(str, lit[arc]))
    return _coloured(f"<b>{numbers} · {said}</b>", look.colours["accent"])


def _coloured(text: str, colour: str) -> str:
    return f'<span style="color:{colour}">{text}</span>'


def _draw_curve(
    made: go.Figure, key: _Key, arcs: list[Arc], lit: dict[Arc, list[int]],
    steps: Sequence[Transition], look: Look,
) -> None:  # fmt: skip
    import plotly.graph_objects as go

    on, dim = any(arc in lit for arc in arcs), bool(lit)
    given, colours = key[2], look.colours
    colour = colours["accent"] if on else colours["ink"] if given and not dim else colours["muted"]
    points = curve(key)
    made.add_trace(
        go.Scatter(
            x=[x for x, _ in points], y=[y for _, y in points], mode="lines",
            line={
                "color": colour, "width": 3 if on else 1.6 if given else 1.2,
                "dash": "solid" if given else "5px,4px",
            },
            opacity=0.75 if dim and not on else 1.0,
            hovertext="<br>".join(_hover(arc, lit, steps, look) for arc in arcs),
            hoverinfo="text",
        )
    )  # fmt: skip
    _draw_head(made, points, colour, 11 if on else 8, opacity=0.75 if dim and not on else 1.0)
    route = ROUTES[key]
    made.add_annotation(
        x=route.label[0], y=route.label[1], showarrow=False, xanchor=route.anchor,
        yanchor="middle", align={"left": "left", "right": "right"}.get(route.anchor, "center"),
        text="<br>".join(_label(arc, lit, look) for arc in arcs),
        font={"size": 11},
        bgcolor=colours["ground"] if route.on_line else "rgba(0,0,0,0)", borderpad=2,
    )  # fmt: skip


def _hover(arc: Arc, lit: dict[Arc, list[int]], steps: Sequence[Transition], look: Look) -> str:
    ends = f"{look.say(f'state_{arc.source}')} → {look.say(f'state_{arc.target}')}"
    lines = [f"{ends}: {look.say(f'event_{arc.event}')}"]
    for number in lit.get(arc, ()):
        step = steps[number - 1]
        where = "" if step.round is None else look.say("tip_round", round=step.round)
        cause = escape(redact(step.cause)[:160])
        lines.append(" · ".join(filter(None, (str(number), where, cause))))
    return "<br>".join(lines)


def _draw_head(
    made: go.Figure, points: Sequence[tuple[float, float]], colour: str, size: float, opacity: float
) -> None:
    (x0, y0), (x1, y1) = points[-2], points[-1]
    turn = math.atan2(y1 - y0, x1 - x0)
    corners = [
        (x1 - size * math.cos(turn + side), y1 - size * math.sin(turn + side))
        for side in (0.42, -0.42)
    ]
    (ax, ay), (bx, by) = corners
    made.add_shape(
        type="path", path=f"M{x1:.1f},{y1:.1f}L{ax:.1f},{ay:.1f}L{bx:.1f},{by:.1f}Z",
        fillcolor=colour, line_width=0, opacity=opacity, layer="above",
    )  # fmt: skip


def _rounded(x: float, y: float, width: float, height: float, r: float = 8) -> str:
    left, right, low, high = x - width / 2, x + width / 2, y - height / 2, y + height / 2
    return (
        f"M{left + r},{low}L{right - r},{low}Q{right},{low} {right},{low + r}L{right},{high - r}"
        f"Q{right},{high} {right - r},{high}L{left + r},{high}Q{left},{high} {left},{high - r}"
        f"L{left},{low + r}Q{left},{low} {left + r},{low}Z"
    )


def _draw_state(made: go.Figure, state: str, look: Look, *, current: bool, on: bool) -> None:
    x, y = PLACES[state]
    colours, (width, height) = look.colours, BOX
    colour = colours[state] if on else colours["muted"]
    fill = colours[state] if current else colours["ground"]
    made.add_shape(
        type="path", path=_rounded(x, y, width, height), fillcolor=fill, layer="above",
        line={"color": colour, "width": 2 if on else 1.2},
    )  # fmt: skip
    inner = ink_on(fill) if current else colour
    if state in TERMINALS or state == "waiting_human":
        made.add_shape(
            type="path", path=_rounded(x, y, width - 8, height - 8, 5), layer="above",
            line={"color": inner, "width": 1, "dash": "solid" if state in TERMINALS else "3px,3px"},
        )  # fmt: skip
    ink = ink_on(fill) if current else colours["ink" if on else "muted"]
    said = look.say(f"state_{state}")
    made.add_annotation(
        x=x, y=y, text=f"<b>{said}</b>" if on else said, showarrow=False,
        font={"size": 12, "color": ink},
    )  # fmt: skip


def _draw_start(made: go.Figure, look: Look, *, begun: bool) -> None:
    """Mark where a run begins: a dot that leads into `running`."""
    colour = look.colours["accent" if begun else "ink"]
    x, y = PLACES["running"]
    edge = x - BOX[0] / 2
    made.add_shape(type="circle", x0=4, x1=12, y0=y - 4, y1=y + 4, fillcolor=colour, line_width=0)
    made.add_shape(type="line", x0=8, x1=edge, y0=y, y1=y, line={"color": colour, "width": 1.6})
    _draw_head(made, [(8, y), (edge, y)], colour, 8, 1.0)


def _draw_key(made: go.Figure, look: Look, *, lit: bool) -> None:
    """Say what the lines mean, in one line at the foot."""
    colours, x = look.colours, 12.0
    shown = [("machine_given", colours["ink"], 1.6, "solid"),
             ("machine_added", colours["muted"], 1.2, "5px,4px")]  # fmt: skip
    if lit:
        shown.append(("machine_lit", colours["accent"], 3, "solid"))
    for key, colour, width, dash in shown:
        made.add_shape(
            type="line", x0=x, x1=x + 28, y0=12, y1=12,
            line={"color": colour, "width": width, "dash": dash},
        )  # fmt: skip
        said = look.say(key)
        made.add_annotation(
            x=x + 34, y=12, text=said, showarrow=False, xanchor="left", yanchor="middle",
            font={"size": 11, "color": colours["muted"]}, borderpad=0,
        )  # fmt: skip
        x += 52 + sum(11 if ord(c) > 0x2E80 else 6.2 for c in said)
