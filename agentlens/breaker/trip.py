"""A trip: where a run would have been stopped, by what, and what that would have saved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentlens.trace.model import Trace

__all__ = ["Saved", "Trip", "round_amounts", "saved_by", "saved_together", "started_rows"]


@dataclass(frozen=True, slots=True)
class Saved:
    """What was not executed: rounds, calls; seconds, tokens, dollars where the log has them."""

    rounds: int
    calls: int
    seconds: float | None
    tokens: int | None
    cost: float | None


@dataclass(frozen=True, slots=True)
class Trip:
    """Where a rule stops a run.

    Attributes
    ----------
    thread, request, round
        The round at which it trips.
    row
        Its row in the trace's rounds table.
    call
        Number of the call in the trace at which it trips; of a round that was not executed, its
        first call.
    rule
        The rule that tripped.
    phase
        ``before`` (the round was not executed) or ``after`` (stopped before the next one).
    count, threshold
        The rule's count there, and the one at which it trips; whole, but for a budget of seconds
        or dollars.
    reason
        Why, in one English sentence part.
    saved_rounds, saved_calls, saved_seconds, saved_tokens, saved_cost
        What the stop would have saved; None where the log does not say.
    """

    thread: str
    request: int
    round: int
    row: int
    call: int
    rule: str
    phase: str
    count: float
    threshold: float
    reason: str
    saved_rounds: int
    saved_calls: int
    saved_seconds: float | None
    saved_tokens: int | None
    saved_cost: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return asdict(self)


def _total(values: Iterable[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return sum(known) if known else None


def saved_by(trace: Trace, rows: Sequence[int]) -> Saved:
    """Return what not executing some rounds saves.

    Rounds without a call are not counted: the model would have answered all the same. Calls,
    tokens and cost of sub-agents that these rounds started count too; their time runs within
    the rounds' own.

    Parameters
    ----------
    trace
        The trace.
    rows
        Rows of its rounds table, all of one thread.
    """
    acting = [row for row in rows if trace.round_calls[row]]
    all_rows = acting + started_rows(trace, acting)
    tokens_of, cost_of = round_amounts(trace)
    tokens = _total(tokens_of[row] for row in all_rows)
    seconds_of = trace.tables["rounds"]["seconds"]
    return Saved(
        rounds=len(acting),
        calls=sum(len(trace.round_calls[row]) for row in all_rows),
        seconds=_total(seconds_of[row] for row in acting),
        tokens=None if tokens is None else int(tokens),
        cost=_total(cost_of[row] for row in all_rows),
    )


def saved_together(trips: Iterable[Trip]) -> Saved:
    """Return what some trips save in all, of which none lies within what another saves."""
    found = list(trips)
    tokens = _total(trip.saved_tokens for trip in found)
    return Saved(
        rounds=sum(trip.saved_rounds for trip in found),
        calls=sum(trip.saved_calls for trip in found),
        seconds=_total(trip.saved_seconds for trip in found),
        tokens=None if tokens is None else int(tokens),
        cost=_total(trip.saved_cost for trip in found),
    )


def round_amounts(trace: Trace) -> tuple[list[float | None], list[float | None]]:
    """Return tokens and cost of every round, its own or those of its calls; kept on the trace."""
    found: tuple[list[float | None], list[float | None]] | None = trace.cache.get("amounts")
    if found is None:
        cost, calls = trace.tables["rounds"]["cost"], trace.tables["calls"]
        found = trace.cache["amounts"] = (
            [_round_tokens(trace, row) for row in range(len(cost))],
            [
                own if own is not None else _total(calls["cost"][c] for c in trace.round_calls[row])
                for row, own in enumerate(cost)
            ],
        )
    return found


def _round_tokens(trace: Trace, row: int) -> float | None:
    calls, own = trace.tables["calls"], trace.tables["rounds"]["tokens"][row]
    return own if own is not None else _total(calls["tokens"][c] for c in trace.round_calls[row])


def started_rows(trace: Trace, rows: Sequence[int]) -> list[int]:
    """Return the rows of all threads that the calls of some rounds started, at any depth."""
    if len(trace.tables["threads"]["thread"]) < 2:
        return []
    started, of_thread = _family(trace)
    call_ids = trace.tables["calls"]["call_id"]
    found: list[int] = []
    todo, seen = list(rows), set[str]()
    while todo:
        for call in trace.round_calls[todo.pop()]:
            thread = started.get(call_ids[call])
            if thread is not None and thread not in seen:
                seen.add(thread)
                found += of_thread.get(thread, [])
                todo += of_thread.get(thread, [])
    return found


def _family(trace: Trace) -> tuple[dict[str, str], dict[str, list[int]]]:
    """Return the thread that each call started, and the rows of each thread; kept on the trace."""
    found: tuple[dict[str, str], dict[str, list[int]]] | None = trace.cache.get("family")
    if found is None:
        threads = trace.tables["threads"]
        pairs = zip(threads["thread"], threads["parent_call"], strict=True)
        rows: dict[str, list[int]] = {}
        for row, thread in enumerate(trace.tables["rounds"]["thread"]):
            rows.setdefault(thread, []).append(row)
        found = trace.cache["family"] = ({id_: thread for thread, id_ in pairs if id_}, rows)
    return found
