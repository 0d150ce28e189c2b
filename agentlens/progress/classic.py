"""The profile ``classic@1``: trim, lower-case, drop symbols, split.

Chinese by the single character, everything else by the white-space word. It keeps the known
faults of that rule on purpose (C++ = C#, 3.14 = 314, full-width digits vanish), because they are
what a replay of the classic breaker has to show.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

import regex

__all__ = ["classic_tokens"]

_HAN: Final = regex.compile(r"\p{Han}")
_ALNUM: Final = re.compile(r"\d+|\D+")


class _Table(dict[int, "int | str"]):
    """What `str.translate` puts in the place of each character, filled as characters are met."""

    def __init__(self, symbol: str):
        super().__init__()
        self.symbol = symbol

    def __missing__(self, code: int) -> int | str:
        char = chr(code)
        self[code] = value = self._place(char, code)
        return value

    def _place(self, char: str, code: int) -> int | str:
        category = unicodedata.category(char)
        # Full-width forms that are no letters count as symbols, digits among them. A lone
        # surrogate is the wreck of a character and cannot be written to a file.
        fullwidth = 0xFF00 <= code <= 0xFFEF and category[0] != "L"
        if category[0] in "PS" or fullwidth or category == "Cs":
            return self.symbol
        if _HAN.match(char):
            return f" {char} "
        return code


_TABLES: Final = {"delete": _Table(""), "space": _Table(" ")}


def classic_tokens(text: str, punct: str, split_alnum: bool) -> frozenset[str]:
    """Return the token set of one text.

    Parameters
    ----------
    text
        One query.
    punct
        ``delete``: symbols vanish and what they parted grows together. ``space``: they part.
    split_alnum
        Part letters from digits inside a word (iphone15 -> iphone, 15).
    """
    words = text.lower().translate(_TABLES[punct]).split()
    if split_alnum:
        return frozenset(part for word in words for part in _ALNUM.findall(word))
    return frozenset(words)
