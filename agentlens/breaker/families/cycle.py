"""CYCLE: the last keys repeat with a short period."""

from __future__ import annotations

from collections.abc import Sequence

from agentlens.breaker.families.base import Family, strongest
from agentlens.breaker.families.facts import is_failure, thought_of
from agentlens.breaker.seen import Finding, SeenCall, SeenResult, SeenRound

__all__ = ["Cycle"]


class Cycle(Family):
    """Counts the laps of a cycle at the end of a run; its levels are laps.

    For each period p it keeps how many keys in a row equal the key p before: the tail then has
    p more keys than that. A longer period of equal keys is no cycle but a streak, which only a
    shortest period of 1 counts. With `partial` a lap that has begun counts; with `evidence` every
    place must have kept its result. It cannot see cycles with a step that changes.
    """

    def reset(self) -> None:
        """Begin anew."""
        spec = self.spec
        self._keys: list[object] = []
        self._numbers: list[int] = []
        self._place = 0
        self._latest: dict[object, int] = {}
        self._going = False
        self._runs = [0] * (spec.periods[1] + 1)
        self._steady = [0] * (spec.periods[1] + 1)
        self._results: list[int] = []
        self._call_key = self.board.facts.call_keys(spec)
        wants = "result" in spec.key or spec.evidence
        self._result_key = self.board.facts.result_keys(spec.result) if wants else None
        self._late = "result" in spec.key or spec.only == "success"
        self._patient = "waits" in spec.exempt

    @property
    def asks(self) -> tuple[bool, bool]:
        """See `Family.asks`."""
        return (
            not self._late or self.spec.scope == "message",
            self._late or self._result_key is not None,
        )

    @property
    def is_fed(self) -> bool:
        """See `agentlens.breaker.families.sweep`."""
        return not (
            self.spec.scope == "message" or self.spec.evidence or self.spec.only or self._patient
        )

    def before(self, seen: SeenRound) -> Finding | None:
        """Count keys that need no result."""
        if self.spec.scope == "message":
            self.reset()
        if self._late:
            return None
        thought = thought_of(seen) if "thought" in self.spec.key else ""
        pushed = []
        for index, call in enumerate(seen.calls):
            if self.looks_at(call):
                key = self._call_key(call)
                pushed.append(self.push((key, thought) if thought else key, call, index))
        return strongest(pushed) if pushed else None

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> Finding | None:
        """Count keys that hold a result; remember results as evidence."""
        if self._result_key is None and not self._late:
            return None
        thought = thought_of(seen) if "thought" in self.spec.key else ""
        waits = {s.call for s in self.board.signs.calls if s.wait} if self._patient else ()
        pushed = []
        for index, (call, result) in enumerate(zip(seen.calls, results, strict=False)):
            if not self.looks_at(call) or call.number in waits:
                continue
            if self.spec.only == "success" and is_failure(result):
                self.reset()
                continue
            read = self._result_key(call, result) if self._result_key is not None else 0
            if self._late:
                pushed.append(self.push((self._call_key(call), read, thought), call, index))
            else:
                self._remember(read)
        return strongest(pushed) if pushed else None

    def _remember(self, read: int) -> None:
        """Keep for each period how long the results have been those of the lap before."""
        past = self._results
        for period in range(self.spec.periods[0], self.spec.periods[1] + 1):
            steady = len(past) >= period and past[-period] == read
            self._steady[period] = self._steady[period] + 1 if steady else 0
        past.append(read)
        if len(past) > 4 * self.spec.periods[1]:
            del past[: -2 * self.spec.periods[1]]

    def push(self, key: object, call: SeenCall, index: int) -> Finding | None:
        """Count one call that the rule looks at."""
        longest = self.spec.periods[1]
        before = self._latest.get(key)
        found = None
        if before is not None and self._place - before <= longest:
            found = self._count(key, call, index)
        else:  # equal to none of the keys that a lap could begin with
            self.count = 0
            if self._going:
                self._runs = [0] * (longest + 1)
                self._going = False
        self._latest[key] = self._place
        self._place += 1
        keys = self._keys
        keys.append(key)
        self._numbers.append(call.number)
        if len(keys) > 4 * longest + 401:
            del keys[: -2 * longest - 201], self._numbers[: -2 * longest - 201]
            kept = self._place - len(keys)
            self._latest = {k: at for k, at in self._latest.items() if at >= kept}
        return found

    def _count(self, key: object, call: SeenCall, index: int) -> Finding | None:
        keys, spec = self._keys, self.spec
        shortest, longest = spec.periods
        self._going = True
        found = None
        equal_run = self._runs[1] if shortest > 1 else 0
        if shortest > 1:
            equal_run = equal_run + 1 if keys and keys[-1] == key else 0
            self._runs[1] = equal_run
        length = len(keys)
        best = 0
        for period in range(shortest, min(longest, length) + 1):
            if keys[-period] != key:
                self._runs[period] = 0
                continue
            run = self._runs[period] = self._runs[period] + 1
            if equal_run >= period:  # all equal: a streak, which is not this rule's
                continue
            laps, rest = divmod(run + period, period)
            news = rest == 0
            if spec.partial:
                laps, news = laps + (rest > 0), rest == 1 or period == 1
            best = max(best, laps)
            if found is not None or (self.quiet and not news):
                continue
            level = self.level(laps)
            if level == "stop" and spec.evidence and self._steady[period] < period * (laps - 1) - 1:
                level = None
            if level is not None:
                tail = [*self._numbers[-(period * laps - 1) :], call.number]
                reason = f"calls repeat with period {period}, {laps} laps"
                found = self.finding(level, laps, reason, tail, (index,), (period, key))
        self.count = best
        return found
