"""The Lens's source row: a sample, a path, or an upload; and its line of errors."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets as widgets

from agentlens.errors import TraceError
from agentlens.trace import samples
from agentlens.trace.load import load
from agentlens.trace.model import Trace
from agentlens.widgets.escape import safe

__all__ = ["SourceRow"]

_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "sample": "sample", "choose": "choose…", "path": "path", "open": "open",
        "hint": "log of a run, such as ~/.claude/projects/…/session.jsonl", "upload": "upload",
    },
    "zh": {
        "sample": "示例", "choose": "选择…", "path": "路径", "open": "打开",
        "hint": "运行日志，例如 ~/.claude/projects/…/session.jsonl", "upload": "上传",
    },
}  # fmt: skip


class SourceRow:
    """Where the next trace comes from; a source that cannot be read leaves the old one.

    Parameters
    ----------
    on_trace
        Called with each trace that was opened.
    """

    def __init__(self, on_trace: Callable[[Trace], None]) -> None:
        self._on_trace = on_trace
        self._quiet = False
        style = {"description_width": "initial"}
        margin = "0 12px 4px 0"
        self.sample = widgets.Dropdown(style=style, layout={"width": "260px", "margin": margin})
        self.path = widgets.Text(
            continuous_update=False, style=style,
            layout={"flex": "1 1 260px", "width": "auto", "margin": margin},
        )  # fmt: skip
        self.open = widgets.Button(layout={"width": "64px", "margin": margin})
        self.upload = widgets.FileUpload(
            multiple=False, layout={"width": "110px", "margin": margin}
        )
        self.message = widgets.HTML()
        line = widgets.Box(
            [self.sample, self.path, self.open, self.upload],
            layout={"flex_flow": "row wrap", "align_items": "center"},
        )
        self.row = widgets.VBox([line], layout={"display": "none"})
        self.name("en")
        self.sample.observe(self._sample_chosen, "value")
        self.path.observe(lambda change: self._open_path(change["new"]), "value")
        self.open.on_click(lambda _: self._open_path(self.path.value))
        self.upload.observe(self._uploaded, "value")

    def name(self, lang: str) -> None:
        """Write the labels in a language."""
        words = _WORDS[lang]
        self._quiet = True
        value = self.sample.value
        self.sample.options = [(words["choose"], ""), *((n, n) for n in samples.names())]
        self.sample.value = value or ""
        self._quiet = False
        self.sample.description = words["sample"]
        self.path.description, self.path.placeholder = words["path"], words["hint"]
        self.open.description, self.upload.description = words["open"], words["upload"]

    def visible(self, shown: bool) -> None:
        """Show or hide the row."""
        self.row.layout.display = "" if shown else "none"

    def say(self, text: str) -> None:
        """Show one plain line under the controls; nothing hides it."""
        self.message.value = (
            f'<div class="agentlens-round muted" role="status">{safe(text)}</div>' if text else ""
        )

    def _sample_chosen(self, change: Mapping[str, Any]) -> None:
        if change["new"] and not self._quiet:
            self._try(samples.path(change["new"]))

    def _open_path(self, path: str) -> None:
        if path.strip():
            self._try(path.strip())

    def _uploaded(self, change: Mapping[str, Any]) -> None:
        for file in change["new"]:
            data = io.BytesIO(bytes(file["content"]))
            data.name = str(file["name"])
            self._try(data)

    def _try(self, source: Any) -> None:
        try:
            trace = load(source)
            self._on_trace(trace)
        except (TraceError, OSError) as error:
            self.say(str(error))
        else:
            self.say("")
