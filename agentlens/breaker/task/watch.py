"""What a task watches beside the rules of its policy, as `Stepper`s: budget, writes, the probe."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agentlens.breaker.budgets.amounts import Amounts
from agentlens.breaker.budgets.incidents import Incident, incident_words
from agentlens.breaker.budgets.limits import Budget, ToolTimeouts
from agentlens.breaker.budgets.spending import asked, brought
from agentlens.breaker.seen import Finding, SeenCall, SeenResult, SeenRound
from agentlens.breaker.task.ledger import Entry, Ledger
from agentlens.breaker.task.replan import Action, Replanner, same_action
from agentlens.breaker.task.side_effects import hash_of, identity_of

__all__ = ["BudgetWatch", "LedgerWatch", "Probe"]


class BudgetWatch:
    """Holds one thread to its budget, and counts what it uses.

    Unlike `Spending` it counts a task and not a request: nothing sets it back. Of a round that
    asks for more calls than are left it blocks those beyond, so that the reserve stays whole.
    """

    def __init__(self, budget: Budget, timeouts: ToolTimeouts) -> None:
        self.budget, self.timeouts, self.count = budget, timeouts, 0
        self.incidents: tuple[Incident, ...] = ()
        self._ran = False

    def before(self, seen: SeenRound) -> Finding | None:
        """Stop a round with calls that finds a budget used up."""
        self._ran = False
        if (stop := self._hit(seen)) is not None:
            return stop
        left = self.budget.left().calls
        if left is None or len(seen.calls) <= left:
            return None
        reason = f"round {seen.round}: {left} calls are left of the budget"
        over = tuple(range(left, len(seen.calls)))
        return Finding("budget_calls", "block", len(seen.calls), left, reason, (), over)

    def _hit(self, seen: SeenRound) -> Finding | None:
        self.incidents = self.budget.hit() if seen.calls else ()
        self.count = self.budget.used.steps
        if not self.incidents:
            return None
        first = self.incidents[0]
        return Finding(
            first.kind, "stop", math.floor(first.used), math.ceil(first.limit),
            incident_words(seen.round, first),
        )  # fmt: skip

    def decided(self, seen: SeenRound, blocked: Sequence[int], *, stop: bool) -> None:
        """Count a response; its calls only where they run."""
        self._ran = not stop
        spent = asked(seen)
        steps, calls = (0, 0) if stop else (spent.steps, spent.calls - len(blocked))
        self.budget.spend(Amounts(steps, 0.0, spent.tokens, calls, spent.cost))

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> Finding | None:
        """Count results; stop where they use a budget up; name a call that took too long."""
        if not self._ran:
            return None
        spent = brought(seen, results)
        self.budget.spend(Amounts(tokens=spent.tokens, cost=spent.cost))
        stop = self._hit(seen)  # another response would be paid from the reserve
        if stop is not None:
            return stop
        for call, result in zip(seen.calls, results, strict=False):
            if (over := self.timeouts.over(call.tool, result.seconds)) is not None:
                said = incident_words(seen.round, over)
                return Finding(
                    "tool_timeout", "nudge", int(over.used), math.ceil(over.limit), said,
                    (call.number,),
                )  # fmt: skip
        return None


#: A failure after which a write may have taken effect all the same.
_UNSURE = re.compile(
    r"time[d -]?\s?out|timeout|connection|reset by peer|broken pipe|gateway|unavailable|\b5\d\d\b"
    r"|interrupted|超时|连接|中断",
    re.IGNORECASE,
)
_FILES = ("file_path", "path", "filepath", "filePath", "filename", "file_name", "notebook_path")


class LedgerWatch:
    """Writes down every write before it runs and how it ended; keeps one from happening twice.

    A write that is done is not done again, and one that nobody knows about is asked about before
    it is tried again. Of a file, writing again what was there before another write
    is a new write. It sees what the table of tools calls a write, and no side effect of others.

    Parameters
    ----------
    ledger
        The task's.
    query
        Says whether a write took effect; None where it cannot tell. Must not write.
    """

    def __init__(self, ledger: Ledger, query: Callable[[Entry], bool | None] | None) -> None:
        self.ledger, self._query, self.count = ledger, query, 0
        self._last: dict[str, tuple[str, int]] = {}
        self._begun: dict[int, str] = {}

    def before(self, seen: SeenRound) -> Finding | None:
        """Block writes that are done, unknown, or asked for twice in one round."""
        blocked: list[int] = []
        reason, mine, lost = "", set[str](), ""
        for index, call in enumerate(seen.calls):
            if call.effect != "write":
                continue
            key, _, why = *self._key(call), ""
            old = self.ledger.find(key)
            if old is not None and old.status == "unknown":
                old = self._ask(old)
            if key in mine:
                why = f"{call.tool} is asked for twice in one round"
            elif old is not None and _not_the_same(old, call):
                why = f"{call.tool}: its idempotency key was used with other arguments"
            elif old is not None and old.status == "done":
                why = f"{call.tool} was done in round {old.round}; its result stands"
            elif old is not None and old.status == "unknown":
                why = f"whether {call.tool} took effect is unknown: ask before it is tried again"
                lost = lost or why
            elif self.ledger.blocked:
                why = f"the run is stopping: {call.tool} may not run"
            mine.add(key)
            if why:
                blocked.append(index)
                reason = reason or why
        self.count = len(blocked)
        if lost and self._query is not None:  # it was asked, and could not tell: a person must look
            return Finding("unconfirmed", "stop", 1, 1, f"round {seen.round}: {lost}")
        if not blocked:
            return None
        said = f"round {seen.round}: {reason}"
        return Finding("ledger", "block", len(blocked), 1, said, (), tuple(blocked))

    def _ask(self, entry: Entry) -> Entry:
        if self._query is None:
            return entry
        try:
            found = self._query(entry)
        except Exception:  # the host's own query: then nobody knows
            found = None
        return self.ledger.confirm(entry.key, took_effect=found)

    def decided(self, seen: SeenRound, blocked: Sequence[int]) -> None:
        """Write down the writes that now run."""
        for index, call in enumerate(seen.calls):
            if call.effect != "write" or index in blocked:
                continue
            base, (_, given) = _identity(call), self._key(call)
            begun = self.ledger.begin(
                call.tool, _args(call), target=call.target, key=given, round=seen.round
            )
            if begun.action == "run":
                self._begun[call.number] = begun.entry.key
            for name in _file_of(call):
                self._last[name] = (base, self._version(name, base))

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> Finding | None:
        """Write down how they ended: what is not certain stays unknown."""
        for call, result in zip(seen.calls, results, strict=False):
            key = self._begun.pop(call.number, None)
            if key is not None and result.status != "missing":
                self.ledger.settle(key, _status(result), result.text[:2000])
        return None

    def _key(self, call: SeenCall) -> tuple[str, str | None]:
        """Return what a write is known by, and the key to begin it with where that is its own.

        A write to a file is a new one since the last other write to it.
        """
        base = _identity(call)
        for name in _file_of(call):
            version = self._version(name, base)
            if version:
                return f"key:{base}@{version}", f"{base}@{version}"
        return base, None

    def _version(self, name: str, base: str) -> int:
        last, version = self._last.get(name, (base, 0))
        return version + (last != base)


def _args(call: SeenCall) -> Mapping[str, Any]:
    return call.args if call.args is not None else {"": call.args_raw}


def _identity(call: SeenCall) -> str:
    return identity_of(call.tool, _args(call), call.target)


def _not_the_same(old: Entry, call: SeenCall) -> bool:
    return (old.tool, old.args_hash, old.target) != (call.tool, hash_of(_args(call)), call.target)


def _file_of(call: SeenCall) -> list[str]:
    return [str(v) for k in _FILES if (v := (call.args or {}).get(k))][:1]


def _status(result: SeenResult) -> str:
    if result.status == "ok":
        return "done"
    if result.status in ("timeout", "interrupted"):
        return "unknown"
    unsure = result.status == "error" and _UNSURE.search(f"{result.text[:400]} {result.error_type}")
    return "unknown" if unsure else "failed"


class Probe:
    """Lets a granted plan make one call, and says whether that moved the task."""

    def __init__(
        self, replanner: Replanner, forbidden: Callable[[], Sequence[Action]],
        moved: Callable[[], bool],
    ) -> None:  # fmt: skip
        self._replanner, self._forbidden, self._moved, self.count = replanner, forbidden, moved, 0

    def before(self, seen: SeenRound) -> Finding | None:
        """Stop a probe that does again what was forbidden; block all but its first call."""
        if not self._replanner.probing or not seen.calls:
            return None
        for call in seen.calls:
            action = Action(call.tool, call.args or {})
            if any(same_action(action, old) for old in self._forbidden()):
                said = f"round {seen.round}: {call.tool} is what the plan was not to do again"
                return Finding("probe", "stop", 1, 1, said, (call.number,))
        if len(seen.calls) == 1:
            return None
        said = f"round {seen.round}: a new plan begins with one call"
        return Finding(
            "probe", "block", len(seen.calls), 1, said, (), (*range(1, len(seen.calls)),)
        )

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> Finding | None:  # noqa: ARG002
        """Say whether the probe moved the task; if not, no further plan is tried."""
        if not self._replanner.probing or not seen.calls:
            return None
        if self._replanner.probed(progress=self._moved()) is None:
            return None
        return Finding("probe", "stop", 1, 1, f"round {seen.round}: the new plan brought nothing")
