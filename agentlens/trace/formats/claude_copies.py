"""Which records of a Claude Code session repeat an older session of the same folder.

Resuming a session may start a new log with all that was said so far, under the same uuids but
another session id. Such a log begins with the same record as the one that it continues, so
looking at the first record of each neighbour tells whether there is anything to look for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

__all__ = ["repeated_uuids"]

#: Folders with more logs than this are not looked through.
_MAX_LOGS = 2_000
#: Titles and snapshots may stand before the first record; no more lines than this are read.
_HEAD = 40
_TAIL = 1 << 16
_STAMP = re.compile(rb'"timestamp"\s*:\s*"([^"\\]{10,40})"')


def repeated_uuids(path: Path | None, first: str | None) -> frozenset[str]:
    """Return the uuids of all responses in older logs that begin with the same record.

    Parameters
    ----------
    path
        The log of a session.
    first
        The uuid of its first record that has one.

    Notes
    -----
    Of two logs the one whose last record is the older is the older; so each record counts once,
    whichever was written on.
    """
    if path is None or not first or path.suffix != ".jsonl":
        return frozenset()
    try:
        firsts = _firsts(path.parent, path.parent.stat().st_mtime_ns)
        others = [other for other in firsts.get(first, ()) if other.name != path.name]
        if not others:
            return frozenset()
        age = (_ended(path), path.name)
        older = [other for other in others if (_ended(other), other.name) < age]
        return frozenset(uuid for other in older for uuid in _responses(other))
    except OSError:
        return frozenset()


@lru_cache(maxsize=16)
def _firsts(folder: Path, _changed: int) -> dict[str, list[Path]]:
    """Return the logs of a folder by the uuid of their first record."""
    found: dict[str, list[Path]] = {}
    with os.scandir(folder) as entries:
        names = [e.name for e in entries if e.name.endswith(".jsonl") and e.is_file()]
    for name in names if 1 < len(names) <= _MAX_LOGS else ():
        with (folder / name).open("rb") as file:
            records = _records(islice(iter(lambda: file.readline(_TAIL), b""), _HEAD))
            first = next((uuid for uuid in map(_uuid, records) if uuid), None)
        if first:
            found.setdefault(first, []).append(folder / name)
    return found


def _records(lines: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if isinstance(record, dict):
            yield record


def _uuid(record: dict[str, Any]) -> str | None:
    uuid = record.get("uuid")
    known = record.get("type") in ("assistant", "user", "system")
    return uuid if known and isinstance(uuid, str) else None


def _responses(path: Path) -> Iterator[str]:
    with path.open("rb", buffering=1 << 18) as file:
        for record in _records(line for line in file if b'"assistant"' in line):
            uuid = _uuid(record)
            if uuid and record["type"] == "assistant":
                yield uuid


def _ended(path: Path) -> bytes:
    """Return the last time that a log names, as it stands there: ISO 8601 sorts as text."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL))
        tail = file.read()
    found: list[bytes] = _STAMP.findall(tail)
    return found[-1] if found else b""
