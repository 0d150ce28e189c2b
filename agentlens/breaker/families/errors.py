"""The same failure again and again, whatever the call."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from agentlens.breaker.families.base import Family
from agentlens.breaker.seen import Finding, SeenResult, SeenRound

__all__ = ["Errors"]


class Errors(Family):
    """Counts rounds that end in one and the same failure, whatever tool and arguments.

    Failures are equal by `agentlens.breaker.families.failures.signature`. What brings news or
    changes something ends the count; what only repeats does not. Where trying again cannot help (no
    permission, no credentials, calls that are not well-formed) it speaks at `limit`. A throttle is
    a wait. It cannot see failures that are told in ever new words.
    """

    def reset(self) -> None:
        """Begin anew."""
        self._failure = 0
        self._run = 0
        self._calls: deque[int] = deque(maxlen=24)

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> Finding | None:  # noqa: ARG002
        """Count the round's failure, if it has one."""
        signs = [s for s in self.board.signs.calls if not s.wait and s.effect != "finish"]
        failed = [s for s in signs if s.failure]
        if any(s.news or s.change for s in signs):
            self.reset()
        if "compaction" in seen.events:
            self.reset()
        if not failed:
            self.count = self._run
            return None
        same = [s for s in failed if s.failure == self._failure]
        if not same:
            self.reset()
            same = failed[:1]
            self._failure = same[0].failure
        self._run += 1
        self.count = self._run
        self._calls.append(same[0].call)
        count, limit, stop = self._run, self.spec.limit, self.spec.stop
        if same[0].fatal and limit is not None and stop is not None:
            count += stop - limit if count >= limit else 0
        level = self.level(count)
        if level is None:
            return None
        why = "; trying again cannot help" if same[0].fatal else ""
        reason = f"the same failure {self._run} times, whatever was tried{why}"
        return self.finding(level, count, reason, self._calls)
