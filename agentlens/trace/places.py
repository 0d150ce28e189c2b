"""Where each record of a file stands, so that it can be read again and need not be held."""

from __future__ import annotations

import io
from array import array
from typing import Any, BinaryIO

from agentlens.trace.decode import parse

__all__ = ["Places", "places_of"]


class Places:
    """Start and length of the records of a file that can be read at any place.

    Parameters
    ----------
    stream
        The file, open as long as it is read from.
    start
        Byte at which its first record, or the blank before it, stands.
    """

    def __init__(self, stream: BinaryIO, start: int):
        self._stream = stream
        self._starts = array("Q", [start])
        self._lengths = array("Q")

    @property
    def end(self) -> int:
        """Bytes up to the end of the latest record."""
        return self._starts[-1]

    def add(self, length: int, before: int = 0) -> None:
        """Note the next record: its length, and the bytes that stand before it, both in bytes."""
        self._starts[-1] += before
        self._lengths.append(length)
        self._starts.append(self._starts[-1] + length)

    def length(self, number: int) -> int:
        """Return the length of a record, numbered from 1, in bytes."""
        return self._lengths[number - 1]

    def read(self, number: int) -> Any:
        """Read a record again.

        Raises
        ------
        Damage, OSError
            If the file is no longer what it was.
        """
        self._stream.seek(self._starts[number - 1])
        return parse(self._stream.read(self._lengths[number - 1]).strip(b"\x00"))[0]


def places_of(stream: BinaryIO) -> Places | None:
    """Return places from where a stream stands; None where going back would be slow or wrong."""
    if isinstance(stream, io.BytesIO) or (
        isinstance(stream, io.BufferedReader) and isinstance(stream.raw, io.FileIO)
    ):
        return Places(stream, stream.tell())
    return None
