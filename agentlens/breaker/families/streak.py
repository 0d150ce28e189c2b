"""STREAK: the same key again and again, in a row."""

from __future__ import annotations

from collections.abc import Sequence

from agentlens.breaker.families.base import Family, strongest
from agentlens.breaker.families.facts import is_failure, thought_of
from agentlens.breaker.seen import Finding, Level, SeenCall, SeenResult, SeenRound

__all__ = ["READS", "Streak"]

#: What a call does that only looks.
READS = frozenset(("read", "search", "poll"))


class _Run:
    """A streak of one group: its key, how long it is, the calls in it."""

    __slots__ = ("calls", "count", "key")

    def __init__(self) -> None:
        self.key: object = None
        self.count = 0
        self.calls: list[int] = []

    def push(self, key: object, number: int) -> int:
        if key != self.key:
            self.key, self.count, self.calls = key, 1, [number]
            return 1
        self.count += 1
        if len(self.calls) < 24:
            self.calls.append(number)
        else:
            self.calls[-1] = number
        return self.count

    def clear(self) -> None:
        self.key, self.count, self.calls = None, 0, []


class Streak(Family):
    """Counts equal keys in a row.

    Keys without a result are known before the call runs, so that the rule can keep it from
    running; the others are counted when the result is there. With ``when = "next"`` the rule
    speaks before the next call of the group. It cannot see repeats with anything else between,
    nor calls that differ in what the key holds.
    """

    def reset(self) -> None:
        """Begin anew."""
        self._runs: dict[object, _Run] = {}
        spec = self.spec
        self._call_key = self.board.facts.call_keys(spec)
        how = "error" if "error" in spec.key else spec.result if "result" in spec.key else ""
        self._result_key = self.board.facts.result_keys(how) if how else None
        self._thought = "thought" in spec.key
        self._late = spec.speaks_after
        self._rounds = spec.unit == "round"
        self._whole = spec.group == "all"
        self._events = spec.events

    @property
    def asks(self) -> tuple[bool, bool]:
        """See `Family.asks`."""
        spec = self.spec
        return not self._late or spec.when == "next" or spec.scope == "message", self._late

    @property
    def is_fed(self) -> bool:
        """See `agentlens.breaker.families.sweep`."""
        spec = self.spec
        return not (
            self._rounds
            or spec.when
            or spec.scope == "message"
            or (spec.only and self._late)  # other calls may end a streak
        )

    def before(self, seen: SeenRound) -> Finding | None:
        """Count keys that need no result; ask again what a ``next`` rule found before."""
        spec = self.spec
        if spec.scope == "message":
            self._runs = {}
        if self._late:
            return self._ask_next(seen) if spec.when == "next" else None
        if self._rounds and seen.calls:
            return self._count_round(seen)
        found = None
        thought = thought_of(seen) if self._thought else ""
        for index, call in enumerate(seen.calls):
            if self.looks_at(call) and (spec.only != "read" or call.effect in READS):
                key = (self._call_key(call), thought) if self._thought else self._call_key(call)
                if (spoken := self.push(key, call, index)) is not None:
                    found = strongest((found, spoken))
        return found

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> Finding | None:
        """Count keys that hold a result."""
        if not self._late:
            return None
        found = None
        thought = thought_of(seen) if self._thought else ""
        for index, (call, result) in enumerate(zip(seen.calls, results, strict=False)):
            if not self.looks_at(call):
                continue
            if not self._counts(call, result):
                self._break(call, result)
                continue
            key: object = self._call_key(call)
            if self._result_key is not None:
                key = (key, self._result_key(call, result))
            if self._thought:
                key = (key, thought)
            if (spoken := self.push(key, call, index)) is not None:
                found = strongest((found, spoken))
        return None if self.spec.when == "next" else found

    def _counts(self, call: SeenCall, result: SeenResult) -> bool:
        only = self.spec.only
        if not only:
            return True
        if only == "read":
            return call.effect in READS
        failed = is_failure(result)
        if only == "dispatch":
            return failed and result.exit_code is None
        return failed == (only == "error")

    def _break(self, call: SeenCall, result: SeenResult) -> None:
        """End streaks at a call that the rule does not count, as `reset` says."""
        reset = self.spec.reset
        if reset == "mutation" and not (call.effect == "write" and not is_failure(result)):
            return
        if reset == "success" and is_failure(result):
            return
        if reset == "mutation" or self.spec.group == "all":
            self._runs = {}
        else:
            self._runs.pop(self._group(call), None)

    def _group(self, call: SeenCall) -> object:
        group = self.spec.group
        if group == "all":
            return None
        return call.tool if group == "tool" else self.board.full_key(call)

    def push(self, key: object, call: SeenCall, index: int) -> Finding | None:
        """Count one call that the rule looks at."""
        group = None if self._whole else self._group(call)
        run = self._runs.get(group)
        if run is None:
            run = self._runs[group] = _Run()
        count = run.push(key, call.number)
        events = self._events
        if events is not None and 2 * count > events:
            count = run.count = events // 2
        self.count = count
        if count < self._low:
            return None
        level = self.level(count)
        if level is None or self.spec.when == "next":
            return None
        return self._speak(level, run, call, (index,))

    def _speak(
        self, level: Level, run: _Run, call: SeenCall, blocked: Sequence[int]
    ) -> Finding | None:
        found = self.finding(
            level, run.count, f"{self._said(call)} {run.count} times in a row", run.calls,
            blocked, run.key,
        )  # fmt: skip
        if self.spec.clear and level == "stop":
            run.clear()
        return found

    def _said(self, call: SeenCall) -> str:
        key = self.spec.key
        if self.spec.only in ("error", "dispatch"):
            same = "same failure" if "error" in key or "args" not in key else "same failing call"
            return f"{same} of {call.tool},"
        what = f"same call of {call.tool}" if "args" in key else f"{call.tool} called"
        what = f"same round with {call.tool}" if self._rounds else what
        return f"{what} with the same result," if "result" in key else f"{what},"

    def _ask_next(self, seen: SeenRound) -> Finding | None:
        found = None
        for index, call in enumerate(seen.calls):
            run = self._runs.get(self._group(call)) if self.looks_at(call) else None
            if run is None or not run.count:
                continue
            level = self.level(run.count)
            if level is not None:
                spoken = self._speak(level, run, call, (index,))
                found = strongest((found, spoken))
                if self.spec.clear:
                    run.clear()
        return found

    def _count_round(self, seen: SeenRound) -> Finding | None:
        """Count rounds: the set of a tool's calls, and each call's own rounds in a row."""
        groups: dict[object, list[tuple[int, SeenCall]]] = {}
        for index, call in enumerate(seen.calls):
            if self.looks_at(call):
                groups.setdefault(self._group(call), []).append((index, call))
        found = None
        for group, members in groups.items():
            keys = {self._call_key(call): (index, call) for index, call in reversed(members)}
            _, first = members[0]
            runs: list[tuple[str, object, list[int], SeenCall]]
            runs = [("set", frozenset(keys), [i for i, _ in members], first)]
            runs += [("call", key, [i], call) for key, (i, call) in keys.items()]
            for kind, key, blocked, call in runs:
                spoken = self._push_round((group, kind, key), key, call, blocked)
                found = strongest((found, spoken))
            present = {(group, kind, key) for kind, key, _, _ in runs}
            for place in [
                p for p in self._runs
                if isinstance(p, tuple) and p[0] == group and p not in present
            ]:  # fmt: skip
                del self._runs[place]
        return found

    def _push_round(
        self, place: object, key: object, call: SeenCall, blocked: Sequence[int]
    ) -> Finding | None:
        run = self._runs.setdefault(place, _Run())
        self.count = run.push(key, call.number)
        level = self.level(run.count)
        return None if level is None else self._speak(level, run, call, blocked)
