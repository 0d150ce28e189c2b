"""Hard budgets of a running task: counted by the engine, carved for sub-agents, never reset."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import RLock
from typing import Any

from agentlens.breaker.budgets.amounts import DIMENSIONS, Amounts, Limits, reserve_of
from agentlens.breaker.budgets.incidents import Incident, hits
from agentlens.errors import PolicyError

__all__ = ["Budget", "ToolTimeouts"]


class Budget:
    """What one task may use and has used; threads may share it.

    The main loop may use the total less the finalizer's reserve; `hit` says when that is used up,
    `exhausted` when the reserve is too. Time is counted here, by a clock; everything else as it
    is told by whoever runs the loop, never by the model. There is no way to set anything back:
    neither a replan nor a new sub-agent makes a budget larger.

    Parameters
    ----------
    total
        The limits, the finalizer's reserve included.
    reserve
        The finalizer's part; by default a tenth, as `reserve_of` says.
    used
        What the task had used before, where it is resumed.
    clock
        Seconds from any start; only differences are used.

    Examples
    --------
    >>> budget = Budget(Limits(steps=10), clock=lambda: 0.0)
    >>> budget.spend(Amounts(steps=9))
    >>> budget.hit()[0].kind, budget.exhausted()
    ('budget_steps', ())
    """

    def __init__(
        self,
        total: Limits,
        *,
        reserve: Limits | None = None,
        used: Amounts | None = None,
        clock: Callable[[], float] = time.monotonic,
        parent: Budget | None = None,
    ) -> None:
        self.total = total
        self.reserve = reserve_of(total) if reserve is None else reserve
        self.parent = parent
        self._clock = clock
        self._start = clock()
        self._before = used or Amounts()
        self._spent = self._before
        self._lock: RLock = parent._lock if parent is not None else RLock()
        self._given: list[Budget] = []
        self._closed = False

    @property
    def used(self) -> Amounts:
        """What was used so far, sub-agents' part included; time by the clock."""
        with self._lock:
            elapsed = max(0.0, self._clock() - self._start)
            return Amounts(
                self._spent.steps,
                round(self._before.seconds + elapsed, 6),
                self._spent.tokens,
                self._spent.calls,
                self._spent.cost,
            )

    @property
    def main(self) -> Limits:
        """What the main loop may use: the total less the reserve."""
        return self.total.minus(self.reserve)

    def spend(self, amounts: Amounts) -> None:
        """Count what was used; the parent's budget pays too. Seconds are the clock's business."""
        with self._lock:
            self._spent = self._spent + amounts
            if self.parent is not None:
                self.parent.spend(amounts)

    def hit(self) -> tuple[Incident, ...]:
        """Return the dimensions in which the main loop may use no more, its parent's too."""
        found = hits(self.used, self.main)
        if not found and self.parent is not None:
            return self.parent.hit()
        return found

    def exhausted(self) -> tuple[Incident, ...]:
        """Return the dimensions in which not even the finalizer may use more.

        A limit that is reached exactly is used up: what is asked is whether there is any left.
        """
        return hits(self.used, self.total)

    def left(self, *, finalizer: bool = False) -> Limits:
        """Return what the main loop, or the finalizer, may still use.

        What was carved for sub-agents and not yet given back is not the main loop's any more.
        """
        with self._lock:
            left = (self.total if finalizer else self.main).minus(self.used)
            for child in self._given if not finalizer else ():
                left = left.minus(_without_time(child.total.minus(child.used)))
            return left

    def carve(self, wanted: Limits) -> Budget:
        """Return a sub-agent's budget out of what is left.

        What is carved at one time and what was used never add up to more than the main loop may
        use. Time is not added up, since sub-agents that run side by side share it: none gets more
        than is left. A dimension that is not asked for, but limited here, gets all that is left.

        Raises
        ------
        PolicyError
            If more is asked for than is left, or nothing is left.
        """
        with self._lock:
            left, made = self.left(), {}
            for name in DIMENSIONS:
                own, asked = getattr(left, name), getattr(wanted, name)
                if own is not None and (asked if asked is not None else own) > own:
                    raise PolicyError(f"{name}: {asked} asked for a sub-agent; {own} is left")
                if own == 0:
                    raise PolicyError(f"{name}: nothing is left for a sub-agent")
                made[name] = own if asked is None else asked
            child = Budget(Limits(**made), clock=self._clock, parent=self)
            self._given.append(child)
            return child

    def close(self) -> None:
        """Give back to the parent what a sub-agent did not use; once is enough."""
        with self._lock:
            if self.parent is not None and not self._closed:
                self._closed = True
                self.parent._given.remove(self)

    def grant(self, more: Limits) -> None:
        """Raise the limits because a person decided so; nothing else may."""
        with self._lock:
            self.total = self.total.plus(more)

    def to_dict(self) -> dict[str, Any]:
        """Return limits, reserve and what was used as plain values."""
        return {
            "total": self.total.to_dict(),
            "reserve": self.reserve.to_dict(),
            "used": self.used.to_dict(),
        }

    @classmethod
    def from_dict(
        cls, saved: Mapping[str, Any], clock: Callable[[], float] = time.monotonic
    ) -> Budget:
        """Return a budget as it was saved: what was used stays used."""
        return cls(
            Limits(**saved["total"]),
            reserve=Limits(**saved["reserve"]),
            used=Amounts(**saved["used"]),
            clock=clock,
        )


def _without_time(limits: Limits) -> Limits:
    return Limits(limits.steps, None, limits.tokens, limits.calls, limits.cost)


@dataclass(frozen=True, slots=True)
class ToolTimeouts:
    """How long one call may take, by its tool; apart from the task's own time.

    Attributes
    ----------
    default
        Seconds for a tool that is not named; None for no limit.
    of_tool
        Seconds by name of the tool; None for no limit.
    """

    default: float | None = None
    of_tool: Mapping[str, float | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value in (("default", self.default), *self.of_tool.items()):
            if value is not None and not value > 0:
                raise PolicyError(f"timeout of {name}: {value!r} is no number of seconds above 0")

    def limit(self, tool: str) -> float | None:
        """Return the seconds that a call of a tool may take, or None."""
        return self.of_tool.get(tool, self.default)

    def over(self, tool: str, seconds: float | None) -> Incident | None:
        """Return the incident of a call that took as long as its tool may, or longer."""
        limit = self.limit(tool)
        if limit is None or seconds is None or seconds < limit:
            return None
        return Incident("tool_timeout", seconds, limit, tool)
