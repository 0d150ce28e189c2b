"""What a guard shows of its run: state, events, the record; reading never disturbs the loop."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from agentlens.breaker.live.recorder import as_lines, as_trace
from agentlens.trace.whole_file import write_whole

if TYPE_CHECKING:
    from agentlens.breaker.live.engine import GuardRun
    from agentlens.breaker.live.thread import GuardThread
    from agentlens.breaker.machine import Transition
    from agentlens.breaker.policy import Policy
    from agentlens.trace.model import Trace

__all__ = ["MODES", "GuardView", "checked_mode"]

MODES = ("off", "shadow", "enforce", "forced_open")


def checked_mode(mode: str) -> str:
    """Return a mode, or raise ValueError where there is none of that name."""
    if mode not in MODES:
        raise ValueError(f"mode: {mode!r} is none of {', '.join(MODES)}")
    return mode


class GuardView:
    """The half of `agentlens.Guard` that a reader of the run needs."""

    _run: GuardRun
    _thread: GuardThread

    @property
    def policy(self) -> Policy:
        """The policy at work."""
        return self._run.policy

    @property
    def mode(self) -> str:
        """One of `MODES`; setting it takes effect at the next round."""
        return self._run.mode

    @mode.setter
    def mode(self, mode: str) -> None:
        run = self._run
        with run.lock:
            old, run.mode = run.mode, checked_mode(mode)
            run.log.emit("mode", run.log.now(), self._thread, old=old, mode=mode)

    @property
    def stopped(self) -> bool:
        """True where the current request was stopped."""
        return self._stop_rule() is not None

    @property
    def state(self) -> str:
        """The machine's state: ``running``, or after a stop ``finalizing``."""
        sequence = self._thread.sequence
        return sequence.machine.state if sequence else "running"

    @property
    def path(self) -> tuple[Transition, ...]:
        """The machine's transitions in the current request."""
        sequence = self._thread.sequence
        return tuple(sequence.machine.path) if sequence else ()

    @property
    def events(self) -> list[dict[str, Any]]:
        """Everything that happened in the run, oldest first: a copy of the list."""
        with self._run.lock:
            return list(self._run.log.events)

    @property
    def version(self) -> int:
        """A number that grows with every change: cheap to look at."""
        return self._run.log.version

    def subscribe(self, callback: Callable[[Self], object]) -> Callable[[], None]:
        """Call `callback(guard)` after every change, in the loop's own thread.

        One that raises is an event and is not called again. Returns a function that ends it.
        """
        key, listeners = object(), self._run.log.listeners
        with self._run.lock:
            listeners[key] = lambda: callback(self)
        return lambda: (listeners.pop(key, None), None)[1]

    def trace(self) -> Trace:
        """Return the run so far as a trace, as `agentlens.load` makes it of the record."""
        with self._run.lock:
            rows = list(self._run.log.recorder.rows)
        return as_trace(rows, self._run.tools)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the record so far: JSON lines that `agentlens.load` opens."""
        target = Path(path).expanduser()
        with self._run.lock:
            rows = self._run.log.recorder.rows_for(target)
        if rows is not None:
            write_whole(target, as_lines(rows))

    def _stop_rule(self) -> str | None:
        with self._run.lock:
            if self.mode not in ("enforce", "forced_open"):
                return None
            latched = self._run.latched(self._thread)
            return latched.rule if latched else None
