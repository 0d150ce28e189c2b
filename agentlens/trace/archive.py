"""Logs in a ZIP: members are read one at a time, in bounds, and nothing is written to disk.

Inspect writes ``.eval`` files so: ``header.json`` (a run that still goes on has only
``_journal/start.json``) and one member for each sample. Since 2025 their members are compressed
with Zstandard (ZIP method 93), which Python's own `zipfile` only reads from 3.14 on.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from agentlens.errors import TraceError
from agentlens.trace.decode import Damage, parse
from agentlens.trace.document import Document

__all__ = ["MAX_MEMBER", "zip_document"]

#: Unpacked size of a member above which it is refused: a log's sample is smaller, a bomb is not.
MAX_MEMBER = 1 << 29
#: A member that unpacks to more than this, and to so many times its size, is refused too.
_FREE, _RATIO = 1 << 23, 300
_ZSTANDARD = 93
_HEADERS = ("header.json", "_journal/start.json")


def zip_document(stream: BinaryIO, name: str, path: Path | None) -> Document:
    """Return a document whose first record is the header, the others the samples.

    Raises
    ------
    TraceError
        If it is no ZIP, is damaged, or holds no samples.
    """
    try:
        archive = zipfile.ZipFile(stream)
        members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error) as error:
        raise TraceError(f"is a damaged ZIP archive: {error}", source=name) from None
    by_name = {member.filename: member for member in members}
    samples = [m for m in members if m.filename.startswith("samples/") and not m.is_dir()]
    head = next((by_name[each] for each in _HEADERS if each in by_name), None)
    if head is None and not samples:
        raise TraceError("is a ZIP archive that holds no samples of an evaluation", source=name)
    header = _value(archive, head, name) if head is not None else {}
    first = {"header": header, "complete": "header.json" in by_name, "samples": len(samples)}

    def records() -> Iterator[tuple[int, Any]]:
        for number, member in enumerate(samples, 2):
            try:
                yield number, _value(archive, member, name)
            except TraceError as error:
                document.note("damaged", str(error).split(": ", 1)[-1], number)

    document = Document(name, path, "archive", [first], chain([(1, first)], records()))
    return document


def _value(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> Any:
    try:
        return parse(_read(archive, member, name))[0]
    except Damage as damage:
        problem = f"is not JSON: {damage}"
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, struct.error, RuntimeError,
            NotImplementedError) as error:  # fmt: skip
        problem = f"cannot be unpacked: {error}"
    raise TraceError(f"member {member.filename[:80]} {problem}"[:200], source=name)


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> bytes:
    swells = member.file_size > max(_FREE, _RATIO * member.compress_size)
    if member.file_size > MAX_MEMBER or swells:
        raise TraceError(f"member {member.filename[:80]} is too large", source=name)
    if member.compress_type == _ZSTANDARD:
        data = _unpack_zstandard(archive, member, name)
    else:
        with archive.open(member) as stream:
            data = stream.read(MAX_MEMBER + 1)
    if len(data) > MAX_MEMBER:
        raise TraceError(f"member {member.filename[:80]} is too large", source=name)
    return data


def _unpack_zstandard(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> bytes:
    try:
        import zstandard
    except ImportError:
        raise TraceError(
            "its members are compressed with Zstandard; pip install zstandard to read them",
            source=name,
        ) from None
    stream = archive.fp
    if stream is None:
        raise TraceError("the archive is closed", source=name)
    stream.seek(member.header_offset)
    fixed = stream.read(30)
    if len(fixed) < 30 or fixed[:4] != b"PK\x03\x04":
        raise zipfile.BadZipFile("a member has no local header")
    name_length, extra_length = struct.unpack("<HH", fixed[26:30])
    stream.seek(name_length + extra_length, 1)
    packed = stream.read(min(member.compress_size, MAX_MEMBER))
    try:
        with zstandard.ZstdDecompressor().stream_reader(packed) as reader:
            return _read_all(reader, min(member.file_size, MAX_MEMBER) + 1)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(str(error)) from None


def _read_all(reader: Any, most: int) -> bytes:
    """Read up to so many bytes; asking for them at once would allocate them at once."""
    pieces: list[bytes] = []
    while most > 0 and (piece := reader.read(min(most, 1 << 20))):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)
