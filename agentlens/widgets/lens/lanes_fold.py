"""Every rule on the run, folded: drawn when it is opened, and again when it changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ipywidgets as widgets

from agentlens.breaker.replay import Replay
from agentlens.trace.model import Trace

__all__ = ["LanesFold"]

_TITLE: Mapping[str, str] = {"en": "every rule on this run", "zh": "所有规则看这次运行"}
#: Near misses are looked for in so many rounds: a click shall be answered at once.
_PAST = 1_000


class LanesFold:
    """A button and, once it is pressed, a row a rule and a row a preset.

    Closed, it costs nothing: no preset is replayed before it was first opened. Open, it is sent
    anew only where a mark, a word or a language changed. The rows of presets are kept on the
    trace, so that a drag recounts the policy's own rules alone.
    """

    def __init__(self) -> None:
        self._wanted: tuple[Replay, str, str] | None = None
        self._drawn: tuple[Trace, Any, str, str] | None = None
        self.button = widgets.ToggleButton(
            layout=widgets.Layout(width="auto", margin="4px 0", align_self="flex-start")
        )
        self.picture = widgets.HTML(layout=widgets.Layout(display="none", width="100%"))
        self.box = widgets.VBox([self.button, self.picture], layout={"width": "100%"})
        self.button.observe(self._opened, "value")

    def show(self, replay: Replay, thread: str, lang: str) -> None:
        """Take over a replay, the thread that is shown, and a language."""
        self._wanted = (replay, thread, lang)
        self.button.description = _TITLE[lang]
        if self.button.value:
            self._draw()

    def _opened(self, change: Mapping[str, Any]) -> None:
        self.picture.layout.display = "" if change["new"] else "none"
        if change["new"]:
            self._draw()

    def _draw(self) -> None:
        if self._wanted is None:
            return
        replay, thread, lang = self._wanted
        wanted = (replay.trace, replay.policy, thread, lang)
        if self._drawn is not None and wanted == self._drawn:
            return
        from agentlens.figures.rule_lanes.page import lanes_page
        from agentlens.figures.rule_lanes.rows import lane_rows
        from agentlens.figures.view import view_of

        view = view_of(replay, thread or None)
        page = lanes_page(lane_rows(view, near=len(view) <= _PAST, lang=lang), lang)
        self._drawn = wanted
        if page != self.picture.value:
            self.picture.value = page
