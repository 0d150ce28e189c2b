"""The log of a live run: events as plain dicts, the record, the clock, and who listens.

Nothing here raises: what fails is an event, and the run goes on.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from agentlens.breaker.live.decision import Decision
from agentlens.breaker.live.plain_values import plain_text
from agentlens.breaker.live.recorder import Recorder
from agentlens.breaker.live.thread import GuardThread, OpenRound
from agentlens.breaker.seen import SeenCall
from agentlens.trace.run_log import MAIN

__all__ = ["GuardLog", "steady_clock"]


def steady_clock() -> Callable[[], float]:
    """Return a clock in seconds since the epoch that never goes back, whatever is done to it."""
    offset = time.time() - time.monotonic()
    return lambda: offset + time.monotonic()


class GuardLog:
    """What happened in a live run, as its guard saw it.

    Parameters
    ----------
    clock
        Seconds since the epoch.
    record
        Where the record is also written, or None.
    """

    def __init__(self, clock: Callable[[], float] | None, record: str | os.PathLike[str] | None):
        self._clock = steady_clock() if clock is None else clock
        self.events: list[dict[str, Any]] = []
        self.recorder = Recorder(record)
        self.version = 0
        self.listeners: dict[object, Callable[[], object]] = {}

    def now(self) -> float | None:
        """Return the time; None where the clock fails."""
        try:
            moment = float(self._clock())
        except Exception as error:
            self.fault("clock", error, moment=None)
            return None
        return moment if math.isfinite(moment) and moment >= 0 else None

    def emit(
        self, event: str, moment: float | None, thread: GuardThread | None = None, **about: Any
    ) -> None:
        """Add an event."""
        if thread is None:
            self.events.append({"time": moment, "event": event, **about})
            return
        self.events.append(
            {
                "time": moment, "event": event, "thread": thread.name,
                "request": thread.request, "round": thread.round, **about,
            }
        )  # fmt: skip

    def fault(
        self, where: str, error: Exception, thread: GuardThread | None = None, *,
        moment: float | None,
    ) -> None:  # fmt: skip
        """Tell of a fault within the guard."""
        cause = f"{type(error).__name__}: {plain_text(error)}"[:500]
        self.emit("guard_error", moment, thread, where=where, cause=cause)

    def decided(
        self, thread: GuardThread, event: str, decision: Decision, mode: str, moment: float | None
    ) -> None:
        """Tell of a decision; what a guard did, or in shadow had done, stands in the record."""
        about: dict[str, Any] = {
            "action": decision.action, "would": decision.would, "mode": mode,
            "rule": decision.rule, "cause": decision.reason, "blocked": decision.blocked,
        }  # fmt: skip
        if decision.findings:
            about["findings"] = [asdict(finding) for finding in decision.findings]
        self.emit(event, moment, thread, **about)
        if decision.findings and decision.would != "proceed":
            did = decision.would if mode != "shadow" else f"would {decision.would}"
            self.happened(thread, "guard_fired", moment, f"{did}: {decision.reason}")

    def tools_started(self, thread: GuardThread, round_: OpenRound, moment: float | None) -> None:
        """Tell which calls of a round run now."""
        for place, call in enumerate(round_.seen.calls):
            if place not in round_.blocked:
                self.emit(
                    "tool_started", moment, thread, call=call.number, call_id=call.call_id,
                    tool=call.tool,
                )  # fmt: skip

    def tool_finished(
        self, thread: GuardThread, call: SeenCall, status: str, moment: float | None
    ) -> None:
        """Tell how a call ended."""
        self.emit(
            "tool_finished", moment, thread, call=call.number, call_id=call.call_id,
            tool=call.tool, status=status,
        )  # fmt: skip

    def started(
        self, thread: GuardThread, parent: str, call_id: str | None, moment: float | None
    ) -> None:
        """Tell and record which call of which thread started one."""
        cells = {"event": "thread", "thread": thread.name, "parent": parent}
        if call_id is not None:
            cells["parent_call"] = call_id
        self.recorder.add(cells)
        self.emit("thread_started", moment, thread, parent=parent, parent_call=call_id)
        self.flush(moment)

    def row(self, thread: GuardThread, cells: Mapping[str, Any]) -> None:
        """Record a row of the plain format."""
        row = dict(cells)
        if thread.name != MAIN:
            row["thread"] = thread.name
        self.recorder.add(row)

    def happened(
        self, thread: GuardThread, kind: str, moment: float | None, text: str = ""
    ) -> None:
        """Record an event of the run; rules see its kind with the next round."""
        thread.events.append(kind)
        self.emit(kind, moment, thread, **({"text": text} if text else {}))
        cells: dict[str, Any] = {"event": kind}
        if kind == "user_message":
            cells = {"role": "user"}
        if text:
            cells["text"] = text
        if moment is not None:
            cells["started"] = moment
        self.row(thread, cells)

    def flush(self, moment: float | None) -> None:
        """Bring the record to its file, and count the change."""
        self.version += 1
        try:
            self.recorder.flush()
        except Exception as error:  # a full disk, a value that JSON cannot hold
            self.fault("record", error, moment=moment)

    def tell(self) -> None:
        """Call whoever listens; not to be called while a lock is held."""
        for key, listener in tuple(self.listeners.items()):
            try:
                listener()
            except Exception as error:
                self.listeners.pop(key, None)
                self.fault("subscriber", error, moment=None)
