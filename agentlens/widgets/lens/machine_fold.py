"""The machine below the stage, folded: drawn when it is opened, and again when its path changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from agentlens.breaker.machine import Transition
from agentlens.breaker.replay import Replay
from agentlens.figures.machine_svg import machine_svg
from agentlens.widgets.lens.fold import Fold

__all__ = ["MachineFold", "path_of"]


def path_of(replay: Replay, thread: str) -> tuple[Transition, ...]:
    """Return the path of the first trip of a thread; empty where it does not trip."""
    rows = {trip.row for trip in replay.trips if trip.thread == thread}
    pairs = zip(replay.paths, replay.signals.sequences, strict=True)
    return next((path for path, own in pairs if path and not rows.isdisjoint(own)), ())


class MachineFold(Fold):
    """A button and, once it is pressed, the machine with the present path lit.

    While it is closed, a new path costs nothing; while it is open, the same path costs nothing:
    a drag that moves no trip sends nothing.
    """

    titles: ClassVar = {"en": "state machine", "zh": "状态机"}

    def __init__(self) -> None:
        self._path: Sequence[Transition] = ()
        self._lang, self._drawn = "en", None
        super().__init__()

    def show(self, path: Sequence[Transition], lang: str) -> None:
        """Take over a path and a language."""
        self._path, self._lang = tuple(path), lang
        self.announce(lang)

    def draw(self) -> None:
        """Draw the machine, where the path or the language has changed."""
        wanted: Any = ([(s.source, s.event, s.target, s.cause) for s in self._path], self._lang)
        if wanted != self._drawn:
            self._drawn = wanted
            self.picture.value = machine_svg(self._path, self._lang)
