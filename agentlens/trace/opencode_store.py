"""Databases of sessions, read without writing: opencode's, with its older small files, and goose's.

Both stores of opencode hold the same three things: sessions (a sub-agent's names its parent),
messages and parts. A record that comes out is one top-level session, in the shape of ``opencode
export``: ``{"info", "messages": [{"info", "parts"}], "children": [...]}``. For goose's see
`goose_store`.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from agentlens.errors import TraceError
from agentlens.trace.database import opened
from agentlens.trace.document import Document
from agentlens.trace.file_trees import one_ahead, read_json
from agentlens.trace.goose_store import TABLES, goose_sessions
from agentlens.trace.model import Note

__all__ = ["database_document", "store_sessions"]

_MAX_DEPTH = 8
_COLUMNS = ("id", "parent_id", "title", "directory", "version", "time_created")


def database_document(path: Path, name: str) -> Document:
    """Open an SQLite database as a document of its sessions.

    Raises
    ------
    TraceError
        If it cannot be read, or is neither opencode's nor goose's.
    """
    try:
        with opened(path) as link:
            rows = link.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            tables = {row[0] for row in rows}
            is_goose = tables >= TABLES
            if not is_goose and not {"session", "message", "part"} <= tables:
                shown = ", ".join(sorted(map(str, tables))[:8]) or "none"
                raise TraceError(
                    "is an SQLite database, but not opencode's and not goose's (its tables: "
                    f"{shown})",
                    source=name,
                )
    except (sqlite3.Error, OSError) as error:
        raise TraceError(f"cannot read the database: {error}", source=name) from None
    notes: dict[tuple[str, str], Note] = {}
    records = (_goose if is_goose else _sessions)(path, name, notes)
    return one_ahead(name, path, records, notes)


def _goose(path: Path, name: str, notes: dict[tuple[str, str], Note]) -> Iterator[dict[str, Any]]:
    try:
        with opened(path) as link:
            yield from goose_sessions(link, notes)
    except (sqlite3.Error, OSError) as error:
        raise TraceError(f"cannot read the database: {error}", source=name) from None


def _sessions(
    path: Path, name: str, notes: dict[tuple[str, str], Note]
) -> Iterator[dict[str, Any]]:
    try:
        with opened(path) as link:
            known = [row[1] for row in link.execute("PRAGMA table_info(session)")]
            wanted = [column for column in _COLUMNS if column in known]
            infos = {
                str(row[0]): dict(zip(wanted, row, strict=True))
                for row in link.execute(f"SELECT {', '.join(wanted)} FROM session ORDER BY id")  # noqa: S608
            }

            def messages(session: str) -> list[dict[str, Any]]:
                parts: dict[str, list[Any]] = defaultdict(list)
                for row in link.execute(
                    "SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id",
                    (session,),
                ):
                    parts[row[1]].append(_with_id(row[2], row[0], notes))
                return [
                    {"info": _with_id(row[1], row[0], notes), "parts": parts.get(row[0], [])}
                    for row in link.execute(
                        "SELECT id, data FROM message WHERE session_id = ? ORDER BY id", (session,)
                    )
                ]

            yield from _families(infos, messages)
    except (sqlite3.Error, OSError) as error:
        raise TraceError(f"cannot read the database: {error}", source=name) from None


def _with_id(data: Any, key: Any, notes: dict[tuple[str, str], Note]) -> dict[str, Any]:
    """Return a row's JSON with the row's own id, which the JSON leaves out."""
    try:
        value = orjson.loads(data)
    except (orjson.JSONDecodeError, TypeError):
        value = None
    if not isinstance(value, dict):
        message = "a row of the database holds no JSON object"
        old = notes.get(("damaged", message))
        notes["damaged", message] = Note("damaged", message, count=old.count + 1 if old else 1)
        value = {}
    return {**value, "id": key}


def _families(infos: Mapping[str, Any], messages: Any) -> Iterator[dict[str, Any]]:
    """Yield each top-level session with its sub-agents' sessions inside."""
    children: dict[str, list[str]] = defaultdict(list)
    for key, info in infos.items():
        parent = info.get("parent_id") or info.get("parentID")
        if isinstance(parent, str) and parent in infos and parent != key:
            children[parent].append(key)
    below = {key for keys in children.values() for key in keys}

    def tree(key: str, depth: int) -> dict[str, Any]:
        inner = children[key] if depth < _MAX_DEPTH else []
        return {
            "info": infos[key], "messages": messages(key),
            "children": [tree(child, depth + 1) for child in inner],
        }  # fmt: skip

    for key in infos:
        if key not in below:
            yield tree(key, 0)


def store_sessions(folder: Path, notes: dict[tuple[str, str], Note]) -> Iterator[dict[str, Any]]:
    """Yield the sessions of a ``storage`` folder; ids are those of the files' names."""
    infos: dict[str, Any] = {}
    for path in sorted((folder / "session").glob("*/*.json")):
        value = read_json(path, notes)
        if isinstance(value, dict):
            infos[path.stem] = {**value, "id": path.stem}

    def messages(session: str) -> list[dict[str, Any]]:
        out = []
        for path in sorted((folder / "message" / session).glob("*.json")):
            info = read_json(path, notes)
            parts = [
                {**part, "id": each.stem}
                for each in sorted((folder / "part" / path.stem).glob("*.json"))
                if isinstance(part := read_json(each, notes), dict)
            ]
            if isinstance(info, dict):
                out.append({"info": {**info, "id": path.stem}, "parts": parts})
        return out

    yield from _families(infos, messages)
