"""BUDGET: how much of something is used up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from agentlens.breaker.families.base import Family
from agentlens.breaker.families.facts import is_failure
from agentlens.breaker.seen import Finding, Level, SeenResult, SeenRound

__all__ = ["Usage"]


class Usage(Family):
    """Counts what a run uses.

    `of` is ``rounds`` with calls, ``calls``, ``tool`` (calls of each tool by itself), ``tokens``,
    ``cost``, ``seconds`` (of rounds), or ``failures`` in a row. A level is reached before the
    round that would go beyond it; amounts, and failures, after the round that reaches it. It says
    nothing of whether the run goes in circles: it is what a rule has to beat.
    """

    def reset(self) -> None:
        """Begin anew."""
        self._used = 0.0
        self._tools: Counter[str] = Counter()
        self._started: float | None = None

    @property
    def asks(self) -> tuple[bool, bool]:
        """See `Family.asks`."""
        late = self.spec.of in ("failures", "tokens", "cost")
        return not late, late

    def before(self, seen: SeenRound) -> Finding | None:
        """Refuse what goes beyond the budget."""
        of = self.spec.of
        members = [(i, call) for i, call in enumerate(seen.calls) if self.looks_at(call)]
        if of == "seconds" and seen.started is not None:
            self._started = seen.started if self._started is None else self._started
            return self._reach(seen.started - self._started, [])
        if of == "rounds" and members:
            found = self._speak(self._used, [])
            self._used += 1
            return found
        if of == "calls":
            found = None
            for i, _ in members:
                found = found or self._speak(self._used, [i])
                self._used += 1
            return found
        if of == "tool":
            found = None
            for i, call in members:
                self._used = self._tools[call.tool]
                found = found or self._speak(self._used, [i], call.tool)
                self._tools[call.tool] += 1
            return found
        return None

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> Finding | None:
        """Add up what is known only afterwards."""
        of = self.spec.of
        if of == "failures":
            acted = [r for c, r in zip(seen.calls, results, strict=False) if self.looks_at(c)]
            if not acted:
                return None
            self._used = self._used + 1 if all(map(is_failure, acted)) else 0
            return self._speak(self._used, [])
        if of in ("tokens", "cost"):
            own = seen.tokens if of == "tokens" else seen.cost
            parts = [r.tokens if of == "tokens" else r.cost for r in results]
            amount = own if own is not None else sum(p or 0 for p in parts)
            return self._reach(self._used + amount, [])
        return None

    def _reach(self, used: float, blocked: list[int]) -> Finding | None:
        """Move an amount that jumps, and speak of the highest level it passed."""
        before, self._used = self._used, used
        self.count = int(used)
        passed = [t for t in self._at if (before < t or not self.quiet) and t <= used]
        if not passed:
            return None
        return self._said(self._at[max(passed)], used, blocked, "")

    def _speak(self, used: float, blocked: list[int], tool: str = "") -> Finding | None:
        self.count = int(used)
        level = self.level(used)
        return None if level is None else self._said(level, used, blocked, tool)

    def _said(self, level: Level, used: float, blocked: list[int], tool: str) -> Finding | None:
        what = {"tool": f"calls of {tool}", "cost": "dollars", "failures": "failures in a row"}
        of = what.get(self.spec.of, self.spec.of)
        key = tool if self.spec.of == "tool" else ""
        return self.finding(level, used, f"{used:g} {of} are used up", (), blocked, key)
