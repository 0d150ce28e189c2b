"""A whole trace with its secrets masked, for whatever leaves the kernel's memory."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from agentlens.trace.redact import Redactor, redacting

if TYPE_CHECKING:
    from agentlens.trace.model import Trace

__all__ = [
    "Unmasked",
    "leaving",
    "masked",
    "masker_of",
    "redacted",
    "share_masker",
    "showing",
    "unmasked",
]

#: Of a longer trace only so many characters are read for secrets that are told late.
_MOST_LEARNED = 50_000_000
_AT_ONCE = 1_000_000
_TEXTS = {str, dict, list, tuple}


class Unmasked(Redactor):
    """Leaves every text as it is, for who wants the secrets in what is written."""

    def __call__(self, text: str) -> str:
        """Return the text as it is."""
        return text

    def learn(self, texts: Iterable[str]) -> None:
        """Note nothing."""

    def redact_values(self, value: Any) -> Any:
        """Return the values as they are."""
        return value


def showing(*, redact: bool) -> AbstractContextManager[Any]:
    """Return the context in which pages are written: without masks where those are not wanted."""
    return nullcontext() if redact else redacting(Unmasked())


def unmasked(trace: Trace) -> Trace:
    """Return the trace so that all that is made of it shows its secrets; the given one does not."""
    kept = replace(trace)
    kept.cache["masker"] = Unmasked()
    return kept


def masker_of(trace: Trace) -> Redactor:
    """Return the one masker of a trace: all that is shown of it numbers its secrets together.

    It knows from the start the secrets that only their settings tell: a password stands in the
    first round, ``password=`` before it in the last.
    """
    masker: Redactor | None = trace.cache.get("masker")
    if masker is None:
        masker = Redactor()
        _learn(masker, trace)
        trace.cache["masker"] = masker
    return masker


def share_masker(one: Trace, other: Trace) -> None:
    """Have two traces number their secrets together, unless the other was shown before."""
    if one is not other and "masker" not in other.cache:
        masker = masker_of(one)
        _learn(masker, other)
        other.cache["masker"] = masker


def _learn(masker: Redactor, trace: Trace) -> None:
    """Read a trace's texts for secrets, many at once: few hold what could tell one."""
    left = _MOST_LEARNED
    seen: set[str] = set()
    texts: list[str] = []
    size = 0
    for table in trace.tables.values():
        for cells in table.values():
            if not _TEXTS & set(map(type, cells)):
                continue
            for cell in cells:
                text = _text(cell)
                if left < 0 or len(text) < 10 or text in seen:
                    continue
                if len(text) <= 64:
                    seen.add(text)
                left -= len(text)
                size += len(text)
                texts.append(text)
                if size > _AT_ONCE:
                    masker.learn(texts)
                    texts, size = [], 0
    masker.learn(texts)


def _text(cell: Any) -> str:
    """Return what a cell says, arguments with the names beside the values."""
    if isinstance(cell, str):
        return cell
    if not cell or not isinstance(cell, dict | list | tuple):
        return ""
    try:
        return json.dumps(cell, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return ""


def masked(trace: Trace) -> tuple[Trace, Counter[str]]:
    """Return the trace with its secrets masked, and how many different ones of each kind there are.

    The same secret gets the same placeholder wherever it stands, so that what was repeated still
    looks repeated. Names of tools and threads are masked like every other text.
    """
    mask = masker_of(trace)
    mask.counts.clear()
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
        return mask.redact_values(cell) if isinstance(cell, dict | list) else cell

    tables = {
        name: {column: [value(cell) for cell in cells] for column, cells in table.items()}
        for name, table in trace.tables.items()
    }
    meta = replace(
        trace.meta, **{f.name: value(getattr(trace.meta, f.name)) for f in fields(trace.meta)}
    )
    notes = tuple(replace(note, message=mask(note.message)) for note in trace.notes)
    return replace(trace, tables=tables, meta=meta, notes=notes), mask.secrets


def leaving(trace: Trace, by: str, *, redact: bool) -> Trace:
    """Return a trace as it may leave memory, for the function that writes it.

    Raises
    ------
    TypeError
        If it is no trace.
    """
    from agentlens.trace.model import Trace

    if not isinstance(trace, Trace):
        raise TypeError(f"{by}() takes a Trace, not {type(trace).__name__}")
    return redacted(trace) if redact else trace


def redacted(trace: Trace) -> Trace:
    """Return the trace with its secrets masked; see `masked`."""
    return masked(trace)[0]
