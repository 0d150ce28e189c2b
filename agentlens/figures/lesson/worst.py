"""Scene 3: two hundred requests as dots; the trigger thins a column, the breaker moves it."""

from __future__ import annotations

from agentlens.figures.lesson.page import Page
from agentlens.figures.lesson.product import checked, loop_of
from agentlens.figures.lesson.scene import Control, Scene, Values
from agentlens.figures.lesson.svg import circle, dots, line, picture, words
from agentlens.teach.trigger_amplifier import outcome, rounds_distribution

__all__ = ["WORST", "dealt"]

_DOTS, _ROUNDS, _WIDE, _STEP = 200, 5, 6, 5.4  # dots a row of a column, and pixels between them
_PANELS = ((0.3, 5, "as_is"), (0.1, 5, "search"), (0.3, 2, "breaker"), (0.1, 2, "both"))
_PANEL, _FLOOR = 190, 206


def dealt(shares: tuple[float, ...]) -> list[int]:
    """Return how many of `_DOTS` dots each share has: largest remainders, so that they add up."""
    exact = [_DOTS * share for share in shares]
    counts = [int(value + 1e-9) for value in exact]
    order = sorted(range(len(exact)), key=lambda i: exact[i] - counts[i], reverse=True)
    for i in order[: _DOTS - sum(counts)]:
        counts[i] += 1
    return counts


def _draw(page: Page, values: Values) -> str:
    d = float(values["d"])
    parts: list[str] = []
    for place, (p, k, key) in enumerate(_PANELS):
        parts += _panel(page, _PANEL * place, p, k, d, key)
    most = outcome(0.3, loop_of(2, 0, d)).worst
    late = sum(rounds_distribution(loop_of(2, 0, d))[2:])
    key = "worst_point" if most == 2 else "worst_point_tail"
    point = page.say(key, most=most, off=_ROUNDS, share=f"{100 * d:.0f}", late=f"{100 * late:.0f}")
    drawing = picture(274, parts, page.word("worst_label"))
    return page.frame("worst", point, page.paragraph("worst_prose") + drawing,
                      after=page.paragraph("worst_lesson"))  # fmt: skip


def _panel(page: Page, left: float, p: float, k: int, d: float, key: str) -> list[str]:
    loop = loop_of(k, 0, d)
    bad = rounds_distribution(loop)
    counts = dealt((1 - p, *(p * share for share in bad)))
    muted, trigger, amplifier = (page.colour(c) for c in ("muted", "trigger", "amplifier"))
    role = {"search": trigger, "breaker": amplifier}.get(key, "")
    parts = [words(left + 4, 16, page.word(f"worst_{key}"), fill=role, bold=True)]
    column = 34
    for n in range(1, _ROUNDS + 1):
        x = left + 6 + column * (n - 1)
        good = counts[0] if n == 1 else 0
        places = [
            (x + 2 + i % _WIDE * _STEP, _FLOOR - 4 - i // _WIDE * _STEP)
            for i in range(good + counts[n])
        ]
        parts += [dots(places[:good], 2.2, muted), dots(places[good:], 2.2, trigger)]
        if not places and p * bad[n - 1] > 0:  # rarer than one dot, but there
            parts.append(circle(x + 13, _FLOOR - 5, 2.2, "none", stroke=trigger))
        parts.append(words(x + 13, _FLOOR + 16, str(n), fill=muted, anchor="middle", size=11))
    parts.append(words(left + 91, _FLOOR + 28, page.word("worst_rounds"), fill=muted,
                       anchor="middle", size=10))  # fmt: skip
    parts.append(line(left + 4, _FLOOR, left + 6 + column * _ROUNDS, _FLOOR, page.colour("grid")))
    if k < _ROUNDS:
        x = left + 4.5 + column * k
        parts.append(line(x, _FLOOR, x, 34, amplifier, thick=2))
    found = outcome(p, loop)
    parts.append(words(left + 4, _FLOOR + 46, page.word("worst_most", n=found.worst), bold=True))
    mean = page.word("worst_mean", w=f"{found.wasted:.2f}")
    parts.append(words(left + 4, _FLOOR + 63, mean, fill=muted))
    return parts


def _shown(_page: Page, values: Values) -> dict[str, str]:
    return {"d": f"{100 * values['d']:.0f} %"}


def _act(page: Page, values: Values, _name: str) -> str:
    loop = loop_of(2, 0, float(values["d"]))
    return checked(page, outcome(0.3, loop), 0.3, loop)


WORST = Scene(
    "worst",
    _draw,
    (Control("d", "range", 1.0, 0.5, 1.0, 0.01, role="amplifier"), Control("check", "act")),
    shown=_shown,
    act=_act,
)
