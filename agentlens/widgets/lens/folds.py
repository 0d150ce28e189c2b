"""What lies folded below the stage: the machine, and every rule on the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentlens.widgets.lens.lanes_fold import LanesFold
from agentlens.widgets.lens.machine_fold import MachineFold, path_of

if TYPE_CHECKING:
    import ipywidgets as widgets

    from agentlens.breaker.machine import Transition
    from agentlens.breaker.replay import Replay

__all__ = ["Folds"]


class Folds:
    """The folds of a Lens; closed, none of them costs anything."""

    def __init__(self) -> None:
        self.machine, self.lanes = MachineFold(), LanesFold()

    @property
    def boxes(self) -> tuple[widgets.VBox, ...]:
        """The widgets, from top to bottom."""
        return self.machine.box, self.lanes.box

    def show(self, replay: Replay, live: Sequence[Transition], thread: str, lang: str) -> None:
        """Take over a replay, the path of a guard that is followed, a thread and a language."""
        self.machine.show(live or path_of(replay, thread), lang)
        self.lanes.show(replay, thread, lang)
