"""What a result says once the parts that change by themselves are masked.

Two results that differ in a time, a duration, an address or a process number are the same news.
A mask replaces exactly those parts, most specific first; plain numbers stay, because the 5 in
"5 tests failed" is the news.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Final

__all__ = ["digest", "lines", "mask", "new_lines"]

_CLOCK = r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?"
_ZONE = r"(?:\s?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})\b)?"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_UNIT = (
    r"(?:ns|[µu]s|ms|msecs?|milliseconds?|s|secs?|seconds?|mins?|minutes?|hrs?|hours?"
    r"|毫秒|秒钟?|分钟|小时)"
)

#: Placeholder and pattern, applied in this order. Dates alone stay: they may be the content.
_RULES: Final = tuple(
    (placeholder, re.compile(pattern, re.IGNORECASE))
    for placeholder, pattern in (
        ("", r"\x1b\[[0-9;?]{0,20}[a-z]"),  # terminal colours
        ("<uuid>", r"(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])"),
        ("<time>", rf"\b\d{{4}}[-/]\d{{2}}[-/]\d{{2}}[T ]{_CLOCK}{_ZONE}"),
        (
            "<time>",
            rf"\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{{0,6}},?\s)?(?:\d{{1,2}}\s{_MONTH}|{_MONTH}"
            rf"\s{{1,2}}\d{{1,2}}),?\s(?:\d{{4}},?\s)?{_CLOCK}{_ZONE}(?:\s\d{{4}}\b)?",
        ),
        ("<tmp>", r"(?:/private)?(?:/var)?/(?:tmp|folders)/[^\s:;,'\"()<>\[\]]+"),
        ("<tmp>", r"\b[a-z]:\\(?:[^\s\\]+\\){1,8}temp\\[^\s:;,'\"()<>]+"),
        ("<address>", r"\b0x[0-9a-f]{4,}\b"),
        # A hash has both letters and digits; a word such as "deadbeef" or a plain number has not.
        ("<hex>", r"\b(?=[0-9a-f]{0,63}\d)(?=[0-9a-f]{0,63}[a-f])[0-9a-f]{7,128}\b"),
        ("<duration>", rf"(?<![a-z0-9_.])\d+(?:[.,]\d+)?\s?{_UNIT}(?![a-z0-9])"),
        ("<time>", rf"(?<![\d:.]){_CLOCK}{_ZONE}(?![\d:])"),
        (r"\1<id>", r"\b((?:p?pid|tid|process|thread|port)[\s:=#\[]{1,3})\d+\b"),
        (
            r"\1<id>",
            r"\b((?:request|trace|span|session|run|job|task|message|correlation|chunk)[ _-]?id"
            r"['\"]?\s?[:=]\s?['\"]?)[\w-]{3,128}",
        ),
        ("<epoch>", r"(?<![\w.])1[4-9]\d{8}(?:\d{3}|\.\d{1,9})?(?![\w.])"),
        ("<id>", r"(?<![\w.])\d{12,}(?![\w.])"),
    )
)
_SPACE = re.compile(r"\s+")
_QUICK = re.compile(r"\d|/tmp|/folders|\x1b|\btemp\b|[0-9a-f]{7}|id\b", re.IGNORECASE)


def mask(line: str) -> str:
    """Replace what changes from one run to the next by a placeholder.

    Masked are: times of day and timestamps (``<time>``, ``<epoch>``), durations with a unit
    (``<duration>``), UUIDs, hashes of seven digits and more (``<hex>``), memory addresses,
    process, thread and port numbers, named request ids and numbers of twelve digits and more
    (``<id>``), temporary paths (``<tmp>``) and terminal colours. Not masked: other numbers, and
    dates without a time.

    Examples
    --------
    >>> mask("2025-05-20 10:00:01 pid=431: 5 failed in 3.21s")
    '<time> pid=<id>: 5 failed in <duration>'
    """
    if not _QUICK.search(line):
        return line
    for placeholder, pattern in _RULES:
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
    masked = (_SPACE.sub(" ", mask(line)).strip() for line in text.splitlines())
    return [line for line in masked if line]


def new_lines(texts: Iterable[object]) -> list[int]:
    """Return for each result, oldest first, how many of its lines no earlier result had.

    A line that a result repeats counts once.
    """
    seen: set[str] = set()
    counts = []
    for text in texts:
        before = len(seen)
        seen.update(lines(text))
        counts.append(len(seen) - before)
    return counts


def digest(text: object) -> str:
    """Return 16 hexadecimal digits (BLAKE2b, 64 bits) that results of the same lines share."""
    joined = "\n".join(lines(text)).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=8).hexdigest()
