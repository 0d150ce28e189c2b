"""The machine below the stage, folded: drawn when it is opened, and again when its path changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import ipywidgets as widgets

from agentlens.breaker.machine import Transition
from agentlens.breaker.replay import Replay
from agentlens.figures.machine_svg import machine_svg

__all__ = ["MachineFold", "path_of"]

_TITLE: Mapping[str, str] = {"en": "state machine", "zh": "状态机"}


def path_of(replay: Replay, thread: str) -> tuple[Transition, ...]:
    """Return the path of the first trip of a thread; empty where it does not trip."""
    rows = {trip.row for trip in replay.trips if trip.thread == thread}
    pairs = zip(replay.paths, replay.signals.sequences, strict=True)
    return next((path for path, own in pairs if path and not rows.isdisjoint(own)), ())


class MachineFold:
    """A button and, once it is pressed, the machine with the present path lit.

    While it is closed, a new path costs nothing; while it is open, the same path costs nothing:
    a drag that moves no trip sends nothing.
    """

    def __init__(self) -> None:
        self._path: Sequence[Transition] = ()
        self._lang, self._drawn = "en", None
        self.button = widgets.ToggleButton(
            layout=widgets.Layout(width="auto", margin="4px 0", align_self="flex-start")
        )
        self.picture = widgets.HTML(layout=widgets.Layout(display="none"))
        self.box = widgets.VBox([self.button, self.picture])
        self.button.observe(self._opened, "value")

    def show(self, path: Sequence[Transition], lang: str) -> None:
        """Take over a path and a language."""
        self._path, self._lang = tuple(path), lang
        self.button.description = _TITLE[lang]
        if self.button.value:
            self._draw()

    def _opened(self, change: Mapping[str, Any]) -> None:
        self.picture.layout.display = "" if change["new"] else "none"
        if change["new"]:
            self._draw()

    def _draw(self) -> None:
        wanted: Any = ([(s.source, s.event, s.target, s.cause) for s in self._path], self._lang)
        if wanted != self._drawn:
            self._drawn = wanted
            self.picture.value = machine_svg(self._path, self._lang)
