"""The only way in which text of a trace reaches a page or a terminal: masked, then escaped."""

from __future__ import annotations

import html
import unicodedata

from agentlens.trace.redact import Redactor

__all__ = ["mask", "safe", "safe_block"]

_HARMFUL = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def mask(text: str) -> str:
    """Return a text with its secrets masked."""
    return Redactor().redact(text)


def safe(text: object) -> str:
    """Return a text for a page on one line: secrets masked, markup escaped, nothing invisible."""
    return html.escape(_visible(mask(" ".join(str(text).split()))))


def safe_block(text: object) -> str:
    """Return a text for a page with its line breaks: secrets masked, markup escaped."""
    return html.escape("\n".join(_visible(line) for line in mask(str(text)).splitlines()))


def _visible(line: str) -> str:
    """Drop what would end a line or turn the writing direction; a tab stays a space."""
    if line.isascii() and line.isprintable():
        return line
    return "".join(
        " " if c == "\t" else "" if unicodedata.category(c) in _HARMFUL else c for c in line
    )
