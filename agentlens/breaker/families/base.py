"""What all families share: which calls a rule looks at, and when its count makes it speak."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from agentlens.breaker.seen import Finding, Level, SeenCall, SeenResult, SeenRound

if TYPE_CHECKING:
    from agentlens.breaker.families.board import Board
    from agentlens.breaker.families.spec import RuleSpec

__all__ = ["Family", "strongest"]

_RANK = {"wait": 0, "nudge": 1, "block": 2, "stop": 3}
#: A finding names so many calls, the first and the last ones.
_NAMED = 12


def strongest(findings: Iterable[Finding | None]) -> Finding | None:
    """Return the finding that asks for most; of equals the first."""
    best: Finding | None = None
    for finding in findings:
        if finding is not None and (best is None or _RANK[finding.level] > _RANK[best.level]):
            best = finding
    return best


class Family:
    """A rule at work: a `Stepper`.

    Parameters
    ----------
    spec
        The rule.
    board
        Keys and evidence of the run, shared by its rules.
    quiet
        Speak only where the count reaches a level, not again while it stays above: what a replay
        wants; a guard asks of every round.
    """

    def __init__(self, spec: RuleSpec, board: Board, *, quiet: bool = False) -> None:
        self.spec, self.board, self.quiet = spec, board, quiet
        self.count = 0
        self._at: dict[float, Level] = {}
        for threshold in spec.warn:
            self._at[threshold] = "nudge"
        if spec.block is not None:
            self._at[spec.block] = "block"
        if spec.stop is not None:
            self._at[spec.stop] = "stop"
        # A list of several warnings means exactly there; the highest level holds from there on.
        highs = [t for t in (spec.stop, spec.block) if t is not None]
        if not highs and len(spec.warn) == 1:
            highs = list(spec.warn)
        self._high = max(highs, default=None)
        self._low = min(self._at, default=float("inf"))
        self._block = spec.block
        self._looked: dict[tuple[str, str], bool] = {}
        self._once: set[object] = set()
        self.reset()

    def reset(self) -> None:
        """Begin anew, as at a user message."""

    @property
    def asks(self) -> tuple[bool, bool]:
        """Whether it has to see rounds before they run, and after."""
        of = type(self)
        return of.before is not Family.before, of.after is not Family.after

    def before(self, seen: SeenRound) -> Finding | None:  # noqa: ARG002
        """See `Stepper.before`."""
        return None

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> Finding | None:  # noqa: ARG002
        """See `Stepper.after`."""
        return None

    def looks_at(self, call: SeenCall) -> bool:
        """Say whether the rule looks at a tool at all; others neither count nor break."""
        about = (call.tool, call.effect)
        found = self._looked.get(about)
        if found is None:
            names = {call.tool, f"effect:{call.effect}"}
            listed = not self.spec.tools or not names.isdisjoint(self.spec.tools)
            found = self._looked[about] = listed and names.isdisjoint(self.spec.exempt)
        return found

    def level(self, count: float) -> Level | None:
        """Return what a count asks for."""
        if count < self._low:
            return None
        found = self._at.get(count)
        if found is None and not self.quiet and self._high is not None:
            if count > self._high:
                return self._at[self._high]
            if self._block is not None and count > self._block:
                return "block"
        return found

    def finding(
        self, level: Level, count: float, reason: str, calls: Sequence[int] = (),
        blocked: Sequence[int] = (), key: object = None,
    ) -> Finding | None:  # fmt: skip
        """Return a finding; None for a key that has had its one."""
        if self.spec.once:
            if (level, key) in self._once:
                return None
            self._once.add((level, key))
        reached = max((t for t, at in self._at.items() if at == level and t <= count), default=0)
        numbers = tuple(calls)
        if len(numbers) > _NAMED:
            numbers = numbers[: _NAMED // 2] + numbers[-_NAMED // 2 :]
        return Finding(
            self.spec.name, level, int(count), int(reached), reason, numbers,
            tuple(blocked) if level == "block" else (),
        )  # fmt: skip
