"""A report as Markdown for an issue tracker: verdict, a Mermaid sequence, a table of rounds.

A tracker makes links, mentions, references, formulas and markup out of text. So what a trace says
stands in code spans only, where trackers read nothing, and the two characters that could end a
span or a cell are replaced by ones that look alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentlens import __version__
from agentlens.breaker.states import states
from agentlens.figures.verdict import said_of
from agentlens.figures.view import View, view_of
from agentlens.figures.words import fill, load_words, say
from agentlens.progress.measures import score_text
from agentlens.progress.novelty import round_novelty
from agentlens.trace.redact import redacting
from agentlens.trace.redact_trace import Unmasked, masker_of
from agentlens.widgets.escape import clean
from agentlens.widgets.report.mermaid import sequence

if TYPE_CHECKING:
    from agentlens.breaker.replay import Replay

__all__ = ["code", "markdown", "window"]

_WORDS = load_words("agentlens.widgets.report", "markdown.toml")
_ROWS, _DRAWN = 40, 14  # rounds in the table, and in the drawing
_ALIKE = str.maketrans({"`": "ˋ", "|": "∣"})  # U+02CB, U+2223
_LONG = 160


def markdown(made: Replay, *, lang: str = "en") -> str:
    """Return the report of a replay as Markdown (GitHub's and GitLab's, Mermaid included).

    The rounds around the trip are shown, and how many were left out; without a trip those around
    the highest count. Secrets are masked, and nothing of the trace is markup.

    Parameters
    ----------
    made
        The replay.
    lang
        ``en`` or ``zh``.
    """
    with redacting(masker_of(made.trace)):
        return _markdown(made, lang)


def _markdown(made: Replay, lang: str) -> str:
    words, view = _WORDS[lang], view_of(made)
    said, policy = said_of(view, lang), made.policy
    title = words["title" if made.trips else "title_calm"]
    parts = [f"### {fill(title, {'name': code(made.trace.name)})}", f"**{said.verdict}**"]
    why = [clean(line).translate(_ALIKE) for line in (said.reason, said.other) if line]
    if why:
        parts.append("\n".join(["```text", *why, "```"]))
    if view.rows:
        first, last = window(view, _DRAWN)
        drawn = "\n".join(sequence(view, first, last, words, lang))
        parts.append(f"```mermaid\n{drawn}\n```")
        if last - first < len(view):
            parts.append(_left(words["left_drawn"], view, first, last))
        first, last = window(view, _ROWS)
        parts.append(_table(view, first, last, lang))
        notes = [words["ghost"]] if any(view.counterfactual[first:last]) else []
        if last - first < len(view):
            notes.append(_left(words["left"], view, first, last))
        parts += ["  \n".join(notes)] if notes else []
    threads = len(made.trace.tables["threads"]["thread"])
    facts = [fill(words["threads"], {"n": threads})] if threads > 1 else []
    values = {
        "version": __version__, "policy": code(policy.name), "similarity": str(policy.similarity),
        "threshold": policy.threshold, "profile": code(policy.profile),
        "format": code(made.trace.format),
        "secrets": words["kept" if isinstance(masker_of(made.trace), Unmasked) else "masked"],
    }  # fmt: skip
    facts.append(fill(words["made"], values))
    return "\n\n".join([*parts, " ".join(facts)]) + "\n"


def code(text: object, most: int = _LONG) -> str:
    """Return a text as a code span that nothing in it can leave; empty for no text."""
    shown = clean(text).translate(_ALIKE).strip()
    shown = shown[:most] + "…" if len(shown) > most else shown
    if not shown:
        return ""
    # A space on both sides is no part of a span; it keeps a backslash away from the closing mark.
    return f"` {shown} `" if shown.endswith("\\") else f"`{shown}`"


def window(view: View, most: int) -> tuple[int, int]:
    """Return the positions to show: all, or those around the trip or the highest count."""
    if len(view) <= most:
        return 0, len(view)
    counts = view.replay.counts["query"]
    focus = (
        min(view.trips.values())
        if view.trips
        else max(range(len(view)), key=lambda place: counts[view.rows[place]] or 0)
    )
    first = max(0, min(focus - most * 2 // 3, len(view) - most))
    return first, first + most


def _left(template: str, view: View, first: int, last: int) -> str:
    return fill(template, {"before": first, "after": len(view) - last})


def _table(view: View, first: int, last: int, lang: str) -> str:
    words = _WORDS[lang]
    keys = ("round", "asked", "match", "score", "count", "new", "state")
    lines = [
        "| " + " | ".join(words[key] for key in keys) + " |",
        "|--:|---|--:|--:|--:|--:|---|",
    ]
    names, novelty = states(view.replay)[0], round_novelty(view.replay.trace)
    for place in range(first, last):
        lines.append("| " + " | ".join(_cells(view, place, names, novelty.urls, lang)) + " |")
    return "\n".join(lines)


def _cells(view: View, place: int, names: list[str], urls: list[int], lang: str) -> list[str]:
    made, row = view.replay, view.rows[place]
    signals, rounds = made.signals, made.trace.tables["rounds"]
    query, count = signals.query[row], made.counts["query"][row]
    match = score = ""
    if query >= 0:
        asked = code(view.masked(signals.queries[query].text, _LONG))
        score = score_text(signals.num[row], signals.den[row], made.policy.measure)
        found = signals.scored.match[query]
        if found >= 0:
            match = str(rounds["round"][signals.queries[found].row])
    else:
        tools = made.trace.tables["calls"]["tool"]
        used = dict.fromkeys(tools[call] or "?" for call in made.trace.round_calls[row])
        asked = " ".join(code(tool, 40) for tool in list(used)[:4])
        asked += " …" if len(used) > 4 else ""
        asked = asked or say(lang, f"kind_{signals.kind[row]}")
    return [
        f"{rounds['round'][row]}{' †' if view.counterfactual[place] else ''}",
        asked,
        match,
        score,
        "" if count is None else f"{count:g}",
        str(urls[row] or ""),
        say(lang, f"state_{names[row]}"),
    ]
