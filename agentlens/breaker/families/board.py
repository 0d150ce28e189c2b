"""The board that the rules of one thread share: keys of its calls, and the signs of its rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from agentlens.breaker.families.facts import Facts
from agentlens.breaker.families.signs import RoundSigns, Signs
from agentlens.breaker.families.spec import RuleSpec

if TYPE_CHECKING:
    from agentlens.breaker.seen import SeenCall, SeenResult, SeenRound

__all__ = ["Board", "Known", "known_of"]

_WHOLE = RuleSpec("whole", "streak")

#: Keys of a round's calls, which of them read again what was read, and its signs once it ran.
Known = tuple[tuple[int, ...], tuple[bool, ...], RoundSigns]


class Board:
    """Keys and signs of one thread's rounds.

    Parameters
    ----------
    facts
        Keys of the run's calls, shared by its threads.
    known
        What an earlier board found for the rounds to come, in order; a replay of a further policy
        over one trace need not find it again.
    """

    def __init__(self, facts: Facts, known: Sequence[Known] | None = None) -> None:
        self.facts = facts
        self.full_key: Callable[[SeenCall], int] = facts.call_keys(_WHOLE)
        self._signs = Signs(facts) if known is None else None
        self._known = known
        self._at = -1
        self.keys: tuple[int, ...] = ()
        self.rereads: tuple[bool, ...] = ()
        self.signs = RoundSigns(())

    def before(self, seen: SeenRound) -> None:
        """Look at a round before the rules do."""
        self._at += 1
        if self._known is not None:
            self.keys, self.rereads, self.signs = self._known[self._at]
        elif self._signs is not None:
            self._signs.begin(seen)
            self.rereads = self._signs.rereads(seen)
            self.keys = self._signs.keys(seen)

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> None:
        """Look at what a round brought before the rules do."""
        if self._signs is not None:
            self.signs = self._signs.take(seen, results)


def known_of(rounds: Iterable[tuple[SeenRound, Sequence[SeenResult]]], facts: Facts) -> list[Known]:
    """Return what a board finds for recorded rounds: the key of a call is the same once it ran."""
    signs, found = Signs(facts), []
    for seen, results in rounds:
        signs.begin(seen)
        rereads = signs.rereads(seen)
        taken = signs.take(seen, results)
        found.append((tuple(sign.key for sign in taken.calls), rereads, taken))
    return found
