"""The record of a live run: rows of the plain format, in memory and, if wanted, in a file.

A call's row is written before the call runs and its result's row afterwards, so that a process
that is killed leaves what it had asked for; a kill costs at most the last line.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from agentlens.trace.model import Trace

if TYPE_CHECKING:
    from agentlens.trace.tools import ToolSpec

__all__ = ["Recorder", "as_lines", "as_trace"]


class Recorder:
    """Rows of one run, oldest first.

    Parameters
    ----------
    path
        A file that does not exist yet or is empty, appended to at every `flush`.

    Raises
    ------
    FileExistsError
        If the file holds something: two runs in one file would be read as one.
    OSError
        If it cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None):
        self.rows: list[dict[str, Any]] = []
        self._written = 0  # rows that are in the file
        self._torn = False
        self._file = None
        if path is not None:
            file = Path(path).expanduser()
            if file.exists() and file.stat().st_size:
                raise FileExistsError(f"record: {file} holds something; name a new file")
            self._file = file.open("ab", buffering=0)

    def add(self, row: dict[str, Any]) -> None:
        """Add a row, which nobody changes afterwards."""
        self.rows.append(row)

    def flush(self) -> None:
        """Write the rows that the file does not hold yet, in one piece.

        Raises
        ------
        OSError
            If that fails; the rows are written with the next ones, from a new line on.
        """
        if self._file is None or self._written == len(self.rows):
            return
        rows = self.rows[self._written :]
        left = (b"\n" if self._torn else b"") + as_lines(rows)
        self._torn = True
        while left:
            left = left[self._file.write(left) :]
        self._torn = False
        self._written += len(rows)

    def rows_for(self, path: Path) -> list[dict[str, Any]] | None:
        """Return what a file of its own would hold; None if it is the record's, which is flushed.

        Another file in that one's place would miss what is still to come.
        """
        if (
            self._file is not None
            and path.exists()
            and os.path.samestat(path.stat(), os.fstat(self._file.fileno()))
        ):
            self.flush()
            return None
        return list(self.rows)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def as_lines(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return rows as JSON lines."""
    return b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)


def as_trace(rows: Sequence[dict[str, Any]], tools: Mapping[str, ToolSpec] | None) -> Trace:
    """Return what `agentlens.load` makes of rows; an empty trace where there is no round yet."""
    from agentlens.trace.build import TraceBuilder
    from agentlens.trace.load import load

    if not any("round" in row for row in rows):
        return TraceBuilder("plain").finish(tools)
    return load(list(rows), format="plain", tools=tools)
