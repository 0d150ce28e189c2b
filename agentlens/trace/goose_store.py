"""goose's database of sessions, ``sessions.db``, read without writing.

A record that comes out is one top-level session in the shape of an exported one: the columns of
its row, ``conversation``, ``usage`` (a row for each call of the model) and ``children``, the
sessions of its sub-agents.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from agentlens.trace.model import Note

__all__ = ["TABLES", "goose_sessions"]

#: Tables that tell goose's database.
TABLES = frozenset(("sessions", "messages", "schema_version"))
_MAX_DEPTH = 8
_SESSION = (
    "id", "name", "description", "session_type", "working_dir", "created_at", "parent_session_id",
    "provider_name", "model_config_json", "accumulated_total_tokens", "accumulated_input_tokens",
    "accumulated_output_tokens", "accumulated_cost",
)  # fmt: skip
_MESSAGE = ("message_id", "role", "content_json", "created_timestamp", "metadata_json")
_USAGE = (
    "model", "input_tokens", "output_tokens", "total_tokens", "cache_read_tokens",
    "cache_write_tokens", "cost", "is_compaction",
)  # fmt: skip


def goose_sessions(
    link: sqlite3.Connection, notes: dict[tuple[str, str], Note]
) -> Iterator[dict[str, Any]]:
    """Yield the top-level sessions, each with its sub-agents' inside.

    Columns that an older database does not have are left out.
    """
    infos = {str(row["id"]): row for row in _rows(link, "sessions", _SESSION, "", ())}
    children: dict[str, list[str]] = defaultdict(list)
    for key, info in infos.items():
        parent = info.get("parent_session_id")
        if isinstance(parent, str) and parent in infos and parent != key:
            children[parent].append(key)
    below = {key for keys in children.values() for key in keys}

    def tree(key: str, depth: int) -> dict[str, Any]:
        info = dict(infos[key])
        info["model_config"] = _json(info.pop("model_config_json", None) or "{}", notes)
        where = "WHERE session_id = ?"
        return {
            **info,
            "conversation": [
                _message(row, notes) for row in _rows(link, "messages", _MESSAGE, where, (key,))
            ],
            "usage": list(_rows(link, "usage_ledger", _USAGE, where, (key,))),
            "children": [
                tree(child, depth + 1) for child in (children[key] if depth < _MAX_DEPTH else ())
            ],
        }

    for key in infos:
        if key not in below:
            yield tree(key, 0)


def _rows(
    link: sqlite3.Connection,
    table: str,
    wanted: tuple[str, ...],
    where: str,
    values: tuple[str, ...],
) -> Iterator[dict[str, Any]]:
    """Yield rows in the order in which they were written; none where there is no such table."""
    known = {row[1] for row in link.execute(f"PRAGMA table_info({table})")}
    columns = [column for column in wanted if column in known]
    if not columns:
        return
    query = f"SELECT {', '.join(columns)} FROM {table} {where} ORDER BY rowid"  # noqa: S608
    for row in link.execute(query, values):
        yield dict(zip(columns, row, strict=True))


def _message(row: Mapping[str, Any], notes: dict[tuple[str, str], Note]) -> dict[str, Any]:
    return {
        "id": row.get("message_id"), "role": row.get("role"),
        "created": row.get("created_timestamp"), "content": _json(row.get("content_json"), notes),
        "metadata": _json(row.get("metadata_json") or "{}", notes),
    }  # fmt: skip


def _json(text: Any, notes: dict[tuple[str, str], Note]) -> Any:
    try:
        return orjson.loads(text)
    except (orjson.JSONDecodeError, TypeError):
        message = "a row of the database holds no JSON"
        old = notes.get(("damaged", message))
        notes["damaged", message] = Note("damaged", message, count=old.count + 1 if old else 1)
        return None
