"""What a scene is written with: words, colours and the few marks of its texts."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape, unescape
from importlib import resources
from typing import Any

from agentlens.breaker.words import language
from agentlens.figures.theme import FONT, MID
from agentlens.figures.words import fill

__all__ = ["Page", "lesson_words", "plain"]

#: ``[t:…]`` is the trigger, ``[a:…]`` the amplifier; ``[b:…]`` is bold, ``[m:…]`` muted.
_MARK = re.compile(r"\[([tabm]):([^\]]*)\]")
_STYLE = {"t": "font-weight:600;color:{trigger}", "a": "font-weight:600;color:{amplifier}",
          "b": "font-weight:600", "m": "color:{muted}"}  # fmt: skip
_TAG = re.compile(r"<[^>]+>")
_SPACE = re.compile(r"\s+")


@cache
def lesson_words(lang: str) -> Mapping[str, str]:
    """Return all texts of the lesson in one language, by key."""
    text = (resources.files("agentlens.figures.lesson") / f"{language(lang)}.toml").read_text(
        "utf-8"
    )
    return tomllib.loads(text)


@dataclass(frozen=True, slots=True)
class Page:
    """A language and a set of colours.

    Attributes
    ----------
    lang
        ``en`` or ``zh``.
    live
        On a page that has the theme's style variables; else in middle tones, for a page of unknown
        ground.
    """

    lang: str = "en"
    live: bool = False

    def colour(self, name: str) -> str:
        """Return a colour of the theme by its role."""
        return f"var(--al-{name})" if self.live else MID[name]

    def say(self, key: str, **values: Any) -> str:
        """Return a text as HTML: its values escaped, its marks as spans."""
        held = {
            k: v if isinstance(v, int) else escape(str(v)).replace("[", "&#91;")
            for k, v in values.items()
        }
        text = fill(lesson_words(self.lang)[key], held)
        return _MARK.sub(
            lambda m: f'<span style="{self._style(m[1])}">{m[2]}</span>', text
        )  # templates are ours

    def word(self, key: str, **values: Any) -> str:
        """Return a text without any mark, for a label or an attribute; not escaped."""
        return plain(self.say(key, **values))

    def has(self, key: str) -> bool:
        """Return whether there is such a text."""
        return key in lesson_words(self.lang)

    def _style(self, mark: str) -> str:
        return re.sub(r"\{(\w+)\}", lambda m: self.colour(m[1]), _STYLE[mark])

    @property
    def comma(self) -> str:
        """What stands between the items of a list."""
        return lesson_words(self.lang)["comma"]

    def paragraph(self, key: str, **values: Any) -> str:
        """Return a text as a paragraph of prose."""
        return f'<p style="margin:0 0 8px;max-width:680px">{self.say(key, **values)}</p>'

    def frame(self, name: str, point: str, picture: str, *, after: str = "") -> str:
        """Put a scene together: its title, its point, its picture, its formula.

        Parameters
        ----------
        name
            Of the scene: its texts are ``<name>_title`` and ``<name>_formula``.
        point
            The one sentence that the frame says, as HTML.
        picture, after
            HTML; what stands below the picture.
        """
        font = FONT.replace('"', "'")
        formula = self.say(f"{name}_formula") if self.has(f"{name}_formula") else ""
        foot = (
            f'<div style="margin-top:8px;font-family:ui-monospace,monospace;font-size:12px;'
            f'color:{self.colour("muted")}">{formula}</div>'
            if formula
            else ""
        )
        return (
            f'<div class="al-scene-frame" style="font:13px/1.5 {font};'
            'font-variant-numeric:tabular-nums;max-width:760px">'
            f'<div style="color:{self.colour("muted")}">{self.say(f"{name}_title")}</div>'
            '<div class="al-point" style="font-size:18px;font-weight:600;line-height:1.35;'
            f'margin:2px 0 8px;max-width:700px">{point}</div>{picture}{after}{foot}</div>'
        )


def plain(fragment: str) -> str:
    """Return what a fragment of HTML says, on one line."""
    broken = re.sub(r"</(p|div|tr|td|th|text)>|<br>", " ", fragment)
    return _SPACE.sub(" ", unescape(_TAG.sub("", broken))).strip()
