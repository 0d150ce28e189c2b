"""Every rule on the run, folded: drawn when it is opened, and again when it changes."""

from __future__ import annotations

from typing import Any, ClassVar

from agentlens.breaker.replay import Replay
from agentlens.trace.model import Trace
from agentlens.widgets.lens.fold import Fold

__all__ = ["LanesFold"]


class LanesFold(Fold):
    """A button and, once it is pressed, a row a rule and a row a preset.

    Closed, it costs nothing: no preset is replayed before it was first opened. Open, it is sent
    anew only where a mark, a word or a language changed. The rows of presets are kept on the
    trace, so that a drag recounts the policy's own rules alone.
    """

    titles: ClassVar = {"en": "every rule on this run", "zh": "所有规则看这次运行"}

    def __init__(self) -> None:
        self._wanted: tuple[Replay, str, str] | None = None
        self._drawn: tuple[Trace, Any, str, str] | None = None
        super().__init__()

    def show(self, replay: Replay, thread: str, lang: str) -> None:
        """Take over a replay, the thread that is shown, and a language."""
        self._wanted = (replay, thread, lang)
        self.announce(lang)

    def draw(self) -> None:
        """Draw the rows, where a mark, a word or a language has changed."""
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
        page = lanes_page(lane_rows(view, lang=lang), lang)
        self._drawn = wanted
        if page != self.picture.value:
            self.picture.value = page
