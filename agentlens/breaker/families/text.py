"""TEXT: the model says the same, again and again, in one message or in several."""

from __future__ import annotations

import re
import zlib
from collections import deque

from agentlens.breaker.families.base import Family
from agentlens.breaker.seen import Finding, SeenRound

__all__ = ["Text"]

_SPACE = re.compile(r"\s+")
_STRUCTURE = re.compile(r"(?m)^\s{0,40}+(?:```|[|>#]|[-*+]\s|\d+[.)]\s|-{3,}|\*{3,}|={3,})")
_TOKEN = re.compile(r"\w+|[^\w\s]")
#: Longest text of one round that is looked through for repeats within it.
_MAX = 20_000


class Text(Family):
    """Counts what the model says.

    `of` is: ``message``, equal messages in a row without a call between; ``any``, messages in a
    row whatever they say; ``empty``, messages without text; ``thought``, equal thoughts in a row
    (a call ends them only with ``reset = "success"``); ``chunk``, the same 50 characters within
    one message, on average at most `limit` apart; ``tokens``, a block of up to 16 tokens repeated
    at the end of the message so that the repeats hold at least `limit` tokens.
    It cannot see the same thing said in other words.
    """

    def reset(self) -> None:
        """Begin anew."""
        self._last: str | None = None
        self._run = 0
        self._shown: deque[int] = deque(maxlen=12)

    def before(self, seen: SeenRound) -> Finding | None:
        """Count what a round says."""
        of = self.spec.of
        if of in ("chunk", "tokens"):
            text = seen.text[-_MAX:]
            long = len(text) >= 50
            self.count = (_chunks(text, self.spec.limit or 250) if of == "chunk" else _tail(
                text, self.spec.limit or 12)) if long or of == "tokens" else 0  # fmt: skip
            high = self._high
            level = self._at[high] if high is not None and self.count >= high else None
            if level is None:
                return None
            return self.finding(level, self.count, f"one message says the same {self.count} times")
        said = _SPACE.sub(" ", seen.reasoning if of == "thought" else seen.text).strip()
        if of == "thought":
            said = said[:200].lower()
            if not said or (seen.calls and self.spec.reset == "success"):
                self._last, self._run = None, 0
                return None
        elif seen.calls:
            self._last, self._run, self.count = None, 0, 0
            return None
        if seen.kind in ("preamble", "copied"):
            return None
        return self._push(said, of)

    def _push(self, said: str, of: str) -> Finding | None:
        if of == "empty":
            self._run = 0 if said else self._run + 1
        elif of == "any":
            self._run += 1
        elif not said:
            self._last, self._run = None, 0
        else:
            self._run = self._run + 1 if said == self._last else 1
            self._last = said
        self.count = self._run
        level = self.level(self._run)
        if level is None:
            return None
        what = {"any": "message without a call", "empty": "empty message"}.get(of, f"same {of}")
        return self.finding(level, self._run, f"{what}, {self._run} times in a row")


def _chunks(text: str, distance: int) -> int:
    """Return how often the same 50 characters stand in the last 5,000, close together."""
    size, best = 50, 0
    for whole in _STRUCTURE.split(text):
        part = whole[-5000:]
        raw = part.encode("utf-8", "surrogatepass")
        if 5 * len(zlib.compress(raw, 1)) > 3 * len(raw):
            continue  # ten repeats close together would make it much shorter
        places: dict[str, list[int]] = {}
        for at in range(len(part) - size + 1):
            places.setdefault(part[at : at + size], []).append(at)
        for found in places.values():
            if len(found) > best and found[-1] - found[0] <= distance * (len(found) - 1):
                best = len(found)
    return best


def _tail(text: str, least: int) -> int:
    """Return how often a block of up to 16 tokens repeats at the end of the last 400."""
    tokens = _TOKEN.findall(text)[-400:]
    best = 1
    for size in range(1, min(16, len(tokens)) + 1):
        block, laps = tokens[-size:], 1
        while tokens[-size * (laps + 1) : -size * laps] == block:
            laps += 1
        if laps * size >= least:
            best = max(best, laps)
    return best
