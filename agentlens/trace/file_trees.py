"""Folders that are one log: a file for each event, or a store of sessions in small files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from agentlens.trace.decode import Damage, parse
from agentlens.trace.document import Document, make_document
from agentlens.trace.model import Note

__all__ = ["STATE", "is_tree", "one_ahead", "read_json", "tree_document"]

_EVENT = re.compile(r"event-(\d{1,12})-[\w-]+\.json")
_NUMBERED = re.compile(r"(\d{1,12})\.json")
_STORE = {"session", "message", "part"}
#: The state of a conversation, beside the folder of its events.
STATE = "base_state.json"
#: One file of such a folder is never larger than this.
_MAX_BYTES = 64 << 20


def is_tree(folder: Path, folders: Sequence[str], names: Sequence[str]) -> bool:
    """Say whether a folder, given what lies in it, is one log rather than a place of logs."""
    if any(_EVENT.fullmatch(name) for name in names):
        return True
    if folder.name == "events" and "0.json" in names:
        return True
    return set(folders) >= _STORE


def tree_document(folder: Path) -> Document | None:
    """Return the document that a folder is, or None where it is an ordinary one."""
    try:
        inside = list(folder.iterdir())
    except OSError:
        return None
    names = [each.name for each in inside if each.is_file()]
    folders = [each.name for each in inside if each.is_dir()]
    if not is_tree(folder, folders, names):
        below = folder / "events"
        return tree_document(below) if "events" in folders and folder.name != "events" else None
    notes: dict[tuple[str, str], Note] = {}
    if set(folders) >= _STORE:
        from agentlens.trace.opencode_store import store_sessions

        return one_ahead(str(folder), folder, store_sessions(folder, notes), notes)
    records = _events(folder, names, notes)
    return make_document(str(folder), folder, "array", records, notes)


def one_ahead(
    name: str, path: Path, records: Iterator[Any], notes: dict[tuple[str, str], Note]
) -> Document:
    """Return a document of large records, only the first of which is read now."""
    numbered = enumerate(records, 1)
    first = list(islice(numbered, 1))
    head = [record for _, record in first]
    return Document(name, path, "array", head, chain(first, numbered), notes)


def _events(
    folder: Path, names: Sequence[str], notes: dict[tuple[str, str], Note]
) -> Iterator[tuple[int, Any]]:
    pattern = _EVENT if any(_EVENT.fullmatch(name) for name in names) else _NUMBERED
    found = sorted((int(m[1]), name) for name in names if (m := pattern.fullmatch(name)))
    for number, (_, name) in enumerate(found, 1):
        value = read_json(folder / name, notes, number)
        if value is not None:
            yield number, value
    state = folder.parent / STATE
    if pattern is _EVENT and state.is_file():
        value = read_json(state, notes)
        if value is not None:
            yield len(found) + 1, value


def read_json(path: Path, notes: dict[tuple[str, str], Note], number: int | None = None) -> Any:
    """Return the value in a small file; None, and a note, where it cannot be read."""
    try:
        if path.stat().st_size <= _MAX_BYTES:
            return parse(path.read_bytes())[0]
        message = "a file is too large for one event"
    except (OSError, Damage):
        message = "a file cannot be read as JSON"
    old = notes.get(("damaged", message))
    notes["damaged", message] = Note(
        "damaged", message, old.line if old else number, old.count + 1 if old else 1
    )
    return None
