"""Scene 4: two bags of tokens; with every added word Jaccard falls, containment does not."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from html import escape
from unicodedata import normalize

from agentlens.figures.lesson.page import Page
from agentlens.figures.lesson.scene import Control, Scene, Values
from agentlens.figures.lesson.svg import WIDTH, line, picture, rect, words
from agentlens.progress.measures import MEASURES, at_least, score, score_text, value_of
from agentlens.progress.text import tokenize
from agentlens.teach.counts import measures_of_expansion

__all__ = ["BAGS", "chips", "ordered", "said"]

_BASE = "北京天气"
#: Each adds one token; the third gives the pair of the article.
_ADDED = "今日温实时预报晴"
_SIMILARITY = Fraction(4, 5)
_DASH = {"containment": "", "jaccard": "", "dice": "6 4", "cosine": "2 3"}


def _longer(added: int) -> str:
    if added < 3:
        return _BASE[:2] + _ADDED[:added] + _BASE[2:]
    return _BASE[:2] + "今日" + _BASE[2:] + " 气" + _ADDED[2:added]


def said(num: int, den: int, measure: str) -> str:
    """Return an exact score in letters: 4/7 = 0.571; of cosine, a squared ratio, its root."""
    if measure == "cosine":
        return f"√({num}/{den}) = {score_text(num, den, measure)}"
    return f"{num}/{den} = {num / den:.3f}"


def ordered(text: str, tokens: Iterable[str]) -> list[str]:
    """Return tokens in the order of the text; those that a profile rewrote come last."""
    plain = normalize("NFKC", text).lower()

    def place(token: str) -> int:
        found = plain.find(token)
        return len(plain) if found < 0 else found

    return sorted(tokens, key=lambda token: (place(token), token))


def chips(page: Page, tokens: list[str], shared: frozenset[str]) -> str:
    """Return tokens as a row of boxes: shared ones tinted and underlined, others outlined."""
    box = "display:inline-block;margin:0 4px 4px 0;padding:1px 7px;border-radius:3px;border:1px "
    both = f"solid {page.colour('ink')};text-decoration:underline"
    return "".join(
        f'<span style="{box}{both}">{escape(t)}</span>'
        if t in shared
        else f'<span style="{box}dashed {page.colour("muted")}">{escape(t)}</span>'
        for t in tokens
    )


def _draw(page: Page, values: Values) -> str:
    added = int(values["added"])
    longer = _longer(added)
    one, other = tokenize(_BASE, "classic@1"), tokenize(longer, "classic@1")
    glosses = page.word("bags_gloss").split("|")
    gloss = {text: glosses[n] for text, n in ((_BASE, 0), (longer, added)) if n < len(glosses)}
    scores = {m: score(one, other, m) for m in MEASURES}
    alive = {m: at_least(*scores[m], _SIMILARITY, m) for m in MEASURES}
    key = "bags_point_alive" if alive["jaccard"] else "bags_point_dead"
    point = page.say(key, j=said(*scores["jaccard"], "jaccard"),
                     c="{}/{}".format(*scores["containment"]))  # fmt: skip
    rows = "".join(
        f"<span>{escape(text)}</span><span>{chips(page, ordered(text, tokens), one)}"
        f'<span style="color:{page.colour("muted")}"> {escape(gloss.get(text, ""))}</span></span>'
        for text, tokens in ((_BASE, one), (longer, other))
    )
    bags = (
        '<div style="display:grid;grid-template-columns:auto 1fr;gap:4px 12px;align-items:start">'
        f"{rows}</div>"
    )
    ratio = len(other) / len(one)
    parts = _bars(page, scores, alive) + _curve(page, ratio)
    drawing = picture(200, parts, page.word("bags_label", j=said(*scores["jaccard"], "jaccard")))
    return page.frame("bags", point, page.paragraph("bags_prose") + bags + drawing,
                      after=page.paragraph("bags_lesson", ratio=f"{ratio:.2f}"))  # fmt: skip


def _bars(page: Page, scores: dict[str, tuple[int, int]], alive: dict[str, bool]) -> list[str]:
    left, wide, top = 96, 200, 30
    parts = []
    for place, measure in enumerate(MEASURES):
        num, den = scores[measure]
        value = value_of(num, den, measure)
        y = top + 34 * place
        colour = page.colour("ink") if alive[measure] else page.colour("muted")
        parts += [
            words(left - 8, y + 13, page.word(f"measure_{measure}"), anchor="end"),
            rect(left, y, wide * value, 18, colour, opacity=1 if alive[measure] else 0.35),
            words(left + wide + 12, y + 13, said(num, den, measure)),
        ]
    x = left + wide * float(_SIMILARITY)
    trip = page.colour("trip")
    parts += [
        line(x, top - 8, x, top + 128, trip, thick=2),
        words(x, top - 13, "0.8", fill=trip, anchor="middle", bold=True),
    ]
    return parts


def _curve(page: Page, ratio: float) -> list[str]:
    """Draw each measure of a pure expansion by the ratio of sizes."""
    left, right, low, high = 494, WIDTH - 76, 158, 28
    muted = page.colour("muted")

    def at(r: float, value: float) -> tuple[float, float]:
        return left + (right - left) * (r - 1) / 2, low - (low - high) * value

    parts = [line(left, low, right, low, page.colour("grid")),
             line(left, low, left, high, page.colour("grid")),
             words(left - 30, high - 12, page.word("bags_score"), fill=muted, size=11)]  # fmt: skip
    for value in (0, 0.4, 0.8, 1):
        _, y = at(1, value)
        parts.append(words(left - 6, y + 4, f"{value:g}", fill=muted, anchor="end", size=11))
    for measure in MEASURES:
        colour = page.colour("ink") if measure in ("containment", "jaccard") else muted
        steps = [at(1 + i / 20, measures_of_expansion(1, 1 + i / 20)[measure]) for i in range(41)]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in steps)
        dash = f' stroke-dasharray="{_DASH[measure]}"' if _DASH[measure] else ""
        parts.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        _, y = steps[-1]  # its name stands right of its end, clear of the others
        y += {"cosine": 0, "dice": 9}.get(measure, 4)
        name = page.word(f"measure_{measure}")
        parts.append(words(right + 6, y, name, fill=colour, size=11))
    _, y = at(1, 0.8)
    parts.append(line(left, y, right, y, page.colour("trip"), dash="4 3"))
    for r in (1, 1.25, 2, 3):
        x, _ = at(r, 0)
        parts.append(words(x, low + 16, f"{r:g}", fill=muted, anchor="middle", size=11))
    x, y = at(ratio, 1 / ratio)
    parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{page.colour("ink")}"/>')
    parts.append(words((left + right) / 2, low + 32, page.word("bags_axis"), fill=muted,
                       anchor="middle", size=11))  # fmt: skip
    return parts


BAGS = Scene("bags", _draw, (Control("added", "range", 3, 0, 8, 1),))
