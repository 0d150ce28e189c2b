"""Scene 7: what a threshold costs once searching again may work, and what can be promised."""

from __future__ import annotations

from agentlens.figures.lesson.page import Page
from agentlens.figures.lesson.product import checked, loop_of
from agentlens.figures.lesson.scene import Control, Scene, Values
from agentlens.figures.lesson.svg import circle, line, picture, rect, words
from agentlens.teach.counts import false_stop, promised
from agentlens.teach.trigger_amplifier import Outcome, outcome
from agentlens.thresholds.intervals import at_most

__all__ = ["PRICE", "best_threshold", "promisable"]

_P, _D, _ROUNDS = 0.3, 0.9, 5
#: Similar steps of honest sessions of five searches (970 pairs of consecutive queries of people).
_HONEST, _SEARCHES, _LIMIT = 0.365, 5, 0.10
_X0, _X1, _LOW, _HIGH = 60, 420, 226, 24
_MOST_LOST, _MOST_WASTED = 12, 1.2


def _outcomes(success: float) -> dict[int, Outcome]:
    return {k: outcome(_P, loop_of(k, success, _D)) for k in range(1, _ROUNDS + 1)}


def best_threshold(success: float, worth: float) -> int:
    """Return the threshold that costs least, a lost success being worth so many rounds.

    The limit of five rounds stands for no breaker. Of equals the lowest.
    """
    found = _outcomes(success)
    reachable = found[_ROUNDS].success
    return min(found, key=lambda k: found[k].wasted + worth * (reachable - found[k].success))


def promisable(good: int) -> dict[int, bool]:
    """Return for each threshold whether so many good runs can promise at most 10 % false stops.

    As many of them are taken to be stopped as the run-of-k law says of honest sessions.
    """
    return {
        k: promised(good, _stopped(good, k), _LIMIT) for k in range(1, _ROUNDS)
    } | {_ROUNDS: True}  # fmt: skip


def _stopped(good: int, k: int) -> int:
    """Return how many of so many honest sessions a threshold is expected to stop."""
    return round(good * false_stop(_SEARCHES, _HONEST, k))


def _draw(page: Page, values: Values) -> str:
    g, worth, good = float(values["g"]), float(values["worth"]), int(values["good"])
    found, safe, best = _outcomes(g), promisable(good), best_threshold(g, worth)
    off, two = found[_ROUNDS], found[2]
    point = page.say(
        "price_point" if g else "price_point_free", g=f"{100 * g:.0f}",
        off=f"{100 * off.success:.1f} %", on=f"{100 * two.success:.1f} %",
    )  # fmt: skip
    parts = [*_axes(page), *_marks(page, found, safe, best), *_table(page, found, safe, best, good)]
    drawing = picture(290, parts, page.word("price_label"))
    name = page.word("price_off") if best == _ROUNDS else f"k = {best}"
    least = min((k for k in safe if safe[k]), default=_ROUNDS)
    said = page.word("price_off") if least == _ROUNDS else f"k = {least}"
    even = f"{(1 - g) / g:.1f}" if g else "∞"
    after = page.paragraph("price_best", worth=f"{worth:g}", best=name, even=even)
    hits = _stopped(good, 3)
    after += page.paragraph(
        "price_promise", good=good, least=said, hits=hits, bound=f"{100 * at_most(hits, good):.1f}",
        share=f"{100 * false_stop(_SEARCHES, _HONEST, 3):.1f}",
    )  # fmt: skip
    after += page.paragraph("price_lesson")
    pays = not g or worth < (1 - g) / g
    take = "price_take" if least < _ROUNDS else "price_take_few"
    after += page.paragraph(take if pays else "price_take_none", least=said, even=even, good=good)
    return page.frame("price", point, page.paragraph("price_prose") + drawing, after=after)


def _at(lost: float, wasted: float) -> tuple[float, float]:
    return (
        _X0 + (_X1 - _X0) * min(1.0, lost / _MOST_LOST),
        _LOW - (_LOW - _HIGH) * min(1.0, wasted / _MOST_WASTED),
    )


def _axes(page: Page) -> list[str]:
    muted, grid = page.colour("muted"), page.colour("grid")
    parts = [line(_X0, _LOW, _X1, _LOW, grid), line(_X0, _LOW, _X0, _HIGH, grid)]
    for lost in (0, 3, 6, 9, 12):
        x, _ = _at(lost, 0)
        parts.append(words(x, _LOW + 17, str(lost), fill=muted, anchor="middle", size=11))
    for wasted in (0, 0.4, 0.8, 1.2):
        _, y = _at(0, wasted)
        parts.append(words(_X0 - 10, y + 4, f"{wasted:.1f}", fill=muted, anchor="end", size=11))
    parts.append(words(_X0, _LOW + 38, page.word("price_x"), fill=muted))
    parts.append(words(16, 12, page.word("price_y"), fill=muted))
    return parts


def _marks(page: Page, found: dict[int, Outcome], safe: dict[int, bool], best: int) -> list[str]:
    off = found[_ROUNDS].success
    places = {k: _at(100 * (off - one.success), one.wasted) for k, one in found.items()}
    steps = "L".join(f"{x:.1f} {y:.1f}" for x, y in places.values())
    muted, amplifier = page.colour("muted"), page.colour("amplifier")
    parts = [f'<path d="M{steps}" fill="none" stroke="{muted}" stroke-dasharray="4 3"/>']
    for k, (x, y) in places.items():
        colour = page.colour("ink") if k == _ROUNDS else amplifier
        parts.append(circle(x, y, 6, colour if safe[k] else "none",
                            stroke=colour if safe[k] else muted))  # fmt: skip
        if k == best:
            parts.append(circle(x, y, 10, "none", stroke=page.colour("ink")))
        name = page.word("price_off") if k == _ROUNDS else f"k = {k}"
        parts.append(words(x + 14, y + 4, name, bold=k == best, fill="" if safe[k] else muted))
    return parts


def _table(
    page: Page, found: dict[int, Outcome], safe: dict[int, bool], best: int, good: int
) -> list[str]:
    columns = (458, 572, 624, 688, 750)
    muted, off = page.colour("muted"), found[_ROUNDS].success
    heads = ("price_head_k", "price_head_wasted", "price_head_lost", "price_head_false",
             "price_head_most")  # fmt: skip
    parts = [
        words(
            x, 44, page.word(key), fill=muted, anchor="start" if x == columns[0] else "end", size=11
        )
        for x, key in zip(columns, heads, strict=True)
    ]
    for place, (k, one) in enumerate(found.items()):
        y = 72 + 30 * place
        false = 0.0 if k == _ROUNDS else false_stop(_SEARCHES, _HONEST, k)
        cells = (
            page.word("price_off") if k == _ROUNDS else f"k = {k}",
            f"{one.wasted:.3f}", f"{100 * (off - one.success):.1f} %", f"{100 * false:.1f} %",
            "–" if k == _ROUNDS else f"{100 * at_most(_stopped(good, k), good):.1f} %",
        )  # fmt: skip
        fill = "" if safe[k] else muted
        if k == best:
            parts.append(rect(450, y - 18, 306, 26, "none", stroke=page.colour("ink"), radius=3,
                              thick=1))  # fmt: skip
        parts += [words(x, y, text, fill=fill, anchor="start" if x == columns[0] else "end",
                        extra="" if safe[k] else ' text-decoration="line-through"')
                  for x, text in zip(columns, cells, strict=True)]  # fmt: skip
    return parts


def _shown(page: Page, values: Values) -> dict[str, str]:
    return {
        "g": f"{100 * values['g']:.0f} %",
        "worth": page.word("shown_worth", n=int(values["worth"])),
    }


def _act(page: Page, values: Values, _name: str) -> str:
    loop = loop_of(2, float(values["g"]), _D)
    return checked(page, outcome(_P, loop), _P, loop)


PRICE = Scene(
    "price",
    _draw,
    (
        Control("g", "range", 0.1, 0, 0.3, 0.01),
        Control("worth", "range", 5, 0, 40, 1),
        Control("good", "range", 60, 0, 300, 5),
        Control("check", "act"),
    ),
    shown=_shown,
    act=_act,
)
