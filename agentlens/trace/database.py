"""SQLite databases of others, opened so that nothing is written: neither into them nor beside them.

A database in WAL mode is more than its file: SQLite makes ``-wal`` and ``-shm`` beside it for
whoever reads, and leaves them there when the reader may not write.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

__all__ = ["opened"]


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database to read it, with whatever its write-ahead log holds.

    * Not in WAL mode: SQLite itself makes nothing.
    * In it, without a log: the file is all there is, and is read as one that does not change.
    * A log and its index: an agent has it open, or died; SQLite reads them and makes nothing new.
    * A log without an index, as in a copy: both are copied into a temporary folder and read there.

    Raises
    ------
    sqlite3.Error
        If it is no database, or is damaged.
    OSError
        If it cannot be read or copied.
    """
    path = path.resolve()  # the log lies beside the file that a link points to
    log, index = (path.with_name(path.name + end) for end in ("-wal", "-shm"))
    has_log = log.exists() and log.stat().st_size > 0
    if not has_log or index.exists():
        fixed = "&immutable=1" if not has_log and _in_wal_mode(path) else ""
        with closing(_connect(path, f"mode=ro{fixed}")) as link:
            yield link
    else:
        with tempfile.TemporaryDirectory(prefix="agentlens-") as folder:
            copy = Path(folder) / "copy.db"
            shutil.copyfile(path, copy)
            shutil.copyfile(log, copy.with_name(copy.name + "-wal"))
            with closing(_connect(copy, "mode=ro")) as link:
                yield link


def _in_wal_mode(path: Path) -> bool:
    """Say so by the two version bytes of the file's header (sqlite.org/fileformat2.html)."""
    with path.open("rb") as file:
        return file.read(20)[18:] == b"\x02\x02"


def _connect(path: Path, how: str) -> sqlite3.Connection:
    link = sqlite3.connect(f"file:{quote(str(path))}?{how}", uri=True, timeout=2)
    link.execute("PRAGMA trusted_schema = OFF")
    link.execute("PRAGMA query_only = ON")
    return link
