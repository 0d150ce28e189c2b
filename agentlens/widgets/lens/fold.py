"""What every fold below the stage is: a button, and a picture that is drawn once it is pressed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import ipywidgets as widgets

__all__ = ["Fold"]


class Fold:
    """A button and a picture; closed, it costs nothing, whatever it is shown.

    A subclass names its `titles` by language, keeps what it is to draw, calls `announce`, and
    draws in `draw`.
    """

    titles: ClassVar[Mapping[str, str]]

    def __init__(self) -> None:
        self.button = widgets.ToggleButton(
            layout=widgets.Layout(width="auto", margin="4px 0", align_self="flex-start")
        )
        self.picture = widgets.HTML(layout=widgets.Layout(display="none", width="100%"))
        self.box = widgets.VBox([self.button, self.picture], layout={"width": "100%"})
        self.button.observe(self._opened, "value")

    def announce(self, lang: str) -> None:
        """Name the button, and draw where the fold is open."""
        self.button.description = self.titles[lang]
        if self.button.value:
            self.draw()

    def draw(self) -> None:
        """Draw what was last shown, unless it is drawn already."""
        raise NotImplementedError

    def _opened(self, change: Mapping[str, Any]) -> None:
        self.picture.layout.display = "" if change["new"] else "none"
        if change["new"]:
            self.draw()
