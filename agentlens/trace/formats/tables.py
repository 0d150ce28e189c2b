"""The four tables of a trace in one Parquet file, as `write_parquet` writes them; nothing is lost.

One row is one row of a table, which the column ``table`` names; columns are those of a trace.
Arguments, queries and parts are JSON. What is known of the run as a whole is JSON in the file's
metadata, under ``agentlens``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from agentlens.errors import TraceError
from agentlens.trace.build import TraceBuilder
from agentlens.trace.columns import COLUMNS
from agentlens.trace.formats.part import Part, dicts, first_dict, mapping
from agentlens.trace.formats.tables_write import (
    FLAGS,
    NUMBERS,
    PARSED,
    VERSION,
    WHOLE,
    to_parquet,
    write_parquet,
)
from agentlens.trace.source import Document
from agentlens.trace.tools import ToolSpec, check_tools

__all__ = ["NAME", "read", "sniff", "split", "to_parquet", "write_parquet"]

NAME = "tables"

#: Cells that no row may lack.
_NEEDED = frozenset("thread round request call round_row order tool tool_raw status result kind "
                    "after_row call_id".split())  # fmt: skip
_SAID_OF_RUN = ("format_version", "trace_id", "session_id", "task", "agent", "agent_version", "cwd",
                "totals_source")  # fmt: skip
_DICTS = ("outcome", "limits", "totals")


def sniff(head: Sequence[Any]) -> float:
    """Fit: the object that a Parquet file of ours is opened as."""
    first = first_dict(head)
    return 1.0 if set(first) == {"agentlens", "tables"} else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield the tables as one part."""
    for number, record in document.records():
        if isinstance(record, Mapping) and isinstance(record.get("tables"), Mapping):
            yield Part([(number, record)], document.name, about=record)


def read(part: Part, build: TraceBuilder) -> None:
    """Take the tables over, once every cell is what its column holds."""
    about = mapping(part.about.get("agentlens"))
    if about.get("version") != VERSION:
        raise part.error(f"expected tables of version {VERSION}, not {about.get('version')!r:.40}")
    tables = {name: _table(name, part) for name in COLUMNS}
    _check_rows(tables, part)
    build.adopt(tables, _tools(about.get("tools")))
    said = mapping(about.get("meta"))
    texts = {k: said[k] for k in _SAID_OF_RUN if isinstance(said.get(k), str)}
    models, extra = said.get("models"), mapping(said.get("extra"))
    known = [m for m in models if isinstance(m, str)] if isinstance(models, list) else []
    build.describe(
        **texts,
        **{name: dict(said[name]) for name in _DICTS if isinstance(said.get(name), Mapping)},
        models=tuple(known) or None,
        labels=tuple(dicts(said.get("labels"))) or None,
        extra={"converted_from": said.get("format"), **extra},
    )
    for note in dicts(about.get("notes")):
        line, count = note.get("line"), note.get("count")
        build.note(
            str(note.get("kind")), str(note.get("message")), line if _is_int(line) else None,
            int(count) if _is_int(count) and count is not None else 1,
        )  # fmt: skip


def _tools(given: Any) -> dict[str, ToolSpec]:
    """Return what was said of tools, without what nobody can have said."""
    found: dict[str, ToolSpec] = {}
    for name, spec in mapping(given).items():
        told = tuple(spec) if isinstance(spec, list) else spec
        try:
            check_tools({name: told})
        except TraceError:
            continue
        found[name] = told
    return found


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def _kind(column: str) -> tuple[Callable[[Any], bool], str]:
    if column in WHOLE:
        return _is_int, "whole numbers"
    if column in NUMBERS:
        return _is_number, "numbers"
    return (_is_bool, "true or false") if column in FLAGS else (_is_text, "texts")


def _table(name: str, part: Part) -> dict[str, list[Any]]:
    """Return one table with every column, each cell checked."""
    given = mapping(mapping(part.about.get("tables")).get(name))
    lengths = {len(cells) for cells in given.values() if isinstance(cells, list)}
    if len(lengths) > 1 or not all(isinstance(cells, list) for cells in given.values()):
        raise part.error(f"the columns of the table {name!r} differ in length")
    many = lengths.pop() if lengths else 0
    made: dict[str, list[Any]] = {}
    for column in COLUMNS[name]:
        cells = list(given.get(column, [None] * many))
        if column in PARSED:
            cells = [_parsed(column, cell) for cell in cells]
        else:
            fits, words = _kind(column)
            if not all(cell is None or fits(cell) for cell in cells):
                raise part.error(f"the column {column!r} of {name!r} must hold {words}")
            if column in FLAGS:
                cells = [bool(cell) for cell in cells]
            if column in ("text", "reasoning", "result"):
                cells = [cell or "" for cell in cells]
        if column in _NEEDED and any(cell is None for cell in cells):
            raise part.error(f"the column {column!r} of {name!r} has an empty cell")
        made[column] = cells
    return made


def _parsed(column: str, cell: Any) -> Any:
    if column == "args":
        return cell if isinstance(cell, dict) else None
    return tuple(map(str, cell)) if isinstance(cell, list) else ()


def _check_rows(tables: Mapping[str, Mapping[str, list[Any]]], part: Part) -> None:
    """Raise unless calls belong to their rounds, and events stand after one."""
    rounds, calls, events = (tables[name] for name in ("rounds", "calls", "events"))
    many = len(rounds["round"])
    keys = ("thread", "round", "request")
    places = list(zip(*(rounds[key] for key in keys), strict=True))
    own = zip(*(calls[key] for key in keys), strict=True)
    for row, key in zip(calls["round_row"], own, strict=True):
        if not 0 <= row < many or places[row] != key:
            raise part.error("a call belongs to no round of the file")
    if not all(-1 <= row < many for row in events["after_row"]):
        raise part.error("an event stands after no round of the file")
    if not many:
        raise part.error("holds no round")
