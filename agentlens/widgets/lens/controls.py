"""The Lens's controls in one line: preset, profile, measure, numbers, thread, x, language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import ipywidgets as widgets

from agentlens.breaker.policy import Policy
from agentlens.errors import PolicyError
from agentlens.progress.measures import MEASURES
from agentlens.progress.text import PROFILES

__all__ = ["WORDS", "Controls", "spoken"]

#: No run has more rounds; the browser counts in 32 bits.
MOST_THRESHOLD = 10**6

#: What the controls say.
WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "preset": "preset", "profile": "profile", "measure": "measure", "similarity": "similarity",
        "threshold": "threshold", "reset": "reset", "thread": "thread", "x": "x",
        "round": "rounds", "time": "time", "open": "open…", "tools": "tools…",
    },
    "zh": {
        "preset": "预设", "profile": "词元方案", "measure": "度量", "similarity": "相似度",
        "threshold": "阈值", "reset": "重置", "thread": "线程", "x": "横轴",
        "round": "轮次", "time": "时间", "open": "打开…", "tools": "工具…",
    },
}  # fmt: skip


def spoken(value: Fraction) -> str:
    """Return a similarity as people type it: 0.8, or 5/6 where decimals would not be exact."""
    decimal = f"{float(value):.4f}".rstrip("0").rstrip(".")
    return decimal if Fraction(decimal) == value else f"{value.numerator}/{value.denominator}"


def _layout(width: str) -> widgets.Layout:
    return widgets.Layout(width=width, margin="0 6px 4px 0")


class Controls:
    """The line of controls; tells its owner what a person chose.

    Parameters
    ----------
    on_policy
        Called with switches to change, such as ``{"threshold": 3}``, ``{"preset": "classic"}`` or
        ``{"reset": True}``.
    on_view
        Called with ``thread``, ``x``, ``lang``, ``open`` or ``tools`` and the new value.
    """

    def __init__(
        self, on_policy: Callable[[dict[str, Any]], None], on_view: Callable[[str, Any], None]
    ) -> None:
        self._on_policy, self._on_view = on_policy, on_view
        self._quiet, self._lang = False, "en"
        style = {"description_width": "initial"}
        self.preset = widgets.Dropdown(
            options=Policy.presets(), style=style, layout=_layout("122px")
        )
        self.profile = widgets.Dropdown(
            options=list(PROFILES), style=style, layout=_layout("142px")
        )
        self.measure = widgets.Dropdown(options=MEASURES, style=style, layout=_layout("158px"))
        self.similarity = widgets.Text(
            continuous_update=False, style=style, layout=_layout("110px")
        )
        # Plain text: a box for numbers alters what was typed before anybody can say why.
        self.threshold = widgets.Text(continuous_update=False, style=style, layout=_layout("92px"))
        self.reset = widgets.Button(layout=_layout("44px"))
        self.thread = widgets.Dropdown(options=["main"], style=style, layout=_layout("150px"))
        self.x = widgets.Dropdown(options=[("", "round")], style=style, layout=_layout("88px"))
        self.lang = widgets.Button(layout=_layout("36px"))
        self.open = widgets.ToggleButton(layout=_layout("54px"))
        self.tools = widgets.ToggleButton(layout=_layout("54px"))
        for name in ("preset", "profile", "measure", "similarity", "threshold"):
            getattr(self, name).observe(self._policy_chosen, "value")
        for name in ("thread", "x", "open", "tools"):
            getattr(self, name).observe(self._view_chosen, "value")
        self.lang.on_click(lambda _: self._on_view("lang", "en" if self._lang == "zh" else "zh"))
        self.reset.on_click(lambda _: self._on_policy({"reset": True}))
        self.row = widgets.Box(layout=widgets.Layout(flex_flow="row wrap", align_items="center"))
        self.row.add_class("agentlens-controls")
        self._order = (
            self.preset, self.profile, self.measure, self.similarity, self.threshold, self.reset,
            self.thread, self.x, self.lang, self.open, self.tools,
        )  # fmt: skip
        self.name("en")

    def name(self, lang: str) -> None:
        """Write the labels in a language."""
        words = WORDS[lang]
        for name in ("preset", "profile", "measure", "similarity", "threshold", "thread", "x"):
            widget = getattr(self, name)
            widget.description = words[name]
            widget.description_allow_html = False
        for name in ("reset", "open", "tools"):
            getattr(self, name).description = words[name]
        self._lang, self.lang.description = lang, "EN" if lang == "zh" else "中文"
        self._times([value for _, value in self.x.options], lang)

    def show(self, policy: Policy) -> None:
        """Move the controls to a policy; nobody is told."""

        def move() -> None:
            for widget, value in (
                (self.preset, policy.name),
                (self.profile, policy.profile),
                (self.measure, policy.measure),
            ):
                if value not in widget.options:
                    widget.options = [*widget.options, value]
                widget.value = value
            self.similarity.value = spoken(policy.similarity)
            self.threshold.value = str(policy.threshold)

        self._silently(move)

    def show_view(
        self, threads: Sequence[tuple[str, str]], thread: str, times: bool, lang: str
    ) -> None:
        """Offer threads (label, name) where there is a choice, and time where it is known."""

        def move() -> None:
            self.thread.options = list(threads)
            self.thread.value = thread

        self._silently(move)
        self._times(["round", "time"] if times else ["round"], lang)
        shown = [w for w in self._order if w not in (self.thread, self.x)]
        extra = [w for w, wanted in ((self.thread, len(threads) > 1), (self.x, times)) if wanted]
        self.row.children = (*shown[:6], *extra, *shown[6:])

    def all(self) -> tuple[widgets.DOMWidget, ...]:
        """Return every control, shown or not."""
        return self._order

    def _times(self, values: Sequence[str], lang: str) -> None:
        def move() -> None:
            kept = self.x.value if self.x.value in values else "round"
            self.x.options = [(WORDS[lang][value], value) for value in values]
            self.x.value = kept

        self._silently(move)

    def _silently(self, move: Callable[[], None]) -> None:
        was, self._quiet = self._quiet, True
        try:
            move()
        finally:
            self._quiet = was

    def _policy_chosen(self, change: Mapping[str, Any]) -> None:
        if self._quiet:
            return
        names = ("preset", "profile", "measure", "similarity", "threshold")
        name = next(n for n in names if getattr(self, n) is change["owner"])
        self._on_policy({name: change["new"]})

    def _view_chosen(self, change: Mapping[str, Any]) -> None:
        if not self._quiet:
            names = ("thread", "x", "open", "tools")
            self._on_view(
                next(n for n in names if getattr(self, n) is change["owner"]), change["new"]
            )


def changed(policy: Policy, switches: dict[str, Any]) -> Policy:
    """Return a policy after a choice in the controls.

    Raises
    ------
    PolicyError
        If a switch cannot hold its value.
    """
    if switches.get("reset"):
        return Policy.preset(policy.name) if policy.name in Policy.presets() else Policy()
    if "preset" in switches:
        return Policy.preset(switches["preset"])
    if "threshold" in switches:
        switches = {**switches, "threshold": whole(switches["threshold"])}
    return policy.with_(**switches)


def whole(typed: str) -> int:
    """Return the threshold that somebody typed.

    Raises
    ------
    PolicyError
        If it is no whole number from 1 to a million (`MOST_THRESHOLD`).
    """
    digits = typed.strip().removeprefix("+")
    if digits.isdecimal() and len(digits) < 20 and 1 <= int(digits) <= MOST_THRESHOLD:
        return int(digits)
    wanted = f"no whole number from 1 to {MOST_THRESHOLD:,}, such as 2"
    raise PolicyError(f"threshold: {typed.strip()[:40]!r} is {wanted}")
