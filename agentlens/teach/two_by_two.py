"""The two by two on one recorded run: search good or bad, breaker on or off, all four replayed.

Nothing is simulated. The recorded run is *bad search, breaker off*. With the trigger fixed by hand
a search round goes away if the round before it brought a useless result: with a useful one there
was no reason for it. What the agent would have done instead nobody knows, and nothing is made up.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from agentlens.breaker.policy import Policy, as_policy
from agentlens.breaker.replay import Replay, replay
from agentlens.progress.measures import at_least
from agentlens.trace.formats.plain_write import to_plain
from agentlens.trace.load import load
from agentlens.trace.model import Trace
from agentlens.trace.samples import path

__all__ = ["Cell", "TwoByTwo", "fix_trigger", "incident", "suggested", "two_by_two"]

_SEARCH = ("search", "mixed", "retry")


@dataclass(frozen=True, slots=True)
class Cell:
    """One of the four.

    Attributes
    ----------
    fixed, breaker
        Whether the search was good, and whether the breaker was on.
    replay
        The policy over the run of this cell.
    rounds
        Rounds with calls that were executed.
    seconds
        Of those, None where the log has no times.
    """

    fixed: bool
    breaker: bool
    replay: Replay
    rounds: int
    seconds: float | None

    @property
    def diverges(self) -> bool:
        """Whether it goes on where a no-progress rule would have stopped it."""
        return not self.breaker and self.replay.verdict == "loop"


@dataclass(frozen=True, slots=True)
class TwoByTwo:
    """All four cells of one run, and the rounds whose results were marked useless."""

    cells: tuple[Cell, ...]
    useless: tuple[int, ...]

    def __getitem__(self, key: tuple[bool, bool]) -> Cell:
        """Return the cell of (search fixed, breaker on)."""
        return next(c for c in self.cells if (c.fixed, c.breaker) == key)


@cache
def incident() -> Trace:
    """Return the recorded incident: five searches for today's weather in 35.875 s."""
    return load(path("incident.jsonl"))


def suggested(trace: Trace, policy: Policy | str | None = None) -> tuple[int, ...]:
    """Return the rows of rounds whose results look useless: the agent asked for them again.

    These are the search rounds that a later one repeats, and those that repeat an earlier one. It
    is a first guess for a person to correct.
    """
    found = replay(trace, policy)
    signals, policy = found.signals, found.policy
    rows: set[int] = set()
    for row, query in enumerate(signals.query):
        if query < 0 or signals.kind[row] not in _SEARCH:
            continue
        num, den = signals.num[row], signals.den[row]
        match = signals.scored.match[query]
        if match >= 0 and at_least(num, den, policy.similarity, policy.measure, policy.strict):
            rows |= {row, signals.queries[match].row}
    return tuple(sorted(rows))


def fix_trigger(trace: Trace, useless: Collection[int]) -> Trace:
    """Return the run as it would have been had the marked results been useful.

    Parameters
    ----------
    trace
        The recorded run.
    useless
        Rows of its rounds table whose results were useless.

    Returns
    -------
    Trace
        Without the search rounds that directly follow a useless one in their thread and request.
    """
    marked = set(useless)
    signals = replay(trace, "classic").signals
    gone = set()
    for rows in signals.sequences:
        calls = [row for row in rows if signals.kind[row] in (*_SEARCH, "business")]
        for before, row in pairwise(calls):
            if before in marked and signals.kind[row] in _SEARCH:
                gone.add(row)
    rounds = trace.tables["rounds"]
    places = {(rounds["thread"][row], rounds["round"][row]) for row in gone}
    kept = [
        item
        for item in to_plain(trace)
        if (item.get("thread", "main"), item.get("round")) not in places or item.get("role")
    ]
    return load(kept)


def two_by_two(
    trace: Trace,
    policy: Policy | str | None = None,
    useless: Collection[int] | None = None,
) -> TwoByTwo:
    """Replay a run in all four ways.

    Parameters
    ----------
    trace
        The recorded run: bad search, breaker off.
    policy
        The breaker; the default policy where none is given.
    useless
        Rows of the rounds table whose results were useless; `suggested` where None.

    Examples
    --------
    >>> grid = two_by_two(incident(), "classic")
    >>> [(c.rounds, c.diverges) for c in grid.cells]
    [(5, True), (2, False), (1, False), (1, False)]
    """
    policy = as_policy(policy)
    marked = suggested(trace, policy) if useless is None else tuple(sorted(set(useless)))
    cells = []
    for fixed in (False, True):
        found = replay(fix_trigger(trace, marked) if fixed else trace, policy)
        cells += [_cell(found, fixed, breaker) for breaker in (False, True)]
    return TwoByTwo(tuple(cells), marked)


def _cell(found: Replay, fixed: bool, breaker: bool) -> Cell:
    signals, gone = found.signals, found.counterfactual
    done = [
        row
        for row, kind in enumerate(signals.kind)
        if kind in (*_SEARCH, "business") and not (breaker and gone[row])
    ]
    times = found.trace.tables["rounds"]["seconds"]
    known = [times[row] for row in done if times[row] is not None]
    return Cell(fixed, breaker, found, len(done), sum(known) if known else None)
