"""Follow a guard: what it watches, as it goes on, seldom enough that nobody waits for it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from agentlens.breaker.live.guard import Guard
from agentlens.breaker.policy import Policy
from agentlens.trace.load import load
from agentlens.trace.model import Trace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentlens.breaker.machine import Transition
    from agentlens.widgets.lens.link import StageLink

__all__ = ["EVERY", "SHARE", "Followed", "Follower"]

#: At most so often, in seconds; and no more than this share of the time is spent on it.
EVERY = 0.5
SHARE = 0.1


class Follower:
    """Calls back after changes of a guard, in the thread in which it was made.

    A guard tells of a change in the loop's own thread, which may be any. Where an event loop runs
    here (as in a Jupyter kernel) the call is handed over to it; where this thread is itself busy
    with the agent's loop, it is made in between. Anything that came meanwhile is caught up with.

    Parameters
    ----------
    guard
        What is followed.
    changed
        Called without arguments; what it raises ends the following.
    """

    def __init__(self, guard: Guard, changed: Callable[[], Any]) -> None:
        self.guard, self._changed = guard, changed
        self._home = threading.get_ident()
        self._version, self._next = -1, 0.0
        self._waiting: asyncio.TimerHandle | None = None
        self._asked = False
        try:
            self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:
            self._loop = None
        self._version = guard.version
        self._stop = guard.subscribe(lambda _: self._told())

    def close(self) -> None:
        """Follow no more."""
        self._stop()
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def catch_up(self) -> None:
        """Call back now, if anything has changed."""
        self._waiting, self._asked = None, False
        version = self.guard.version
        if version == self._version:
            return
        start = time.monotonic()
        self._version = version
        try:
            self._changed()
        except BaseException:
            self.close()
            raise
        finally:
            now = time.monotonic()
            self._next = now + max(EVERY, (now - start) * (1 / SHARE - 1))

    def _told(self) -> None:
        here = threading.get_ident() == self._home
        if here and time.monotonic() >= self._next:
            self.catch_up()
        elif self._loop is not None and not self._asked and not self._loop.is_closed():
            self._asked = True  # one call in flight is enough; it looks at the newest version
            self._loop.call_soon_threadsafe(self._later)

    def _later(self) -> None:
        if self._waiting is None and self._loop is not None:
            wait = max(0.0, self._next - time.monotonic())
            self._waiting = self._loop.call_later(wait, self.catch_up)


class Followed:
    """The half of a Lens that can be given a guard instead of a trace."""

    trace: Any
    _link: StageLink
    _follower: Follower | None = None
    _catching_up = False

    def _taken(self, value: Any) -> Trace:
        """Return a trace of what a Lens was given; a guard is followed from now on."""
        if isinstance(value, Guard):
            found = value.trace()
        else:
            found = value if isinstance(value, Trace) else load(value)
        if not self._catching_up:
            self._follow(value if isinstance(value, Guard) else None)
        return found

    def _own_policy(self, source: Any) -> Policy:
        return source.policy if isinstance(source, Guard) else Policy()

    @property
    def _live(self) -> Sequence[Transition]:
        """The path of the guard that is followed."""
        return self._follower.guard.path if self._follower is not None else ()

    def _follow(self, guard: Guard | None) -> None:
        if self._follower is not None:
            self._follower.close()
        self._follower = None if guard is None else Follower(guard, self._went_on)

    def _went_on(self) -> None:
        """Show the run as it is now, in the thread that was shown."""
        thread, follower = self._link.thread, self._follower
        selected = self._link.stage.selected
        if follower is None:
            return
        self._catching_up = True
        try:
            self.trace = follower.guard
        finally:
            self._catching_up = False
        if thread != self._link.thread and thread in self.trace.tables["rounds"]["thread"]:
            self._render(thread)
        if thread == self._link.thread:  # rounds are only added: a place stays what it was
            self._link.stage.selected = selected

    def _render(self, thread: str | None) -> None:
        raise NotImplementedError
