"""The Lens: a post-mortem of one run, with two thresholds to drag."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets
import traitlets

from agentlens.breaker.policy import Policy
from agentlens.breaker.replay import Replay, replay
from agentlens.errors import PolicyError
from agentlens.figures.verdict import said_of
from agentlens.figures.view import view_of
from agentlens.figures.words import LANGUAGES
from agentlens.trace.model import Trace
from agentlens.widgets.escape import clean
from agentlens.widgets.lens.controls import Controls, changed
from agentlens.widgets.lens.folds import Folds
from agentlens.widgets.lens.follow import Followed
from agentlens.widgets.lens.inspector import STYLE, inspect_round
from agentlens.widgets.lens.link import StageLink
from agentlens.widgets.lens.notes import notes_html
from agentlens.widgets.lens.source import SourceRow
from agentlens.widgets.lens.tool_marks import ToolMarks, mark_tool

if TYPE_CHECKING:
    import pandas as pd

    from agentlens.thresholds.surface import Surface
    from agentlens.widgets.lens.stage import Stage

__all__ = ["Lens"]


#: Where the stage puts its verdict: above the controls, which are ipywidgets.
_VERDICT = '<div class="agentlens-verdict"></div>'


class _Given(traitlets.Any):
    """Anything but None."""

    allow_none = False


class Lens(Followed, widgets.VBox):  # type: ignore[misc]
    """A recorded run and a policy: the calls, the count, the trip, and what moves it.

    Parameters
    ----------
    trace
        A trace, or anything that `agentlens.load` takes; or a guard, whose run is followed as it
        goes on, at most twice a second.
    policy
        A policy or the name of a preset; where none is given, the guard's or the default one.
    lang
        ``en`` or ``zh``.

    Attributes
    ----------
    trace, policy, lang
        Readable and settable; setting one redraws. `trace` and `policy` take what the parameters
        take, and refuse what they refuse: the old value stays.
    replay
        The replay of the policy over the trace, always that of the present setting.

    Raises
    ------
    TraceError, TraitError
        If the trace cannot be read; if the policy or the language is none.
    """

    trace = _Given(help="the run that is shown")
    policy = _Given(help="the policy that is replayed")
    replay = traitlets.Any(read_only=True, help="the replay of the policy over the trace")
    lang = traitlets.Enum(LANGUAGES, default_value="en", help="en or zh")

    def __init__(self, trace: Any, policy: Policy | str | None = None, *, lang: str = "en") -> None:
        self._tried: Replay | None = None
        self._controls = Controls(self._chosen, self._view_chosen)
        self._source = SourceRow(lambda found: setattr(self, "trace", found))
        self._marks = ToolMarks(self._marked)
        self._notes = widgets.HTML()
        self._detail = widgets.HTML()
        self._link = StageLink(self._moved, self._inspect)
        self._folds = Folds()
        super().__init__(
            [
                widgets.HTML(_VERDICT),
                self._controls.row,
                self._source.row,
                self._source.message,
                self._marks.row,
                self._link.stage,
                *self._folds.boxes,
                widgets.HTML(STYLE),
                self._detail,
                self._notes,
            ],
            layout={"width": "100%"},
            _dom_classes=["agentlens-lens"],
        )
        self.policy = self._own_policy(trace) if policy is None else policy
        self.lang = lang
        self.trace = trace
        self._render(None)
        self._speak()
        self.observe(lambda _: self._render(None), "trace")
        self.observe(lambda _: self._render(self._link.thread), "policy")
        self.observe(lambda _: self._speak(), "lang")

    @property
    def stage(self) -> Stage:
        """The widget that draws."""
        return self._link.stage

    @traitlets.validate("trace")
    def _valid_trace(self, proposal: Mapping[str, Any]) -> Trace:
        return self._taken(proposal["value"])

    @traitlets.validate("policy")
    def _valid_policy(self, proposal: Mapping[str, Any]) -> Policy:
        value = proposal["value"]
        try:
            policy = Policy.preset(value) if isinstance(value, str) else value
            if not isinstance(policy, Policy):
                raise traitlets.TraitError(f"policy: {value!r} is neither a policy nor a preset")
            if isinstance(self.trace, Trace):
                self._tried = replay(self.trace, policy)  # a profile's package may be missing
        except PolicyError as error:
            raise traitlets.TraitError(str(error)) from error
        return policy

    @property
    def surface(self) -> Surface:
        """The exact trip surface of the trace under the present policy."""
        from agentlens.thresholds.surface import surface

        found: Surface = surface(self.trace, self.policy)
        return found

    def to_frame(self) -> pd.DataFrame:
        """Return the replay's rounds, one row each."""
        rounds: pd.DataFrame = self.replay.rounds
        return rounds

    def close(self) -> None:
        """Close the Lens and every widget in it, with their layouts and styles.

        A cell that is run again makes another Lens; the old one stays in the kernel, some eighty
        widgets, until it is closed or the kernel ends. In a long session: ``lens.close()`` first.
        """
        self._follow(None)
        todo: list[widgets.Widget] = [*self.children, *self._controls.all()]
        while todo:
            widget = todo.pop()
            todo += getattr(widget, "children", ())
            todo += [w for w in (getattr(widget, n, None) for n in ("layout", "style")) if w]
            widget.close()
        layout = self.layout
        super().close()
        layout.close()

    # Who tells whom: controls, stage and Python code set `policy`, `trace` or `lang`; those render;
    # and rendering moves controls and stage silently. Nothing else calls back.

    def _render(self, thread: str | None) -> None:
        """Bring everything to the present trace and policy; None picks the most telling thread."""
        known = self._tried
        if known is None or known.trace is not self.trace or known.policy != self.policy:
            known = replay(self.trace, self.policy)
        new_trace = self.replay is None or self.replay.trace is not self.trace
        self.set_trait("replay", known)
        if self._link.send(known, thread, self.lang):  # first: a drag waits for the confirmation
            self._offer()
        self._controls.show(self.policy)
        if new_trace:
            self._marks.show(self.trace, self.lang)
            self._notes.value = notes_html(self.trace, self.lang)
        self._inspect()
        self._folds.show(known, self._live, self._link.thread, self.lang)

    def _offer(self) -> None:
        view = self._link.view
        names = dict.fromkeys([*self.trace.tables["rounds"]["thread"], self._link.thread])
        times = view is not None and view.times is not None
        self._controls.show_view(
            [(clean(name), name) for name in names], self._link.thread, times, self.lang
        )

    def _speak(self) -> None:
        self.stage.lang = self.lang
        self._controls.name(self.lang)
        self._source.name(self.lang)
        self._marks.show(self.trace, self.lang)
        self._notes.value = notes_html(self.trace, self.lang)
        self._inspect()
        self._folds.show(self.replay, self._live, self._link.thread, self.lang)

    def _inspect(self) -> None:
        self._detail.value = inspect_round(self.replay, self._link.selected_row, self.lang)

    def _chosen(self, switches: dict[str, Any]) -> None:
        try:
            self.policy = changed(self.policy, switches)
        except (PolicyError, traitlets.TraitError) as error:
            self._source.say(str(error))
        else:
            self._source.say("")
        self._controls.show(self.policy)  # a box never says anything but what is in force

    def _moved(self, similarity: Fraction, threshold: int) -> None:
        policy = self.policy.with_(similarity=similarity, threshold=threshold)
        if policy == self.policy:
            self._link.confirm(self.replay)
        else:
            self.policy = policy

    def _view_chosen(self, name: str, value: Any) -> None:
        if name == "open":
            self._source.visible(value)
        elif name == "tools":
            self._marks.visible(value)
        elif name == "x":
            self.stage.x = value
        elif name == "lang":
            self.lang = value
        else:
            self._render(value)

    def _marked(self, tool: str, is_search: bool) -> None:
        self.trace = mark_tool(self.trace, tool, is_search)

    def __repr__(self) -> str:
        if self.replay is None or self._link.view is None:
            return "Lens()"
        view = view_of(self.replay, self._link.thread)
        return clean(said_of(view, self.lang).verdict)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        from agentlens.figures.still import still

        bundle = dict(super()._repr_mimebundle_(**kwargs) or {})
        page = still(self.replay, self.lang, thread=self._link.thread)
        return {**bundle, "text/plain": repr(self), "text/html": page}
