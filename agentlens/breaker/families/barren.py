"""Rounds of one tool of which nothing comes, whatever each of them ends in."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from agentlens.breaker.families.base import Family
from agentlens.breaker.families.signs import CallSigns
from agentlens.breaker.seen import Finding, SeenResult, SeenRound

__all__ = ["Barren"]


class Barren(Family):
    """Counts, in a row, rounds of one tool that bring no news and change nothing.

    Other rules count one kind of such rounds each: equal answers, equal failures, known lines. A
    run that wavers between them escapes all of these; here each counts, the failures in new words
    too. A round counts double where it was bound to bring nothing: each of its calls had been made
    before and not failed, or failed where trying again cannot help. It counts half where all that
    it had was a first look that found nothing at all, which tells something. Another tool is
    another way to try, and begins the count anew. Passed over: thinking, waiting, finishing, calls
    that did not run, what the context lost.
    It cannot see rounds that bring useless news, nor a run that changes its tool each time.
    """

    def reset(self) -> None:
        """Begin anew."""
        self._halves = self._rounds = 0
        self._tools: frozenset[str] = frozenset()
        self._calls: deque[int] = deque(maxlen=24)

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> Finding | None:  # noqa: ARG002
        """Count the round if nothing came of it."""
        if "compaction" in seen.events:
            self.reset()
        acts = [
            s for s in self.board.signs.calls
            if s.ran and not s.wait and s.effect not in ("think", "finish")
        ]  # fmt: skip
        numbers = {s.call for s in acts}
        tools = frozenset(call.tool for call in seen.calls if call.number in numbers)
        if acts and (tools != self._tools or any(s.news or s.change for s in acts)):
            self.reset()
            self._tools = tools
        before = self._halves // 2
        if acts and not any(s.news or s.change or s.excused for s in acts):
            self._halves += min(map(_halves, acts))  # what tells most of its calls decides
            self._rounds += 1
            self._calls.append(acts[-1].call)
        self.count = self._halves // 2
        # A round that counts double may pass over a level: it is reached then.
        passed = [self.level(count) for count in range(before + 1, self.count + 1)]
        level = next((said for said in reversed(passed) if said is not None), None)
        if level is None:
            return None
        tool = " and ".join(sorted(tools))
        reason = f"{self._rounds} rounds of {tool} in a row brought no news and no change"
        return self.finding(level, self.count, reason, self._calls)


def _halves(sign: CallSigns) -> int:
    """Return for how many half rounds a call counts."""
    if sign.failure:
        return 4 if sign.fatal else 2
    if sign.again:
        return 4
    return 1 if sign.silent else 2
