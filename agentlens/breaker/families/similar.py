"""SIMILAR: calls of one tool whose arguments are alike, in a row."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise

from agentlens.breaker.families.base import Family, strongest
from agentlens.breaker.seen import Finding, SeenCall, SeenRound

__all__ = ["Similar", "alike"]

_WORD = re.compile(r"\w+")
_MAX = 2000


def alike(one: str, other: str, metric: str) -> float:
    """Return how alike two texts are: Dice of their pairs of characters, or Jaccard of words."""
    if one == other:
        return 1.0
    if metric == "jaccard":
        a, b = set(_WORD.findall(one.lower())), set(_WORD.findall(other.lower()))
        return len(a & b) / len(a | b) if a | b else 0.0
    pairs = Counter(pairwise(one)), Counter(pairwise(other))
    both = pairs[0].total() + pairs[1].total()
    return 2 * (pairs[0] & pairs[1]).total() / both if both else 0.0


class Similar(Family):
    """Counts calls in a row of one tool whose arguments are alike on average.

    It cannot tell a list that is worked through (page 1, page 2) from a loop.
    """

    def reset(self) -> None:
        """Begin anew."""
        self._tool = ""
        self._last = ""
        self._scores: list[float] = []
        self._calls: list[int] = []

    def before(self, seen: SeenRound) -> Finding | None:
        """Compare each call with the one before."""
        return strongest(
            [
                self._push(call, index)
                for index, call in enumerate(seen.calls)
                if self.looks_at(call)
            ]
        )

    def _push(self, call: SeenCall, index: int) -> Finding | None:
        text = call.args_raw or json.dumps(call.args, ensure_ascii=False, default=str)
        text = text[:_MAX]
        if call.tool == self._tool:
            self._scores.append(alike(text, self._last, self.spec.metric))
        else:
            self._scores, self._calls = [], []
        self._tool, self._last = call.tool, text
        self._calls.append(call.number)
        wanted = self.spec.similarity
        # The longest end of the streak whose neighbours are alike on average.
        total, best = 0.0, 1
        for length, score in enumerate(reversed(self._scores[-32:]), 1):
            total += score
            if total >= wanted * length:
                best = length + 1
        self.count = best
        level = self.level(best)
        if level is None and self._high is not None and best > self._high:
            level = None if self.quiet else self._at[self._high]
        if level is None:
            return None
        reason = f"{best} calls of {call.tool} in a row are alike"
        return self.finding(level, best, reason, self._calls[-best:], (index,))
