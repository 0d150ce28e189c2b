"""A run as lines to show: its calls, what was said between them, and where it would have stopped.

Which lines there are is decided here, how they look in `terminal`. Text of the trace is masked
and put on one line here, so that nothing of it can drive a terminal.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agentlens.errors import TraceError, amount
from agentlens.trace.redact import BEGINNING
from agentlens.trace.redact_trace import masker_of
from agentlens.widgets.plain import one_line

if TYPE_CHECKING:
    from agentlens.breaker.replay import Replay
    from agentlens.trace.model import Trace

__all__ = ["FEW_ROUNDS", "Line", "chosen_rounds", "listing"]

#: More rounds than this are shown by their first, their last and those at a trip.
FEW_ROUNDS = 40
_ENDS, _AROUND = 15, 3
#: Of one text so many characters are looked at: more than any terminal is wide.
_MOST = 400
#: Arguments that say what a command does, whatever stands beside them.
_MAIN = ("command", "cmd", "code", "script")
_MARKS = {"ok": "", "missing": "no result"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the listing.

    Parameters
    ----------
    kind
        ``call``, ``message`` (a round without a call), ``event``, ``trip`` or ``gap``.
    round
        Number of the round; None where the line is none.
    thread, tool, what, result
        Texts, harmless: `what` is the query, the target or the arguments, `result` its first line.
    mark
        How the call ended, where that is not well.
    seconds
        How long it took, where the log says.
    after
        True where the default policy would have stopped before.
    """

    kind: str
    round: int | None = None
    thread: str = ""
    tool: str = ""
    what: str = ""
    result: str = ""
    mark: str = ""
    seconds: float | None = None
    after: bool = False


def chosen_rounds(
    trace: Trace, thread: str | None = None, between: tuple[int, int | None] | None = None
) -> list[int]:
    """Return the rows of the rounds of a thread (or of all) whose numbers lie in a range.

    Raises
    ------
    TraceError
        If the trace has no such thread, or no such round.
    """
    rounds = trace.tables["rounds"]
    names = dict.fromkeys([*trace.tables["threads"]["thread"], *rounds["thread"]])
    if thread is not None and thread not in names:
        known = one_line(masker_of(trace)(", ".join(list(names)[:20])))
        raise TraceError(f"no thread {thread!r}; there are {known}", source=trace.meta.source)
    low, high = between or (0, None)
    rows = [
        row
        for row, (name, number) in enumerate(zip(rounds["thread"], rounds["round"], strict=True))
        if (thread is None or name == thread) and low <= number and (high is None or number <= high)
    ]
    if not rows and between is not None:
        last = max(rounds["round"], default=0)
        raise TraceError(f"no round in that range; the last one is {last}", source=trace.name)
    return rows


def listing(
    trace: Trace, rows: Sequence[int], replay: Replay | None = None, *, everything: bool = False
) -> Iterator[Line]:
    """Yield the lines of some rounds and of the events between them.

    Parameters
    ----------
    rows
        Rows of the rounds table, ascending.
    replay
        Where given, its trips are marked.
    everything
        All rounds, however many; else of a long run the ends, and what surrounds a trip.
    """
    return _Listing(trace, replay).lines(rows, everything)


class _Listing:
    def __init__(self, trace: Trace, replay: Replay | None):
        self.trace, self.replay = trace, replay
        self.mask = masker_of(trace)
        self.trips = {trip.row: trip for trip in replay.trips} if replay else {}
        self.events = _placed(trace)

    def lines(self, rows: Sequence[int], everything: bool) -> Iterator[Line]:
        kept = rows if everything else _kept(rows, self.trips)
        chosen = {self.trace.tables["rounds"]["thread"][row] for row in rows}
        last = -1
        for row in kept:
            at = bisect_left(rows, row)
            if at > last + 1:
                yield Line("gap", what=f"… {amount(at - last - 1, 'round')} …")
            last = at
            before, after = self.events.get(row, ((), ()))
            yield from (self._event(e) for e in before)
            trip = self.trips.get(row)
            if trip is not None and trip.phase == "before":
                yield self._trip(row)
            yield from self._round(row)
            if trip is not None and trip.phase != "before":
                yield self._trip(row)
            yield from (self._event(e) for e in after)
        if rows and last < len(rows) - 1:
            yield Line("gap", what=f"… {amount(len(rows) - 1 - last, 'round')} …")
        events = self.trace.tables["events"]["thread"]
        loose = self.events.get(-1, ((), ()))[0]
        yield from (self._event(e) for e in loose if not chosen or events[e] in chosen)

    def text(self, value: Any, first_line: bool = False) -> str:
        """Return a text masked and on one line; or its first line that is not blank."""
        text = self.mask(str(value)[:BEGINNING]).strip()
        if first_line:
            text = text.splitlines()[0] if text else ""
        return one_line(text[:_MOST])

    def _round(self, row: int) -> Iterator[Line]:
        cells = {name: column[row] for name, column in self.trace.tables["rounds"].items()}
        after = bool(self.replay and self.replay.counterfactual[row])
        thread, number = self.text(cells["thread"]), cells["round"]
        calls = self.trace.round_calls[row]
        if not calls:
            yield Line("message", number, thread, "", self.text(cells["text"]),
                       seconds=cells["seconds"], after=after)  # fmt: skip
            return
        table = self.trace.tables["calls"]
        own = any(table["seconds"][call] is not None for call in calls)
        for place, at in enumerate(calls):
            call = {name: column[at] for name, column in table.items()}
            took = call["seconds"] if own else cells["seconds"] if place == 0 else None
            result = call["result"] or ", ".join(map(str, call["parts"][:3]))
            status = call["status"]
            yield Line(
                "call", number, thread, self.text(call["tool"]), self._what(call),
                self.text(result, first_line=True), _MARKS.get(status, f"✗ {self.text(status)}"),
                took, after,
            )  # fmt: skip

    def _what(self, call: Mapping[str, Any]) -> str:
        if call["query"] or call["target"]:
            return self.text(call["query"] or call["target"])
        args = call["args"]
        if not args:
            return self.text(call["args_raw"] or "")
        main = next((args[k] for k in _MAIN if isinstance(args.get(k), str)), None)
        if main is None and len(args) == 1:
            main = next(iter(args.values()))
        if isinstance(main, str):
            return self.text(main)
        pairs = (f"{k}={_short(v)}" for k, v in list(args.items())[:8])
        return self.text(", ".join(pairs))

    def _event(self, row: int) -> Line:
        events = self.trace.tables["events"]
        kind = "user" if events["kind"][row] == "user_message" else str(events["kind"][row])
        return Line("event", None, self.text(events["thread"][row]), self.text(kind),
                    self.text(events["text"][row]))  # fmt: skip

    def _trip(self, row: int) -> Line:
        trip, replay = self.trips[row], self.replay
        assert replay is not None
        name = replay.policy.name
        return Line("trip", None, self.text(trip.thread), "",
                    self.text(f"policy {name} would have stopped here: {trip.reason}"))  # fmt: skip


def _short(value: Any) -> str:
    if isinstance(value, str):
        return value[:_MOST]
    try:
        return json.dumps(value, ensure_ascii=False, default=str)[:_MOST]
    except (ValueError, RecursionError):
        return "…"


def _placed(trace: Trace) -> dict[int, tuple[list[int], list[int]]]:
    """Return for each round the events before it (the first of its thread) and after it.

    Under -1 stand those of threads that have no round.
    """
    first: dict[str, int] = {}
    for row, thread in enumerate(trace.tables["rounds"]["thread"]):
        first.setdefault(thread, row)
    placed: dict[int, tuple[list[int], list[int]]] = {}
    events = trace.tables["events"]
    for event, (thread, after) in enumerate(
        zip(events["thread"], events["after_row"], strict=True)
    ):
        row = after if after >= 0 else first.get(thread, -1)
        placed.setdefault(row, ([], []))[after >= 0].append(event)
    return placed


def _kept(rows: Sequence[int], trips: Mapping[int, Any]) -> list[int]:
    """Return all of a few rounds; of many their ends and those around the first trip."""
    if len(rows) <= FEW_ROUNDS:
        return list(rows)
    places = {*range(_ENDS), *range(len(rows) - _ENDS, len(rows))}
    at = next((place for place, row in enumerate(rows) if row in trips), None)
    if at is not None:
        places |= set(range(max(0, at - _AROUND), min(len(rows), at + _AROUND + 1)))
    return [rows[place] for place in sorted(places)]
