"""NOVELTY: rounds that bring nothing new."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from agentlens.breaker.families.base import Family
from agentlens.breaker.seen import Finding, SeenResult, SeenRound

__all__ = ["Novelty"]


class Novelty(Family):
    """Counts rounds in a row that bring no new URL, no new line, and change nothing.

    Lines are compared with what changes by itself left out. Not counted, and no end of the count:
    thinking, waiting, failures (another rule's), commands without output, the first repeat after
    the context was cut. Separately it counts reads, in a row, of ranges that were read already,
    and speaks before the one that makes `limit`. A round counts once, however many calls it has.
    It cannot see news that say nothing: a page that shows other words each time.
    """

    def reset(self) -> None:
        """Begin anew."""
        self._run = 0
        self._reread = 0
        self._calls: deque[int] = deque(maxlen=24)
        self._again: deque[int] = deque(maxlen=24)

    def before(self, seen: SeenRound) -> Finding | None:
        """Count reads of ranges that were read."""
        if "compaction" in seen.events:
            self._reread = 0
            self._again.clear()
        limit = self.spec.limit
        rereads = self.board.rereads
        if limit is None or not rereads or not all(rereads):
            return None
        count = self._reread + 1
        if count < limit or self.spec.stop is None or (self.quiet and count > limit):
            return None
        self.count = max(self._run, count)
        reason = f"{count} reads in a row of ranges that were read already"
        numbers = [*self._again, seen.calls[-1].number]
        return Finding(self.spec.name, "stop", count, limit, reason, tuple(numbers[-12:]))

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> Finding | None:  # noqa: ARG002
        """Count the round if nothing came of it."""
        signs = self.board.signs.calls
        if not signs:
            return None
        acts = [s for s in signs if s.effect not in ("think", "finish") and not s.wait]
        if acts and all(s.reread for s in acts):
            self._reread += 1
            self._again.append(acts[-1].call)
        elif acts:
            self._reread = 0
            self._again.clear()
        counted = [s for s in acts if not (s.failure or s.silent or s.excused)]
        if any(s.news or s.change for s in acts):
            self._run = 0
            self._calls.clear()
        elif counted:
            self._run += 1
            self._calls.append(counted[-1].call)
        self.count = max(self._run, self._reread)
        if not counted:
            return None
        level = self.level(self._run)
        if level is None:
            return None
        reason = f"{self._run} rounds in a row bring no new URL, no new line and no change"
        return self.finding(level, self._run, reason, self._calls)
