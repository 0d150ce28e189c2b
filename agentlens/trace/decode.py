"""JSON out of logs as they are: strict and fast first, forgiving where a log is not quite JSON."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import orjson

from agentlens.trace.repair import TooDeep, repaired

__all__ = ["Damage", "parse", "stream_items"]

_GAP = re.compile(r"[\s,]*")
_WINDOW = 1 << 22
_DECODER = json.JSONDecoder()


class Damage(ValueError):  # noqa: N818 - a finding that a reader counts, not a failure
    """A piece of a log is not JSON.

    Parameters
    ----------
    message
        What is wrong with it.
    line
        1-based line within the piece, where known.
    cut
        True where the text simply ends in the middle of a value.
    """

    def __init__(self, message: str, line: int | None = None, *, cut: bool = False):
        super().__init__(message)
        self.line = line
        self.cut = cut


def parse(data: bytes) -> tuple[Any, bool]:
    r"""Parse one JSON value; return it and whether it had to be repaired.

    Repaired are what real logs hold and strict JSON refuses: ``NaN``, lone surrogates from
    output cut in the middle of an emoji, raw control characters, bytes that are not UTF-8.

    Raises
    ------
    Damage
        If it is not JSON even so.
    """
    try:
        return orjson.loads(data), False
    except orjson.JSONDecodeError:
        pass
    text = data.decode("utf-8", "replace")
    try:
        value = json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        raise Damage(error.msg, error.lineno, cut=cut) from None
    except (RecursionError, ValueError) as error:  # ValueError: an integer of thousands of digits
        raise Damage(
            "nested too deeply" if isinstance(error, RecursionError) else "a number too long"
        ) from None
    return _clean(value), True


def _clean(value: Any) -> Any:
    """Replace lone surrogates, which nothing downstream can encode."""
    try:
        return repaired(value)
    except TooDeep:
        raise Damage("nested too deeply") from None


def stream_items(stream: BinaryIO, first: bytes) -> Iterator[Any]:
    """Yield the items of one large JSON array, holding only a window of it.

    Parameters
    ----------
    stream
        Binary file that stands behind `first`.
    first
        The beginning of the array, from its bracket.

    Raises
    ------
    Damage
        If the array is cut off or is not JSON; the items before that have been yielded.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = decoder.decode(first).lstrip("\ufeff \t\r\n")
    at, window, line, ended = 1, _WINDOW, 1, False
    while True:
        at = _GAP.match(text, at).end()  # type: ignore[union-attr]
        if at < len(text) and text[at] == "]":
            return
        problem: json.JSONDecodeError | None = None
        if at < len(text):
            try:
                value, end = _DECODER.raw_decode(text, at)
                if end < len(text) or ended:
                    yield _clean(value) if _has_surrogates(text, at, end) else value
                    at = end
                    if at > _WINDOW:
                        line += text.count("\n", 0, at)
                        text, at, window = text[at:], 0, _WINDOW
                    continue
            except json.JSONDecodeError as error:
                problem = error
            except (RecursionError, ValueError):
                raise Damage("nested too deeply", line + text.count("\n", 0, at)) from None
            if problem and not problem.msg.startswith("Unterminated"):
                near_end = problem.pos > len(text) - 64
                if ended or not near_end:
                    place = line + text.count("\n", 0, problem.pos)
                    raise Damage(problem.msg, place, cut=ended and near_end)
        if ended:
            raise Damage("the array is cut off", line + text.count("\n"), cut=True)
        more = stream.read(window)
        ended = not more
        text, at = text[at:] + decoder.decode(more, final=ended), 0
        window = min(window * 2, 1 << 26)


def _has_surrogates(text: str, start: int, end: int) -> bool:
    return text.find("\\ud", start, end) >= 0 or text.find("\\uD", start, end) >= 0
