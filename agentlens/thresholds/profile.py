"""What a corpus surface keeps of a trace: its scores, and what a stop at each round would save.

No threshold is in it. It is small (some arrays), so that many runs fit where their traces do not.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from agentlens.breaker.query.classic import COUNT, RESET
from agentlens.breaker.query.counting import longest_count, starts_anew
from agentlens.breaker.query.signals import query_signals
from agentlens.breaker.rules import RULES, first_stop, run_rules
from agentlens.thresholds.profile_parts import amounts_of, means_of, parents_of, suffixes_of
from agentlens.thresholds.runs import ends_waiting, useful_rows
from agentlens.thresholds.steps import Steps
from agentlens.thresholds.surface import surface

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from agentlens.breaker.policy import Policy
    from agentlens.breaker.query.signals import QuerySignals
    from agentlens.trace.labels import Label
    from agentlens.trace.model import Trace

__all__ = ["AMOUNTS", "FixedStop", "Profile", "profile_of"]

#: What a stop saves, in the order of the columns of `Profile.saved`.
AMOUNTS = ("rounds", "seconds", "tokens", "cost")


@dataclass(frozen=True, slots=True)
class FixedStop:
    """Where rules that know no similarity stop a sequence: place, first place not run, rule."""

    place: int
    cut: int
    rule: str
    call: int

    @property
    def last(self) -> int:
        """Last place at which a trip of the query rule still matters.

        Where both stop before the same round, a budget is named and nothing changes.
        """
        return self.place - (self.cut == self.place and self.rule in RULES)


@dataclass(frozen=True, eq=False, slots=True)
class Profile:
    """One run, for every similarity and threshold. Its sequences follow each other.

    Attributes
    ----------
    source, mark, task, waits
        The run, what is known of it, its cluster, and whether it ends with an open question.
    rounds
        Rounds that call a tool.
    last_round
        Number of the last round of the main thread.
    sizes
        Rounds of each sequence.
    roles
        For each round 1 where it counts, 2 where it sets the count to zero, 0 where it does
        neither; 8 more where the count starts anew after it.
    num, den
        For each round its score.
    number, call
        For each round its number in its thread, and that of the call at which it would trip.
    saved
        Shape (rounds + sequences, 4): what a stop before each round of its sequence saves
        (`AMOUNTS`); one row more for each sequence: a stop after its end.
    useful
        As many: whether such a stop would be harmful (`agentlens.thresholds.runs.useful_rows`).
    known
        Whether the log has each of `AMOUNTS`.
    mean
        Mean amounts of one round.
    fixed
        For each sequence where other rules stop it, or None.
    parent
        For each sequence the place of the round that started its thread: (sequence, place).
    longest
        Above this threshold the query rule never stops it.
    replayed
        Steps by threshold, where the history depends on the setting: places instead of rows.
        Else empty.
    """

    source: str
    mark: Label
    task: str
    waits: bool
    rounds: int
    last_round: int
    sizes: tuple[int, ...]
    roles: NDArray[np.int8]
    num: NDArray[np.int64]
    den: NDArray[np.int64]
    number: NDArray[np.int64]
    call: NDArray[np.int64]
    saved: NDArray[np.float64]
    useful: NDArray[np.bool_]
    known: tuple[bool, bool, bool, bool]
    mean: tuple[float, float, float, float]
    fixed: tuple[FixedStop | None, ...]
    parent: tuple[tuple[int, int] | None, ...]
    longest: int
    replayed: dict[int, tuple[Steps, ...]] = field(default_factory=dict)

    def with_mark(self, mark: Label) -> Profile:
        """Return the same run under another label; its onset and task stay where none is given."""
        task = mark.task if mark.task is not None else self.task
        return replace(self, mark=mark, task=task)


def profile_of(trace: Trace, mark: Label, policy: Policy, place: int = 0) -> Profile:
    """Return the profile of a trace under the switches of a policy.

    Parameters
    ----------
    trace, mark
        The run and what it is known to be.
    policy
        Its similarity and threshold do not matter.
    place
        The run's number in the corpus: names the task of a run without one.
    """
    import numpy as np

    _, outcomes = run_rules(trace, policy)
    signals = query_signals(trace, policy)  # whatever the policy's own setting lets it forget
    rounds = trace.tables["rounds"]
    where = {
        row: (n, at) for n, rows in enumerate(signals.sequences) for at, row in enumerate(rows)
    }
    order = [row for rows in signals.sequences for row in rows]
    calls = _first_calls(trace)
    fixed_outcomes = {name: outcome for name, outcome in outcomes.items() if name != "query"}
    fixed: list[FixedStop | None] = []
    for n, rows in enumerate(signals.sequences):
        stop = first_stop(fixed_outcomes, n, policy)
        if stop is None:
            fixed.append(None)
            continue
        members = trace.round_calls[rows[stop.place]]
        call = members[-1] + 1 if members and stop.phase == "after" else calls[rows[stop.place]]
        fixed.append(FixedStop(stop.place, stop.cut, stop.rule.name, call))
    amounts, known = amounts_of(trace, order)
    useful = useful_rows(trace, mark.solved)
    saved, harms = suffixes_of(signals, amounts, [useful[row] for row in order])
    acting = amounts[:, 0].sum()
    main = rounds["thread"][0] if rounds["thread"] else ""
    active = policy.enabled and policy.query
    anew = starts_anew(trace, policy)
    longest = longest_count(signals, signals.sequences, anew) if active else 0
    replayed = _replayed(trace, policy, where, longest) if policy.clear_on_progress else {}
    return Profile(
        source=trace.meta.source or trace.meta.trace_id or trace.name,
        mark=mark,
        task=mark.task if mark.task is not None else f"run {place}",
        waits=ends_waiting(trace),
        rounds=int(acting),
        last_round=max(
            (n for n, t in zip(rounds["round"], rounds["thread"], strict=True) if t == main),
            default=0,
        ),
        sizes=tuple(map(len, signals.sequences)),
        roles=np.array(_roles(signals, order, anew) if active else [0] * len(order), dtype=np.int8),
        num=np.array([signals.num[row] for row in order], dtype=np.int64),
        den=np.array([signals.den[row] for row in order], dtype=np.int64),
        number=np.array([rounds["round"][row] for row in order], dtype=np.int64),
        call=np.array([calls[row] for row in order], dtype=np.int64),
        saved=saved,
        useful=harms,
        known=known,
        mean=means_of(trace),
        fixed=tuple(fixed),
        parent=parents_of(trace, signals, where),
        longest=longest,
        replayed=replayed,
    )


def _first_calls(trace: Trace) -> list[int]:
    """Return for each row the number of its first call, or of the last one before it."""
    found, last = [], 0
    for calls in trace.round_calls:
        found.append(calls[0] + 1 if calls else last)
        last = calls[-1] + 1 if calls else last
    return found


def _roles(signals: QuerySignals, order: list[int], anew: Sequence[bool]) -> list[int]:
    code = {COUNT: 1, RESET: 2}
    return [code.get(signals.role[row], 0) + 8 * bool(anew and anew[row]) for row in order]


def _replayed(
    trace: Trace, policy: Policy, where: dict[int, tuple[int, int]], longest: int
) -> dict[int, tuple[Steps, ...]]:
    """Return the steps by replays, with places instead of rows."""
    made = surface(trace, policy)
    return {
        k: tuple(
            Steps(one.values, tuple(None if row is None else where[row][1] for row in one.rows))
            for one in made.steps(k)
        )
        for k in range(1, longest + 1)
    }
