"""Which tools of a run are searches: said where none is recognised, and marked with one click."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets as widgets

from agentlens.trace.model import Trace
from agentlens.trace.tools import classify
from agentlens.widgets.escape import clean

__all__ = ["ToolMarks", "mark_tool"]

_MOST = 24
_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "none": "A click marks a tool as a search:",
        "some": "A pressed tool is a search; only searches are counted.",
        "no_calls": "This run calls no tool.",
    },
    "zh": {
        "none": "点击一个工具，把它标为搜索：",
        "some": "按下的工具是搜索；只有搜索才计数。",
        "no_calls": "这次运行没有调用工具。",
    },
}  # fmt: skip


def mark_tool(trace: Trace, tool: str, is_search: bool) -> Trace:
    """Return the trace with one tool a search, or not; what else was said of its tools is kept."""
    natural = classify(tool)
    effect = "search" if is_search else natural if natural != "search" else "unknown"
    said = trace.tools.get(tool)
    return trace.with_tools(
        {tool: effect if said is None or isinstance(said, str) else (effect, said[1])}
    )


class ToolMarks:
    """A line of tools with the number of their calls; each can be marked as a search.

    Parameters
    ----------
    on_mark
        Called with the name of a tool and whether it now is a search.
    """

    def __init__(self, on_mark: Callable[[str, bool], None]) -> None:
        self._on_mark = on_mark
        self._wanted = False
        self._lang = "en"
        self._quiet = False
        self._trace: Trace | None = None
        self._counts: Counter[str] = Counter()
        self.text = widgets.HTML()
        self.buttons: dict[str, widgets.ToggleButton] = {}
        self.line = widgets.Box(layout={"flex_flow": "row wrap"})
        self.row = widgets.VBox([self.text, self.line], layout={"display": "none"})

    def show(self, trace: Trace, lang: str) -> None:
        """Show a trace's tools; the row appears by itself where none of them is a search."""
        self._lang = lang
        counts = Counter(tool for tool in trace.tables["calls"]["tool"] if tool)
        searches = set(_searches(trace))
        if counts != self._counts:
            self._fill(counts)
        self._counts, self._trace = counts, trace
        self._quiet = True
        for tool, button in self.buttons.items():
            button.value = tool in searches
            button.icon = "check" if button.value else ""  # not by shade alone
        self._quiet = False
        self._layout()

    def visible(self, wanted: bool) -> None:
        """Show the row on request, too."""
        self._wanted = wanted
        self._layout()

    def _layout(self) -> None:
        trace = self._trace
        if trace is None:
            return
        found = any(True for _ in _searches(trace))
        words = _WORDS[self._lang]
        self.text.value = words["some" if found else "none" if len(trace) else "no_calls"]
        self.row.layout.display = "" if self._wanted or not found else "none"

    def _fill(self, counts: Counter[str]) -> None:
        for button in self.buttons.values():
            button.close()
        self.buttons = {}
        for tool, count in counts.most_common(_MOST):
            button = widgets.ToggleButton(
                description=f"{clean(tool)[:60]} ×{count}",
                layout={"width": "auto", "margin": "0 8px 4px 0"},
            )
            button.observe(self._clicked(tool), "value")
            self.buttons[tool] = button
        self.line.children = tuple(self.buttons.values())

    def _clicked(self, tool: str) -> Callable[[Mapping[str, Any]], None]:
        def clicked(change: Mapping[str, Any]) -> None:
            if not self._quiet:
                self._on_mark(tool, bool(change["new"]))

        return clicked


def _searches(trace: Trace) -> list[str]:
    calls = trace.tables["calls"]
    return [
        t for t, effect in zip(calls["tool"], calls["effect"], strict=True) if effect == "search"
    ]
