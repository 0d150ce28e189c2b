"""Which announced call a tool's span ran."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from agentlens.trace.formats.span import Span
from agentlens.trace.formats.told import arguments_key

__all__ = ["Pending", "claim"]


@dataclass(slots=True)
class Pending:
    """A call that a response announced and nothing has answered yet."""

    round_row: int
    call: int
    tool: str
    args: Any
    call_id: str | None


def claim(pending: Sequence[Pending], span: Span, tool: str) -> tuple[Pending | None, str]:
    """Find the announced call that a tool's span ran."""
    if span.call_id:
        for each in pending:
            if each.call_id == span.call_id:
                return each, "id"
    rows = dict.fromkeys(p.round_row for p in reversed(pending))
    args = arguments_key(span.args)
    latest = [p for row in rows for p in pending if p.round_row == row and p.tool == tool]
    latest = [p for p in latest if not (p.call_id and span.call_id)] or (
        latest if not span.call_id else []
    )
    same = [p for p in latest if args is not None and p.args == args]
    # Hosts fill in defaults before they run a tool; other arguments are another call.
    same = same or [p for p in latest if _agree(p.args, args)]
    if same:
        return same[0], "adjacency"
    return None, "same_record"


def _agree(announced: bytes | str | None, ran: bytes | str | None) -> bool:
    """Say whether arguments may be the same call's: all that were announced stand in the others."""
    if isinstance(announced, str) and isinstance(ran, str):
        return announced == ran
    try:
        first, second = orjson.loads(announced or b"0"), orjson.loads(ran or b"0")
    except orjson.JSONDecodeError:
        return True  # one of them is text: the tool's name has to do
    if not isinstance(first, dict) or not isinstance(second, dict):
        return True
    return all(key in second and second[key] == value for key, value in first.items())
