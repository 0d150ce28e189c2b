"""Between a replay and the stage: what is sent, what is confirmed, and what comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from agentlens.breaker.replay import Replay
from agentlens.figures.view import View, view_of
from agentlens.widgets.lens.payload import stage_payload
from agentlens.widgets.lens.stage import Stage

__all__ = ["StageLink"]


class StageLink:
    """Keeps a stage at a replay, and tells its owner what a person did on it.

    A drag costs one small message each way: the browser says the setting, Python confirms what it
    counted. The columns are sent anew only where something other than a threshold changed.

    Parameters
    ----------
    on_setting
        Called with similarity and threshold, whenever the handles were moved.
    on_select
        Called when another round was selected.
    """

    def __init__(
        self, on_setting: Callable[[Fraction, int], None], on_select: Callable[[], None]
    ) -> None:
        self.stage = Stage()
        self.view: View | None = None
        self._on_setting = on_setting
        self._sending = False
        self._sent: tuple[Any, ...] = ()
        self.stage.observe(lambda _: self._moved(), ["similarity", "threshold"])
        self.stage.observe(lambda _: None if self._sending else on_select(), "selected")

    @property
    def thread(self) -> str:
        """The thread that is shown."""
        return self.view.thread if self.view else ""

    @property
    def selected_row(self) -> int:
        """The selected round's row in the trace's rounds table, or -1."""
        place = self.stage.selected
        rows = self.view.rows if self.view else ()
        return rows[place] if 0 <= place < len(rows) else -1

    def send(self, replay: Replay, thread: str | None, lang: str) -> bool:
        """Bring the stage to a replay.

        Parameters
        ----------
        replay
            What to show.
        thread
            The thread to show; the most telling one where none is given.
        lang
            ``en`` or ``zh``.

        Returns
        -------
        bool
            Whether the columns were sent anew: what is on offer may have changed.
        """
        policy = replay.policy
        # Where the history depends on the setting, the browser cannot count anew: send it all.
        setting = (policy.similarity, policy.threshold) if policy.clear_on_progress else ()
        fixed = replace(policy, similarity=Fraction(1), threshold=1)
        wanted = (replay.trace, thread, fixed, setting)
        anew = self.view is None or wanted != self._sent
        self._sending = True
        try:
            if anew:
                self.view = view_of(replay, thread)
                self._sent = (replay.trace, self.view.thread, fixed, setting)
                x = self.stage.x if self.view.times is not None else "round"
                payload = stage_payload(replay, thread=self.view.thread, lang=lang)
                self.stage.show(payload, lang=lang, x=x)
            else:
                with self.stage.hold_sync():
                    self.stage.similarity = list(policy.similarity.as_integer_ratio())
                    self.stage.threshold = policy.threshold
        finally:
            self._sending = False
        self.confirm(replay)
        return anew

    def confirm(self, replay: Replay) -> None:
        """Tell the browser what Python counted for the setting that it has."""
        position = self.view.position if self.view else {}
        places = [position[trip.row] for trip in replay.trips if trip.row in position]
        self.stage.confirmed = {
            "similarity": list(replay.policy.similarity.as_integer_ratio()),
            "threshold": replay.policy.threshold,
            "trip": min(places, default=None),
        }

    def _moved(self) -> None:
        if not self._sending:
            self._on_setting(Fraction(*self.stage.similarity), self.stage.threshold)
