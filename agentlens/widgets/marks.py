"""Which parts of a query are the tokens that another one has too."""

from __future__ import annotations

import html
import re
from collections.abc import Collection

from agentlens.progress.text import tokenize
from agentlens.widgets.escape import clean

__all__ = ["marked", "spans"]

# One character of a script without spaces between words, or a run of anything else.
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_UNIT = re.compile(f"[{_CJK}]|[^\\s{_CJK}]+")
_LONGEST = 2000  # characters: beyond, nobody compares two queries by eye


def spans(text: str, shared: Collection[str], profile: str) -> list[tuple[int, int]]:
    """Return where the shared tokens stand in a text, as places that do not overlap, in order.

    A token of a profile need not be written as in the text (case, width, punctuation), so a word
    is shared where its own tokens are; tokens longer than a character are also looked for as such.
    """
    if not shared:
        return []
    wanted = frozenset(shared)
    covered = [False] * len(text)
    lower = text.lower()
    if len(lower) == len(text):
        for token in sorted(wanted, key=len, reverse=True):
            if len(token) > 1:
                for found in re.finditer(_whole(token), lower):
                    covered[found.start() : found.end()] = [True] * len(token)
    for unit in _UNIT.finditer(text):
        tokens = tokenize(unit.group(), profile=profile)
        if tokens and tokens <= wanted:
            covered[unit.start() : unit.end()] = [True] * len(unit.group())
    found_spans: list[tuple[int, int]] = []
    for place, is_covered in enumerate(covered):
        if not is_covered:
            continue
        if found_spans and found_spans[-1][1] == place:
            found_spans[-1] = (found_spans[-1][0], place + 1)
        else:
            found_spans.append((place, place + 1))
    return found_spans


def _whole(token: str) -> str:
    word = r"[^\W" + _CJK + "]"  # a letter of a script that writes spaces
    before = f"(?<!{word})" if re.match(word, token[0]) else ""
    after = f"(?!{word})" if re.match(word, token[-1]) else ""
    return before + re.escape(token) + after


def marked(text: str, shared: Collection[str], profile: str) -> str:
    """Return a text for a page, the shared tokens in ``<mark>``; masked and escaped."""
    shown = clean(text)[:_LONGEST]
    out, end = [], 0
    for start, stop in spans(shown, shared, profile):
        out += [html.escape(shown[end:start]), "<mark>", html.escape(shown[start:stop]), "</mark>"]
        end = stop
    return "".join([*out, html.escape(shown[end:])])
