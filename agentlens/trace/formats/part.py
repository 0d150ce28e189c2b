"""A part of a document that is one trace, and small helpers that several formats share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

from agentlens.errors import TraceError
from agentlens.trace.source import Document

__all__ = [
    "Part",
    "by_messages",
    "dicts",
    "first_dict",
    "is_mapping",
    "mapping",
    "numbered",
    "one_part",
    "text_or_none",
]

_PLAIN = frozenset((str, int, float, bool, list, type(None)))


@dataclass(eq=False)
class Part:
    """Records of one trace.

    Parameters
    ----------
    records
        ``(line or item number, record)``.
    source
        Name of the document.
    name
        What tells this trace apart from others of the same document.
    about
        The object that wraps the records, where there is one.
    path
        Where the document lies, for sub-agents beside it.
    unit
        What the numbers count, for error messages: ``line`` or ``item``.
    """

    records: Iterable[tuple[int, Any]]
    source: str | None = None
    name: str | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    path: Path | None = None
    unit: str = "item"

    def error(self, message: str, number: int | None = None) -> TraceError:
        """Return (not raise) an error that names source and line, or item."""
        if number is not None and self.unit == "line":
            return TraceError(message, source=self.source, line=number)
        place = f"item {number}: " if number is not None else ""
        return TraceError(place + message, source=self.source)


def numbered(items: Sequence[Any]) -> list[tuple[int, Any]]:
    """Return items with their numbers, from 1."""
    return list(enumerate(items, 1))


def one_part(document: Document, **fields: Any) -> Part:
    """Return the whole document as one part."""
    unit = "line" if document.shape == "lines" else "item"
    return Part(document.records(), document.name, path=document.path, unit=unit, **fields)


def by_messages(document: Document, name: str) -> Iterator[Part]:
    """Yield one part for each record: its messages, and the rest of it as what wraps them.

    Parameters
    ----------
    document
        Records with a list of messages each; others are noted and left out.
    name
        The field that holds the name of a record.
    """
    for number, record in document.records():
        messages = record.get("messages") if isinstance(record, Mapping) else None
        if not isinstance(messages, list):
            document.note("skipped", "a record holds no messages", number)
            continue
        about = {key: value for key, value in record.items() if key != "messages"}
        yield Part(numbered(messages), document.name, text_or_none(about.get(name)), about)


def first_dict(head: Sequence[Any]) -> Mapping[str, Any]:
    """Return the first mapping of the head, or an empty one."""
    return next((item for item in head if is_mapping(item)), {})


def dicts(items: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the mappings among the items of a list; nothing if it is no list."""
    return filter(is_mapping, items) if isinstance(items, list) else iter(())


def text_or_none(value: Any) -> str | None:
    """Return a value that is text and not empty; None otherwise."""
    return value if isinstance(value, str) and value else None


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a value that is a mapping; an empty one otherwise."""
    return value if is_mapping(value) else {}


def is_mapping(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """Say whether a value is a mapping; of what JSON holds it knows without asking `Mapping`."""
    kind = type(value)
    return kind is dict or (kind not in _PLAIN and isinstance(value, Mapping))
