"""The best earlier match of every query, under the switches that say what it may match."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING

from agentlens.progress.similarity import best_earlier, score

if TYPE_CHECKING:
    from agentlens.breaker.policy import Policy
    from agentlens.breaker.query.signals import Query

__all__ = ["Scored", "ages_of", "faded_score", "pair_score", "score_queries", "window_of"]


@dataclass(frozen=True, slots=True)
class Scored:
    """For each query its best earlier match.

    Attributes
    ----------
    num, den
        The score as a pair of integers (for cosine its square); (0, 1) without a match.
    match
        The query matched, or -1.
    excused
        True for the one repetition of a failed search that `retry_failed` allows.
    """

    num: list[int]
    den: list[int]
    match: list[int]
    excused: list[bool]

    def rank(self, index: int) -> tuple[Fraction, int]:
        """Return the key by which a round's queries are ordered: score, then the latest match."""
        return Fraction(self.num[index], self.den[index]), self.match[index]


def pair_score(a: Query, b: Query, policy: Policy) -> tuple[int, int]:
    """Return the score of two queries under a policy: (0, 1) where it forbids the match."""
    if not a.tokens or not b.tokens:
        both = not a.tokens and not b.tokens
        alike = policy.empty == "similar" or (policy.empty == "equal" and a.text == b.text)
        return (1, 1) if both and alike else (0, 1)
    if min(len(a.tokens), len(b.tokens)) < policy.min_tokens and a.tokens != b.tokens:
        return (0, 1)
    if policy.numeric_veto and any(map(_has_digit, a.tokens ^ b.tokens)):
        return (0, 1)
    return score(a.tokens, b.tokens, policy.measure)


def faded_score(a: Query, b: Query, age: int, policy: Policy) -> tuple[int, int]:
    """Return the score of a query with an earlier one, faded by its age as `decay` says.

    Parameters
    ----------
    age
        How many remembered rounds the earlier query is back; 0 within one round.
    """
    num, den = pair_score(a, b, policy)
    if policy.decay is None:
        return num, den
    weight = min(policy.decay, max(0, policy.decay + 1 - age))
    power = 2 if policy.measure == "cosine" else 1  # its scores are squares
    return num * weight**power, den * policy.decay**power


def window_of(policy: Policy) -> int | None:
    """Return how many remembered rounds back a query may match, or None for all."""
    return policy.window if isinstance(policy.window, int) else 1 if policy.window else None


def _has_digit(token: str) -> bool:
    return any(c.isdecimal() for c in token)


def score_queries(
    queries: Sequence[Query], groups: Sequence[Hashable], joined: Sequence[bool], policy: Policy
) -> Scored:
    """Score each query against the earlier ones of its history.

    Parameters
    ----------
    queries
        All queries, oldest first.
    groups
        For each query the history that it belongs to.
    joined
        For each query whether later ones can match it.
    policy
        Its switches; similarity and threshold are not read.
    """
    out = Scored(
        [0] * len(queries), [1] * len(queries), [-1] * len(queries), [False] * len(queries)
    )
    members: dict[Hashable, list[int]] = {}
    for index, group in enumerate(groups):
        members.setdefault(group, []).append(index)
    for indices in members.values():
        upto, since = _spans(
            [queries[i].row for i in indices], [joined[i] for i in indices], policy
        )
        slow = [
            p
            for p, i in enumerate(indices)
            if policy.decay or not _is_plain(queries[i], joined[i], policy)
        ]
        if len(slow) < len(indices):
            found = best_earlier(
                [queries[i].tokens if joined[i] else frozenset() for i in indices],
                measure=policy.measure,
                upto=upto,
                since=since,
                min_tokens=policy.min_tokens,
                numeric_veto=policy.numeric_veto,
            )
            for place, i in enumerate(indices):
                if (match := int(found.index[place])) >= 0:
                    out.num[i], out.den[i] = int(found.num[place]), int(found.den[place])
                    out.match[i] = indices[match]
        _score_slowly(queries, indices, slow, upto, since, joined, policy, out)
        if policy.retry_failed:
            _excuse_retries(queries, indices, out)
    return out


def _spans(rows: list[int], joined: list[bool], policy: Policy) -> tuple[list[int], list[int]]:
    """Return for each query of a history the places [since, upto) that it is compared with."""
    upto, since = [], []
    starts: list[int] = []  # first place of each earlier round that is remembered
    window = window_of(policy)
    first = 0
    for place, row in enumerate(rows):
        if place and row != rows[place - 1]:
            if any(joined[first:place]):
                starts.append(first)
            first = place
        upto.append(place if policy.intra else first)
        since.append(starts[-window] if window and len(starts) >= window else 0)
    return upto, since


def _is_plain(query: Query, joined: bool, policy: Policy) -> bool:
    """Say whether the fast matcher knows all about this query."""
    return joined and (bool(query.tokens) or policy.empty == "ignore")


def _score_slowly(
    queries: Sequence[Query],
    indices: list[int],
    places: list[int],
    upto: list[int],
    since: list[int],
    joined: Sequence[bool],
    policy: Policy,
    out: Scored,
) -> None:
    """Compare the queries at some places pair by pair: the way that knows every switch."""
    if not places:
        return
    ages = ages_of([queries[i].row for i in indices], [joined[i] for i in indices])
    for place in places:
        i, best = indices[place], Fraction(0)
        for earlier in range(since[place], upto[place]):
            j = indices[earlier]
            if not joined[j]:
                continue
            num, den = faded_score(queries[i], queries[j], ages[place] - ages[earlier], policy)
            if num and Fraction(num, den) >= best:
                best = Fraction(num, den)
                out.num[i], out.den[i], out.match[i] = num, den, j


def ages_of(rows: list[int], joined: list[bool]) -> list[int]:
    """Return for each query how many remembered rounds its history held before its own."""
    ages, remembered = [], set[int]()
    for row, keep in zip(rows, joined, strict=True):
        ages.append(len(remembered) - (row in remembered))
        if keep:
            remembered.add(row)
    return ages


def _excuse_retries(queries: Sequence[Query], indices: list[int], out: Scored) -> None:
    """Excuse the first repetition of each query whose last search failed.

    How the searches of a round end is not known before the round has run.
    """
    failed: set[frozenset[str]] = set()
    used: set[frozenset[str]] = set()
    for _, round_ in groupby(indices, key=lambda i: queries[i].row):
        together = list(round_)
        for i in together:
            tokens = queries[i].tokens
            if tokens in failed and tokens not in used:
                used.add(tokens)
                out.excused[i] = True
        for i in together:
            (failed.add if queries[i].failed else failed.discard)(queries[i].tokens)
