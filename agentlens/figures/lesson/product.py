"""Scene 2: wasted rounds are an area, the trigger its width and the amplifier its height."""

from __future__ import annotations

import json

from agentlens.figures.lesson.page import Page
from agentlens.figures.lesson.scene import Control, Scene, Values
from agentlens.figures.lesson.svg import line, picture, rect, words
from agentlens.teach.trigger_amplifier import Loop, Outcome, outcome

__all__ = ["PRODUCT", "checked", "loop_of"]

_ROUNDS = 5
_X0, _X1, _LEAST, _Y1 = 48, 368, 232, 24  # the plot's box: p = 0 … 0.5, A = 0 … 4
_MOST = 0.5
#: p and k of the four corners, as they are and fixed.
_CORNERS = ((0.3, 5), (0.1, 5), (0.3, 2), (0.1, 2))


def loop_of(threshold: float, success: float = 0.0, detection: float = 1.0) -> Loop:
    """Return the amplifier at a threshold; five, the limit of rounds, is no breaker."""
    k = int(threshold)
    return Loop(_ROUNDS, success, 1.0, None if k >= _ROUNDS else k, detection)


def checked(page: Page, found: Outcome, trigger: float, loop: Loop, runs: int = 200_000) -> str:
    """Return what random runs say to a closed form, and whether it lies in their band."""
    from agentlens.teach.monte_carlo import simulate

    drawn = simulate(trigger, loop, runs)
    lines = ""
    for name, value, digits in (
        ("wasted", found.wasted, 4),
        ("success", found.success, 4),
        ("seconds", found.seconds, 2),
    ):
        estimate = getattr(drawn, name)
        lines += (
            f'<div data-check="{name}" data-inside="{str(value in estimate).lower()}">'
            + page.say(
                "check_inside" if value in estimate else "check_outside",
                name=page.word(f"check_{name}"),
                value=f"{value:.{digits}f}",
                mean=f"{estimate.mean:.{digits}f}",
                low=f"{estimate.low:.{digits}f}",
                high=f"{estimate.high:.{digits}f}",
            )
            + "</div>"
        )
    return f"<div>{page.say('check_head', runs=runs)}</div>{lines}"


def _x(p: float) -> float:
    return _X0 + (_X1 - _X0) * p / _MOST


def _y(a: float) -> float:
    return _LEAST - (_LEAST - _Y1) * a / (_ROUNDS - 1)


def _draw(page: Page, values: Values) -> str:
    p, loop = float(values["p"]), loop_of(values["k"])
    found = outcome(p, loop)
    ink, muted = page.colour("ink"), page.colour("muted")
    trigger, amplifier = page.colour("trigger"), page.colour("amplifier")
    x, y = _x(p), _y(found.amplification)
    parts = [
        line(_X0, _LEAST, _X1, _LEAST, page.colour("grid")),
        line(_X0, _LEAST, _X0, _Y1, page.colour("grid")),
        rect(_X0, y, x - _X0, _LEAST - y, ink, opacity=0.12),
        line(_X0, _LEAST, x, _LEAST, trigger, thick=5),
        line(_X0, _LEAST, _X0, y, amplifier, thick=5),
        line(_X0, y, x, y, trigger, thick=2, dash="4 3"),
        line(x, y, x, _LEAST, amplifier, thick=2, dash="4 3"),
        f'<circle class="al-grip" cx="{x:.1f}" cy="{y:.1f}" r="7" fill="{ink}"/>',
        words((_X0 + x) / 2, (y + _LEAST) / 2 + 5, f"{found.wasted:.2f}", anchor="middle",
              size=16, bold=True),
    ]  # fmt: skip
    for share in (0, 0.1, 0.2, 0.3, 0.4, 0.5):
        parts.append(words(_x(share), _LEAST + 18, f"{share:.0%}", fill=muted, anchor="middle",
                           size=11))  # fmt: skip
    for rounds in range(_ROUNDS):
        parts.append(words(_X0 - 10, _y(rounds) + 4, str(rounds), fill=muted, anchor="end",
                           size=11))  # fmt: skip
    parts += [
        words(_X0, _LEAST + 38, page.word("product_x"), fill=trigger, bold=True),
        words(_X0 - 36, _Y1 - 10, page.word("product_y"), fill=amplifier, bold=True),
        *_four(page),
    ]
    drag = {"x": ["p", _X0, _X1, 0, _MOST], "y": ["k", _LEAST, _Y1, 1, _ROUNDS]}
    extra = f" data-drag='{json.dumps(drag)}'"
    point = page.say(
        "product_point", p=f"{100 * p:.0f}", a=f"{found.amplification:.2f}",
        w=f"{found.wasted:.2f}",
    )  # fmt: skip
    drawing = picture(276, parts, page.word("product_label", w=f"{found.wasted:.2f}"), extra=extra)
    return page.frame("product", point, page.paragraph("product_prose") + drawing,
                      after=page.paragraph("product_lesson")
                      + page.paragraph("product_general"))  # fmt: skip


def _four(page: Page) -> list[str]:
    """Draw the four corners of the two by two, to one scale."""
    wide, high = 330, 35  # pixels of p = 1, and of one round
    parts = []
    for place, (p, k) in enumerate(_CORNERS):
        found = outcome(p, loop_of(k))
        left = 452 + 150 * (place % 2)
        low = 158 if place < 2 else 238
        width, height = p * wide, found.amplification * high
        parts += [
            rect(left, low - height, width, height, page.colour("ink"), opacity=0.12),
            line(left, low, left + width, low, page.colour("trigger"), thick=4),
            line(left, low, left, low - height, page.colour("amplifier"), thick=4),
            words(left + width + 6, low - 4, f"{found.wasted:.1f}", size=16, bold=True),
        ]
    muted = page.colour("muted")
    for place, key in enumerate(("product_as_is", "product_search")):
        parts.append(words(452 + 150 * place, 258, page.word(key), fill=muted))
    parts.append(words(444, 14, page.word("product_no_breaker"), fill=muted))
    parts.append(words(444, 192, page.word("product_breaker"), fill=muted))
    return parts


def _shown(page: Page, values: Values) -> dict[str, str]:
    k = int(values["k"])
    return {
        "p": f"{100 * values['p']:.0f} %",
        "k": page.word("shown_k_off") if k >= _ROUNDS else page.word("shown_k", k=k),
    }


def _act(page: Page, values: Values, _name: str) -> str:
    p, loop = float(values["p"]), loop_of(values["k"])
    return checked(page, outcome(p, loop), p, loop)


PRODUCT = Scene(
    "product",
    _draw,
    (
        Control("p", "range", 0.3, 0, _MOST, 0.01, role="trigger"),
        Control("k", "range", 5, 1, _ROUNDS, 1, role="amplifier"),
        Control("check", "act"),
    ),
    shown=_shown,
    act=_act,
)
