"""The call graph: time runs right, a lane a cluster, a node a call, arcs to its best match."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from agentlens.breaker.query.counting import bound_of, similar_rows
from agentlens.figures.base import Axis, Look, figure, hover_of, look_of, mark_trips, scatter_type
from agentlens.figures.call_lanes import LETTERS, Lanes, lanes_of
from agentlens.figures.view import View, view_of
from agentlens.progress.measures import value_of

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from agentlens.breaker.replay import Replay

__all__ = ["call_graph"]

#: All arcs where they are few; of many those that repeat at the similarity; of very many none.
_FEW_ARCS, _MOST_ARCS = 60, 300
_SYMBOLS = {"cluster": "circle", "more": "square", "single": "circle-open", "other": "diamond"}


def call_graph(
    replay: Replay,
    *,
    thread: str | None = None,
    x: str = "round",
    theme: str = "light",
    lang: str = "en",
) -> go.Figure:
    """Return the calls of a thread as a graph on a line.

    A node is filled by its cluster at the policy's similarity and ringed by its containment (0 to
    3 px); arcs lead to the best earlier match. Calls of one round in one lane are stacked.

    Parameters
    ----------
    replay
        The replay.
    thread
        The thread to show; by default that of the trip, else the one with the most queries.
    x
        ``round`` or ``time`` (seconds from the start, where the log has times).
    theme
        ``light`` or ``dark``.
    lang
        ``en`` or ``zh``.

    Raises
    ------
    TraceError
        If there is no such thread.
    PolicyError
        If there is no such axis, theme or language.
    """
    look, view = look_of(theme, lang), view_of(replay, thread)
    axis, lanes = Axis(view, x), lanes_of(view)
    height = min(220, max(120, 24 * len(lanes.lanes)))
    made = figure(look, height + 80)
    made.add_trace(_arcs(view, lanes, axis, look))
    for trace in _nodes(view, lanes, axis, look):
        made.add_trace(trace)
    made.update_xaxes(title_text=look.say(axis.key), **axis.layout())
    made.update_yaxes(
        range=[max(1, len(lanes.lanes)) - 0.4, -0.6],
        tickvals=list(range(len(lanes.lanes))),
        ticktext=[_lane_name(view, lane, look) for lane in lanes.lanes],
        gridcolor=look.colours["grid"],
        zeroline=False,
    )
    mark_trips(made, axis, look)
    return made


def _lane_name(view: View, lane: Any, look: Look) -> str:
    if lane.kind != "cluster":
        return look.say(f"lane_{lane.kind}")
    colour, text = look.cluster(lane.group), escape(view.masked(lane.text, 14))
    return f'<b style="color:{colour}">{LETTERS[lane.group]}</b> {text}'


def _places(view: View) -> list[int]:
    rows = view.replay.trace.tables["calls"]["round_row"]
    return [view.position[rows[call]] for call in view.calls]


def _nodes(view: View, lanes: Lanes, axis: Axis, look: Look) -> list[Any]:
    """Return a trace for each cluster: plotly checks lists of colours one by one, and slowly."""
    places = _places(view)
    texts = [hover_of(view, place, look) for place in range(len(view))]
    few, kind_of = len(view) <= 200, scatter_type(len(places))
    together: dict[tuple[str, int], list[int]] = {}
    for index, (kind, group) in enumerate(zip(lanes.kind, lanes.group, strict=True)):
        hue = group if kind == "cluster" else group % len(look.clusters) if group >= 0 else -1
        together.setdefault((kind, hue), []).append(index)
    made = []
    for (kind, group), members in together.items():
        own = [places[index] for index in members]
        colour = look.colours["muted"] if kind == "other" else look.cluster(group)
        solid = kind in ("cluster", "more")
        rings = [3 * _score(view, view.calls[index]) for index in members] if solid else 1.25
        made.append(
            kind_of(
                x=[axis.middle(place) for place in own],
                y=[lanes.y[index] for index in members],
                mode="markers",
                name=LETTERS[group] if kind == "cluster" else look.say(f"lane_{kind}"),
                marker={
                    "size": 10 if few else 5,
                    "color": colour,
                    "symbol": _SYMBOLS[kind],
                    "opacity": [0.4 if view.counterfactual[place] else 1.0 for place in own],
                    "line": {"width": rings if few else 0, "color": look.colours["ink"]},
                },
                customdata=own,
                text=[texts[place] for place in own],
                hovertemplate="%{text}<extra></extra>",
            )
        )
    return made


def _score(view: View, call: int) -> float:
    """Return the score of the query that stands for a call, in [0, 1]."""
    place = view.query_of_call.get(call)
    if place is None:
        return 0.0
    scored, query = view.replay.signals.scored, view.queries[place]
    return value_of(scored.num[query], scored.den[query], view.replay.policy.measure)


def _shown(view: View) -> list[int]:
    """Return the queries whose arcs are drawn."""
    signals, policy = view.replay.signals, view.replay.policy
    matched = [q for q in view.queries if signals.scored.match[q] in view.query_index]
    if len(matched) <= _FEW_ARCS:
        return matched
    similar = similar_rows(signals.num, signals.den, bound_of(policy), policy.strict)
    some = [
        q for q in matched if similar[row := signals.queries[q].row] and signals.query[row] == q
    ]
    return some if len(some) <= _MOST_ARCS else []


def _arcs(view: View, lanes: Lanes, axis: Axis, look: Look) -> Any:
    """Return the arcs as one broken line."""
    call_place = {call: index for index, call in enumerate(view.calls)}
    places = _places(view)
    queries, scored = view.replay.signals.queries, view.replay.signals.scored
    xs: list[float | None] = []
    ys: list[float | None] = []
    pairs = [
        (call_place[queries[scored.match[q]].call], call_place[queries[q].call])
        for q in _shown(view)
    ]
    for start, end in pairs:
        x0, x1 = axis.middle(places[start]), axis.middle(places[end])
        y0, y1 = lanes.y[start], lanes.y[end]
        for step in range(13):
            t = step / 12
            xs.append(x0 + (x1 - x0) * t)
            ys.append(y0 + (y1 - y0) * t - 0.35 * 4 * t * (1 - t))
        xs.append(None)
        ys.append(None)
    import plotly.graph_objects as go

    return go.Scatter(
        x=xs, y=ys, mode="lines", hoverinfo="skip", name="",
        opacity=0.35 if len(pairs) <= _FEW_ARCS else max(0.14, 0.35 * _FEW_ARCS / len(pairs)),
        line={"width": 1, "color": look.colours["ink"]},
    )  # fmt: skip
