"""COUNT: the same key so often among the last units, in any order."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from agentlens.breaker.families.base import Family, strongest
from agentlens.breaker.families.facts import is_failure
from agentlens.breaker.families.looks import is_look
from agentlens.breaker.seen import Finding, SeenCall, SeenResult, SeenRound

__all__ = ["Count"]

_ACTS = frozenset(("write", "run", "unknown"))
#: Stands in the window for calls that are forgotten.
_GONE = object()


class Count(Family):
    """Counts how often a key is among the last `window` calls or rounds, this one included.

    A round is the set of its calls' keys. With ``reset = "mutation"`` a call that succeeds and
    may have changed something makes it forget all others. It cannot see repeats further apart
    than its window.
    """

    def reset(self) -> None:
        """Begin anew."""
        spec = self.spec
        self._past: deque[object] = deque()
        self._number: dict[object, int] = {}
        self._told: dict[object, float] = {}
        self._calls: dict[object, list[int]] = {}
        self._call_key = self.board.facts.call_keys(spec)
        how = "error" if "error" in spec.key else spec.result if "result" in spec.key else ""
        self._result_key = self.board.facts.result_keys(how) if how else None
        self._late = spec.speaks_after

    @property
    def asks(self) -> tuple[bool, bool]:
        """See `Family.asks`."""
        return not self._late or self.spec.scope == "message", self._late

    @property
    def is_fed(self) -> bool:
        """See `agentlens.breaker.families.sweep`."""
        spec = self.spec
        return not (spec.scope == "message" or spec.only or spec.reset == "mutation")

    def before(self, seen: SeenRound) -> Finding | None:
        """Count keys that need no result."""
        if self.spec.scope == "message":
            self.reset()
        return None if self._late else self._step(seen, None)

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> Finding | None:
        """Count keys that hold a result."""
        return self._step(seen, results) if self._late else None

    def _step(self, seen: SeenRound, results: Sequence[SeenResult] | None) -> Finding | None:
        keyed: list[tuple[int, SeenCall, object]] = []
        for index, call in enumerate(seen.calls):
            if not self.looks_at(call):
                continue
            result = results[index] if results is not None and index < len(results) else None
            if result is not None and self.spec.only == "error" and not is_failure(result):
                continue
            key: object = self._call_key(call)
            if self._result_key is not None and result is not None:
                key = (key, self._result_key(call, result))
            if result is not None:
                self._forget_at_change(call, result, key)
            keyed.append((index, call, key))
        if not keyed:
            return None
        return self.feed(keyed)

    def feed(self, keyed: Sequence[tuple[int, SeenCall, object]]) -> Finding | None:
        """Count the calls of one round that the rule looks at: place, call, key."""
        if self.spec.unit == "round":
            whole = frozenset(key for _, _, key in keyed)
            return self._push(whole, keyed[0][1], [index for index, _, _ in keyed])
        return strongest([self.push(key, call, index) for index, call, key in keyed])

    def push(self, key: object, call: SeenCall, index: int) -> Finding | None:
        """Count one call that the rule looks at, where each counts by itself."""
        return self._push(key, call, (index,))

    def _forget_at_change(self, call: SeenCall, result: SeenResult, key: object) -> None:
        """At a change forget all other keys: what they looked at may be another now."""
        acts = call.effect in _ACTS and not is_failure(result) and not is_look(call)
        if self.spec.reset != "mutation" or not acts:
            return
        self._past = deque(k if k == key else _GONE for k in self._past)
        self._number = {k: n for k, n in self._number.items() if k == key}
        self._number[_GONE] = len(self._past) - self._number.get(key, 0)
        self._told = {k: at for k, at in self._told.items() if k == key}

    def _push(self, key: object, call: SeenCall, blocked: Sequence[int]) -> Finding | None:
        spec, past, number = self.spec, self._past, self._number
        past.append(key)
        number[key] = number.get(key, 0) + 1
        if spec.window is not None and len(past) > spec.window:
            gone = past.popleft()
            left = number[gone] = number[gone] - 1
            if not left:
                del number[gone]
                self._calls.pop(gone, None)
            if left < self._told.get(gone, 0):
                self._told[gone] = self._reached(left)
        count = number[key]
        calls = self._calls.get(key)
        if calls is None:
            calls = self._calls[key] = [call.number]
        elif len(calls) < 24:
            calls.append(call.number)
        self.count = count
        if len(past) < spec.min_len:
            return None
        if count < self._low:
            return None
        level = self.level(count)
        if level is None and spec.min_len and self._high is not None and count >= self._high:
            level = self._at[self._high]  # the window was not long enough before
        if level is None:
            return None
        if self.quiet:
            reached = self._reached(count)
            if self._told.get(key, 0) >= reached:
                return None
            self._told[key] = reached
        span = f"the last {min(len(past), spec.window or len(past))}"
        unit = "rounds" if spec.unit == "round" else "calls"
        same = "with the same result " if self._result_key is not None else ""
        what = f"same call of {call.tool}" if "args" in spec.key else f"{call.tool} called"
        return self.finding(
            level, count, f"{what} {same}{count} times in {span} {unit}", calls, blocked, key
        )

    def _reached(self, count: int) -> float:
        """Return the highest level that a count reaches, 0 for none."""
        return max((at for at in self._at if at <= count), default=0)
