"""Times, in the ways that logs write them, as seconds since the epoch."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

__all__ = ["parse_time"]

# An epoch number is told apart by its size: 1e11 s is the year 5138, 1e11 ms is 1973.
_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3), (0.0, 1.0))

#: What a calendar can show again: an offset takes the first and the last day of it beyond.
_FIRST = datetime(1, 1, 1, tzinfo=UTC).timestamp()
_LAST = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp()


def parse_time(value: Any) -> float | None:
    """Return seconds since the epoch, or None where `value` is no time.

    Takes ISO 8601 text (an offset or ``Z``; a naive time is read as UTC), and epoch numbers in
    s, ms, µs or ns. Years before 1973 in those finer units cannot be told apart and are not met.
    """
    if type(value) is str and len(value) == 24 and value[23] == "Z":
        try:  # the usual case, quickly
            return datetime.fromisoformat(value).timestamp()
        except (ValueError, OverflowError):
            pass
    seconds = _seconds(value)
    return seconds if seconds is not None and _FIRST <= seconds <= _LAST else None


def _seconds(value: Any) -> float | None:
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, str):
        if value[4:5] == "-" and value[7:8] == "-":
            try:
                parsed = datetime.fromisoformat(value)
                return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
            except (ValueError, OverflowError):
                pass
        try:
            value = float(value)
        except ValueError:
            try:
                parsed = datetime.fromisoformat(value.strip())
                return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
            except (ValueError, OverflowError):
                return None
    if not isinstance(value, int | float) or not 0 < value < 1e20:
        return None
    return next(float(value) / unit for floor, unit in _UNITS if value >= floor)
