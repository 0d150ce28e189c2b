"""One row of the lanes: where a rule or a preset speaks, and what its stops would have saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentlens.breaker.near.misses import NearMiss
    from agentlens.breaker.trip import Saved
    from agentlens.thresholds.baseline import StepLimit

__all__ = ["LaneRow", "Mark"]


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a row speaks.

    Attributes
    ----------
    place
        The position in the view.
    level, phase
        ``nudge``, ``block``, ``stop`` or ``wait``; and whether the round ran (``after``).
    reason
        Why, in words.
    fact
        True of the first of its request: all later ones only stand if the first changed nothing.
    """

    place: int
    level: str
    phase: str
    reason: str
    fact: bool = False


@dataclass(frozen=True, slots=True)
class LaneRow:
    """A rule, a preset, or the step count, over the rounds of one thread.

    Attributes
    ----------
    name, kind
        Its name; ``rule`` (of the policy), ``policy`` (all its rules), ``peer`` or ``steps``.
    marks
        In order of their rounds.
    spans
        For each request that it stops: first position that would not have happened, and last.
    saved
        What its stops would have saved; None where it stops nothing.
    upper
        The log lacks what it looks at, or a model judges besides: what is shown is at most so.
    cannot, shipped, version
        What a preset says of itself.
    near
        Near misses of its rules.
    steps
        The calibrated limit, of the row of the step count alone.
    """

    name: str
    kind: str
    marks: tuple[Mark, ...]
    spans: tuple[tuple[int, int], ...] = ()
    saved: Saved | None = None
    upper: bool = False
    cannot: str = ""
    shipped: str = ""
    version: str = ""
    near: tuple[NearMiss, ...] = ()
    steps: StepLimit | None = None

    @property
    def fired(self) -> int | None:
        """Position at which it first speaks, waiting apart; None where it never does."""
        return next((mark.place for mark in self.marks if mark.level != "wait"), None)

    @property
    def stop(self) -> Mark | None:
        """Its first stop."""
        return next((mark for mark in self.marks if mark.level == "stop"), None)

    def is_past(self, mark: Mark) -> bool:
        """Say whether a mark stands in a round that the row itself keeps from happening."""
        own = mark.level == "stop" and mark.phase == "before"
        return any(low + own <= mark.place <= high for low, high in self.spans)
