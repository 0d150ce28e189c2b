"""The searches that a run has made so far, and how much a new one repeats them.

The live half of `agentlens.breaker.query.history`: the same scores, found one round at a time.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentlens.breaker.query.history import window_of
from agentlens.breaker.query.live_pool import NOTHING, Found, Pool
from agentlens.progress.similarity import comparison_key

if TYPE_CHECKING:
    from agentlens.breaker.policy import Policy

__all__ = ["Asked", "LiveHistory", "Remembered"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A query of a round that has not run: its call, its text and its fingerprint."""

    call: int
    text: str
    tokens: frozenset[str]


@dataclass(frozen=True, slots=True)
class Remembered:
    """An earlier query: where it was asked, and its text."""

    round: int
    call: int
    text: str


class LiveHistory:
    """What the queries of one history are compared with; threads of one tree may share it.

    Parameters
    ----------
    policy
        Its switches; similarity and threshold are not read.

    Attributes
    ----------
    entries
        All remembered queries, oldest first; a match's place is an index into it.
    """

    def __init__(self, policy: Policy):
        self._policy = policy
        self._window = window_of(policy)
        self._pools: dict[Hashable, Pool] = {}
        self._starts: list[int] = []  # place of the first query of each remembered round
        self._failed: set[frozenset[str]] = set()
        self._used: set[frozenset[str]] = set()
        self.entries: list[Remembered] = []

    def compare(self, queries: Sequence[Asked], joined: bool) -> list[Found]:
        """Return the best earlier match of each query of a round.

        Parameters
        ----------
        joined
            Whether the round's queries are remembered; if so and the policy compares within a
            round, they are remembered at once, so that `remember` must follow.
        """
        since, age = self._since(), len(self._starts)
        found = []
        place = len(self.entries)
        for query in queries:
            found.append(self._best(query, since, age))
            if joined and self._policy.intra:
                self._add(query, place, age)
                place += 1
        return found

    def remember(self, queries: Sequence[Asked], number: int, *, clear: bool) -> None:
        """Remember the queries of a round; of what was before it, nothing if `clear`."""
        first, age = len(self.entries), len(self._starts)
        if clear:
            self.clear()
        for place, query in enumerate(queries, first):
            if clear or not self._policy.intra:
                self._add(query, place, age)
            self.entries.append(Remembered(number, query.call, query.text))
        if queries:
            self._starts.append(first)

    def clear(self) -> None:
        """Forget everything; what it was like is kept in `entries`."""
        self._pools = {}

    def excuse(self, queries: Sequence[Asked]) -> list[bool]:
        """Say of each query whether it is the repetition of a failed search that is allowed.

        Until `settle` says otherwise, the searches of this round did not fail.
        """
        excused = []
        for query in queries:
            allowed = query.tokens in self._failed and query.tokens not in self._used
            if allowed:
                self._used.add(query.tokens)
            excused.append(allowed)
        self._failed.difference_update(query.tokens for query in queries)
        return excused

    def settle(self, queries: Sequence[Asked], failed: Sequence[bool]) -> None:
        """Note which searches of the latest round failed."""
        for query, bad in zip(queries, failed, strict=True):
            (self._failed.add if bad else self._failed.discard)(query.tokens)

    def _since(self) -> int:
        """Return the first place that is still compared with."""
        reach = self._window
        if (decay := self._policy.decay) is not None:
            reach = decay if reach is None else min(decay, reach)
        if reach is None or len(self._starts) < reach:
            return 0
        return self._starts[-reach]

    def _best(self, query: Asked, since: int, age: int) -> Found:
        key, tokens = self._key(query)
        pool = self._pools.get(key)
        if pool is None or not tokens:
            return NOTHING
        found = pool.best(tokens, since, age)
        if not query.tokens and self._policy.measure == "dice" and found[2] >= 0:
            return found[0] // 2, found[1] // 2, found[2]  # nothing to count: 1 of 1
        return found

    def _add(self, query: Asked, place: int, age: int) -> None:
        key, tokens = self._key(query)
        if not tokens:
            return
        pool = self._pools.get(key)
        if pool is None:
            pool = self._pools[key] = Pool(self._policy.measure, self._policy.decay)
        pool.add(tokens, place, age)

    def _key(self, query: Asked) -> tuple[Hashable, frozenset[str]]:
        """Return which pool a query belongs to, and its fingerprint there."""
        policy = self._policy
        if query.tokens:
            key = comparison_key(query.tokens, policy.min_tokens, policy.numeric_veto)
            return ("tokens", key), query.tokens
        if policy.empty == "ignore":
            return None, query.tokens
        return ("empty", query.text if policy.empty == "equal" else ""), _NO_TOKEN


#: Stands for the fingerprint without a token, where policies let such queries match.
_NO_TOKEN = frozenset({""})
