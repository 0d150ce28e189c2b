"""Opening what a user points at: paths, URLs, file objects, lists, frames.

What comes out is a `Document`: records, each with its line (or item) number, whatever lay on
the disk. Nothing is unpacked to disk and nothing is executed.
"""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast

from agentlens.errors import TraceError
from agentlens.trace.document import Document, decode, make_document
from agentlens.trace.file_trees import tree_document
from agentlens.trace.guarded import guarded, is_packed, problem_of, tell_damage

__all__ = ["Document", "open_document"]

_MAGIC = (
    (b"SQLite format 3", "an SQLite database"),
    (b"\x28\xb5\x2f\xfd", "Zstandard data"), (b"%PDF", "a PDF"), (b"\x89PNG", "a PNG picture"),
    (b"\x7fELF", "a program"),
)  # fmt: skip


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
        return make_document(None, None, "object", iter([(1, dict(source))]))
    if hasattr(source, "columns") and hasattr(source, "itertuples"):
        from agentlens.trace.frames import records_of

        return make_document("DataFrame", None, "array", iter(enumerate(records_of(source), 1)))
    if hasattr(source, "read"):
        name = getattr(source, "name", None)
        return _open_stream(
            _binary(source), str(name) if isinstance(name, str) else "file object", None
        )
    if isinstance(source, Sequence) and not isinstance(source, bytes | bytearray):
        if not source:
            raise TraceError("the list is empty")
        return make_document(None, None, "array", iter(enumerate(map(_plain, source), 1)))
    raise TraceError(
        f"cannot load a {type(source).__name__}; expected a path, a URL, a file object, a list of "
        "dicts or a DataFrame"
    )


def _plain(item: Any) -> Any:
    """Turn a message object (pydantic, or anything with `model_dump`) into a dict."""
    dump = getattr(item, "model_dump", None)
    return dump() if callable(dump) else item


def _open_path(text: str) -> Document:
    if text.startswith("mlflow:"):
        from agentlens.trace.formats.mlflow import fetch

        return make_document(text, None, "array", iter(enumerate(fetch(text), 1)))
    if "://" in text and not text.lower().startswith("file://"):
        import fsspec

        try:
            opened = fsspec.open(text, "rb", compression="infer")
            stream = opened.open()
        except (OSError, ValueError, ImportError, KeyError) as error:  # KeyError: older zip://
            said = str(error) or type(error).__name__
            raise TraceError(f"cannot open: {said}".splitlines()[0], source=text) from None
        return _owned((stream, opened), text, None)  # a ZIP closes with the last that knows it
    path = Path(text.removeprefix("file://")).expanduser()
    try:
        if path.is_dir():
            document = tree_document(path)
            if document is not None:
                return document
            raise TraceError("is a folder; use agentlens.load_many for a folder", source=text)
        stream = path.open("rb", buffering=1 << 18)  # fewer, larger reads
    except FileNotFoundError:
        hint = "; to load JSON text, wrap it in io.StringIO" if text[:1] in "[{" else ""
        raise TraceError(f"no such file{hint}", source=text[:200]) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TraceError(f"cannot open: {reason}", source=text[:200]) from None
    if not stream.seekable():  # a pipe, such as /dev/stdin or <(command)
        with stream:
            held = io.BytesIO(stream.read())
        return _open_stream(held, text, None)
    start = stream.read(16)
    stream.seek(0)
    if start.startswith(b"SQLite format 3"):
        from agentlens.trace.opencode_store import database_document

        stream.close()
        return database_document(path, text)
    packed = start[:2] == b"\x1f\x8b"
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
    try:
        if isinstance(source, io.BufferedIOBase) and source.seekable():
            return source  # type: ignore[return-value]
        data = source.read()
    except (OSError, ValueError) as error:  # closed, or opened to write
        name = getattr(source, "name", None)
        known = name if isinstance(name, str) else "file object"
        raise TraceError(f"cannot read: {error}", source=known) from None
    if not isinstance(data, str | bytes | bytearray | memoryview):
        raise TraceError(f"a file object whose read() gives a {type(data).__name__}, not a log")
    return io.BytesIO(data.encode("utf-8", "replace") if isinstance(data, str) else data)


def copy_of(source: Any) -> Callable[[], BinaryIO]:
    """Read a file object to its end; return a function that makes a fresh one each time."""
    data, name = _binary(source).read(), getattr(source, "name", None)

    def fresh() -> BinaryIO:
        stream = io.BytesIO(data)
        stream.name = name
        return stream

    return fresh


def _open_stream(stream: BinaryIO, name: str, path: Path | None) -> Document:
    stream = guarded(stream)
    try:
        start = stream.tell()
        beginning = stream.read(1 << 16)
        if beginning[:2] in (b"\xff\xfe", b"\xfe\xff"):
            text = (beginning + stream.read()).decode("utf-16", "replace")
            stream, beginning, start = io.BytesIO(text.encode("utf-8", "replace")), b"", 0
            beginning = stream.read(1 << 16)
        bom = 3 if beginning.startswith(b"\xef\xbb\xbf") else 0
        stream.seek(start + bom)
    except (OSError, EOFError, ValueError) as error:
        raise TraceError(f"cannot read: {error}", source=name) from None
    if not beginning and (problem := problem_of(stream)):
        raise TraceError(f"cannot read: {problem}", source=name)
    if beginning.startswith(b"\x1f\x8b") and not is_packed(stream):
        stream.seek(start)
        return _open_stream(cast("BinaryIO", gzip.GzipFile(fileobj=stream)), name, path)
    if beginning.startswith(b"PAR1"):
        return _open_parquet(stream, name)
    if beginning.startswith(b"PK\x03\x04"):
        from agentlens.trace.archive import zip_document

        return zip_document(stream, name, path)
    visible = beginning[bom:].strip()
    if not visible:
        raise TraceError("the file is empty", source=name)
    for magic, what in _MAGIC:
        if beginning.startswith(magic):
            raise TraceError(f"is {what}, not a log in JSON or JSON lines", source=name)
    if b"\x00" in beginning and visible[:1] not in b"[{":
        raise TraceError("is a binary file, not a log in JSON or JSON lines", source=name)
    document = decode(stream, name, path)
    tell_damage(stream, document)
    return document


def _open_parquet(stream: BinaryIO, name: str) -> Document:
    """Return the rows of a Parquet file, such as Phoenix saves spans in; or a trace's tables."""
    import pandas as pd

    from agentlens.trace.formats.tables_write import tables_of
    from agentlens.trace.frames import records_of

    try:
        ours = tables_of(stream)
        if ours is not None:
            return make_document(name, None, "object", iter([(1, ours)]))
        stream.seek(0)
        table = pd.read_parquet(stream)
    except ImportError:
        raise TraceError(
            "is a Parquet file, which needs the package pyarrow: pip install pyarrow", source=name
        ) from None
    except Exception as error:  # pyarrow raises a dozen kinds of its own
        reason = str(error).strip().splitlines()
        raise TraceError(
            f"is not a sound Parquet file: {reason[0] if reason else error!r}"[:300], source=name
        ) from None
    if not len(table):
        raise TraceError("the Parquet file holds no row", source=name)
    return make_document(name, None, "array", iter(enumerate(records_of(table), 1)))
