"""The query rule at work on a run, round by round, with the verdicts of the replay.

It cannot see what searches bring: synonyms pass, and a search that is narrowed step by step looks
like one that goes in circles.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from agentlens.breaker.query.classic import COUNT, RESET, role_of
from agentlens.breaker.query.live_history import Asked, LiveHistory
from agentlens.breaker.query.live_pool import NOTHING, Found
from agentlens.breaker.query.signals import kind_of
from agentlens.breaker.seen import Finding, SeenCall, SeenResult, SeenRound
from agentlens.breaker.words import query_words
from agentlens.progress.measures import limit
from agentlens.progress.text import tokenize
from agentlens.trace.redact import BEGINNING, redact
from agentlens.trace.status import FAILED
from agentlens.trace.tools import queries_of

if TYPE_CHECKING:
    from agentlens.breaker.families.panel import Panel
    from agentlens.breaker.policy import Policy

__all__ = ["LiveQuery"]


class LiveQuery:
    """The query rule as a `Stepper` of one sequence of rounds.

    Parameters
    ----------
    policy
        Its switches.
    history
        What queries are compared with; by default the sequence's own.
    panel
        Says, for a staged policy, whether the latest round brought news.

    Attributes
    ----------
    count : int
        Consecutive rounds without progress.
    role : str
        What the latest round did to the count.
    score : tuple of int
        Of the latest round: numerator and denominator.
    """

    def __init__(
        self, policy: Policy, history: LiveHistory | None = None, panel: Panel | None = None
    ):
        self._policy = policy
        self._panel = panel if policy.staged else None
        self._news = False
        self._history = LiveHistory(policy) if history is None else history
        self._pattern = re.compile(policy.search_tools) if policy.search_tools else None
        self._bound = limit(policy.similarity, policy.measure)
        self._pending: list[tuple[int, Asked]] = []  # with the index of its call in the round
        self.count = 0
        self.role = ""
        self.score = NOTHING[:2]

    def before(self, seen: SeenRound) -> Finding | None:
        """Compare the searches of a round that has not run, count, and remember them."""
        policy, history = self._policy, self._history
        if self._news:
            self.count, self._news = 0, False
        kind, self._pending = self._searches(seen)
        queries = [query for _, query in self._pending]
        joined = policy.mixed_join_history or kind != "mixed"
        found = history.compare(queries, joined)
        excused = history.excuse(queries) if policy.retry_failed and queries else None
        best = self._best_of(found, excused)
        if best < 0 and kind == "search":
            kind = "retry"
        self.role = role_of(kind, mixed=policy.mixed, business=policy.business)
        num, den, _ = found[best] if best >= 0 else NOTHING
        self.score = (num, den)
        similar = self._is_similar(num, den)
        fresh = self.role == RESET or (self.role == COUNT and not similar)
        if not policy.enabled:
            return None
        if fresh:
            self.count = 0
        elif self.role == COUNT:
            self.count += 1
        clear = fresh and policy.clear_on_progress
        if joined and queries:
            history.remember(queries, seen.round, clear=clear)
        elif clear:
            history.clear()
        if self.role == COUNT and self.count >= policy.threshold:
            return self._finding(seen, queries[best], found[best])
        return None

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> Finding | None:  # noqa: ARG002
        """Note which searches failed, and of a staged policy whether they brought news."""
        self._news = self._panel is not None and self._panel.fresh
        if self._policy.retry_failed and self._pending:
            failed = [
                place < len(results) and results[place].status in FAILED
                for place, _ in self._pending
            ]
            self._history.settle([query for _, query in self._pending], failed)
        return None

    def _searches(self, seen: SeenRound) -> tuple[str, list[tuple[int, Asked]]]:
        """Return the kind of a round under this policy, and its queries."""
        if seen.kind == "copied":
            return "copied", []
        policy, searches, queries = self._policy, 0, []
        for place, call in enumerate(seen.calls):
            if not self._is_search(call):
                continue
            searches += 1
            texts = call.queries or queries_of(call.args, call.args_raw)
            for text in texts or ("",):  # a search without a query has an empty fingerprint
                tokens = tokenize(
                    text, profile=policy.profile, punct=policy.punct, split_alnum=policy.split_alnum
                )
                queries.append((place, Asked(call.number, text, tokens)))
        return kind_of(seen.round, False, len(seen.calls), searches), queries

    def _is_search(self, call: SeenCall) -> bool:
        if self._pattern is None:
            return call.effect == "search"
        return self._pattern.search(call.tool) is not None

    def _best_of(self, found: list[Found], excused: list[bool] | None) -> int:
        """Return the query whose score is the round's, or -1."""
        places = [i for i in range(len(found)) if not (excused and excused[i])]
        if len(places) < 2:
            return places[0] if places else -1
        which = {"any": 0, "all": len(places) - 1, "majority": len(places) // 2}[self._policy.agg]
        return sorted(places, key=lambda i: _rank(found[i]), reverse=True)[which]

    def _is_similar(self, num: int, den: int) -> bool:
        left, right = num * self._bound.denominator, self._bound.numerator * den
        return left > right if self._policy.strict else left >= right

    def _finding(self, seen: SeenRound, query: Asked, found: Found) -> Finding:
        policy, (num, den, match) = self._policy, found
        old = self._history.entries[match]
        reason = query_words(
            round=seen.round,
            query=redact(query.text[:BEGINNING]),  # first: half a secret is a secret too
            match_round=old.round,
            match=redact(old.text[:BEGINNING]),
            num=num,
            den=den,
            measure=policy.measure,
            count=self.count,
            threshold=policy.threshold,
        )
        calls = (old.call, query.call)
        return Finding("query", "stop", self.count, policy.threshold, reason, calls)


def _rank(found: Found) -> tuple[Fraction, int]:
    return Fraction(found[0], found[1]), found[2]
