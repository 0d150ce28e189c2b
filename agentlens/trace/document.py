"""A source decoded into records: one JSON object, an array, or JSON lines, each forgivingly.

A damaged line costs that line, is counted and noted. A large array on one line is streamed: only
a window of it is held.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO

from agentlens.errors import TraceError
from agentlens.trace.decode import Damage, parse, parse_lines, stream_items
from agentlens.trace.model import Note
from agentlens.trace.places import Places, places_of

__all__ = ["HEAD", "Document", "decode", "make_document"]

#: Records that sniffing looks at.
HEAD = 40
#: Bytes after which it has seen enough of them.
HEAD_BYTES = 1 << 22
#: An array on one line that is longer than this is streamed, never held whole.
BIG_LINE = 1 << 25


@dataclass(eq=False)
class Document:
    """A source, decoded into records.

    Parameters
    ----------
    name
        What errors and traces call it; None for an object in memory.
    path
        Where it lies on this machine, for formats that keep sub-agents beside it.
    shape
        ``object`` (one JSON object), ``array`` or ``lines``.
    head
        The first records, for sniffing.
    notes
        What decoding found damaged; complete once the records have been read.
    places
        Where the records stand that have been read, if they can be read again; numbered as they
        are.
    """

    name: str | None
    path: Path | None
    shape: str
    head: list[Any]
    _records: Iterator[tuple[int, Any]]
    notes: dict[tuple[str, str], Note] = field(default_factory=dict)
    places: Places | None = None
    _streams: tuple[Any, ...] = ()

    def close(self) -> None:
        """Close what was opened to read it (not a file object that the user opened)."""
        for stream in self._streams:
            stream.close()

    def records(self) -> Iterator[tuple[int, Any]]:
        """Yield ``(line or item number, record)``, once."""
        return self._records

    def note(self, kind: str, message: str, line: int | None = None) -> None:
        """Count something damaged."""
        old = self.notes.get((kind, message))
        self.notes[kind, message] = Note(
            kind, message, old.line if old else line, old.count + 1 if old else 1
        )

    def error(self, message: str, line: int | None = None) -> TraceError:
        """Return (not raise) an error that names this source."""
        return TraceError(message, source=self.name, line=line)


def make_document(
    name: str | None,
    path: Path | None,
    shape: str,
    records: Iterator[tuple[int, Any]],
    notes: dict[tuple[str, str], Note] | None = None,
    places: Places | None = None,
) -> Document:
    """Return a document over records, the first of which are read now."""
    notes = {} if notes is None else notes
    first = list(_first(records, places))
    head = [record for _, record in first]
    return Document(name, path, shape, head, chain(first, records), notes, places)


def _first(records: Iterator[tuple[int, Any]], places: Places | None) -> Iterator[tuple[int, Any]]:
    """Yield the first records; of a file of large ones fewer, for they are held."""
    for record in islice(records, HEAD):
        yield record
        if places is not None and places.end > HEAD_BYTES:
            return


def decode(stream: BinaryIO, name: str, path: Path | None) -> Document:
    """Tell an object, an array and lines apart, and return the document.

    Raises
    ------
    TraceError
        If it is none of them, or holds nothing.
    """
    places = places_of(stream)
    blank: list[bytes] = []
    line = stream.readline(BIG_LINE)
    while line and not line.strip():
        blank.append(line)
        line = stream.readline(BIG_LINE)
    if len(line) >= BIG_LINE and not line.endswith(b"\n"):
        if line.lstrip()[:1] == b"[":
            return _streamed(stream, line, name, path, {}, places, sum(map(len, blank)))
        line += stream.readline()
    try:
        value, repaired = parse(line)
    except Damage:
        return _decode_whole(stream, line, blank, name, path, places)
    after: list[bytes] = [stream.readline()]
    while after[-1] and not after[-1].strip():
        after.append(stream.readline())
    if after[-1]:
        pieces = [*blank, line, *after]
        lines = chain(enumerate(pieces, 1), enumerate(stream, len(pieces) + 1))
        return _lines(lines, name, path, places)
    return _value(value, repaired, name, path)


def _value(value: Any, repaired: bool, name: str, path: Path | None) -> Document:
    notes: dict[tuple[str, str], Note] = {}
    if repaired:
        message = "not strict JSON (NaN, lone surrogates or stray bytes); repaired"
        notes["damaged", message] = Note("damaged", message)
    if isinstance(value, dict):
        return make_document(name, path, "object", iter([(1, value)]), notes)
    if isinstance(value, list) and value:
        return make_document(name, path, "array", iter(enumerate(value, 1)), notes)
    what = "an empty list" if isinstance(value, list) else f"a bare {type(value).__name__}"
    raise TraceError(f"holds {what}, not a trace", source=name)


def _decode_whole(
    stream: BinaryIO, line: bytes, blank: list[bytes], name: str, path: Path | None,
    places: Places | None,
) -> Document:  # fmt: skip
    """Decode what is not one value a line: a document over many lines, or a damaged first line."""
    number = len(blank) + 1
    if line.lstrip()[:1] == b"[":
        rest = stream.read(BIG_LINE)
        if len(rest) == BIG_LINE:
            return _streamed(stream, line + rest, name, path, {}, places, sum(map(len, blank)))
    else:
        rest = stream.read()
    data = line + rest
    try:
        return _value(*parse(data), name, path)
    except Damage as damage:
        found = damage
    lines = [piece for piece in data.splitlines()[:100] if piece.strip()]
    good = sum(_is_object(piece) for piece in lines)
    if len(lines) > 1 and good * 2 > len(lines) - 1:
        return _lines(enumerate(io.BytesIO(data), number), name, path, None)
    if found.cut and data.lstrip()[:1] == b"[":
        return _streamed(io.BytesIO(), data, name, path, {}, None)
    if data.lstrip()[:1] not in b"[{":
        shown = data.strip()[:20].decode("utf-8", "replace")
        raise TraceError(
            f"is not JSON or JSON lines: it starts with {shown!r}", source=name, line=number
        )
    at = (found.line or 1) + number - 1
    if found.cut:
        raise TraceError("the JSON ends in the middle of a value", source=name, line=at)
    raise TraceError(f"is not valid JSON: {found}", source=name, line=at)


def _is_object(piece: bytes) -> bool:
    try:
        return isinstance(parse(piece)[0], dict)
    except Damage:
        return False


def _streamed(
    stream: BinaryIO, first: bytes, name: str, path: Path | None, notes: dict[Any, Note],
    places: Places | None, before: int = 0,
) -> Document:  # fmt: skip
    gap = before

    def place(start: int, length: int) -> None:
        nonlocal gap
        if places is not None:
            places.add(length, gap + start)
            gap = 0

    def items() -> Iterator[tuple[int, Any]]:
        number = 0
        try:
            for number, item in enumerate(stream_items(stream, first, place), 1):
                yield number, item
        except Damage as damage:
            if not damage.cut or not number:
                problem = "ends in the middle of a value" if damage.cut else f"not JSON: {damage}"
                raise TraceError(
                    f"{problem} (after item {number})", source=name, line=damage.line
                ) from None
            message = f"the file is cut off after item {number}; what came before was read"
            notes["damaged", message] = Note("damaged", message, damage.line)

    return make_document(name, path, "array", items(), notes, places)


def _lines(
    lines: Iterator[tuple[int, bytes]], name: str, path: Path | None, places: Places | None
) -> Document:
    notes: dict[tuple[str, str], Note] = {}
    return make_document(name, path, "lines", parse_lines(lines, notes, places), notes, places)
