"""The lanes as a table that draws itself: HTML without a line of code, to be read with a keyboard.

Each row is a disclosure: its summary holds the name, the strip and what would have been saved, and
Enter or a click opens why. The same is there once more as a plain table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from agentlens.breaker.near.words import advice_words, miss_words
from agentlens.figures.rule_lanes.rows import lane_rows
from agentlens.figures.rule_lanes.style import STYLE
from agentlens.figures.rule_lanes.texts import Texts
from agentlens.figures.view import view_of
from agentlens.trace.redact import redact

if TYPE_CHECKING:
    from agentlens.breaker.replay import Replay
    from agentlens.figures.rule_lanes.row import LaneRow, Mark
    from agentlens.figures.rule_lanes.rows import LaneRows

__all__ = ["lanes_html", "lanes_page"]

_CELLS = 200  # marks of one row and level that lie closer are drawn as one
_ALL_NUMBERED = 10  # so few rounds have all their numbers above the strips
_WHY = 8  # so many marks of a row are told in words


def lanes_html(
    replay: Replay, presets: Iterable[str] | None = None, *, steps: Any = None,
    thread: str | None = None, near: bool | None = None, lang: str = "en",
) -> str:  # fmt: skip
    """Return what `agentlens.figures.lanes` draws as HTML; see there, and `lanes_page`.

    Parameters
    ----------
    replay, presets, steps, thread, near, lang
        As for `agentlens.figures.lanes`.
    """
    view = view_of(replay, thread)
    return lanes_page(lane_rows(view, presets, steps=steps, near=near, lang=lang), lang)


def lanes_page(found: LaneRows, lang: str = "en") -> str:
    """Return the lanes as HTML.

    Parameters
    ----------
    found
        The rows, their reasons in the same language.
    lang
        ``en`` or ``zh``.

    Returns
    -------
    str
        Text of the trace in it is masked and escaped; nothing in it runs or is fetched.
    """
    texts, ends = Texts(found, lang), max(1, len(found.view))
    loud = [row for row in found.rows if row.marks or row.kind == "steps" or row.near]
    rest = [row for row in found.rows if row not in loud]
    parts = [STYLE, f'<div class="al-lanes" role="group" aria-label="{texts.say("title")}">']
    parts += [_key(texts), _ticks(texts, ends), _log(found, texts, ends)]
    parts += [_row(row, texts, ends) for row in loud]
    if rest:
        silent = texts.say("silent", n=len(rest))
        inner = "".join(_row(row, texts, ends) for row in rest)
        parts.append(f'<details class="al-rest"><summary>{silent}</summary>{inner}</details>')
    parts.append(_table(found.rows, texts))
    return "".join([*parts, "</div>"])


def _percent(at: float, ends: int) -> str:
    return f"{100 * at / ends:.2f}%"


def _where(mark: Mark) -> float:
    if mark.level == "stop":
        return mark.place + (mark.phase == "after")
    return mark.place + 0.5


def _row(row: LaneRow, texts: Texts, ends: int) -> str:
    name, saved = escape(texts.name(row)), escape(texts.saved(row))
    policy = f"{escape(texts.lanes.view.replay.policy.name)} · "
    shown = name
    if row.kind == "rule":
        shown = f'<span class="al-pre">{policy}</span>{escape(row.name)}'
    own = " al-own" if row.kind in ("rule", "policy") else ""
    silent = "" if row.marks else " al-silent"
    said = [escape(line) for line in texts.about(row)]
    for mark in row.marks[:_WHY]:
        head, *more = texts.mark(mark)
        said.append(f"<b>{escape(head)}</b>. {escape(' · '.join(more))}")
    if len(row.marks) > _WHY:
        last = texts.round(row.marks[-1].place)
        said.append(f"+{len(row.marks) - _WHY:,} … {escape(last)}")
    said += [escape(line) for line in texts.near(row)]
    why = "".join(f"<li>{line}</li>" for line in said)
    return (
        f'<details class="al-lane{silent}"><summary><span class="al-name{own}" title="{name}">'
        f'{shown}</span><span class="al-strip" aria-hidden="true">{_strip(row, texts, ends)}</span>'
        f'<span class="al-saved">{saved}</span></summary><ul>{why}</ul></details>'
    )


def _strip(row: LaneRow, texts: Texts, ends: int) -> str:
    drawn = [
        f'<i class="al-gone" style="left:{_percent(low, ends)};'
        f'width:{_percent(high + 1 - low, ends)}" title="{escape(texts.gone(row))}"></i>'
        for low, high in row.spans
    ]
    taken: set[tuple[str, bool, int]] = set()
    for mark in row.marks:
        at = _where(mark)
        cell = (mark.level, mark.fact, int(at * _CELLS / ends) if ends > _CELLS else mark.place)
        if cell in taken:
            continue
        taken.add(cell)
        kind = f"al-{mark.level}" + ("" if mark.fact or mark.level == "wait" else " al-later")
        if row.is_past(mark):
            kind += " al-past"
        tip = escape(" · ".join(texts.mark(mark)))
        drawn.append(f'<i class="{kind}" style="left:{_percent(at, ends)}" title="{tip}"></i>')
    position = texts.lanes.view.position
    for miss, said in zip(row.near, texts.near(row, len(row.near)), strict=True):
        if miss.row in position:
            left = _percent(position[miss.row] + 0.5, ends)
            drawn.append(f'<i class="al-miss" style="left:{left}" title="{escape(said)}"></i>')
    return "".join(drawn)


def _log(found: LaneRows, texts: Texts, ends: int) -> str:
    """Return the row of the warnings that the log itself shows, if it shows any."""
    if not found.advice:
        return ""
    drawn, said = [], []
    for advice in found.advice:
        place = found.view.position[advice.row]
        words = escape(advice_words(advice, texts.lang))
        said.append(f"<li>{words}</li>")
        if advice.ignored:
            after = found.view.position.get(advice.next_row or -1, ends)
            drawn.append(
                f'<i class="al-ignored" style="left:{_percent(place + 0.5, ends)};'
                f'width:{_percent(after - place - 0.5, ends)}" title="{words}"></i>'
            )
        left = _percent(place + 0.5, ends)
        drawn.append(f'<i class="al-warned" style="left:{left}" title="{words}"></i>')
    return (
        f'<details class="al-lane" open=""><summary><span class="al-name">{texts.say("log")}</span>'
        f'<span class="al-strip" aria-hidden="true">{"".join(drawn)}</span>'
        f'<span class="al-saved">{escape(texts.told())}</span></summary>'
        f"<ul>{''.join(said[:_WHY])}</ul></details>"
    )


def _key(texts: Texts) -> str:
    marks = [("al-nudge", "level_nudge"), ("al-block", "level_block"), ("al-stop", "level_stop"),
             ("al-nudge al-later", "key_later"), ("al-miss", "key_miss")]  # fmt: skip
    items = "".join(f'<span><i class="{kind}"></i>{texts.say(key)}</span>' for kind, key in marks)
    return f'<div class="al-key" aria-hidden="true">{items}</div>'


def _ticks(texts: Texts, ends: int) -> str:
    """Return the numbers of some rounds above the strips."""
    rounds = texts.lanes.view.replay.trace.tables["rounds"]["round"]
    rows = texts.lanes.view.rows
    last, few = len(rows) - 1, len(rows) <= _ALL_NUMBERED
    places = list(range(len(rows))) if few else sorted({round(i * last / 5) for i in range(6)})
    ticks = ""
    for place in places:
        number = f"{rounds[rows[place]]:,}"
        inside = f"calc(100% - {0.3 * len(number):.1f}em)"  # the last is not written over the head
        ticks += f'<b style="left:min({_percent(place + 0.5, ends)},{inside})">{number}</b>'
    head = texts.say("saved_head")
    return f'<div class="al-ticks" aria-hidden="true"><span></span><div>{ticks}</div>{head}</div>'


def _table(rows: Sequence[LaneRow], texts: Texts) -> str:
    heads = ("head_name", "head_first", "head_stop", "saved_head", "head_why", "head_near")
    head = "".join(f'<th scope="col">{texts.say(key)}</th>' for key in heads)
    body = []
    for row in rows:
        first = next((mark for mark in row.marks if mark.level != "wait"), None)
        cells = [
            texts.round(first.place) if first else "–",
            texts.round(row.stop.place) if row.stop else "–",
            texts.saved(row),
            redact((row.stop or first).reason) if first else "",
            "; ".join(redact(miss_words(miss, texts.lang)) for miss in row.near[:3]),
        ]
        name = f'<th scope="row">{escape(texts.name(row))}</th>'
        body.append(f"<tr>{name}{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>")
    return (
        f'<details class="al-plain"><summary>{texts.say("table")}</summary><table tabindex="0">'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></details>"
    )
