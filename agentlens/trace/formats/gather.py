"""The spans of each trace, out of a file in which those of many traces are mixed.

A small file is held. Of a large one that can be read again, only the places of each trace's
records are: memory then follows the largest trace, and every record is read twice.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from agentlens.trace.decode import Damage
from agentlens.trace.formats.part import Part
from agentlens.trace.source import Document

__all__ = ["HELD", "Note", "Unpack", "gather"]

#: Bytes of a file up to which its spans are held; parsed they take several times as much.
HELD = 1 << 24
#: Bytes of records with spans of several traces that are kept unpacked.
_SHELF = 1 << 23

Note = Callable[[str, str, int], None]
#: ``unpack(record, number, note)`` yields trace id and span for each span in a record.
Unpack = Callable[[Any, int, Note], Iterator[tuple[str | None, Any]]]


def gather(
    document: Document, unpack: Unpack, wanted: Callable[[Any], bool] = bool
) -> Iterator[Part]:
    """Yield one part for each trace id, in the order in which they come up.

    Parameters
    ----------
    document
        Its records; the spans of one trace may lie anywhere among them.
    unpack
        Finds the spans in a record.
    wanted
        Says whether a span is one of an agent. Traces with no such span (those of a web server
        that logs into the same file) are left out, if others have one.
    """
    numbers: dict[str, array[int]] = {}
    held: dict[str, list[tuple[int, Any]]] | None = {}
    ours: set[str] = set()
    places = document.places
    for number, record in document.records():
        for given, span in unpack(record, number, document.note):
            name = given or ""
            mine = numbers.get(name)
            if mine is None:
                mine = numbers[name] = array("Q")
            if not mine or mine[-1] != number:
                mine.append(number)
            if held is not None:
                held.setdefault(name, []).append((number, span))
            if name not in ours and wanted(span):
                ours.add(name)
        if held is not None and places is not None and places.end > HELD and len(numbers) > 1:
            held = None
    shelf = None if held is not None else _Shelf(document, unpack)
    unit = "line" if document.shape == "lines" else "item"
    for name, mine in numbers.items():
        if ours and name not in ours:
            document.note("skipped", "a trace without any model, tool or agent", mine[0])
            if held is not None:
                del held[name]
            continue
        records: Any = held.pop(name) if held is not None else _Spans(shelf, name, mine)
        yield Part(records, document.name, name or None, path=document.path, unit=unit)


class _Spans:
    """The spans of one trace, read when they are iterated."""

    def __init__(self, shelf: _Shelf | None, name: str, numbers: Sequence[int]):
        assert shelf is not None
        self._shelf, self._name, self._numbers = shelf, name, numbers

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        for number in self._numbers:
            for span in self._shelf.spans(number, self._name):
                yield number, span


class _Shelf:
    """Reads records again, and keeps the latest of those that hold spans of several traces."""

    def __init__(self, document: Document, unpack: Unpack):
        assert document.places is not None
        self._document, self._places, self._unpack = document, document.places, unpack
        self._kept: dict[int, dict[str, list[Any]]] = {}
        self._bytes = 0

    def spans(self, number: int, name: str) -> list[Any]:
        kept = self._kept.get(number)
        if kept is not None:
            return kept.pop(name, [])
        try:
            record = self._places.read(number)
        except (Damage, OSError, ValueError):
            raise self._document.error("changed while it was read", number) from None
        found: defaultdict[str, list[Any]] = defaultdict(list)
        for given, span in self._unpack(record, number, _ignore):
            found[given or ""].append(span)
        mine = found.pop(name, [])
        if found:
            self._kept[number] = found
            self._bytes += self._places.length(number)
            while self._bytes > _SHELF and len(self._kept) > 1:
                first = next(iter(self._kept))
                del self._kept[first]
                self._bytes -= self._places.length(first)
        return mine


def _ignore(kind: str, message: str, line: int) -> None:
    """Note nothing: it has been noted when the record was read first."""
