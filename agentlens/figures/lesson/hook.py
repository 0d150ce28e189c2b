"""Scenes 0 and 1: the incident at its own speed, and the question before the answer."""

from __future__ import annotations

from functools import cache

from agentlens.breaker.policy import Policy
from agentlens.figures.lesson.page import Page
from agentlens.figures.lesson.scene import Control, Scene, Values
from agentlens.figures.lesson.svg import WIDTH, hatch, line, picture, rect, words
from agentlens.teach.trigger_amplifier import INCIDENT_SECONDS
from agentlens.teach.two_by_two import Cell, TwoByTwo, incident, two_by_two

__all__ = ["HOOK", "PREDICT"]

_LEFT, _ROUND = 8, 144  # pixels before the first round, and of one round
_LIMIT = 5


@cache
def _replayed(threshold: int) -> TwoByTwo:
    return two_by_two(incident(), Policy.preset("classic", threshold=threshold))


def _hook(page: Page, _values: Values) -> str:
    grid = _replayed(2)
    off, on = grid[False, False], grid[False, True]
    queries = [q.text for q in off.replay.signals.queries]
    glosses = [page.word(f"hook_gloss_{n}") for n in range(1, _LIMIT + 1)]
    more = 28 if any(glosses) else 0  # pixels of two lines below each query
    parts = [hatch("al-hook", "currentColor")]
    for place, (cell, key) in enumerate(((off, "hook_row_off"), (on, "hook_row_on"))):
        y = 22 + (90 + more) * place
        parts += _row(page, y, list(zip(queries, glosses, strict=True)), cell, key, more)
    y = 182 + 2 * more
    for n in range(_LIMIT + 1):
        x = _LEFT + n * _ROUND
        parts += [line(x, y, x, y + 5, page.colour("grid")),
                  words(x, y + 18, _seconds(n * INCIDENT_SECONDS), fill=page.colour("muted"),
                        anchor="start" if n == 0 else "middle", size=11)]  # fmt: skip
    stop = _LEFT + on.rounds * _ROUND
    paper = "var(--al-ground)" if page.live else "#FFFFFF"
    parts += [
        line(stop, y - 66 - more, stop, y, page.colour("trip"), thick=2),
        rect(stop, y - 20, 84, 18, page.colour("trip")),
        words(stop + 6, y - 7, page.word("hook_flag"), fill=paper),
    ]
    point = page.say(
        "hook_point", rounds=off.rounds, seconds=f"{off.seconds:.1f}", kept=on.rounds,
        less=f"{on.seconds:.2f}",
    )  # fmt: skip
    seconds = f' data-seconds="{off.seconds:g}"'
    drawing = picture(y + 26, parts, page.word("hook_label"), extra=seconds)
    return page.frame("hook", point, page.paragraph("hook_prose") + drawing)


def _seconds(value: float) -> str:
    return f"{value + 1e-9:.1f} s"  # 14.35 is 14.4, whatever its binary says


def _row(
    page: Page, y: float, queries: list[tuple[str, str]], cell: Cell, key: str, more: float
) -> list[str]:
    amplifier, trigger, muted = (page.colour(c) for c in ("amplifier", "trigger", "muted"))
    parts, done = [words(_LEFT, y, page.word(key))], cell.rounds
    for n in range(_LIMIT):
        x = _LEFT + n * _ROUND
        kept = n < done
        colour = trigger if n == 0 else amplifier
        fill = colour if kept else "url(#al-hook)"
        query, gloss = queries[n]
        parts.append(rect(x + 1, y + 8, _ROUND - 2, 34 + more, fill, opacity=0.22 if kept else 1,
                          stroke=colour if kept else "", radius=2))  # fmt: skip
        parts.append(words(x + 8, y + 29, f"{n + 1}  {query}",
                           fill="" if kept else muted))  # fmt: skip
        for place, text in enumerate(gloss.split("|")):
            parts.append(words(x + 8, y + 45 + 14 * place, text, fill=muted, size=11))
    seconds = done * INCIDENT_SECONDS
    parts.append(
        f'<rect class="al-run" x="{_LEFT}" y="{y + 45 + more}" width="{done * _ROUND}" '
        f'height="4" fill="{muted}" style="--al-seconds:{seconds:g}s"/>'
    )
    text = page.word("hook_time", seconds=f"{seconds:.2f}" if done < _LIMIT else f"{seconds:g}")
    parts.append(words(_LEFT, y + 63 + more, text, fill=muted, size=11))
    return parts


HOOK = Scene("hook", _hook, (Control("play", "play"),))


def _predict(page: Page, values: Values) -> str:
    answer = values["answer"]
    point = page.say("predict_point" if answer == "none" else f"predict_point_{answer}")
    cell = "padding:6px 12px 6px 0;text-align:left;vertical-align:top;"
    rows = ""
    kept = ("where", "change", "left") if answer == "none" else ("where", "change", "cost", "left")
    for key in kept:  # what a fix costs would tell the answer
        rows += (
            f'<tr><td style="{cell}color:{page.colour("muted")};white-space:nowrap">'
            f"{page.say(f'predict_{key}')}</td>"
            f'<td style="{cell}border-left:3px solid {page.colour("trigger")};padding-left:12px">'
            f"{page.say(f'predict_{key}_trigger')}</td>"
            f'<td style="{cell}border-left:3px solid {page.colour("amplifier")};padding-left:12px">'
            f"{page.say(f'predict_{key}_amplifier')}</td></tr>"
        )
    head = f'<th style="{cell}"></th>' + "".join(
        f'<th style="{cell}border-left:3px solid {page.colour(role)};padding-left:12px">'
        f"{page.say(f'predict_head_{role}')}</th>"
        for role in ("trigger", "amplifier")
    )
    table = (
        f'<table style="border-collapse:collapse;font-size:13px;max-width:{WIDTH}px;'
        f'margin:4px 0 8px"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    )
    return page.frame("predict", point, page.paragraph("predict_prose") + table)


PREDICT = Scene(
    "predict",
    _predict,
    (Control("answer", "choice", "none", options=("none", "trigger", "amplifier", "same")),),
    keep=lambda values: {"answer": values["answer"]},
)
