"""The timeline: containment, no-progress count and the machine's states on one x axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentlens.breaker.states import states
from agentlens.figures.base import Axis, Look, figure, hover_of, look_of, mark_trips, scatter_type
from agentlens.figures.theme import ink_on
from agentlens.figures.view import View, view_of
from agentlens.progress.measures import value_of

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from agentlens.breaker.replay import Replay

__all__ = ["timeline"]

#: States differ by pattern too, never by colour alone.
_PATTERNS = {"stalled": "/", "waiting_human": "."}


def timeline(
    replay: Replay,
    *,
    thread: str | None = None,
    x: str = "round",
    theme: str = "light",
    lang: str = "en",
) -> go.Figure:
    """Return containment, count and states of a thread over its rounds.

    Parameters
    ----------
    replay, thread, x, theme, lang
        As in `agentlens.figures.call_graph`.

    Raises
    ------
    TraceError
        If there is no such thread.
    PolicyError
        If there is no such axis, theme or language.
    """
    look, view = look_of(theme, lang), view_of(replay, thread)
    axis, policy = Axis(view, x), replay.policy
    made = figure(look, 340)
    traces = [*_scores(view, axis, look), _counts(view, axis, look), *_states(view, axis, look)]
    for trace in traces:
        made.add_trace(trace)
    shared = {"zeroline": False, "gridcolor": look.colours["grid"]}
    made.update_layout(
        barmode="overlay",
        xaxis={**axis.layout(), "title": {"text": look.say(axis.key)}, "anchor": "y3"},
        yaxis={
            **shared, "domain": [0.55, 1], "range": [-0.08, 1.08], "tickvals": [0, 0.5, 1],
            "title": {"text": look.say(f"strip_{policy.measure}")},
        },
        yaxis2={
            **shared, "domain": [0.16, 0.49], "range": [-0.3, max(4, policy.threshold + 1) + 0.3],
            "title": {"text": look.say("strip_count")}, "tickformat": "d", "nticks": 5,
        },
        yaxis3={"domain": [0, 0.09], "range": [-0.5, 0.5], "visible": False},
    )  # fmt: skip
    for ref, value in (("y", float(policy.similarity)), ("y2", policy.threshold)):
        line = {"color": look.colours["accent"], "width": 1.5}
        made.add_shape(
            type="line", xref="paper", x0=0, x1=1, yref=ref, y0=value, y1=value, line=line
        )
        text = f"{value:.2f}" if ref == "y" else str(value)
        made.add_annotation(
            xref="paper", x=1, yref=ref, y=value, text=text, showarrow=False, xanchor="left",
            xshift=6, font={"color": look.colours["accent"]},
        )  # fmt: skip
    mark_trips(made, axis, look)
    return made


def _scores(view: View, axis: Axis, look: Look) -> list[Any]:
    """Return the scores of rounds that count as dots, and of others hollow."""
    signals = view.replay.signals
    measure = view.replay.policy.measure
    asked = [place for place, row in enumerate(view.rows) if signals.query[row] >= 0]
    made = []
    for symbol, counts in (("circle", True), ("circle-open", False)):
        own = [place for place in asked if (signals.role[view.rows[place]] == "count") is counts]
        rows = [view.rows[place] for place in own]
        if not own:
            continue
        made.append(
            scatter_type(len(asked))(
                x=[axis.middle(place) for place in own],
                y=[value_of(signals.num[row], signals.den[row], measure) for row in rows],
                mode="markers",
                marker={
                    "size": 7 if len(asked) <= 200 else 4,
                    "color": look.colours["ink"],
                    "symbol": symbol,
                    "opacity": [0.4 if view.counterfactual[place] else 1.0 for place in own],
                },
                customdata=own,
                text=[hover_of(view, place, look) for place in own],
                hovertemplate="%{text}<extra></extra>",
                yaxis="y",
            )
        )
    return made


def _counts(view: View, axis: Axis, look: Look) -> Any:
    """Return the count as steps: each round holds its value from its start to its end."""
    counts = view.replay.counts["query"]
    xs: list[float] = []
    ys: list[float | None] = []
    for place, row in enumerate(view.rows):
        for edge in axis.cell(place):
            xs.append(edge)
            ys.append(counts[row])
    return scatter_type(len(xs))(
        x=xs, y=ys, mode="lines", line={"color": look.colours["ink"], "width": 1.5},
        hovertemplate=look.say("table_count") + " %{y}<extra></extra>", yaxis="y2",
    )  # fmt: skip


def _states(view: View, axis: Axis, look: Look) -> list[Any]:
    import plotly.graph_objects as go

    names, _ = states(view.replay)
    spans: list[tuple[str, float, float]] = []
    for place, row in enumerate(view.rows):
        low, high = axis.cell(place)
        if spans and spans[-1][0] == names[row]:
            spans[-1] = (names[row], spans[-1][1], high)
        else:
            spans.append((names[row], low, high))
    bars = []
    for name in dict.fromkeys(name for name, _, _ in spans):
        own = [(low, high) for other, low, high in spans if other == name]
        said, faint = look.say(f"state_{name}"), name == "running"
        ink = look.colours["ink"] if faint else ink_on(look.colours[name])
        bars.append(
            go.Bar(
                orientation="h", y=[0] * len(own), base=[low for low, _ in own], width=1, name=said,
                x=[high - low for low, high in own], yaxis="y3", text=[said] * len(own),
                insidetextfont={"color": ink}, textfont={"color": ink},
                textposition="inside", insidetextanchor="start", constraintext="both",
                hovertemplate=said + "<extra></extra>",
                marker={
                    "color": look.colours[name], "line": {"width": 0},
                    "pattern": {
                        "shape": _PATTERNS.get(name, ""), "solidity": 0.2, "fillmode": "overlay",
                        "fgopacity": 0.25,  # names are written across it
                        "bgcolor": look.colours[name], "fgcolor": look.colours["ground"],
                    },
                    "opacity": 0.35 if faint else 1.0,
                },
            )
        )  # fmt: skip
    return bars
