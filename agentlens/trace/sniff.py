"""Which format a document is in, told by the shape of its first records."""

from __future__ import annotations

from collections.abc import Mapping

from agentlens.trace.formats import FORMATS, Format, get
from agentlens.trace.source import Document

__all__ = ["detect"]

#: Formats that fit almost as well as the best are named in a note.
_CLOSE = 0.05


def detect(document: Document, name: str | None = None) -> tuple[Format, str | None]:
    """Return the format of a document, and a remark where another one fits as well.

    Parameters
    ----------
    document
        What was opened.
    name
        Format that the user named; overrides what the records look like.

    Raises
    ------
    TraceError
        If no format fits: says which keys were seen and which formats are known.
    """
    if name is not None:
        return get(name), None
    scores = {each: float(get(each).sniff(document.head)) for each in FORMATS}
    best = max(scores, key=lambda each: scores[each])
    if scores[best] <= 0:
        raise document.error(
            f"unknown format: {_seen(document)}; known formats: {', '.join(FORMATS)}"
        )
    rivals = [n for n in FORMATS if n != best and scores[n] >= scores[best] - _CLOSE]
    remark = (
        f"read as {best}; it also fits {', '.join(rivals)} (choose with format=)"
        if rivals
        else None
    )
    return get(best), remark


def _seen(document: Document) -> str:
    first = next((r for r in document.head if isinstance(r, Mapping)), None)
    if first is None:
        kind = type(document.head[0]).__name__ if document.head else "nothing"
        return f"records are {kind}, not objects"
    keys = ", ".join(str(k)[:30] for k in list(first)[:8])
    where = "the object" if document.shape == "object" else "its first record"
    return (
        f"{where} has the keys {keys}{', …' if len(first) > 8 else ''}"
        if first
        else f"{where} is empty"
    )
