"""What a trace's queries say before any threshold is applied: kinds, best earlier matches.

Computed once for a trace and the switches that touch it, and kept in the trace's cache, so that
moving similarity or threshold only counts anew.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentlens.breaker.query.classic import role_of
from agentlens.breaker.query.history import Scored, score_queries
from agentlens.progress.text import tokenize
from agentlens.trace.status import FAILED
from agentlens.trace.tools import queries_of

if TYPE_CHECKING:
    from agentlens.breaker.policy import Policy
    from agentlens.trace.model import Trace

__all__ = [
    "Query",
    "QuerySignals",
    "aggregate",
    "history_groups",
    "kind_of",
    "query_signals",
    "sequences_of",
]

_SIGNAL_SWITCHES = (
    "profile",
    "measure",
    "agg",
    "mixed",
    "mixed_join_history",
    "business",
    "intra",
    "empty",
    "min_tokens",
    "numeric_veto",
    "window",
    "decay",
    "punct",
    "split_alnum",
    "search_tools",
    "history_scope",
    "scope",
    "retry_failed",
)


@dataclass(frozen=True, slots=True)
class Query:
    """One query: the row of its round, the row of its call, its text and its fingerprint."""

    row: int
    call: int
    text: str
    tokens: frozenset[str]
    failed: bool = False


@dataclass(frozen=True, slots=True)
class QuerySignals:
    """Per row of the rounds table, and per query; nothing here depends on a threshold.

    Attributes
    ----------
    sequences
        Rows that are counted together (one thread and request), each oldest first.
    kind, role
        For each row: search, mixed, business, message, preamble, copied or retry; and what it
        does to the count.
    num, den
        For each row the score that its queries reach together (as `agg` says), as integers.
    query
        For each row the query that this score belongs to, or -1.
    queries
        All queries, oldest first; `scored` holds the best earlier match of each.
    """

    sequences: tuple[tuple[int, ...], ...]
    kind: list[str]
    role: list[str]
    num: list[int]
    den: list[int]
    query: list[int]
    queries: list[Query]
    scored: Scored


def query_signals(trace: Trace, policy: Policy) -> QuerySignals:
    """Return the query signals of a trace under a policy's switches; cached on the trace."""
    key = ("query", *(getattr(policy, name) for name in _SIGNAL_SWITCHES))
    if key not in trace.cache:
        trace.cache[key] = _compute(trace, policy)
    found: QuerySignals = trace.cache[key]
    return found


def sequences_of(trace: Trace, scope: str = "request") -> tuple[tuple[int, ...], ...]:
    """Return the rows of the rounds table that are counted together, in order of appearance."""
    rounds = trace.tables["rounds"]
    groups: dict[tuple[str, int], list[int]] = {}
    for row, (thread, request) in enumerate(zip(rounds["thread"], rounds["request"], strict=True)):
        groups.setdefault((thread, request if scope == "request" else 0), []).append(row)
    return tuple(map(tuple, groups.values()))


def _compute(trace: Trace, policy: Policy) -> QuerySignals:
    kind, queries = _kinds_and_queries(trace, policy)
    joined = [policy.mixed_join_history or kind[q.row] != "mixed" for q in queries]
    groups = history_groups(trace, policy)
    scored = score_queries(queries, [groups[q.row] for q in queries], joined, policy)
    num, den, best = aggregate(queries, scored, len(kind), policy.agg)
    for row in {q.row for q in queries}:
        if best[row] < 0 and kind[row] == "search":
            kind[row] = "retry"
    role = [role_of(k, mixed=policy.mixed, business=policy.business) for k in kind]
    return QuerySignals(
        sequences_of(trace, policy.scope), kind, role, num, den, best, queries, scored
    )


def _kinds_and_queries(trace: Trace, policy: Policy) -> tuple[list[str], list[Query]]:
    rounds, calls = trace.tables["rounds"], trace.tables["calls"]
    pattern = re.compile(policy.search_tools) if policy.search_tools else None
    kinds: list[str] = []
    queries: list[Query] = []
    for row, members in enumerate(trace.round_calls):
        searches = 0
        for call in members:
            if not (
                pattern.search(calls["tool"][call])
                if pattern
                else calls["effect"][call] == "search"
            ):
                continue
            searches += 1
            if rounds["copied"][row]:
                continue
            texts = calls["queries"][call] or queries_of(
                calls["args"][call], calls["args_raw"][call]
            )
            failed = calls["status"][call] in FAILED
            for text in texts or ("",):  # a search without a query has an empty fingerprint
                tokens = tokenize(
                    text, profile=policy.profile, punct=policy.punct, split_alnum=policy.split_alnum
                )
                queries.append(Query(row, call, text, tokens, failed))
        kinds.append(kind_of(rounds["round"][row], rounds["copied"][row], len(members), searches))
    return kinds, queries


def kind_of(number: int, copied: bool, calls: int, searches: int) -> str:
    """Return the kind of a round from its number and how many of its calls are searches."""
    if copied:
        return "copied"
    if number == 0 and not searches:
        return "preamble"
    if not calls:
        return "message"
    if not searches:
        return "business"
    return "search" if searches == calls else "mixed"


def history_groups(trace: Trace, policy: Policy) -> list[tuple[str, int]]:
    """Return for each row the name of the history that its queries see."""
    rounds, threads = trace.tables["rounds"], trace.tables["threads"]
    own = [
        (thread, request if policy.scope == "request" else 0)
        for thread, request in zip(rounds["thread"], rounds["request"], strict=True)
    ]
    if policy.history_scope == "agent":
        return own
    calls = trace.tables["calls"]
    row_of_call = dict(zip(calls["call_id"], calls["round_row"], strict=True))
    started_by = dict(zip(threads["thread"], threads["parent_call"], strict=True))
    parent = dict(zip(threads["thread"], threads["parent"], strict=True))
    roots: list[tuple[str, int]] = []
    for leaf in own:
        group, seen = leaf, set[str]()
        while parent.get(group[0]) and group[0] not in seen:  # a damaged log may hold a cycle
            seen.add(group[0])
            row = row_of_call.get(started_by.get(group[0]))
            group = (
                own[row]
                if row is not None
                else (parent[group[0]], 1 if policy.scope == "request" else 0)
            )
        roots.append(group)
    return roots


def aggregate(
    queries: Sequence[Query], scored: Scored, rows: int, agg: str
) -> tuple[list[int], list[int], list[int]]:
    """Return for each row its round's score and the query it belongs to: the k-th best."""
    of_row: dict[int, list[int]] = {}
    for index, query in enumerate(queries):
        if not scored.excused[index]:
            of_row.setdefault(query.row, []).append(index)
    num, den, best = [0] * rows, [1] * rows, [-1] * rows
    for row, indices in of_row.items():
        place = {"any": 0, "all": len(indices) - 1, "majority": len(indices) // 2}[agg]
        best[row] = sorted(indices, key=scored.rank, reverse=True)[place]
        num[row], den[row] = scored.num[best[row]], scored.den[best[row]]
    return num, den, best
