"""A whole trace with its secrets masked, for whatever leaves the kernel's memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from agentlens.trace.redact import Redactor

if TYPE_CHECKING:
    from agentlens.trace.model import Trace

__all__ = ["masked", "redacted"]


def masked(trace: Trace) -> tuple[Trace, Counter[str]]:
    """Return the trace with its secrets masked, and how many of each kind there were.

    The same secret gets the same placeholder wherever it stands, so that what was repeated still
    looks repeated. Names of tools and threads are masked like every other text.
    """
    mask = Redactor()
    once: dict[str, str] = {}

    def value(cell: Any) -> Any:
        if isinstance(cell, str):
            if len(cell) > 64:
                return mask(cell)
            if cell not in once:  # names of threads and tools come again and again
                once[cell] = mask(cell)
            return once[cell]
        if isinstance(cell, tuple):
            return tuple(map(value, cell))
        if isinstance(cell, dict):
            return {value(key): value(item) for key, item in cell.items()}
        return list(map(value, cell)) if isinstance(cell, list) else cell

    tables = {
        name: {column: [value(cell) for cell in cells] for column, cells in table.items()}
        for name, table in trace.tables.items()
    }
    meta = replace(
        trace.meta, **{f.name: value(getattr(trace.meta, f.name)) for f in fields(trace.meta)}
    )
    notes = tuple(replace(note, message=mask(note.message)) for note in trace.notes)
    return replace(trace, tables=tables, meta=meta, notes=notes), mask.counts


def redacted(trace: Trace) -> Trace:
    """Return the trace with its secrets masked; see `masked`."""
    return masked(trace)[0]
