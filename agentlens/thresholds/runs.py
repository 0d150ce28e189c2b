"""One run under one policy: whether and where it stops, what that saves and what it costs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from agentlens.breaker.families.recorded import fresh_rows
from agentlens.breaker.replay import Replay, replay
from agentlens.breaker.task.side_effects import duplicate_writes, identity_of
from agentlens.breaker.trip import round_amounts, saved_together
from agentlens.thresholds.kept import kept_facts
from agentlens.thresholds.scan import independent_trips

if TYPE_CHECKING:
    from agentlens.breaker.policy import Policy
    from agentlens.trace.labels import Label
    from agentlens.trace.model import Trace

__all__ = ["Run", "ends_waiting", "run_of", "useful_rows"]


@dataclass(frozen=True, slots=True)
class Run:
    """What a policy does to one run.

    Attributes
    ----------
    source, label, task, onset
        The run and what is known of it; `task` is the cluster, a name of its own where none is
        known.
    rounds
        Rounds that call a tool.
    stopped, rule, reason, thread, trip_round
        Whether it stops, and the earliest trip.
    saved_rounds, saved_seconds, saved_tokens, saved_cost
        What all its trips together save, sub-agents counted once; gross of the finalizer.
    round_seconds, round_tokens, round_cost
        Mean amounts of one of its rounds, where the log has them: what a finalizer is taken to
        cost.
    harmful
        Whether the stop would have taken away something of use: see `useful_rows`. False where it
        is not stopped.
    last_round
        Number of the last round of the main thread.
    delay
        Round of the trip in the main thread less the onset; None without either.
    waits
        Whether it ends with a question to a person that has no answer.
    duplicates, duplicates_without
        Writes that took effect again, with the policy and without.
    facts, kept
        As `agentlens.thresholds.kept.kept_facts`.
    resumable, recovered
        Of a run that was really stopped: whether it could be resumed, and whether it then reached
        `completed`; None where the log does not say (``resumable`` and ``resumed_to`` of a
        record).
    """

    source: str
    label: str
    task: str
    onset: int | None
    rounds: int
    stopped: bool
    rule: str
    reason: str
    thread: str
    trip_round: int | None
    saved_rounds: int
    saved_seconds: float | None
    saved_tokens: int | None
    saved_cost: float | None
    round_seconds: float | None
    round_tokens: float | None
    round_cost: float | None
    harmful: bool
    last_round: int
    delay: int | None
    waits: bool
    duplicates: int
    duplicates_without: int
    facts: int
    kept: int
    resumable: bool | None
    recovered: bool | None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return asdict(self)


def run_of(trace: Trace, mark: Label, policy: Policy, place: int = 0) -> Run:
    """Replay a policy over a run and return what it does to it.

    Parameters
    ----------
    trace, mark
        The run and what it is known to be.
    policy
        The policy.
    place
        Its number in the corpus: names the task of a run without one.
    """
    made = replay(trace, policy)
    trip, saved = made.trip, saved_together(independent_trips(made))
    rounds = trace.tables["rounds"]
    main = rounds["thread"][0] if rounds["thread"] else ""
    numbers = [n for n, thread in zip(rounds["round"], rounds["thread"], strict=True)
               if thread == main]  # fmt: skip
    own = next((t for t in made.trips if t.thread == main), None)
    gone = made.counterfactual
    facts, kept = kept_facts(trace, [not g for g in gone]) if trip else (0, 0)
    resumable, state = trace.meta.extra.get("resumable"), trace.meta.extra.get("resumed_to")
    amounts = round_amounts(trace)
    return Run(
        source=trace.meta.source or trace.meta.trace_id or trace.name,
        label=mark.label,
        task=mark.task if mark.task is not None else f"run {place}",
        onset=mark.onset,
        rounds=sum(bool(calls) for calls in trace.round_calls),
        stopped=trip is not None,
        rule=trip.rule if trip else "",
        reason=trip.reason if trip else "",
        thread=trip.thread if trip else "",
        trip_round=trip.round if trip else None,
        saved_rounds=saved.rounds,
        saved_seconds=saved.seconds,
        saved_tokens=saved.tokens,
        saved_cost=saved.cost,
        round_seconds=_mean(rounds["seconds"]),
        round_tokens=_mean(amounts[0]),
        round_cost=_mean(amounts[1]),
        harmful=trip is not None and any(map(_both, gone, useful_rows(trace, mark.solved))),
        last_round=max(numbers, default=0),
        delay=None if own is None or mark.onset is None else own.round - mark.onset,
        waits=ends_waiting(trace),
        duplicates=_writes_again(made) if trip else duplicate_writes(trace),
        duplicates_without=duplicate_writes(trace),
        facts=facts,
        kept=kept,
        resumable=resumable if isinstance(resumable, bool) else None,
        recovered=state == "completed" if resumable is True else None,
    )


def _both(one: bool, other: bool) -> bool:
    return one and other


def _mean(values: list[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return sum(known) / len(known) if known else None


def useful_rows(trace: Trace, solved: int | None) -> list[bool]:
    """Return for each row of the rounds table whether losing it would have cost something.

    Where the log says with which round of the main thread the goal was reached, that round. Else
    every round that brought something new: a URL or result line that its thread had not seen, or a
    change. A stop that loses none of these is a false stop of a good run all the same, but no
    harmful one.
    """
    rounds = trace.tables["rounds"]
    if solved is None:
        return [
            fresh and bool(calls)
            for fresh, calls in zip(fresh_rows(trace), trace.round_calls, strict=True)
        ]
    main = rounds["thread"][0] if rounds["thread"] else None
    return [
        thread == main and number == solved
        for thread, number in zip(rounds["thread"], rounds["round"], strict=True)
    ]


def ends_waiting(trace: Trace) -> bool:
    """Say whether the last call of the main thread asks a person who never answered."""
    calls = trace.tables["calls"]
    if not len(trace) or calls["effect"][-1] != "ask":
        return False
    return calls["status"][-1] == "missing" or not (calls["result"][-1] or "").strip()


def _writes_again(made: Replay) -> int:
    """Count duplicate writes among the rounds that would have happened."""
    calls, gone = made.trace.tables["calls"], made.counterfactual
    seen: set[str] = set()
    again = 0
    for call, row in enumerate(calls["round_row"]):
        if gone[row] or calls["effect"][call] != "write" or calls["status"][call] != "ok":
            continue
        args = calls["args"][call]
        named = args if args is not None else {"": calls["args_raw"][call]}
        key = identity_of(calls["tool"][call], named, calls["target"][call] or "")
        again += key in seen
        seen.add(key)
    return again
