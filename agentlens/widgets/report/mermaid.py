"""A few rounds of a replay as the lines of a Mermaid sequence diagram.

In Mermaid a semicolon ends a statement, a hash begins a character's number and ``%%`` a comment or
a directive. So of a trace only letters, digits, marks and a few harmless signs stand as they are;
every other character is written by its number, which Mermaid shows as text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from agentlens.figures.compare.result import asked_of
from agentlens.figures.view import View
from agentlens.figures.words import fill, say
from agentlens.progress.novelty import round_novelty
from agentlens.widgets.escape import clean

__all__ = ["label", "sequence"]

_TOOLS = 6  # lifelines of their own; the other tools share one
_CALLS = 4  # arrows a round
_LONG = 60
_PLAIN = frozenset(" .,_/=?")


def label(text: object, most: int = _LONG) -> str:
    """Return a text that stands in a diagram as it is, whatever it holds."""
    shown = clean(text)
    shown = shown[:most] + "…" if len(shown) > most else shown
    return "".join(
        c if c in _PLAIN or unicodedata.category(c)[0] in "LMN" or c == "…" else f"#{ord(c)};"
        for c in shown
    )


def sequence(view: View, first: int, last: int, words: Mapping[str, str], lang: str) -> list[str]:
    """Return the lines of a diagram of the positions ``first`` to ``last - 1`` of a view.

    A call is an arrow to its tool; a dotted one with a cross would not have happened.
    """
    trace = view.replay.trace
    tools, status = trace.tables["calls"]["tool"], trace.tables["calls"]["status"]
    places = range(first, last)
    used = [tools[call] for place in places for call in trace.round_calls[view.rows[place]]]
    listed = list(dict.fromkeys(used))
    own = {tool: f"T{n}" for n, tool in enumerate(listed[:_TOOLS], 1)}
    lines = ["sequenceDiagram", f"    participant A as {words['agent']}"]
    lines += [f"    participant {mark} as {label(tool or '?', 30)}" for tool, mark in own.items()]
    if len(listed) > _TOOLS:
        lines.append(f"    participant T0 as {words['other_tools']}")
    stops = set(view.trips.values())
    news = round_novelty(trace)
    for place in places:
        row, gone = view.rows[place], view.counterfactual[place]
        calls = trace.round_calls[row]
        after = place in stops and not gone
        if place in stops and gone:
            lines.append(f"    Note over A: {words['stops']}")
        number = trace.tables["rounds"]["round"][row]
        for call in calls[:_CALLS]:
            arrow = "--x" if gone else "->>"
            said = f"{number} · {_asked(view, call)}"
            lines.append(f"    A{arrow}{own.get(tools[call], 'T0')}: {said}")
        if len(calls) > _CALLS:
            more = fill(words["more_calls"], {"n": len(calls) - _CALLS})
            lines.append(f"    Note over A: {number} · {more}")
        if calls and not gone:
            last_call = calls[min(len(calls), _CALLS) - 1]
            bad = any(status[call] not in ("ok", "missing", None) for call in calls)
            brought = _news(news.urls[row], news.lines[row], words, lang)
            said = f"{words['error']}{say(lang, 'comma')}{brought}" if bad else brought
            lines.append(f"    {own.get(tools[last_call], 'T0')}-->>A: {said}")
        if after:
            lines.append(f"    Note over A: {words['stops']}")
    return lines


def _asked(view: View, call: int) -> str:
    return label(view.masked(asked_of(view.replay.trace.tables["calls"], call), _LONG))


def _news(urls: int, lines: int, words: Mapping[str, str], lang: str) -> str:
    said = [
        say(lang, "new_urls", n=urls) if urls else "",
        say(lang, "new_lines", n=lines) if lines else "",
    ]
    return say(lang, "comma").join(filter(None, said)) or words["nothing"]
