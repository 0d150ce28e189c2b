"""STATE: what the agent acts on stays as it is."""

from __future__ import annotations

from collections.abc import Sequence

from agentlens.breaker.families.base import Family
from agentlens.breaker.families.facts import is_failure
from agentlens.breaker.seen import Finding, SeenResult, SeenRound

__all__ = ["State"]

_ACTS = frozenset(("write",))


class State(Family):
    """Counts rounds whose state is that of the round before.

    `of` is ``page``: the state is what the last call of a round shows; or ``change``: it
    changes with every successful write, and the rule speaks only in a round that also repeats a
    call (`limit` rounds back or less). It cannot see changes that no call reports.
    """

    def reset(self) -> None:
        """Begin anew."""
        self._state: object = None
        self._run = 0
        self._rounds = 0
        self._seen: dict[int, int] = {}
        self._result_key = self.board.facts.result_keys(self.spec.result)
        self._call_key = self.board.facts.call_keys(self.spec)

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> Finding | None:
        """Compare the state with that before."""
        pairs = [
            (call, result)
            for call, result in zip(seen.calls, results, strict=False)
            if self.looks_at(call)
        ]
        if not pairs:
            return None
        self._rounds += 1
        repeats = True
        if self.spec.of == "page":
            state = self._result_key(*pairs[-1])
            self._run = self._run + 1 if state == self._state else 1
            self._state = state
        else:
            changed = any(c.effect in _ACTS and not is_failure(r) for c, r in pairs)
            self._run = 0 if changed else self._run + 1
            repeats = False
            for call, _ in pairs:
                key = self._call_key(call)
                last = self._seen.get(key)
                if last is not None and self._rounds - last <= (self.spec.limit or self._rounds):
                    repeats = True
                self._seen[key] = self._rounds
        self.count = self._run
        level = self.level(self._run)
        if level is None and repeats and self.spec.of == "change" and self._high is not None:
            level = self._at[self._high] if self._run > self._high else None
        if level is None or not repeats:
            return None
        what = "the page stays the same" if self.spec.of == "page" else "nothing was changed"
        return self.finding(
            level, self._run, f"{what} for {self._run} rounds", [c.number for c, _ in pairs]
        )
