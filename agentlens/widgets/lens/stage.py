"""The stage: one widget that draws a thread of a run and counts it anew in the browser.

It knows nothing of traces: it gets a payload (`agentlens.widgets.lens.payload`) and says what its
handles were moved to. `agentlens.Lens` puts the rest around it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import anywidget
import traitlets as t

from agentlens.breaker.switches import as_fraction
from agentlens.errors import PolicyError
from agentlens.figures.words import LANGUAGES
from agentlens.widgets.esm import stage_css, stage_esm
from agentlens.widgets.plotly_source import plotly_gzip

__all__ = ["THEMES", "X_AXES", "Stage"]

THEMES = ("auto", "light", "dark")
X_AXES = ("round", "time")

#: What the browser says comes not back to it: a drag would wait for its own echoes.
_FROM_BROWSER = {"sync": True, "echo_update": False}


class Stage(anywidget.AnyWidget):
    """Verdict, call graph, containment, no-progress count, states and trip map of one thread.

    Attributes
    ----------
    payload : dict
        What is drawn, from `agentlens.widgets.lens.payload.stage_payload`; empty while loading.
    similarity : list of int
        Numerator and denominator, above 0 and at most 1; both ways.
    threshold : int
        From 1 on; both ways.
    selected : int
        Position of the selected round in the thread, -1 for none; both ways.
    trip : int
        Position of the earliest trip as the browser counts it, -1 for none; from the browser.
    confirmed : dict
        What Python has replayed: ``{"similarity": [p, q], "threshold": k, "trip": position |
        None}``. The stage shows nothing of it unless its own count disagrees; then the console
        says so and Python's trip is drawn.
    x : str
        ``round`` or ``time``; without times in the payload it stays with rounds.
    lang : str
        ``en`` or ``zh``.
    theme : str
        ``auto`` (as the page is), ``light`` or ``dark``.
    """

    _esm = stage_esm()
    _css = stage_css()

    payload = t.Dict().tag(sync=True)
    similarity = t.List(t.Int(), default_value=[4, 5], minlen=2, maxlen=2).tag(**_FROM_BROWSER)
    threshold = t.Int(2, min=1).tag(**_FROM_BROWSER)
    selected = t.Int(-1, min=-1).tag(**_FROM_BROWSER)
    trip = t.Int(-1, min=-1).tag(**_FROM_BROWSER)
    confirmed = t.Dict().tag(sync=True)
    x = t.Enum(X_AXES, default_value="round").tag(sync=True)
    lang = t.Enum(LANGUAGES, default_value="en").tag(sync=True)
    theme = t.Enum(THEMES, default_value="auto").tag(sync=True)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.on_msg(self._answer)

    @t.validate("similarity")
    def _valid_similarity(self, proposal: Any) -> list[int]:
        p, q = proposal["value"]
        try:
            exact = as_fraction(Fraction(p, q))
        except (PolicyError, ZeroDivisionError):
            raise t.TraitError(
                f"similarity: {[p, q]} is no fraction above 0 and at most 1, such as [4, 5]"
            ) from None
        return [exact.numerator, exact.denominator]

    @t.validate("confirmed")
    def _valid_confirmed(self, proposal: Any) -> dict[str, Any]:
        value: dict[str, Any] = proposal["value"]
        if value and not {"similarity", "threshold", "trip"} <= value.keys():
            raise t.TraitError("confirmed: holds similarity, threshold and trip, or nothing")
        return value

    @t.validate("payload")
    def _valid_payload(self, proposal: Any) -> dict[str, Any]:
        value: dict[str, Any] = proposal["value"]
        if value and not {"n", "rounds", "words"} <= value.keys():
            raise t.TraitError("payload: comes from agentlens.widgets.lens.payload.stage_payload")
        return value

    def show(self, payload: Mapping[str, Any], **traits: Any) -> None:
        """Show another payload with its own setting, in one message.

        Parameters
        ----------
        payload
            From `stage_payload`; its similarity and threshold are taken over.
        traits
            Other traits to set along with it.
        """
        setting = {"similarity": list(payload["similarity"]), "threshold": payload["threshold"]}
        fresh = {"selected": -1, "confirmed": {}, **setting, **traits}
        with self.hold_sync():
            self.payload = dict(payload)
            for name, value in fresh.items():
                setattr(self, name, value)

    def _answer(self, _widget: Any, message: Any, _buffers: Any) -> None:
        if isinstance(message, dict) and message.get("type") == "plotly?":
            self.send({"type": "plotly"}, [plotly_gzip()])
