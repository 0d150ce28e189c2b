"""The profile ``safe@1``: one spelling for one meaning, in any script.

Two steps: `normalise` folds what is only a matter of spelling (width, case, ligatures, digits,
invisible characters); `safe_tokens` scans the result from left to right, and the first pattern
that fits makes the token. The profile is frozen: another rule is another version.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterator
from typing import Final

import regex

from agentlens.progress.urls import canonical
from agentlens.progress.words import plain_number, split_letters, stem

__all__ = ["normalise", "safe_tokens"]

_IGNORABLE: Final = regex.compile(r"\p{Default_Ignorable_Code_Point}")
_ZWJ = "\u200d"
_TAGS = range(0xE0020, 0xE0080)  # the letters of a sub-national flag
_SKIN = range(0x1F3FB, 0x1F400)

# The longest run of marks that normal text has is below 30 (UAX #15, Stream-Safe Text Format);
# longer ones only make normalisation quadratic.
_MARKS: Final = regex.compile(r"(\p{M}{30})\p{M}+")
_STRAY_ZWJ: Final = regex.compile(
    r"(?<!\p{Extended_Pictographic})\u200d|\u200d(?!\p{Extended_Pictographic})"
)
_STRAY_TAGS: Final = regex.compile(
    r"(?<![\U0001F3F4\U000E0020-\U000E007F])[\U000E0020-\U000E007F]+"
)


class _Table(dict[int, "int | str | None"]):
    """What `str.translate` puts in the place of each character, filled as characters are met."""

    def __missing__(self, code: int) -> int | str | None:
        self[code] = value = self._place(chr(code), code)
        return value

    @staticmethod
    def _place(char: str, code: int) -> int | str | None:
        if char == _ZWJ or code in _TAGS:
            return code  # decided later, by their neighbours
        if char == "\u200b":
            return " "
        if char == "\u2019":
            return "'"
        if char == "\u0640" or code in _SKIN or _IGNORABLE.match(char):
            return None
        if 0xD800 <= code < 0xE000:
            return " "  # a lone surrogate: the wreck of a character
        digit = unicodedata.decimal(char, None)
        return code if digit is None else str(digit)


_TABLE: Final = _Table()


def normalise(text: str) -> str:
    """Fold width, case, digits and invisible characters.

    NFKC, full case folding and NFKC again (close to NFKC_Casefold of UAX #44); a zero-width space
    becomes a space, other default-ignorable characters vanish unless they hold an emoji together.
    """
    if text.isascii():
        return text.lower()
    text = _MARKS.sub(r"\1", text)
    text = unicodedata.normalize("NFKC", text).casefold().replace("i\u0307", "i")
    text = text.translate(_TABLE)
    if _ZWJ in text:
        text = _STRAY_ZWJ.sub("", text)
    text = _STRAY_TAGS.sub("", text)
    return unicodedata.normalize("NFKC", text)


_SCAN: Final = regex.compile(
    r"""
      (?P<url> (?<![a-z0-9_.@/-]) (?: https?:// | www\.(?=[a-z0-9-]+\.) )
               [!\#-&(-;=?-\[\]_a-z~]+ )
    | (?P<operator> (?<![\w-]) (?: (?<!\S)- )?
               (?: site | filetype | ext | inurl | intitle | intext | allintitle | allinurl
                 | allintext | related | before | after | lang | language | author | repo | user
                 | org | is | label ) : [a-z0-9] [a-z0-9._/*-]* )
    | (?P<date> (?<![\w.] | \d[-/]) (?P<y>[12]\d{3})
               (?: (?P<sep>[-/]) (?P<m>0?[1-9]|1[0-2]) (?P=sep) (?P<d>[12]\d|3[01]|0?[1-9])
                 | \s?年\s? (?P<m>0?[1-9]|1[0-2]) \s?月\s? (?P<d>[12]\d|3[01]|0?[1-9]) \s?[日号號] )
               (?! \d | [-/]\d ) )
    | (?P<language> (?<![a-z0-9]) (?: [cg]\+\+ | [cf]\# | (?<![\p{L}\p{N}])\.net ) (?![a-z+\#]) )
    | (?P<emoji> [0-9\#*]\u20e3
               | [\U0001F1E6-\U0001F1FF]{2}
               | \U0001F3F4 [\U000E0020-\U000E007F]+
               | (?![\u00a9\u00ae]) \p{Extended_Pictographic}
                 (?: \u200d \p{Extended_Pictographic} )* )
    | (?P<han> \p{Han}+ )
    | (?P<katakana> \p{Katakana} [\p{Katakana}ー\p{M}]* )
    | (?P<bigrams> \p{Hiragana} [\p{Hiragana}ー\p{M}]*
               | \p{Hangul} [\p{Hangul}\p{M}]*
               | [\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}] [\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{M}]* )
    | (?P<exclusion> (?<!\S) - (?= [a-z] ) [\p{Latin}\p{N}\p{M}]+ )
    | (?P<thousands> (?<! [a-z0-9.] | \d, ) (?> \d{1,3} (?: ,\d{3} )+ ) (?! ,?\d ) (?: \.\d+ )? )
    | (?P<joined> (?<![\w-]) (?: [a-z]-[a-z]{2,} | wi-fi ) (?![\w-] (?<!\p{Lo}) ) )
    | (?P<word> [[\p{L}\p{N}]--[\p{Han}\p{Katakana}\p{Hiragana}\p{Hangul}
                                \p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]]
                [[\p{L}\p{N}\p{M}]--[\p{Han}\p{Katakana}\p{Hiragana}\p{Hangul}
                                \p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]]*
            (?: (?: ['.:] | _+ )
                [[\p{L}\p{N}\p{M}]--[\p{Han}\p{Katakana}\p{Hiragana}\p{Hangul}
                                \p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]]+ )* )
    """,
    regex.VERBOSE | regex.V1,
)

# A written syllable: a letter with its marks, and with the letter that is stacked below it in
# Khmer (coeng) and Myanmar (virama). Own rule, so that it does not move with Unicode versions.
_SYLLABLE: Final = regex.compile(r"\P{M}(?:\p{M}|(?<=[\u1039\u17d2])\p{L})*")


def safe_tokens(text: str, split_alnum: bool) -> frozenset[str]:
    """Return the token set of one text; `split_alnum` parts letters from digits in a word."""
    return frozenset(_scan(normalise(text), split_alnum))


def _scan(text: str, split_alnum: bool) -> Iterator[str]:
    for match in _SCAN.finditer(text):
        kind, token = match.lastgroup, match.group()
        if kind == "word":
            if split_alnum:
                yield from map(stem, split_letters(token))
            else:
                yield stem(token)
        elif kind == "han":
            yield from token
        elif kind == "bigrams":
            yield from _bigrams(_SYLLABLE.findall(token))
        elif kind == "url":
            yield "url:" + canonical(token.rstrip(".,;:!?*_~&)]"))
        elif kind == "thousands":
            yield plain_number(token.replace(",", ""))
        elif kind == "joined":
            yield stem(token.replace("-", ""))
        elif match.group("date") is not None:  # its inner groups hide it from lastgroup
            yield f"d:{match['y']}-{int(match['m']):02d}-{int(match['d']):02d}"
        elif kind == "exclusion":
            yield "-" + stem(token[1:])
        else:
            yield token


def _bigrams(parts: list[str]) -> Iterator[str]:
    if len(parts) == 1:
        yield parts[0]
    for left, right in itertools.pairwise(parts):
        yield left + right
