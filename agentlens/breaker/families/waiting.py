"""WAITING: the run waits for something; that is neither a loop nor progress."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from agentlens.breaker.families.base import Family
from agentlens.breaker.seen import Finding, SeenResult, SeenRound

__all__ = ["Waiting"]

_WORDS = {
    "running": "something that still runs",
    "throttled": "a throttle to end",
    "person": "a person to answer",
    "pause": "time to pass",
}


class Waiting(Family):
    """Counts rounds in a row that only wait; its one level, `warn`, gives the verdict ``waiting``.

    The evidence is that of `agentlens.breaker.families.waits`. The other rules of signs pass such
    rounds over. It cannot see that what is waited for will never come.
    """

    def reset(self) -> None:
        """Begin anew."""
        self._run = 0
        self._calls: deque[int] = deque(maxlen=24)

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> Finding | None:  # noqa: ARG002
        """Count the round if it waits."""
        signs = self.board.signs
        acts = [s for s in signs.calls if s.effect != "think"]
        if not acts:
            return None
        if not signs.waits:
            self.reset()
            self.count = 0
            return None
        self._run += 1
        self.count = self._run
        self._calls.append(acts[-1].call)
        threshold = self.spec.warn[0] if self.spec.warn else 1
        if self._run < threshold or (self.quiet and self._run > threshold):
            return None
        kinds = dict.fromkeys(_WORDS[s.wait] for s in acts)
        reason = f"waits for {' and '.join(kinds)}, {self._run} rounds in a row"
        numbers = tuple(self._calls)[-12:]
        return Finding(self.spec.name, "wait", self._run, threshold, reason, numbers)
