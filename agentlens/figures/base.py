"""What the plotly figures share: one theme, one x axis, the trip mark, hover texts."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from agentlens.breaker.words import language
from agentlens.errors import PolicyError
from agentlens.figures.theme import CLUSTERS, DARK, FONT, LIGHT
from agentlens.figures.verdict import score_said
from agentlens.figures.view import View
from agentlens.figures.words import say

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["Axis", "Look", "figure", "hover_of", "look_of", "mark_trips"]

_MANY = 1000  # marks from which on WebGL draws them


class Look:
    """Colours, language and kind of marks of one figure."""

    def __init__(self, theme: str, lang: str) -> None:
        if theme not in CLUSTERS:
            raise PolicyError(f"theme: {theme!r} is none of light, dark")
        self.colours = DARK if theme == "dark" else LIGHT
        self.clusters = CLUSTERS[theme]
        self.lang = language(lang)

    def say(self, key: str, **values: Any) -> str:
        """Fill a template in the figure's language."""
        return say(self.lang, key, **values)

    def cluster(self, group: int) -> str:
        """Return the colour of a cluster; ink for none."""
        return self.colours["ink"] if group < 0 else self.clusters[group % len(self.clusters)]


def look_of(theme: str, lang: str) -> Look:
    """Return the look of a figure, or raise `PolicyError` for an unknown theme or language."""
    return Look(theme, lang)


class Axis:
    """Where the rounds of a view lie on x: by position, or by seconds where times exist."""

    def __init__(self, view: View, x: str) -> None:
        if x not in ("round", "time"):
            raise PolicyError(f"x: {x!r} is none of round, time")
        self.view = view
        self.times = view.times if x == "time" else None

    @property
    def key(self) -> str:
        """Name of the template of the axis title."""
        return "axis_time" if self.times else "axis_round"

    def cell(self, place: int) -> tuple[float, float]:
        """Return start and end of a round."""
        if self.times:
            return self.times[0][place], self.times[1][place]
        return place - 0.5, place + 0.5

    def middle(self, place: int) -> float:
        """Return where the marks of a round sit."""
        low, high = self.cell(place)
        return (low + high) / 2

    def extent(self) -> tuple[float, float]:
        """Return the span of the axis."""
        if not len(self.view):
            return 0.0, 1.0
        return self.cell(0)[0], max(self.cell(place)[1] for place in range(len(self.view)))

    def layout(self) -> dict[str, Any]:
        """Return the layout of the x axis: ticks are the rounds' own numbers."""
        low, high = self.extent()
        shared = {"range": [low, high], "showgrid": False, "zeroline": False}
        if self.times:
            return {**shared, "ticksuffix": " s"}
        rounds = self.view.replay.trace.tables["rounds"]["round"]
        numbers = [rounds[row] for row in self.view.rows]
        steps = (10**p * m for p in range(9) for m in (1, 2, 5))
        step = next(s for s in steps if len(numbers) / s <= 20)
        places = [i for i, n in enumerate(numbers) if step == 1 or (n and n % step == 0)]
        return {**shared, "tickvals": places, "ticktext": [f"{numbers[i]:,}" for i in places]}


def figure(look: Look, height: int, **layout: Any) -> go.Figure:
    """Return an empty figure in the one theme."""
    import plotly.graph_objects as go

    colours = look.colours
    made = go.Figure()
    made.update_layout(
        template="none",
        height=height,
        margin={"l": 132, "r": 56, "t": 36, "b": 44},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": FONT, "size": 12, "color": colours["ink"]},
        hoverlabel={
            "bgcolor": colours["ground"],
            "font": {"color": colours["ink"]},
            "align": "left",
        },
        showlegend=False,
        hovermode="closest",
        dragmode="zoom",
        **layout,
    )
    return made


def scatter_type(count: int) -> type[Any]:
    """Return the trace class for so many marks: WebGL where they are many."""
    import plotly.graph_objects as go

    found: type[Any] = go.Scattergl if count > _MANY else go.Scatter
    return found


def hover_of(view: View, place: int, look: Look) -> str:
    """Return what is said about a round; plotly reads a little HTML, so the text is escaped."""
    replay, row = view.replay, view.rows[place]
    signals, rounds = replay.signals, replay.trace.tables["rounds"]
    number, kind = rounds["round"][row], look.say(f"kind_{signals.kind[row]}")
    lines = [f"{look.say('tip_round', round=number)} · {kind}"]
    query = signals.query[row]
    if query >= 0:
        lines.append(view.masked(signals.queries[query].text))
        match = signals.scored.match[query]
        if match >= 0:
            found = signals.queries[match]
            key = "tip_match" if found.row in view.position else "tip_match_foreign"
            score = score_said(signals.num[row], signals.den[row], replay.policy.measure, look.lang)
            text = view.masked(found.text)
            lines.append(look.say(key, round=rounds["round"][found.row], match=text, score=score))
    else:
        tools = replay.trace.tables["calls"]["tool"]
        used = dict.fromkeys(tools[call] for call in replay.trace.round_calls[row])
        lines.append(look.say("comma").join(view.masked(tool, 40) for tool in list(used)[:5]))
    if view.counterfactual[place]:
        lines.append(look.say("tip_ghost"))
    return "<br>".join(escape(line) for line in lines if line)


def mark_trips(made: go.Figure, axis: Axis, look: Look) -> None:
    """Mark each trip over the full height, shade what would not have happened, name the first."""
    view = axis.view
    for number, place in enumerate(sorted(view.trips.values())[:100]):
        own = view.sequence[place]
        last = max(i for i, sequence in enumerate(view.sequence) if sequence == own)
        low, high = axis.cell(place)[0], axis.cell(last)[1]
        shared = {"xref": "x", "yref": "paper", "y0": 0, "y1": 1}
        made.add_shape(
            type="rect", x0=low, x1=high, line_width=0, fillcolor=look.colours["ink"], opacity=0.08,
            layer="above", **shared,
        )  # fmt: skip
        made.add_shape(
            type="line", x0=low, x1=low, line={"color": look.colours["trip"], "width": 2}, **shared
        )
        if number == 0:
            made.add_annotation(
                x=low, y=1, xref="x", yref="paper", text=look.say("flag"), showarrow=False,
                xanchor="left", yanchor="bottom", bgcolor=look.colours["trip"], borderpad=3,
                font={"color": look.colours["ground"], "size": 12},
            )  # fmt: skip
