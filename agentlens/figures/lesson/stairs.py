"""Scene 6: similarity is a staircase; between two steps moving it changes nothing."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from agentlens.figures.lesson.page import Page
from agentlens.figures.lesson.scene import Control, Scene, Values
from agentlens.figures.lesson.svg import line, picture, rect, words
from agentlens.teach.counts import allowed_misses

__all__ = ["STAIRS"]

_MOST = 12  # tokens of the smaller query
_SIDE, _LEFT, _LOW = 17, 40, 246
_FROM, _TO = 420, 740  # pixels of similarity 0.5 and 1


def _draw(page: Page, values: Values) -> str:
    s = Fraction(int(values["s"]), 100)
    misses = {m: allowed_misses(m, s) for m in range(1, _MOST + 1)}
    one = next((m for m in misses if misses[m] >= 1), None)
    key = "stairs_point" if one else "stairs_point_none"
    point = page.say(key, s=f"{float(s):.2f}", m=one, below=(one or 1) - 1, most=_MOST)
    parts = _columns(page, misses) + _plateaus(page, s)
    drawing = picture(300, parts, page.word("stairs_label", s=f"{float(s):.2f}"))
    return page.frame("stairs", point, page.paragraph("stairs_prose") + drawing,
                      after=page.paragraph("stairs_lesson"))  # fmt: skip


def _columns(page: Page, misses: dict[int, int]) -> list[str]:
    """Draw a column for each size: tokens that must be shared are filled, the others may miss."""
    ink, muted = page.colour("ink"), page.colour("muted")
    parts = [words(_LEFT - 8, 16, page.word("stairs_columns"), fill=muted)]
    for m, miss in misses.items():
        x = _LEFT + (m - 1) * (_SIDE + 9)
        for i in range(m):
            y = _LOW - (i + 1) * (_SIDE + 1)
            free = i >= m - miss
            parts.append(rect(x, y, _SIDE, _SIDE, "none" if free else ink,
                              stroke=muted if free else "", opacity=1 if free else 0.75,
                              dash="3 2" if free else ""))  # fmt: skip
        parts.append(words(x + _SIDE / 2, _LOW + 16, str(m), anchor="middle", fill=muted, size=11))
        parts.append(words(x + _SIDE / 2, _LOW + 33, str(miss), anchor="middle", bold=miss > 0))
    parts.append(words(_LEFT - 8, _LOW + 50, page.word("stairs_axis"), fill=muted, size=11))
    return parts


def _plateaus(page: Page, s: Fraction) -> list[str]:
    """Draw for small sizes the similarities at which anything changes."""
    muted, ink = page.colour("muted"), page.colour("ink")

    def at(value: float) -> float:
        return _FROM + (_TO - _FROM) * (value - 0.5) * 2

    parts = [words(_FROM - 30, 16, page.word("stairs_plateaus"), fill=muted)]
    for place, m in enumerate((2, 3, 4, 5, 6, 8)):
        y = 38 + 34 * place
        edges = sorted({Fraction(i, m) for i in range(m + 1) if 2 * i >= m} | {Fraction(1, 2)})
        parts.append(words(_FROM - 14, y + 15, str(m), anchor="end"))
        for low, high in pairwise(edges):
            here = low < s <= high or (s == low == edges[0])
            parts.append(rect(at(float(low)) + 1.5, y, at(float(high)) - at(float(low)) - 3, 20,
                              page.colour("ink") if here else muted,
                              opacity=0.75 if here else 0.18))  # fmt: skip
    x = at(float(s))
    parts += [line(x, 28, x, _LOW, ink, thick=2),
              words(x, _LOW + 16, f"{float(s):.2f}", anchor="middle", bold=True)]  # fmt: skip
    for value in (0.5, 1):
        if abs(value - float(s)) > 0.06:
            parts.append(words(at(value), _LOW + 16, f"{value:g}", anchor="middle", fill=muted,
                               size=11))  # fmt: skip
    return parts


def _shown(_page: Page, values: Values) -> dict[str, str]:
    return {"s": f"{values['s'] / 100:.2f}"}


STAIRS = Scene("stairs", _draw, (Control("s", "range", 80, 50, 100, 1),), shown=_shown)
