"""Opening what a user points at: paths, URLs, file objects, lists, frames; decoded, not yet read.

What comes out is a `Document`: records, each with its line (or item) number, whatever lay on
the disk. Large files are streamed; nothing is unpacked to disk and nothing is executed.
"""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from agentlens.errors import TraceError
from agentlens.trace.decode import Damage, parse, stream_items
from agentlens.trace.model import Note

__all__ = ["HEAD", "Document", "open_document"]

#: Records that sniffing looks at.
HEAD = 40
#: An array on one line that is longer than this is streamed, never held whole.
BIG_LINE = 1 << 25
_MAGIC = (
    (b"PK\x03\x04", "a ZIP archive"), (b"SQLite format 3", "an SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"\x28\xb5\x2f\xfd", "Zstandard data"), (b"%PDF", "a PDF"), (b"\x89PNG", "a PNG picture"),
    (b"\x7fELF", "a program"),
)  # fmt: skip


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
    """

    name: str | None
    path: Path | None
    shape: str
    head: list[Any]
    _records: Iterator[tuple[int, Any]]
    notes: dict[tuple[str, str], Note] = field(default_factory=dict)
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


def _document(
    name: str | None,
    path: Path | None,
    shape: str,
    records: Iterator[tuple[int, Any]],
    notes: dict[tuple[str, str], Note] | None = None,
) -> Document:
    notes = {} if notes is None else notes
    first = list(islice(records, HEAD))
    head = [record for _, record in first]
    return Document(name, path, shape, head, chain(first, records), notes)


def open_document(source: Any) -> Document:
    """Open and decode a source; see `agentlens.load` for what it may be.

    Raises
    ------
    TraceError
        If there is nothing to read, or it is not JSON in any of its forms.
    """
    if isinstance(source, Document):
        return source
    if isinstance(source, str | os.PathLike):
        return _open_path(os.fspath(source))
    if isinstance(source, Mapping):
        return _document(None, None, "object", iter([(1, dict(source))]))
    if hasattr(source, "columns") and hasattr(source, "itertuples"):
        from agentlens.trace.frames import records_of

        return _document("DataFrame", None, "array", iter(enumerate(records_of(source), 1)))
    if hasattr(source, "read"):
        name = getattr(source, "name", None)
        return _open_stream(
            _binary(source), str(name) if isinstance(name, str) else "file object", None
        )
    if isinstance(source, Sequence) and not isinstance(source, bytes | bytearray):
        if not source:
            raise TraceError("the list is empty")
        return _document(None, None, "array", iter(enumerate(map(_plain, source), 1)))
    raise TraceError(
        f"cannot load a {type(source).__name__}; expected a path, a URL, a file object, a list of "
        "dicts or a DataFrame"
    )


def _plain(item: Any) -> Any:
    """Turn a message object (pydantic, or anything with `model_dump`) into a dict."""
    dump = getattr(item, "model_dump", None)
    return dump() if callable(dump) else item


def _open_path(text: str) -> Document:
    if "://" in text and not text.lower().startswith("file://"):
        import fsspec

        try:
            stream = fsspec.open(text, "rb", compression="infer").open()
        except (OSError, ValueError, ImportError) as error:
            raise TraceError(f"cannot open: {error}".splitlines()[0], source=text) from None
        return _owned((stream,), text, None)
    path = Path(text.removeprefix("file://")).expanduser()
    try:
        if path.is_dir():
            raise TraceError("is a folder; use agentlens.load_many for a folder", source=text)
        stream = path.open("rb", buffering=1 << 18)  # fewer, larger reads
    except FileNotFoundError:
        hint = "; to load JSON text, wrap it in io.StringIO" if text[:1] in "[{" else ""
        raise TraceError(f"no such file{hint}", source=text[:200]) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TraceError(f"cannot open: {reason}", source=text[:200]) from None
    packed = stream.read(2) == b"\x1f\x8b"
    stream.seek(0)
    streams = (gzip.GzipFile(fileobj=stream), stream) if packed else (stream,)
    return _owned(streams, text, path)


def _owned(streams: tuple[Any, ...], name: str, path: Path | None) -> Document:
    """Read from the first of streams that are ours to close."""
    try:
        document = _open_stream(streams[0], name, path)
    except BaseException:
        for stream in streams:
            stream.close()
        raise
    document._streams = streams
    return document


def _binary(source: Any) -> BinaryIO:
    if isinstance(source, io.TextIOBase):
        return io.BytesIO(source.read().encode("utf-8", "replace"))
    if isinstance(source, io.BufferedIOBase) and source.seekable():
        return source  # type: ignore[return-value]
    data = source.read()
    return io.BytesIO(data.encode("utf-8", "replace") if isinstance(data, str) else data)


def _open_stream(stream: BinaryIO, name: str, path: Path | None) -> Document:
    try:
        start = stream.tell()
        beginning = stream.read(1 << 16)
        if beginning[:2] in (b"\xff\xfe", b"\xfe\xff"):
            text = (beginning + stream.read()).decode("utf-16", "replace")
            stream, beginning, start = io.BytesIO(text.encode("utf-8", "replace")), b"", 0
            beginning = stream.read(1 << 16)
        bom = 3 if beginning.startswith(b"\xef\xbb\xbf") else 0
        stream.seek(start + bom)
    except (OSError, EOFError, gzip.BadGzipFile) as error:
        raise TraceError(f"cannot read: {error}", source=name) from None
    visible = beginning[bom:].strip()
    if not visible:
        raise TraceError("the file is empty", source=name)
    for magic, what in _MAGIC:
        if beginning.startswith(magic):
            raise TraceError(f"is {what}, not a log in JSON or JSON lines", source=name)
    if b"\x00" in beginning and visible[:1] not in b"[{":
        raise TraceError("is a binary file, not a log in JSON or JSON lines", source=name)
    return _decode(stream, name, path)


def _decode(stream: BinaryIO, name: str, path: Path | None) -> Document:
    number, line = 1, stream.readline(BIG_LINE)
    while line and not line.strip():
        number, line = number + 1, stream.readline(BIG_LINE)
    if len(line) >= BIG_LINE and not line.endswith(b"\n"):
        if line.lstrip()[:1] == b"[":
            return _streamed(stream, line, name, path, {})
        line += stream.readline()
    try:
        value, repaired = parse(line)
    except Damage:
        return _decode_whole(stream, line, number, name, path)
    after, gap = stream.readline(), number
    while after and not after.strip():
        gap, after = gap + 1, stream.readline()
    if after:
        lines = chain([(number, line)], [(gap + 1, after)], enumerate(stream, gap + 2))
        return _lines(lines, name, path)
    return _value(value, repaired, name, path)


def _value(value: Any, repaired: bool, name: str, path: Path | None) -> Document:
    notes: dict[tuple[str, str], Note] = {}
    if repaired:
        message = "not strict JSON (NaN, lone surrogates or stray bytes); repaired"
        notes["damaged", message] = Note("damaged", message)
    if isinstance(value, dict):
        return _document(name, path, "object", iter([(1, value)]), notes)
    if isinstance(value, list) and value:
        return _document(name, path, "array", iter(enumerate(value, 1)), notes)
    what = "an empty list" if isinstance(value, list) else f"a bare {type(value).__name__}"
    raise TraceError(f"holds {what}, not a trace", source=name)


def _decode_whole(
    stream: BinaryIO, line: bytes, number: int, name: str, path: Path | None
) -> Document:
    """Decode what is not one value a line: a document over many lines, or a damaged first line."""
    if line.lstrip()[:1] == b"[":
        rest = stream.read(BIG_LINE)
        if len(rest) == BIG_LINE:
            return _streamed(stream, line + rest, name, path, {})
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
        return _lines(enumerate(io.BytesIO(data), number), name, path)
    if found.cut and data.lstrip()[:1] == b"[":
        return _streamed(io.BytesIO(), data, name, path, {})
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
    stream: BinaryIO, first: bytes, name: str, path: Path | None, notes: dict[Any, Note]
) -> Document:
    def items() -> Iterator[tuple[int, Any]]:
        number = 0
        try:
            for number, item in enumerate(stream_items(stream, first), 1):
                yield number, item
        except Damage as damage:
            if not damage.cut or not number:
                problem = "ends in the middle of a value" if damage.cut else f"not JSON: {damage}"
                raise TraceError(
                    f"{problem} (after item {number})", source=name, line=damage.line
                ) from None
            message = f"the file is cut off after item {number}; what came before was read"
            notes["damaged", message] = Note("damaged", message, damage.line)

    return _document(name, path, "array", items(), notes)


def _lines(lines: Iterator[tuple[int, bytes]], name: str, path: Path | None) -> Document:
    notes: dict[tuple[str, str], Note] = {}
    return _document(name, path, "lines", _parsed(lines, notes), notes)


def _parsed(
    lines: Iterator[tuple[int, bytes]], notes: dict[tuple[str, str], Note]
) -> Iterator[tuple[int, Any]]:
    """Parse line by line; a damaged line costs that line and is counted."""
    loads = orjson.loads
    for number, line in lines:
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
