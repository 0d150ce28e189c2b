"""What a run may use and has used, in five dimensions, and the part kept for its end."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from agentlens.errors import PolicyError

__all__ = ["DIMENSIONS", "FLOORS", "SHARE", "Amounts", "Limits", "reserve_of"]

#: The dimensions of a budget, in the order in which they are named when several are used up.
DIMENSIONS = ("steps", "seconds", "tokens", "calls", "cost")

#: The finalizer's part of every budget, and the least that it is where that leaves the
#: main loop at least half. A call is floored at one, so that it can look at what a write did;
#: money has no smallest useful amount, so its part is the share alone.
SHARE = 0.1
FLOORS: Mapping[str, float] = {"steps": 1, "seconds": 20.0, "tokens": 1500, "calls": 1, "cost": 0.0}

#: Decimals that a sum keeps: microseconds and billionths of a dollar. Rounding every sum to them
#: makes 0.1 + 0.2 reach a limit of 0.3.
_DECIMALS = {"seconds": 6, "cost": 9}


@dataclass(frozen=True, slots=True)
class Amounts:
    """What was used: rounds that call a tool (steps), seconds, tokens, calls, US dollars."""

    steps: int = 0
    seconds: float = 0.0
    tokens: int = 0
    calls: int = 0
    cost: float = 0.0

    def __post_init__(self) -> None:
        for name in DIMENSIONS:
            value = getattr(self, name)
            if not value >= 0 or value == math.inf:  # `not >=` refuses a NaN too
                raise PolicyError(f"{name}: {value!r} was used; an amount is a number from 0 on")

    def __add__(self, other: Amounts) -> Amounts:
        return Amounts(
            self.steps + other.steps,
            round(self.seconds + other.seconds, 6),
            self.tokens + other.tokens,
            self.calls + other.calls,
            round(self.cost + other.cost, 9),
        )

    def to_dict(self) -> dict[str, float]:
        """Return the amounts as plain values."""
        return {name: getattr(self, name) for name in DIMENSIONS}


@dataclass(frozen=True, slots=True)
class Limits:
    """What may be used; None where there is no limit.

    Raises
    ------
    PolicyError
        If a limit is no number from 0 on, or one of steps, tokens or calls is not whole.
    """

    steps: int | None = None
    seconds: float | None = None
    tokens: int | None = None
    calls: int | None = None
    cost: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None:
                continue
            whole = field.name not in _DECIMALS
            kind = int if whole else (int, float)
            if isinstance(value, bool) or not isinstance(value, kind) or not 0 <= value < math.inf:
                said = "a whole number" if whole else "a number"
                raise PolicyError(f"{field.name}: {value!r} is not {said} from 0 on, or none")

    def __bool__(self) -> bool:
        return any(getattr(self, name) is not None for name in DIMENSIONS)

    def minus(self, used: Amounts | Limits) -> Limits:
        """Return what is left, never below 0; what has no limit stays without."""
        return self._each(lambda own, other: max(0, own - other), used)

    def plus(self, more: Amounts | Limits) -> Limits:
        """Return the limits raised by some amounts; what has no limit stays without."""
        return self._each(lambda own, other: own + other, more)

    def _each(self, combine: Any, other: Amounts | Limits) -> Limits:
        made: dict[str, Any] = {}
        for name in DIMENSIONS:
            own, value = getattr(self, name), getattr(other, name) or 0
            if own is not None:
                total = combine(own, value)
                made[name] = round(total, _DECIMALS[name]) if name in _DECIMALS else total
        return Limits(**made)

    def to_dict(self) -> dict[str, float | None]:
        """Return the limits as plain values."""
        return {name: getattr(self, name) for name in DIMENSIONS}


def reserve_of(total: Limits) -> Limits:
    """Return the finalizer's part of a budget.

    A tenth of each dimension, rounded up where it is counted in whole, at least the floor of
    `FLOORS`, and at most half (rounded down): a budget smaller than twice a floor is shared.
    A budget of one step, or one call, has no room for a reserve.

    Examples
    --------
    >>> reserve_of(Limits(steps=40, seconds=300.0, tokens=60_000))
    Limits(steps=4, seconds=30.0, tokens=6000, calls=None, cost=None)
    >>> reserve_of(Limits(steps=5, seconds=60.0, tokens=2_000)).to_dict()["tokens"]
    1000
    """
    made: dict[str, Any] = {}
    for name in DIMENSIONS:
        limit = getattr(total, name)
        if limit is None:
            continue
        if name in _DECIMALS:
            part = min(max(limit * SHARE, FLOORS[name]), limit / 2)
            made[name] = round(part, _DECIMALS[name])
        else:  # whole numbers: -(-n // 10) is a tenth rounded up
            made[name] = min(max(-(-limit // 10), int(FLOORS[name])), limit // 2)
    return Limits(**made)
