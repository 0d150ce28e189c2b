"""What a result says once the parts that change by themselves are masked.

Two results that differ in a time, a duration, an address or a process number are the same news.
A mask replaces exactly those parts, most specific first; plain numbers stay, because the 5 in
"5 tests failed" is the news.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

__all__ = ["digest", "lines", "mask"]

_CLOCK = r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?"
_ZONE = r"(?:\s?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})\b)?"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_UNIT = (
    r"(?:ns|[µu]s|ms|msecs?|milliseconds?|s|secs?|seconds?|mins?|minutes?|hrs?|hours?"
    r"|毫秒|秒钟?|分钟|小时)"
)

_Guard = Callable[[str], object]


def _has(*words: str) -> _Guard:
    """Return a guard for lower-case lines that hold one of some words."""
    return re.compile("|".join(map(re.escape, words))).search


_ANY_CLOCK: Final = re.compile(r"\d:[0-5]\d").search
_ANY_LONG: Final = re.compile(r"\d{10}").search
_ANY_DIGIT: Final = re.compile(r"\d").search

#: Placeholder, a cheap guard on the lower-case line, and the pattern, applied in this order.
#: Dates alone stay: they may be the content.
_RULES: Final[tuple[tuple[str, _Guard, re.Pattern[str]], ...]] = tuple(
    (placeholder, guard, re.compile(pattern, re.IGNORECASE))
    for placeholder, guard, pattern in (
        ("", _has("\x1b"), r"\x1b\[[0-9;?]{0,20}[a-z]"),  # terminal colours
        (
            "<uuid>",
            _has("-"),
            r"(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])",
        ),
        ("<time>", _ANY_CLOCK, rf"\b\d{{4}}[-/]\d{{2}}[-/]\d{{2}}[T ]{_CLOCK}{_ZONE}"),
        (
            "<time>",
            _ANY_CLOCK,
            rf"\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{{0,6}},?\s)?(?:\d{{1,2}}\s{_MONTH}|{_MONTH}"
            rf"\s{{1,2}}\d{{1,2}}),?\s(?:\d{{4}},?\s)?{_CLOCK}{_ZONE}(?:\s\d{{4}}\b)?",
        ),
        (
            "<tmp>",
            _has("tmp/", "/folders/"),
            r"(?:/private)?(?:/var)?/(?:tmp|folders)/[^\s:;,'\"()<>\[\]]+",
        ),
        ("<tmp>", _has("\\temp\\"), r"\b[a-z]:\\(?:[^\s\\]+\\){1,8}temp\\[^\s:;,'\"()<>]+"),
        ("<address>", _has("0x"), r"\b0x[0-9a-f]{4,}\b"),
        # A hash has both letters and digits; a word such as "deadbeef" or a plain number has not.
        # In the lists of md5sum and its like ("hash  name") it is the content, and stays.
        (
            "<hex>",
            _ANY_DIGIT,
            r"\b(?=[0-9a-f]{0,63}\d)(?=[0-9a-f]{0,63}[a-f])"
            r"(?!(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})\s[ *]\S)"
            r"[0-9a-f]{7,128}\b",
        ),
        (
            "<duration>",
            _ANY_DIGIT,
            rf"(?<![a-z0-9_.])\d+(?:[.,]\d+)?\s?{_UNIT}(?![a-z0-9])",
        ),
        ("<time>", _ANY_CLOCK, rf"(?<![\d:.]){_CLOCK}{_ZONE}(?![\d:])"),
        (
            r"\1<id>",
            _has("id", "process", "thread", "port"),
            r"\b((?:p?pid|tid|process|thread|port)[\s:=#\[]{1,3})\d+\b",
        ),
        (
            r"\1<id>",
            _has("id"),
            r"\b((?:request|trace|span|session|run|job|task|message|correlation|chunk)[ _-]?id"
            r"['\"]?\s?[:=]\s?['\"]?)[\w-]{3,128}",
        ),
        ("<epoch>", _ANY_LONG, r"(?<![\w.])1[4-9]\d{8}(?:\d{3}|\.\d{1,9})?(?![\w.])"),
        ("<id>", _ANY_LONG, r"(?<![\w.])\d{12,}(?![\w.])"),
    )
)
#: Without any of these in it no rule changes a line.
_ANY_SIGN: Final = re.compile(r"[\d\x1b]|id|tmp/|/folders/|\\temp\\|[a-f]{8}-").search
_SPACE = re.compile(r"\s+")
#: Longer lines seldom repeat, and are not kept.
_SHORT = 300


def mask(line: str) -> str:
    """Replace what changes from one run to the next by a placeholder.

    Masked are: times of day and timestamps (``<time>``, ``<epoch>``), durations with a unit
    (``<duration>``), UUIDs, hashes of seven digits and more (``<hex>``; not in the lists of
    md5sum and its like, where they are the content), memory addresses,
    process, thread and port numbers, named request ids and numbers of twelve digits and more
    (``<id>``), temporary paths (``<tmp>``) and terminal colours. Not masked: other numbers, and
    dates without a time.

    Examples
    --------
    >>> mask("2025-05-20 10:00:01 pid=431: 5 failed in 3.21s")
    '<time> pid=<id>: 5 failed in <duration>'
    """
    low = line.lower()
    if not _ANY_SIGN(low):
        return line
    for placeholder, guard, pattern in _RULES:
        if guard(low):
            line = pattern.sub(placeholder, line)
    return line


def lines(text: object) -> list[str]:
    """Return the lines of a result: masked, white space collapsed, empty ones left out.

    Parameters
    ----------
    text
        A result; anything that is not a string has no lines.
    """
    if not isinstance(text, str):
        return []
    return [line for line in map(_clean, text.splitlines()) if line]


def _clean(line: str) -> str:
    return _known(line) if len(line) <= _SHORT else _SPACE.sub(" ", mask(line)).strip()


@lru_cache(maxsize=1 << 15)
def _known(line: str) -> str:
    """Return a short line masked: in a run that goes in circles most lines come again."""
    return _SPACE.sub(" ", mask(line)).strip()


def digest(text: object) -> str:
    """Return 16 hexadecimal digits (BLAKE2b, 64 bits) that results of the same lines share."""
    joined = "\n".join(lines(text)).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=8).hexdigest()
