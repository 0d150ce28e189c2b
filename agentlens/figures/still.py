"""What a notebook shows that runs no code: the strips as inline SVG, a small table, plain text."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from agentlens.breaker.states import states
from agentlens.figures.call_lanes import lanes_of
from agentlens.figures.svg import strips_svg
from agentlens.figures.theme import FONT, MID
from agentlens.figures.verdict import said_of, score_said
from agentlens.figures.view import View, view_of
from agentlens.figures.words import say

if TYPE_CHECKING:
    from agentlens.breaker.replay import Replay

__all__ = ["still", "text"]

_MOST_ROWS = 12


def still(replay: Replay, lang: str = "en", *, thread: str | None = None) -> str:
    """Return a replay as self-contained HTML without any script.

    Secrets are masked and all text is escaped. It takes less than 60 kB at any length of the run.

    Parameters
    ----------
    lang
        ``en`` or ``zh``.
    thread
        The thread to show; by default as `agentlens.figures.view.default_thread` says.
    """
    view = view_of(replay, thread)
    said = said_of(view, lang)
    font = FONT.replace('"', "'")
    muted = f'style="color:{MID["muted"]};overflow-wrap:anywhere"'
    head = [f'<div style="font-size:18px;font-weight:600">{escape(said.verdict)}</div>']
    head += [f"<div {muted}>{escape(line)}</div>" for line in (said.reason, said.other) if line]
    body = ""
    if view.rows:
        body = strips_svg(view, lanes_of(view), said.verdict, lang) + _table(view, lang)
    return (
        f'<div class="al-still" style="font:13px/1.45 {font};font-variant-numeric:tabular-nums;'
        f'max-width:760px">{"".join(head)}<div style="height:12px"></div>{body}</div>'
    )


def text(replay: Replay, lang: str = "en", *, thread: str | None = None) -> str:
    """Return a replay as a few lines of plain text: verdict, why, and the other half."""
    return str(said_of(view_of(replay, thread), lang))


def _listed(view: View) -> list[int]:
    """Return the positions worth a row: all, or those around the trip or the highest count."""
    if len(view) <= _MOST_ROWS:
        return list(range(len(view)))
    counts = view.replay.counts["query"]
    focus = (
        min(view.trips.values())
        if view.trips
        else max(range(len(view)), key=lambda place: counts[view.rows[place]] or 0)
    )
    first = max(0, min(focus - 7, len(view) - _MOST_ROWS))
    return list(range(first, first + _MOST_ROWS))


def _table(view: View, lang: str) -> str:
    keys = ("round", "query", "match", "score", "count", "state")
    cell = "padding:2px 12px 2px 0;text-align:left;vertical-align:top;"
    wraps = {"query", "match"}
    style = {
        k: cell + ("overflow-wrap:anywhere" if k in wraps else "white-space:nowrap") for k in keys
    }
    head = "".join(
        f'<th style="{style[key]}">{escape(say(lang, f"table_{key}"))}</th>' for key in keys
    )
    names, _ = states(view.replay)
    listed = _listed(view)
    rows = "".join(
        ("<tr style='opacity:.6'>" if view.counterfactual[place] else "<tr>")
        + "".join(
            f'<td style="{style[key]}">{escape(value)}</td>'
            for key, value in zip(keys, _cells(view, place, names, lang), strict=True)
        )
        + "</tr>"
        for place in listed
    )
    rest = len(view) - len(listed)
    more = (
        f'<div style="color:{MID["muted"]}">{escape(say(lang, "table_more", n=rest))}</div>'
        if rest
        else ""
    )
    return (
        '<table style="border-collapse:collapse;font-size:12px;margin-top:8px">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"
    )


def _cells(view: View, place: int, names: list[str], lang: str) -> tuple[str, ...]:
    replay, row = view.replay, view.rows[place]
    signals, rounds = replay.signals, replay.trace.tables["rounds"]
    query, count = signals.query[row], replay.counts["query"][row]
    asked = matched = score = ""
    if query >= 0:
        asked = view.masked(signals.queries[query].text, 60)
        match = signals.scored.match[query]
        if match >= 0:
            found = signals.queries[match]
            matched = f"{rounds['round'][found.row]} · {view.masked(found.text, 60)}"
            score = score_said(signals.num[row], signals.den[row], replay.policy.measure, lang)
    else:
        tools = replay.trace.tables["calls"]["tool"]
        used = dict.fromkeys(tools[call] for call in replay.trace.round_calls[row])
        asked = say(lang, "comma").join(view.masked(tool, 30) for tool in list(used)[:4])
    said = "" if count is None else str(count)
    return (
        str(rounds["round"][row]),
        asked,
        matched,
        score,
        said,
        say(lang, f"state_{names[row]}"),
    )
