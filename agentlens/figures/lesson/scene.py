"""A scene: its controls, and the function that draws it from their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agentlens.figures.lesson.page import Page

__all__ = ["Control", "Scene", "Values"]

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Control:
    """Something that a reader moves, chooses, types or presses.

    Attributes
    ----------
    name
        Key of its value; its label is the text ``control_<name>``.
    kind
        ``range``, ``choice``, ``flag``, ``text``, ``act`` (a button, Python answers) or ``play``
        (a button, the page answers).
    value
        At first.
    low, high, step
        Of a range.
    options
        Values of a choice; their labels are the texts ``option_<name>_<value>``.
    role
        ``trigger``, ``amplifier`` or nothing: its colour.
    """

    name: str
    kind: str
    value: Any = None
    low: float = 0
    high: float = 1
    step: float = 1
    options: tuple[str, ...] = ()
    role: str = ""

    def accepts(self, value: Any) -> bool:
        """Return whether a value from a page is one that the control can have."""
        if self.kind == "range":
            number = isinstance(value, int | float) and not isinstance(value, bool)
            return number and self.low <= value <= self.high
        if self.kind == "choice":
            return value in self.options
        if self.kind == "flag":
            return isinstance(value, bool)
        return self.kind == "text" and isinstance(value, str) and len(value) <= 2000

    @property
    def places(self) -> tuple[float, ...]:
        """Every value that a range can have, as a page says it; of other kinds none."""
        if self.kind != "range":
            return ()
        steps = round((self.high - self.low) / self.step)
        values = (round(self.low + n * self.step, 6) for n in range(steps + 1))
        return tuple(int(v) if v == int(v) else v for v in values)

    def described(self, page: Page) -> dict[str, Any]:
        """Return what a page needs to make it, in the page's language."""
        options = [[o, page.word(f"option_{self.name}_{o}")] for o in self.options]
        return {
            "name": self.name, "kind": self.kind, "label": page.word(f"control_{self.name}"),
            "low": self.low, "high": self.high, "step": self.step, "options": options,
            "role": self.role,
        }  # fmt: skip


def _nothing(_page: Page, _values: Values) -> Any:
    return {}


@dataclass(frozen=True, slots=True)
class Scene:
    """One idea, its picture and what may be moved in it.

    Attributes
    ----------
    name
        First part of the keys of its texts.
    draw
        ``(page, values) -> HTML``; must not take longer than a slider may wait.
    controls
        In the order in which they are shown.
    shown
        ``(page, values) -> {name: text}``: how a control's value is said, where not as it is.
    act
        ``(page, values, name) -> HTML`` of what a button of kind ``act`` brings.
    keep
        ``values -> dict`` of what other scenes, and this one later, are to know.
    settle
        ``(old, new) -> values`` where one control sets another.
    """

    name: str
    draw: Callable[[Page, Values], str]
    controls: tuple[Control, ...] = ()
    shown: Callable[[Page, Values], dict[str, str]] = _nothing
    act: Callable[[Page, Values, str], str] | None = None
    keep: Callable[[Values], dict[str, Any]] | None = None
    settle: Callable[[Values, Values], dict[str, Any]] | None = None

    @property
    def values(self) -> dict[str, Any]:
        """The values at first."""
        return {c.name: c.value for c in self.controls if c.kind not in ("act", "play")}

    def taken(self, values: Values) -> dict[str, Any]:
        """Return values as a page sent them, those that cannot be replaced by those at first."""
        kept = self.values
        for control in self.controls:
            if control.name in values and control.accepts(values[control.name]):
                kept[control.name] = values[control.name]
        return kept
