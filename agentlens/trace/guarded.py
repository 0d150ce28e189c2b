"""A stream that may break off: a damaged packed file, a connection that is lost.

What came before is worth reading, and JSON that simply ends is read elsewhere already. So a read
that fails is the end of the stream, and is told of.
"""

from __future__ import annotations

import gzip
import io
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, cast

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

    from agentlens.trace.document import Document

__all__ = ["guarded", "is_packed", "problem_of", "tell_damage"]

#: What reading a damaged or lost stream raises.
_BROKEN = (OSError, EOFError, zlib.error, ValueError)
#: A file that unpacks to more than this, and to so many times its size, is none of a run.
_FREE, _RATIO = 1 << 23, 300
#: Bytes that are unpacked before it is looked at how many they have become.
_AT_ONCE = 1 << 20


class _Guard(io.RawIOBase):
    def __init__(self, stream: Any):
        self.stream = stream
        self.problem: str | None = None
        self.document: Document | None = None
        self._read = getattr(stream, "read1", stream.read)
        self._packed: Any = stream.fileobj if isinstance(stream, gzip.GzipFile) else None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return int(self.stream.seek(offset, whence))

    def tell(self) -> int:
        return int(self.stream.tell())

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        try:
            data = self._read(min(len(view), _AT_ONCE))
        except _BROKEN as error:
            if self.problem is None:
                self.problem = str(error).splitlines()[0][:200] if str(error) else "it breaks off"
                self._tell()
            return 0
        if self._swells():
            if self.problem is None:
                self.problem = f"it unpacks to more than {_RATIO} times its size"
                self._tell()
            return 0
        view[: len(data)] = data
        return len(data)

    def _swells(self) -> bool:
        """Say whether a packed file has become far larger than any log does."""
        if self._packed is None:
            return False
        unpacked: int = self.stream.tell()
        return unpacked > _FREE and unpacked > _RATIO * max(1, int(self._packed.tell()))

    def _tell(self) -> None:
        if self.document is not None:
            self.document.note("damaged", f"cannot be read to its end: {self.problem}")


def guarded(stream: BinaryIO) -> BinaryIO:
    """Return a stream that ends where reading fails; itself where nothing can fail but the disk."""
    if isinstance(stream, io.BytesIO) or isinstance(getattr(stream, "raw", None), io.FileIO):
        return stream
    if isinstance(stream, io.BufferedReader) and isinstance(stream.raw, _Guard):
        return stream
    return io.BufferedReader(cast("Any", _Guard(stream)), 1 << 18)


def tell_damage(stream: BinaryIO, document: Document) -> None:
    """Let a document note where its stream breaks off, whenever that shows."""
    guard = getattr(stream, "raw", None)
    if isinstance(guard, _Guard):
        guard.document = document
        if guard.problem is not None:
            guard._tell()


def problem_of(stream: BinaryIO) -> str | None:
    """Return why a stream could not be read so far, if so."""
    guard = getattr(stream, "raw", None)
    return guard.problem if isinstance(guard, _Guard) else None


def is_packed(stream: BinaryIO) -> bool:
    """Say whether a stream is unpacked while it is read."""
    guard = getattr(stream, "raw", None)
    return isinstance(guard.stream if isinstance(guard, _Guard) else stream, gzip.GzipFile)
