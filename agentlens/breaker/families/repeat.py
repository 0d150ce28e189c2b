"""The same call whose answer does not change, nothing else having changed."""

from __future__ import annotations

from collections.abc import Sequence

from agentlens.breaker.families.base import Family, strongest
from agentlens.breaker.families.signs import CallSigns
from agentlens.breaker.seen import Finding, SeenCall, SeenResult, SeenRound
from agentlens.trace.tool_words import words_of

__all__ = ["Repeat"]

#: Actions that one repeats to move on, and whose answer does not show that it moved.
_MOVES = frozenset("scroll press key keypress swipe page wheel arrow next previous hotkey".split())


class _Row:
    """One call in consecutive rounds: its last answer, and how often in a row it was that."""

    __slots__ = ("answer", "calls", "count", "failed", "patient")

    def __init__(self) -> None:
        self.answer = 0
        self.count = 0
        self.failed = self.patient = False
        self.calls: list[int] = []


class Repeat(Family):
    """Counts rounds in a row that make the same call and get the same answer.

    The call that would be the next one counts before it runs. Where the answer was a failure that
    may pass, or the tool only moves on (scrolls, presses a key) and its answer cannot show it, it
    speaks at `limit` instead of its levels: models do correct themselves after an error, and the
    world may change; a call that is not well-formed or not allowed stays so. Thinking and waiting
    are passed over; equal calls of one round count once; news from another call of the round
    excuses; what the context lost may be asked for again. With `window` it counts equal pairs of
    call and answer among so many rounds, since the last change, in any order.
    It cannot see repeats whose answer changes, which may be progress.
    """

    def reset(self) -> None:
        """Begin anew."""
        self._rows: dict[int, _Row] = {}
        self._past: list[int] = []

    def before(self, seen: SeenRound) -> Finding | None:
        """Count a call whose answer so far stayed the same."""
        if "compaction" in seen.events:
            self.reset()
        if self.spec.window is not None:
            return None
        found, done = None, set[int]()
        self.count = 0
        for index, (call, key) in enumerate(zip(seen.calls, self.board.keys, strict=True)):
            row = self._rows.get(key)
            if row is None or key in done or not self.looks_at(call):
                continue
            done.add(key)
            count = row.count + 1
            self.count = max(self.count, count)
            if row.patient or _moves_on(call):
                count = self._patient(count)
            level = self.level(count)
            if level is not None:
                what = "fails the same way" if row.failed else "brings the same"
                reason = f"{call.tool} {what}, {row.count} times in a row; asked for once more"
                spoken = self.finding(level, count, reason, [*row.calls, call.number], (index,))
                found = strongest((found, spoken))
        return found

    def _patient(self, count: int) -> int:
        """Return the count that stands for one of a call that is given more time."""
        late, stop = self.spec.limit, self.spec.stop
        if late is None or stop is None:
            return count
        return count - (late - stop) if count >= late else min(count, 1)

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> Finding | None:  # noqa: ARG002
        """Take note of the answers."""
        acts = [s for s in self.board.signs.calls if s.effect != "think" and not s.wait]
        if not acts:
            return None
        if self.spec.window is not None:
            return self._among(acts)
        rows: dict[int, _Row] = {}
        for sign in acts:
            if sign.key in rows:
                continue
            row = self._rows.get(sign.key)
            if row is None or (sign.ran and row.answer != sign.answer):
                row = _Row()
            if sign.ran:  # a call that was kept from running is as good as its last answer
                row.answer, row.failed = sign.answer, bool(sign.failure)
                row.patient = row.failed and not sign.fatal
            other = any((s.news or s.change) and s.key != sign.key for s in acts)
            row.count = max(1, row.count + (not other))
            if len(row.calls) < 24:
                row.calls.append(sign.call)
            rows[sign.key] = row
        self._rows = rows
        return None

    def _among(self, acts: Sequence[CallSigns]) -> Finding | None:
        """Count rounds that only return to earlier calls and bring nothing."""
        if any(s.change for s in acts):
            self._past = []
        told = [s for s in acts if not (s.silent or s.failure)]
        returned = bool(told) and all(s.again and not (s.news or s.excused) for s in told)
        if told:
            self._past.append(told[-1].call if returned else 0)
            del self._past[: -(self.spec.window or 1)]
        calls = [call for call in self._past if call]
        self.count = len(calls)
        level = self.level(len(calls)) if returned else None
        if level is None:
            return None
        reason = (
            f"{len(calls)} of the last {len(self._past)} rounds went back to calls made before, "
            "and brought nothing new"
        )
        return self.finding(level, len(calls), reason, calls)


def _moves_on(call: SeenCall) -> bool:
    if call.effect not in ("run", "unknown", "read"):
        return False
    words = set(words_of(call.tool))
    action = (call.args or {}).get("action")
    if isinstance(action, str):
        words.update(words_of(action))
    return not _MOVES.isdisjoint(words)
