"""A call's arguments, from whatever a log holds: a mapping, JSON text, or text that is neither."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from agentlens.trace.content import as_text

__all__ = ["parse_arguments"]


def parse_arguments(args: Any) -> tuple[dict[str, Any] | None, str | None, str]:
    """Parse a call's arguments; never raises.

    Returns
    -------
    parsed : dict or None
    raw : str or None
        The text, kept only where it could not be parsed into a mapping.
    state : str
        ``parsed``, ``unparsed`` (looks like JSON, is not), ``text`` or ``missing``.
    """
    if isinstance(args, dict):
        return args, None, "parsed"
    if args is None:
        return None, None, "missing"
    if isinstance(args, Mapping):
        return dict(args), None, "parsed"
    if not isinstance(args, str):
        return None, as_text(args), "text"
    text = args.strip()
    if not text:
        return {}, None, "parsed"
    try:
        value = orjson.loads(text)
        if isinstance(value, str):  # encoded twice
            value = orjson.loads(value)
    except (orjson.JSONDecodeError, RecursionError):
        return None, args, "unparsed" if text[0] in '{["' else "text"
    return (value, None, "parsed") if isinstance(value, dict) else (None, args, "text")
