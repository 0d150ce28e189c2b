"""The budgets of a policy at work: over a recorded trace, and round by round in a live loop.

Both feed the same `Meter` and ask the same `hits`. What it cannot see: what a log does not say. A
round without tokens, cost or times uses none of them; nothing is estimated.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agentlens.breaker.budgets.amounts import DIMENSIONS, Amounts, Limits, reserve_of
from agentlens.breaker.budgets.incidents import Incident, hits, incident_words
from agentlens.breaker.budgets.limits import Budget
from agentlens.breaker.query.classic import Counted
from agentlens.breaker.seen import Finding, SeenResult, SeenRound
from agentlens.breaker.trip import round_amounts, started_rows

if TYPE_CHECKING:
    from agentlens.breaker.policy import Policy
    from agentlens.trace.model import Trace

__all__ = [
    "BUDGET_RULES",
    "Meter",
    "Spending",
    "asked",
    "brought",
    "budget_of",
    "count_spending",
    "main_limits",
]

#: Names of the rules, one a dimension; rounds are counted by ``budget`` (`round_limit.py`).
BUDGET_RULES: Mapping[str, str] = {f"budget_{name}": name for name in DIMENSIONS if name != "steps"}


def _totals(policy: Policy) -> Limits:
    return Limits(None, policy.max_seconds, policy.max_tokens, policy.max_calls, policy.max_cost)


def main_limits(policy: Policy) -> Limits:
    """Return what the main loop may use: every limit less the finalizer's reserve.

    `max_rounds` is what the main loop may use as it stands: the finalizer's answer calls no tool
    and so is no round that it counts.
    """
    total = _totals(policy)
    main = total.minus(reserve_of(total)) if policy.reserve else total
    return Limits(policy.max_rounds, main.seconds, main.tokens, main.calls, main.cost)


def budget_of(policy: Policy, **options: Any) -> Budget:
    """Return a live budget that holds the main loop to what the policy says.

    Its steps are `max_rounds` and, on top, the finalizer's; `options` go to `Budget`.
    """
    total = _totals(policy)
    reserve = reserve_of(total) if policy.reserve else Limits()
    if policy.max_rounds is not None and policy.reserve:
        extra = max(1, -(-policy.max_rounds // 10))
        reserve = Limits(extra, reserve.seconds, reserve.tokens, reserve.calls, reserve.cost)
    steps = None if policy.max_rounds is None else policy.max_rounds + (reserve.steps or 0)
    whole = Limits(steps, total.seconds, total.tokens, total.calls, total.cost)
    return Budget(whole, reserve=reserve, **options)


class Meter:
    """What one request has used before each of its rounds.

    Time is that between the responses where they are dated, and else what the rounds took.
    """

    def __init__(self) -> None:
        self.used = Amounts()
        self._first: float | None = None
        self._pending = 0.0

    def before(self, started: float | None) -> Amounts:
        """Return what was used when a response arrives, before its calls run."""
        seconds = self.used.seconds
        if started is not None and self._first is None:
            self._first = started - seconds - self._pending
        if started is not None and self._first is not None:
            seconds = max(seconds, started - self._first)  # a clock may be set back
        else:
            seconds += self._pending
        self._pending = 0.0
        used = self.used
        self.used = Amounts(used.steps, round(seconds, 6), used.tokens, used.calls, used.cost)
        return self.used

    def after(self, spent: Amounts) -> None:
        """Count what a round used; its seconds only where the next response is not dated."""
        self._pending += spent.seconds
        used = self.used
        self.used = Amounts(
            used.steps + spent.steps,
            used.seconds,
            used.tokens + spent.tokens,
            used.calls + spent.calls,
            round(used.cost + spent.cost, 9),
        )


def _sum(values: Sequence[float | None]) -> float:
    """Add up what is known and sound: a log may hold anything."""
    return sum(v for v in values if v is not None and 0 <= v < math.inf)


def asked(seen: SeenRound) -> Amounts:
    """Return what a round uses by being let through: itself, its calls, its response."""
    return Amounts(
        steps=int(bool(seen.calls)),
        tokens=int(_sum([seen.tokens])),
        calls=len(seen.calls),
        cost=round(_sum([seen.cost]), 9),
    )


def brought(seen: SeenRound, results: Sequence[SeenResult]) -> Amounts:
    """Return what its results add: time, and what calls cost where the response does not say."""
    return Amounts(
        seconds=round(_sum([r.seconds for r in results]), 6),
        tokens=0 if seen.tokens is not None else int(_sum([r.tokens for r in results])),
        cost=0.0 if seen.cost is not None else round(_sum([r.cost for r in results]), 9),
    )


class Spending:
    """The budgets but that of rounds as a rule in a live loop.

    `incidents` holds every budget that the last round found used up; the finding names the first.
    """

    def __init__(self, policy: Policy) -> None:
        self._limits = _without_steps(main_limits(policy) if policy.enabled else Limits())
        self._meter = Meter()
        self.incidents: tuple[Incident, ...] = ()
        self.count = 0

    def before(self, seen: SeenRound) -> Finding | None:
        """Stop a round with calls that finds any budget used up."""
        used = self._meter.before(seen.started)
        self.count = used.steps
        self.incidents = hits(used, self._limits) if seen.calls else ()
        if not self.incidents:
            self._meter.after(asked(seen))
            return None
        first = self.incidents[0]
        return Finding(
            rule=first.kind,
            level="stop",
            count=math.floor(first.used),
            threshold=math.ceil(first.limit),
            reason=incident_words(seen.round, first),
        )

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> Finding | None:
        """Count what a round's results add."""
        self._meter.after(brought(seen, results))
        return None


def _without_steps(limits: Limits) -> Limits:
    return Limits(None, limits.seconds, limits.tokens, limits.calls, limits.cost)


def _row_amounts(trace: Trace) -> list[Amounts]:
    """Return what each row used, with the tokens, calls and cost of the sub-agents it started."""
    tokens, cost = round_amounts(trace)
    rounds, calls = trace.tables["rounds"], trace.tables["calls"]
    found = []
    for row, own in enumerate(trace.round_calls):
        rows = [row, *started_rows(trace, [row])]
        took = rounds["seconds"][row]
        found.append(
            Amounts(
                steps=int(bool(own)),
                seconds=round(
                    _sum([took] if took is not None else [calls["seconds"][c] for c in own]), 6
                ),
                tokens=int(_sum([tokens[r] for r in rows])),
                calls=sum(len(trace.round_calls[r]) for r in rows),
                cost=round(_sum([cost[r] for r in rows]), 9),
            )
        )
    return found


def _used_before(
    trace: Trace, policy: Policy, rows: Sequence[int]
) -> tuple[list[Amounts], dict[str, list[float]]]:
    """Return what was used before each row of a sequence, whole and by dimension.

    No limit touches it, so it is kept with the trace.
    """
    key = ("used", policy.scope, rows[0] if rows else -1)
    if key not in trace.cache:
        if "spent" not in trace.cache:
            trace.cache["spent"] = _row_amounts(trace)
        meter, found = Meter(), []
        for row in rows:
            found.append(meter.before(trace.tables["rounds"]["started"][row]))
            meter.after(trace.cache["spent"][row])
        columns = {name: [getattr(used, name) for used in found] for name in DIMENSIONS}
        trace.cache[key] = found, columns
    kept: tuple[list[Amounts], dict[str, list[float]]] = trace.cache[key]
    return kept


def count_spending(
    trace: Trace, policy: Policy, sequences: Sequence[Sequence[int]]
) -> dict[str, tuple[Counted, ...]]:
    """Count every budget that the policy sets, but that of rounds, over a recorded trace.

    Returns
    -------
    dict
        For each rule of `BUDGET_RULES` whose limit is set, what was used before each round of
        each sequence, and the place of the first round with calls that found it used up.
    """
    limits = main_limits(policy)
    found: dict[str, tuple[Counted, ...]] = {}
    for rule, name in BUDGET_RULES.items():
        if getattr(limits, name) is None or not policy.enabled:
            continue
        only = Limits(**{name: getattr(limits, name)})
        counted = []
        for rows in sequences:
            used, values = _used_before(trace, policy, rows)
            # What is used never falls, so the first place where it is too much can be halved for.
            over = bisect_left(range(len(rows)), True, key=lambda p: bool(hits(used[p], only)))
            places = range(over, len(rows))
            trip = next((p for p in places if trace.round_calls[rows[p]]), None)
            last = len(rows) if trip is None else trip + 1
            counted.append(Counted(values[name][:last], trip))
        found[rule] = tuple(counted)
    return found
