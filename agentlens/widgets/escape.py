"""The only way in which text of a trace reaches a page or a terminal: masked, then escaped."""

from __future__ import annotations

import html
import unicodedata

from agentlens.trace.redact import redact

__all__ = ["clean", "is_harmful", "mask", "safe", "safe_block"]

#: Categories of characters that would end a line, move the cursor, or turn the direction.
_HARMFUL = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def is_harmful(character: str) -> bool:
    """Say whether a character does something other than being seen, or is none at all (U+FFFE)."""
    code = ord(character)
    nothing = code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
    return nothing or unicodedata.category(character) in _HARMFUL


def mask(text: str) -> str:
    """Return a text with its secrets masked."""
    return redact(text)


def clean(text: object) -> str:
    """Return a text on one line, secrets masked, nothing invisible in it; not escaped."""
    return _visible(mask(" ".join(str(text).split())))


def safe(text: object) -> str:
    """Return a text for a page on one line: secrets masked, markup escaped."""
    return html.escape(clean(text))


def safe_block(text: object, most: int) -> str:
    """Return a text for a page with its line breaks, masked and escaped, in at most `most` letters.

    It is masked before it is cut, so that no half of a secret is left.
    """
    shown = "\n".join(_visible(line) for line in mask(str(text)).splitlines())
    return html.escape(shown[:most] + "…" if len(shown) > most else shown)


def _visible(line: str) -> str:
    """Drop what would end a line or turn the writing direction; a tab becomes a space."""
    if line.isascii() and line.isprintable():
        return line
    return "".join(" " if c == "\t" else "" if is_harmful(c) else c for c in line)
