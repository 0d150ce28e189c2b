"""The incident record: one line of JSON a request, as the engine of the incident wrote it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentlens.errors import TraceError

__all__ = ["INCIDENT", "Record", "is_record", "read_record", "read_records"]

_WHOLE = ("roundsUsed", "maxRoundsCfg", "toolCallCount", "llmCallCount")
_MOST = 64_000_000  # bytes of a file of records


@dataclass(frozen=True, slots=True)
class Record:
    """What the engine noted of one request; None where it did not say.

    Attributes
    ----------
    user_query, outcome
        What was asked, and how it ended (``max_rounds`` where the limit ended it).
    rounds, max_rounds
        Rounds used, and the limit.
    tool_calls, llm_calls
        How many of each.
    seconds
        How long it took.
    """

    user_query: str | None = None
    outcome: str | None = None
    rounds: int | None = None
    max_rounds: int | None = None
    tool_calls: int | None = None
    llm_calls: int | None = None
    seconds: float | None = None

    @property
    def at_limit(self) -> bool | None:
        """Whether the limit of rounds ended it; None where the record does not say."""
        if self.outcome is not None:
            return self.outcome == "max_rounds"
        if self.rounds is None or self.max_rounds is None:
            return None
        return self.rounds >= self.max_rounds


#: The record of the incident.
INCIDENT = Record("背景", "max_rounds", 5, 5, 5, 10, 35.875)


def is_record(item: object) -> bool:
    """Return whether a parsed line has the shape of a record."""
    return isinstance(item, Mapping) and "userQuery" in item and "roundsUsed" in item


def read_record(item: Mapping[str, Any], *, source: str = "record", line: int = 1) -> Record:
    """Read one record.

    Raises
    ------
    TraceError
        If a field is of another kind than it should be; it names source, line and field.
    """
    for name in (*_WHOLE, "durationMs"):
        value = item.get(name)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        whole = name == "durationMs" or not isinstance(value, float) or value.is_integer()
        if value is not None and not (number and 0 <= value < 1e15 and whole):
            raise TraceError(f"{name}: {value!r} is no whole number", source=source, line=line)
    used, limit, tools, models = (_whole(item.get(name)) for name in _WHOLE)
    query, outcome = (
        None if item.get(name) is None else str(item[name]) for name in ("userQuery", "outcome")
    )
    length = item.get("durationMs")
    seconds = None if length is None else length / 1000
    return Record(query, outcome, used, limit, tools, models, seconds)


def _whole(value: Any) -> int | None:
    return None if value is None else int(value)


def read_records(path: str | os.PathLike[str]) -> list[Record]:
    """Read a file of records, one a line.

    Raises
    ------
    TraceError
        If it cannot be read, is too large, or a line is no record; it names file and line.
    """
    source = os.fspath(path)
    try:
        if Path(path).stat().st_size > _MOST:
            raise TraceError(f"is larger than {_MOST // 1_000_000} MB", source=source)
        lines = Path(path).read_text("utf-8", errors="replace").splitlines()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TraceError(f"cannot be read: {reason}", source=source) from error
    records = []
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            item = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise TraceError("is no JSON", source=source, line=number) from error
        if not is_record(item):
            raise TraceError(
                "is no incident record: it has no userQuery and roundsUsed",
                source=source, line=number,
            )  # fmt: skip
        records.append(read_record(item, source=source, line=number))
    if not records:
        raise TraceError("holds no record", source=source)
    return records
