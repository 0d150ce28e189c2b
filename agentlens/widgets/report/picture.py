"""A report as a still picture: call graph, containment, count and states on one x axis."""

from __future__ import annotations

import logging
import tempfile
import threading
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentlens.errors import TraceError
from agentlens.figures.verdict import said_of
from agentlens.figures.view import view_of

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from agentlens.breaker.replay import Replay

__all__ = ["overview", "picture"]

_WIDTH, _SCALE = 1000, 2
_LOW = 0.66  # of the height is the timeline's
_MORE = 100  # pixels, since the strips are lower than in a figure of their own


def overview(made: Replay, *, theme: str = "light", lang: str = "en") -> go.Figure:
    """Return call graph and timeline as one plotly figure, the verdict as its title."""
    from agentlens.figures.calls import call_graph
    from agentlens.figures.strips import timeline
    from agentlens.figures.theme import DARK, LIGHT

    above = call_graph(made, theme=theme, lang=lang)
    figure = timeline(made, theme=theme, lang=lang)
    lanes = above.layout.yaxis.to_plotly_json()
    layout: dict[str, Any] = {"yaxis4": {**lanes, "domain": [_LOW + 0.06, 1], "anchor": "x"}}
    for name in ("yaxis", "yaxis2", "yaxis3"):
        low, high = figure.layout[name].domain
        layout[name] = {"domain": [low * _LOW, high * _LOW]}
    for trace in above.data:
        figure.add_trace(trace.update(yaxis="y4"))
    height = above.layout.height + figure.layout.height + _MORE
    ground = (DARK if theme == "dark" else LIGHT)["ground"]
    figure.update_layout(
        height=height, width=_WIDTH, paper_bgcolor=ground, plot_bgcolor=ground,
        margin={"t": 84},
        title={
            "text": escape(said_of(view_of(made), lang).verdict), "x": 0.01, "xanchor": "left",
            "font": {"size": 18}, "y": 1 - 24 / height, "yanchor": "top",
        },
        **layout,
    )  # fmt: skip
    return figure


def picture(made: Replay, kind: str, *, lang: str = "en") -> bytes:
    """Return a report as a picture.

    Parameters
    ----------
    made
        The replay.
    kind
        ``png``, ``svg``, ``pdf`` or ``webp``.
    lang
        ``en`` or ``zh``.

    Raises
    ------
    TraceError
        If kaleido is not installed, or finds no Chrome.
    """
    try:
        import kaleido
    except ImportError:
        raise TraceError(
            "a picture needs kaleido: pip install 'agentlens-jupyter[kaleido]'"
        ) from None
    import plotly

    script = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    figure = overview(made, lang=lang)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / f"report.{kind}"
        size = {"width": _WIDTH, "height": figure.layout.height, "scale": _SCALE}
        try:
            with _QUIET:
                kaleido.write_fig_sync(
                    figure, path=target, opts={"format": kind, **size},
                    # Neither plotly.js nor MathJax from a network; and a trace's $…$ stays text.
                    kopts={"plotlyjs": script, "mathjax": False},
                )  # fmt: skip
            return target.read_bytes()
        except Exception as error:
            said = " ".join(str(error).split())[:200] or type(error).__name__
            raise TraceError(f"kaleido could not draw the picture: {said}") from error


class _Quiet:
    """While anyone is within, some loggers and those below them keep what is no disaster.

    The first in and the last out change them; nobody else's logging is touched.
    """

    def __init__(self, *names: str):
        self.names = names
        self.lock = threading.Lock()
        self.users = 0
        self.levels: dict[str, int] = {}

    def __enter__(self) -> None:
        with self.lock:
            if not self.users:
                self.levels = {name: logging.getLogger(name).level for name in self.names}
                for name, level in self.levels.items():
                    logging.getLogger(name).setLevel(max(level, logging.CRITICAL))
            self.users += 1

    def __exit__(self, *error: object) -> None:
        with self.lock:
            self.users -= 1
            if not self.users:
                for name, level in self.levels.items():
                    logging.getLogger(name).setLevel(level)


#: What kaleido and its driver of Chrome log they raise anyway.
_QUIET = _Quiet("kaleido", "choreographer")
