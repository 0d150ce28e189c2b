"""A builder that writes into one thread of another, for logs of sub-agents in their own files."""

from __future__ import annotations

from typing import Any

from agentlens.trace.build import MAIN, TraceBuilder

__all__ = ["ThreadView"]


class ThreadView(TraceBuilder):
    """Lets a reader of whole files write a sub-agent's log into its parent's trace.

    What the reader writes into the main thread goes into the thread of this view, and its own
    threads get that as a prefix; what it says of the run as a whole is left out.

    Parameters
    ----------
    build
        The parent's builder, which keeps everything.
    thread
        Name of the sub-agent's thread.
    """

    __slots__ = ("_into",)

    def __init__(self, build: TraceBuilder, thread: str):
        self.__dict__ = build.__dict__  # the same tables and states
        self._into = build._name(thread) if isinstance(build, ThreadView) else thread

    def _name(self, thread: str) -> str:
        return self._into if thread == MAIN else f"{self._into}/{thread}"

    @property
    def depth(self) -> int:
        """How many threads this one is below the main one."""
        return self._into.count("/") + 1

    def entitle(self, title: str) -> None:
        """Name this thread as the log calls it."""
        table = self._threads
        row = next(row for row, cells in enumerate(table.rows) if cells[0] == self._into)
        table.set(row, {"name": title})

    def describe(self, **fields: Any) -> None:
        """Say nothing: the parent's file described the run."""

    def note(self, kind: str, message: str, line: int | None = None, count: int = 1) -> None:
        """Tell it without the line, which is one of another file."""
        del line
        super().note(kind, f"{self._into[:40]}: {message}", None, count)

    def thread(self, thread: str, *, parent: str | None = None, **fields: Any) -> str:
        """Declare a thread below this one."""
        above = self._into if parent is None else self._name(parent)
        return super().thread(self._name(thread), parent=above, **fields)

    def round(self, *, thread: str = MAIN, **columns: Any) -> int:
        """Start a round of this thread."""
        name = self._name(thread)
        if name not in self._declared:
            self.thread(thread, parent=MAIN)
        return super().round(thread=name, **columns)

    def user(self, text: str = "", *, thread: str = MAIN, **columns: Any) -> None:
        """Record what started the sub-agent; see `RunLog.user`."""
        name = self._name(thread)
        self._state(name).asked = True
        super().event("user_message", text, thread=name, **columns)

    def event(self, kind: str, text: str = "", *, thread: str = MAIN, **columns: Any) -> None:
        """Record something that is neither a round nor a call."""
        super().event(kind, text, thread=self._name(thread), **columns)

    def find_call(
        self, call_id: str | None, *, thread: str = MAIN, tool: str | None = None
    ) -> tuple[int, str] | None:
        """Find the call of this thread that a result belongs to."""
        return super().find_call(call_id, thread=self._name(thread), tool=tool)

    def has_open_calls(self, thread: str = MAIN) -> bool:
        """Say whether a call of this thread still waits for its result."""
        return super().has_open_calls(self._name(thread))

    def answered(self, thread: str = MAIN) -> bool:
        """Say whether any call of this thread got a result by its id so far."""
        return super().answered(self._name(thread))
