"""The state machine as an inline SVG, one run's path lit: for pages and folds that run no code."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from agentlens.breaker.machine import TABLE, TERMINALS, Arc, Transition
from agentlens.figures.machine_layout import BOX, PLACES, ROUTES, SIZE, curve, route_of
from agentlens.figures.theme import MID
from agentlens.figures.words import say
from agentlens.trace.redact import redact

__all__ = ["machine_svg"]

_Key = tuple[str, str, bool]


def machine_svg(path: Sequence[Transition], lang: str = "en") -> str:
    """Return the machine with every state and transition, and a path lit in it.

    Parameters
    ----------
    path
        Transitions, oldest first; without any the run is in `running`.
    lang
        ``en`` or ``zh``.

    Returns
    -------
    str
        An ``<svg>`` element that reads on a light and on a dark ground.
    """
    lit: dict[Arc, list[int]] = {}
    for number, step in enumerate(path, 1):
        for arc in TABLE:
            if (arc.source, arc.event, arc.target) == (step.source, step.event, step.target):
                lit.setdefault(arc, []).append(number)
    current = path[-1].target if path else "running"
    visited = {current, "running", *(step.source for step in path)}
    groups: dict[_Key, list[Arc]] = {}
    for arc in TABLE:
        groups.setdefault(route_of(arc), []).append(arc)
    said = say(lang, f"state_{current}")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE[0]} {SIZE[1]}" width="100%" '
        f'style="max-width:{SIZE[0]}px" font-size="11" fill="currentColor" role="img" '
        f'class="al-machine" data-state="{current}" aria-label="{escape(said)}">'
    ]
    for key in sorted(groups, key=lambda k: any(arc in lit for arc in groups[k])):
        parts += _arc(key, groups[key], lit, path, lang)
    parts += [_state(state, state == current, state in visited, lang) for state in PLACES]
    return "".join([*parts, "</svg>"])


def _arc(
    key: _Key, arcs: list[Arc], lit: dict[Arc, list[int]], path: Sequence[Transition], lang: str
) -> list[str]:
    on, points = any(arc in lit for arc in arcs), curve(key, 12)
    colour, wide = (MID["accent"], 3.0) if on else ("currentColor", 1.4 if key[2] else 1.1)
    line = "L".join(f"{x:.0f} {SIZE[1] - y:.0f}" for x, y in points)
    faint = "" if on else ' opacity=".45"'
    dash = "" if key[2] else ' stroke-dasharray="5 4"'
    causes = [f"{n}: {redact(path[n - 1].cause)[:160]}" for arc in arcs for n in lit.get(arc, ())]
    (x0, y0), (x1, y1) = points[-2], points[-1]
    size = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5 or 1.0
    dx, dy, head = (x1 - x0) / size, (y1 - y0) / size, 9 if on else 7
    corners = [
        (x1, y1),
        (x1 - head * dx - 0.45 * head * dy, y1 - head * dy + 0.45 * head * dx),
        (x1 - head * dx + 0.45 * head * dy, y1 - head * dy - 0.45 * head * dx),
    ]
    tip = " ".join(f"{x:.0f},{SIZE[1] - y:.0f}" for x, y in corners)
    made = [
        f"<g{faint}><title>{escape(' · '.join(causes))}</title>"
        f'<path d="M{line}" fill="none" stroke="{colour}" stroke-width="{wide}"{dash}/>'
        f'<polygon points="{tip}" fill="{colour}"/></g>'
    ]
    route = ROUTES[key]
    x, y = route.label
    anchor = {"left": "start", "right": "end"}.get(route.anchor, "middle")
    top = SIZE[1] - y - (7 * (len(arcs) - 1)) + (-4 if route.on_line else 4)
    for place, arc in enumerate(arcs):
        words = say(lang, f"event_{arc.event}")
        if arc.usable is not None:
            words += say(lang, "machine_usable" if arc.usable else "machine_unusable")
        words = words.replace("<br>", " ")
        if arc in lit:
            words = f"{', '.join(map(str, lit[arc]))} · {words}"
        weight = f' font-weight="bold" fill="{MID["accent"]}"' if arc in lit else ' opacity=".75"'
        made.append(
            f'<text x="{x:.0f}" y="{top + 14 * place:.0f}" text-anchor="{anchor}"{weight}>'
            f"{escape(words)}</text>"
        )
    return made


def _state(state: str, current: bool, visited: bool, lang: str) -> str:
    (x, y), (width, height) = PLACES[state], BOX
    left, top, colour = x - width / 2, SIZE[1] - y - height / 2, MID[state]
    edge = colour if visited else "currentColor"
    shade = f'fill="{colour}" fill-opacity=".25"' if current else 'fill="none"'
    box = (
        f'<rect x="{left:.0f}" y="{top:.0f}" width="{width}" height="{height}" rx="8" {shade} '
        f'stroke="{edge}" stroke-width="{3 if current else 2 if visited else 1}"/>'
    )
    if state in TERMINALS or state == "waiting_human":
        dash = "" if state in TERMINALS else ' stroke-dasharray="3 3"'
        box += (
            f'<rect x="{left + 4:.0f}" y="{top + 4:.0f}" width="{width - 8}" '
            f'height="{height - 8}" rx="5" fill="none" stroke="{edge}"{dash}/>'
        )
    bold = ' font-weight="bold"' if visited else ""
    return (
        f'<g>{box}<text x="{x}" y="{SIZE[1] - y + 4:.0f}" text-anchor="middle" font-size="12"'
        f"{bold}>{escape(say(lang, f'state_{state}'))}</text></g>"
    )
