"""In which order rows of the plain format say a trace again.

A round begins with its first row, and rows of one number are one round while no other round of
their thread has begun; so each round is begun as late as its calls allow, and an event is said
just before its thread goes on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentlens.trace.model import Trace

__all__ = ["Step", "steps"]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to say.

    Parameters
    ----------
    kind
        ``thread``, ``event``, ``round`` or ``call``.
    at
        Row in its table.
    called
        Of a round: True where its first call is said next. Of a call: True where that is it.
    """

    kind: str
    at: int
    called: bool = False


def steps(trace: Trace) -> Iterator[Step]:
    """Yield what to say, in order; every round, call and event once, and threads where needed."""
    return _Order(trace).steps()


class _Order:
    def __init__(self, trace: Trace):
        self.rounds, self.events = trace.tables["rounds"], trace.tables["events"]
        self.threads = trace.tables["threads"]
        self.of_call: Sequence[int] = trace.tables["calls"]["round_row"]
        self.begun = self.told = self.declared = 0  # how many rounds, events and threads
        self.due = _deadlines(self.rounds, self.events)
        self.place = {name: n for n, name in enumerate(self.threads["thread"])}

    def steps(self) -> Iterator[Step]:
        for call in self._calls():
            row = self.of_call[call]
            first = False
            while self.begun <= row:
                first = self.begun == row
                yield from self._begin(called=first)
            yield Step("call", call, first)
        while self.begun < len(self.rounds["round"]):
            yield from self._begin(called=False)
        yield from self._tell(len(self.events["kind"]))
        yield from self._declare(len(self.place), follows=False)

    def _calls(self) -> list[int]:
        """Return the calls in their order; by round where one comes after its round has ended."""
        begun = 0
        open_row: dict[str, int] = {}
        for row in self.of_call:
            for each in range(begun, row + 1):
                open_row[self.rounds["thread"][each]] = each
            begun = max(begun, row + 1)
            if open_row[self.rounds["thread"][row]] != row:
                return sorted(range(len(self.of_call)), key=lambda call: self.of_call[call])
        return list(range(len(self.of_call)))

    def _begin(self, called: bool) -> Iterator[Step]:
        row = self.begun
        yield from self._tell(self.due.get(row, 0))
        yield from self._declare(self.place.get(self.rounds["thread"][row], -1) + 1, follows=True)
        self.begun += 1
        yield Step("round", row, called)

    def _tell(self, until: int) -> Iterator[Step]:
        for event in range(self.told, until):
            yield Step("event", event)
        self.told = max(self.told, until)

    def _declare(self, until: int, follows: bool) -> Iterator[Step]:
        """Declare threads that another one started, or that no round declares in their turn."""
        for at in range(self.declared, until):
            begins = follows and at == until - 1  # its first round comes next
            started = [self.threads[c][at] is not None for c in ("parent", "parent_call")]
            if any(started) or not begins:
                yield Step("thread", at)
        self.declared = max(self.declared, until)


def _deadlines(rounds: Mapping[str, list[Any]], events: Mapping[str, list[Any]]) -> dict[int, int]:
    """Return for a round how many events must have been said before it."""
    rows_of: dict[str, list[int]] = {}
    for row, thread in enumerate(rounds["thread"]):
        rows_of.setdefault(thread, []).append(row)
    due: dict[int, int] = {}
    for event, (thread, after) in enumerate(
        zip(events["thread"], events["after_row"], strict=True)
    ):
        rows = rows_of.get(thread, [])
        place = bisect_right(rows, after)
        if place < len(rows):
            due[rows[place]] = event + 1
    return due
