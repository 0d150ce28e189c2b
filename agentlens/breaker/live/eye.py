"""From what a host hands to its guard to what rules see of it; everything seen is recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agentlens.breaker.live.log import GuardLog
from agentlens.breaker.live.plain_values import plain_count, plain_number, plain_text
from agentlens.breaker.live.seeing import live_call, live_result
from agentlens.breaker.live.thread import GuardThread, OpenRound
from agentlens.breaker.query.signals import kind_of
from agentlens.breaker.seen import SeenCall, SeenResult, SeenRound
from agentlens.trace.tools import ToolTable

if TYPE_CHECKING:
    from agentlens.trace.tools import ToolSpec

__all__ = ["GuardEye"]


class GuardEye:
    """Numbers and names the calls of one run.

    Parameters
    ----------
    tools
        What tools do, as for `agentlens.load`.

    Attributes
    ----------
    asked_in
        For the id of each call its thread and request.
    """

    def __init__(self, tools: Mapping[str, ToolSpec] | None):
        self._table = ToolTable(tools)
        self._calls = 0
        self.asked_in: dict[str, tuple[str, int]] = {}

    def see(
        self,
        thread: GuardThread,
        items: Sequence[Any],
        said: Mapping[str, Any],
        now: float | None,
        log: GuardLog,
    ) -> SeenRound:
        """Return what rules see of a round before it runs, and record it.

        Parameters
        ----------
        items
            Its calls.
        said
            ``text``, ``reasoning``, ``tokens`` and ``cost`` of the response, where known.
        """
        text, reasoning = (
            plain_text(value) if (value := said.get(key)) else "" for key in ("text", "reasoning")
        )
        tokens = plain_count(plain_number(said.get("tokens")))
        cost = plain_number(said.get("cost"))
        seen: list[SeenCall] = []
        rows: list[dict[str, Any]] = []
        for item in items:
            self._calls += 1
            call, row = live_call(item, self._calls, self._id_of(item, thread), self._table)
            seen.append(call)
            rows.append(row)
        about = {"text": text, "thought": reasoning, "tokens": tokens, "cost": cost}
        told = {key: value for key, value in about.items() if value not in (None, "")}
        if told or not rows:  # in the row of a call, amounts would be the call's
            rows.insert(0, {"tool": None, **told})
        for row in rows:
            row["round"] = thread.round
            if now is not None:
                row["started"] = now
            log.row(thread, row)
        events, thread.events = tuple(thread.events), []
        searches = sum(call.effect == "search" for call in seen)
        kind = kind_of(thread.round, False, len(seen), searches)
        return SeenRound(
            thread.name, thread.request, thread.round, kind, tuple(seen), text, reasoning, now,
            events, tokens, cost,
        )  # fmt: skip

    def results(
        self,
        thread: GuardThread,
        done: OpenRound,
        items: list[Any],
        now: float | None,
        log: GuardLog,
    ) -> tuple[SeenResult, ...]:
        """Return what rules see of the results of a round, and record them.

        Parameters
        ----------
        items
            One for each call, in their order; those of blocked calls may be left out.
        """
        calls, blocked = done.seen.calls, done.blocked
        if done.stopped:
            return tuple(SeenResult("missing", "", started=done.time) for _ in calls)
        if blocked and len(items) == len(calls) - len(blocked):
            given = iter(items)
            items = [None if place in blocked else next(given) for place in range(len(calls))]
        found = []
        for place, call in enumerate(calls):
            item = items[place] if place < len(items) else None
            if place in blocked and item is None:
                item = {"status": "denied"}
            result, cells = live_result(item, done.time, now)
            found.append(result)
            if cells:
                row = {"event": "result", "call_id": call.call_id, **cells}
                if now is not None:
                    row["ended"] = now
                log.row(thread, row)
            if place not in blocked:
                log.tool_finished(thread, call, result.status, now)
        return tuple(found)

    def _id_of(self, item: Any, thread: GuardThread) -> str:
        """Return the id of a call, made different from those of all earlier ones."""
        given = (item.get("call_id") or item.get("id")) if isinstance(item, Mapping) else None
        name = plain_text(given) if given else f"call-{self._calls}"
        while name in self.asked_in:
            name = f"{name}#{self._calls}"
        self.asked_in[name] = (thread.name, thread.request)
        return name
