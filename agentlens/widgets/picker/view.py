"""What the browser draws of the picker, and what the two tell each other."""

from __future__ import annotations

from functools import cache

import anywidget
import traitlets as t

from agentlens.figures.theme import css_variables
from agentlens.widgets.esm import join_modules, module_text
from agentlens.widgets.lens.stage import THEMES

__all__ = ["PickerView"]

_MODULES = tuple(
    "colours canvas dom words picker_data picker_map picker_curves picker_strip theme keys "
    "picker".split()
)


@cache
def _css() -> str:
    return css_variables() + module_text("picker.css")


class PickerView(anywidget.AnyWidget):
    """What is drawn; `cell` is the crosshair: column of the map, threshold. Both ways."""

    _esm = join_modules(_MODULES)
    _css = _css()
    payload = t.Dict().tag(sync=True)
    words = t.Dict().tag(sync=True)
    cell = t.List(t.Int(), default_value=[0, 1], minlen=2, maxlen=2).tag(sync=True)
    value = t.Float(20.0).tag(sync=True)
    prevalence = t.Float(0.05).tag(sync=True)
    alpha = t.Float(0.05).tag(sync=True)
    delta = t.Float(0.9).tag(sync=True)
    opened = t.Int(-1).tag(sync=True)
    promise = t.Unicode().tag(sync=True)
    theme = t.Enum(THEMES, default_value="auto").tag(sync=True)
