"""Where one thread stands while a log is read: its request, its round, its calls that wait."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentlens.trace.rows import PLACES

__all__ = ["ThreadState"]

_TOOL, _TOOL_RAW, _GENERATED = (PLACES["calls"][c] for c in ("tool", "tool_raw", "id_generated"))


class ThreadState:
    """What the builder knows of a thread so far.

    Attributes
    ----------
    request
        Number of the current request; 0 before the first.
    asked : bool
        True after a user message, until a round starts the next request.
    number
        Number of the latest round.
    last_row
        Row of the latest round, or -1.
    open : dict
        Rows of the calls that wait for a result, the oldest first.
    ids : dict
        For each id that the log gives, the rows of the calls that have it.
    answered : bool
        True once a call got its result by its id.
    """

    __slots__ = ("answered", "asked", "ids", "last_row", "number", "open", "request")

    def __init__(self) -> None:
        self.request = self.number = 0
        self.last_row = -1
        self.asked = self.answered = False
        self.open: dict[int, None] = {}
        self.ids: dict[str, list[int]] = {}

    def add_call(self, call: int, call_id: str | None) -> None:
        """Note a call that now waits for its result."""
        self.open[call] = None
        if call_id:
            have = self.ids.get(call_id)
            if have is None:
                self.ids[call_id] = [call]
            else:
                have.append(call)

    def find_call(
        self, call_id: str | None, tool: str | None, calls: Sequence[Sequence[Any]]
    ) -> tuple[int, str] | None:
        """Find the call that a result belongs to; see `TraceBuilder.find_call`.

        Parameters
        ----------
        calls
            Rows of the calls table.
        """
        ids = self.ids.get(call_id, ()) if call_id else ()
        waiting = self.open
        if len(ids) == 1 and ids[0] in waiting:
            return ids[0], "id"
        pool = [c for c in ids if c in waiting] or [
            c for c in waiting if not call_id or calls[c][_GENERATED]
        ]
        if tool:
            named = [c for c in pool if tool in (calls[c][_TOOL], calls[c][_TOOL_RAW])]
            pool = named or pool
        return (pool[0], "adjacency") if pool else None
