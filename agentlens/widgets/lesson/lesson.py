"""The lesson as a widget: nine scenes, one switch of language, pictures drawn by Python.

The page sends what was moved, Python answers with a frame; a frame takes a few milliseconds, as
only closed forms are in it. A saved notebook holds the same frames as stills.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import anywidget
import traitlets as t

from agentlens.errors import TraceError
from agentlens.figures.lesson.page import Page, plain
from agentlens.figures.lesson.scene import Scene
from agentlens.figures.lesson.scenes import LESSON, SCENES
from agentlens.figures.theme import css_variables
from agentlens.figures.words import LANGUAGES
from agentlens.trace.load import load
from agentlens.trace.model import Trace
from agentlens.widgets.escape import safe
from agentlens.widgets.esm import join_modules, module_text
from agentlens.widgets.lens.stage import THEMES

__all__ = ["TriggerAmplifier"]

_WORDS = ("lesson_next",)


@cache
def _css() -> str:
    return css_variables() + module_text("lesson.css")


class Shared(t.HasTraits):
    """What all scenes of one lesson have in common."""

    lang = t.Enum(LANGUAGES, default_value="en")
    #: What scenes leave behind for later ones: the prediction, the reader's own run.
    held = t.Dict()


class TriggerAmplifier(anywidget.AnyWidget):
    """The lesson: why one bad search becomes five, and which of the two to mend first.

    Parameters
    ----------
    trace
        A run of your own for the last scene: anything that `agentlens.load` takes. The recorded
        incident if left out.
    scene
        One scene only, by its number or name; all nine, with steps to choose from, if left out.
    lang
        ``en`` or ``zh``.
    theme
        ``auto``, ``light`` or ``dark``.
    shared
        What several scenes have in common; `scene` hands it on.

    Examples
    --------
    >>> lesson = TriggerAmplifier()  # doctest: +SKIP
    >>> lesson.scene(2)  # its own widget, in the same language  # doctest: +SKIP
    """

    _esm = join_modules(("colours", "theme", "keys", "dom", "fragment", "frames", "lesson"))
    _css = _css()

    titles: Any = t.List().tag(sync=True)
    current = t.Unicode(LESSON[0].name).tag(sync=True)
    controls: Any = t.List().tag(sync=True)
    asked = t.Dict().tag(sync=True, echo_update=False)  # the frame is the answer
    frame = t.Dict().tag(sync=True)
    words = t.Dict().tag(sync=True)
    lang = t.Enum(LANGUAGES, default_value="en").tag(sync=True)
    theme = t.Enum(THEMES, default_value="auto").tag(sync=True)

    def __init__(
        self,
        trace: Any = None,
        *,
        scene: int | str | None = None,
        lang: str = "en",
        theme: str = "auto",
        shared: Shared | None = None,
    ) -> None:
        self._epoch = 0
        self._shared = shared or Shared(lang=lang)
        if trace is not None:
            self.load(trace)
        self._scenes = LESSON if scene is None else (_scene(scene),)
        self._values: dict[str, dict[str, Any]] = {s.name: s.values for s in self._scenes}
        super().__init__(theme=theme, lang=self._shared.lang, current=self._scenes[0].name)
        self._stage()
        self.observe(lambda _: self._stage(), "current")
        self.observe(self._heard, "asked")
        self.observe(lambda change: self._tongue(change["new"]), "lang")
        self._shared.observe(self._follow, "lang")
        self._shared.observe(lambda _: self._renew(), "held")
        self.on_msg(self._answer)

    @t.validate("current")
    def _valid_current(self, proposal: Any) -> str:
        name: str = proposal["value"]
        if name not in [s.name for s in self._scenes]:
            raise t.TraitError(f"current: {name!r} is no scene of this lesson")
        return name

    def scene(self, scene: int | str) -> TriggerAmplifier:
        """Return one scene as a widget of its own that shares language and answers with this one.

        Raises
        ------
        ValueError
            If there is no such scene.
        """
        return TriggerAmplifier(scene=scene, theme=self.theme, shared=self._shared)

    def set(self, **values: Any) -> None:
        """Move controls of the current scene from Python; what a control cannot be is left."""
        name = self.current
        self._take({**self._values[name], **values})
        self._stage()

    @property
    def page(self) -> Page:
        """The language, and the colours of a page that has the theme."""
        return Page(self.lang, live=True)

    def still(self) -> str:
        """Return all scenes as HTML that needs no code."""
        page = Page(self.lang)
        return '<div style="height:24px"></div>'.join(
            scene.draw(page, self._state(scene)) for scene in self._scenes
        )

    def _state(self, scene: Scene) -> Mapping[str, Any]:
        return {**self._shared.held, **self._values[scene.name]}

    def _stage(self) -> None:
        """Set the current scene up: its controls, then its frame."""
        scene, page = SCENES[self.current], self.page
        self._epoch += 1
        with self.hold_sync():
            self._draw()
            self.words = {key: page.word(key) for key in _WORDS}
            self.titles = [[s.name, page.word(f"{s.name}_title")] for s in self._scenes]
            self.controls = []
            self.controls = [c.described(page) for c in scene.controls]

    def _draw(self, seq: int = 0, note: str = "") -> None:
        frame = self._frame(SCENES[self.current], self._values[self.current])
        self.frame = {**frame, "note": note, "seq": seq, "epoch": self._epoch}

    def _frame(self, scene: Scene, values: dict[str, Any]) -> dict[str, Any]:
        page, state = self.page, {**self._shared.held, **values}
        html, shown = scene.draw(page, state), scene.shown(page, state)
        return {"html": html, "shown": shown, "values": dict(values)}

    def _renew(self) -> None:
        """Draw anew after something that frames sent ahead did not know."""
        self._epoch += 1
        self._draw()

    def _ahead(self, scene: Scene, name: Any, values: Any) -> None:
        """Send a frame for every position of a slider, so that the page can move it alone."""
        places = next((c.places for c in scene.controls if c.name == name), ())
        taken = scene.taken(values if isinstance(values, dict) else {})
        frames = [self._frame(scene, {**taken, str(name): place}) for place in places]
        answer = {"type": "frames", "scene": scene.name, "frames": frames, "epoch": self._epoch}
        self.send(answer)

    def _heard(self, change: Any) -> None:
        asked = change["new"]
        if not isinstance(asked, dict) or asked.get("scene") != self.current:
            return
        self._take(asked.get("values"))
        self._draw(asked.get("seq", 0) if isinstance(asked.get("seq"), int) else 0)

    def _take(self, values: Any) -> None:
        name = self.current
        self._keep()  # what was found before it is moved counts too
        if isinstance(values, dict):
            old, new = self._values[name], SCENES[name].taken(values)
            settle = SCENES[name].settle
            self._values[name] = settle(old, new) if settle else new
        self._keep()

    def _keep(self) -> None:
        scene = SCENES[self.current]
        if scene.keep:
            self._shared.held = {**self._shared.held, **scene.keep(self._state(scene))}

    def _answer(self, _widget: Any, message: Any, _buffers: Any) -> None:
        scene = SCENES[self.current]
        if not isinstance(message, dict) or message.get("scene") != scene.name:
            return
        if message.get("type") == "ahead":
            self._ahead(scene, message.get("name"), message.get("values"))
        if message.get("type") != "act" or scene.act is None:
            return
        self._take(message.get("values"))
        try:
            if message.get("name") == "load":
                self.load(self._values[scene.name]["path"])
            note = scene.act(self.page, self._state(scene), str(message.get("name")))
        except (TraceError, OSError) as error:
            note = safe(error)
        self._draw(self.frame.get("seq", 0), note)

    def load(self, trace: Any) -> None:
        """Take a run of your own for the last scene.

        Raises
        ------
        TraceError
            If it cannot be read.
        """
        loaded = trace if isinstance(trace, Trace) else load(trace)
        self._shared.held = {**self._shared.held, "trace": loaded}

    def _tongue(self, lang: str) -> None:
        self._shared.lang = lang
        self._stage()

    def _follow(self, change: Any) -> None:
        if self.lang != change["new"]:
            self.lang = change["new"]

    def __repr__(self) -> str:
        return plain(self.still())

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[Any, Any], dict[Any, Any]]:
        data, extra = super()._repr_mimebundle_(**kwargs) or ({}, {})
        return {**data, "text/plain": repr(self), "text/html": self.still()}, extra


def _scene(scene: int | str) -> Scene:
    if isinstance(scene, int) and 0 <= scene < len(LESSON):
        return LESSON[scene]
    if isinstance(scene, str) and scene in SCENES:
        return SCENES[scene]
    known = ", ".join(f"{n} {s.name}" for n, s in enumerate(LESSON))
    raise ValueError(f"scene: {scene!r} is none of {known}")
