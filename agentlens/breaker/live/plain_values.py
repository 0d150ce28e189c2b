"""Values of a host as plain JSON values: copied, so that the host may change its own; never raises.

A value that cannot be copied becomes text. Rules and the record get the same copy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from agentlens.trace.repair import MAX_DEPTH, TooDeep, repaired, whole_text

__all__ = ["listed", "plain_args", "plain_count", "plain_number", "plain_text"]

_OPTIONS = orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY
#: What `agentlens.load` has for arguments that are nested too deeply.
_DEEP = "{…}"


def listed(value: Any) -> list[Any]:
    """Return what a host hands in as a list; one call or result may stand alone."""
    if value is None:
        return []
    if isinstance(value, Mapping | str) or not isinstance(value, Iterable):
        return [value]
    return list(value)


def plain_text(value: Any) -> str:
    """Return text that UTF-8 can hold, of any value."""
    try:
        return whole_text(value if isinstance(value, str) else str(value))
    except Exception:  # a host's own __str__
        return f"({type(value).__name__})"


def plain_args(value: Any) -> dict[str, Any] | str | None:
    """Return arguments as the plain format has them: an object, text, or nothing."""
    if value is None:
        return None
    if isinstance(value, str):
        return whole_text(value)
    try:
        if isinstance(value, Mapping):
            made = _copied(value if isinstance(value, dict) else dict(value))
            return made if isinstance(made, dict) else plain_text(value)
        return whole_text(orjson.dumps(value, default=plain_text, option=_OPTIONS).decode())
    except (TooDeep, RecursionError):
        return _DEEP
    except Exception:  # a mapping that fails while it is read, or no JSON value
        return plain_text(value)


def plain_number(value: Any) -> float | None:
    """Return a number that is not negative and fits a record; anything else is unknown."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return value if math.isfinite(value) and 0 <= value < 2**63 else None
    except OverflowError:
        return None


def plain_count(value: Any) -> int | None:
    """Return a whole number of 64 bits; anything else is unknown."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        return None
    return int(value) if -(2**63) <= value < 2**63 else None


def _copied(value: dict[Any, Any]) -> Any:
    try:
        made = orjson.loads(orjson.dumps(value, default=plain_text, option=_OPTIONS))
    except (TypeError, ValueError):  # lone surrogates, whole numbers over 64 bits, deep nesting
        return _walked(value, 0)
    if any(type(item) in (dict, list) for item in made.values()):
        return repaired(made)  # for its depth: what orjson writes has no lone surrogates
    return made


def _walked(value: Any, depth: int) -> Any:
    if depth >= MAX_DEPTH:
        raise TooDeep
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if -(2**63) <= value < 2**64 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {plain_text(k): _walked(v, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_walked(item, depth + 1) for item in value]
    return plain_text(value)
