"""JSON out of logs as they are: strict and fast first, forgiving where a log is not quite JSON."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

from agentlens.trace.model import Note
from agentlens.trace.repair import TooDeep, repaired

if TYPE_CHECKING:
    from agentlens.trace.places import Places

__all__ = ["Damage", "parse", "parse_lines", "stream_items"]

_GAP = re.compile(r"[ \t\r\n,]*")
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


def parse_lines(
    lines: Iterator[tuple[int, bytes]],
    notes: dict[tuple[str, str], Note],
    places: Places | None,
) -> Iterator[tuple[int, Any]]:
    """Parse line by line; a damaged line costs that line and is counted."""
    loads = orjson.loads
    for number, line in lines:
        if places is not None:
            places.add(len(line))
        try:
            yield number, loads(line)
            continue
        except orjson.JSONDecodeError:
            if not line.strip(b" \t\r\n\x00"):
                continue
        try:
            value, _ = parse(line.strip(b"\x00"))
            problem = "not strict JSON (NaN, lone surrogates or stray bytes); repaired"
            yield number, value
        except Damage as damage:
            half = damage.cut and not line.endswith(b"\n")
            problem = (
                "the last line is cut off and was left out"
                if half
                else f"a line is not JSON and was left out ({damage})"
            )
        old = notes.get(("damaged", problem))
        first, count = (old.line, old.count + 1) if old else (number, 1)
        notes["damaged", problem] = Note("damaged", problem, first, count)


def stream_items(
    stream: BinaryIO, first: bytes, place: Callable[[int, int], None] | None = None
) -> Iterator[Any]:
    """Yield the items of one large JSON array, holding only a window of it.

    Parameters
    ----------
    stream
        Binary file that stands behind `first`.
    first
        The beginning of the array, from its bracket.
    place
        Is told of each item, before it is yielded, the bytes between it and the one before, and
        its length in bytes.

    Raises
    ------
    Damage
        If the array is cut off or is not JSON; the items before that have been yielded.
    """
    # Bytes that are not UTF-8 become surrogates, which keep their length and are replaced below.
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    whole = decoder.decode(first)
    text = whole.lstrip("\ufeff \t\r\n")
    at, window, line, ended = 1, _WINDOW, 1, False
    gap = _size(whole[: len(whole) - len(text) + 1]) if place else 0
    del whole
    while True:
        before = at
        at = _GAP.match(text, at).end()  # type: ignore[union-attr]
        gap += at - before
        if at < len(text) and text[at] == "]":
            return
        problem: json.JSONDecodeError | None = None
        if at < len(text):
            try:
                value, end = _DECODER.raw_decode(text, at)
                if end < len(text) or ended:
                    item = text[at:end]
                    if place is not None:
                        place(gap, _size(item))
                        gap = 0
                    yield _clean(value) if _has_surrogates(item) else value
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
                    where = line + text.count("\n", 0, problem.pos)
                    raise Damage(problem.msg, where, cut=ended and near_end)
        if ended:
            raise Damage("the array is cut off", line + text.count("\n"), cut=True)
        more = stream.read(window)
        ended = not more
        text, at = text[at:] + decoder.decode(more, final=ended), 0
        window = min(window * 2, 1 << 26)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def _has_surrogates(text: str) -> bool:
    if "\\ud" in text or "\\uD" in text:
        return True
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
