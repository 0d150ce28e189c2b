"""What stopping at each of some settings would have met: a table, one row a setting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentlens.breaker.policy import Policy
from agentlens.breaker.replay import replay
from agentlens.thresholds.runs import useful_rows

if TYPE_CHECKING:
    import pandas as pd

    from agentlens.breaker.trip import Trip
    from agentlens.trace.corpus import Corpus
    from agentlens.trace.labels import Label
    from agentlens.trace.model import Trace

__all__ = ["same_action", "stop_table"]


def same_action(times: int) -> Policy:
    """Return a policy that stops at the same call (tool and arguments) so often in a row.

    The simplest rule there is, and a baseline for every other.

    Raises
    ------
    PolicyError
        If `times` is no number that a rule can have.
    """
    rule = {"name": "same-action", "family": "streak", "key": ["tool", "args"], "stop": times}
    return Policy.preset("classic", query=False, rules=[rule])


def stop_table(corpus: Corpus, policies: Sequence[Policy]) -> pd.DataFrame:
    """Replay policies over all runs, whatever their labels, and count what came after the stop.

    Parameters
    ----------
    corpus
        The runs; each trace is read once.
    policies
        The settings.

    Returns
    -------
    pandas.DataFrame
        One row a policy: `runs`; `stopped`, how many of them; `later_good`, how many of these
        reached their goal in a round after the one of the trip (a reward of 1, or where the log
        has no rewards a good run that would have lost something); `rounds_after`, how many rounds
        with a call the others still made after it.
    """
    import pandas as pd

    rows = [[0, 0, 0, 0] for _ in policies]
    for trace, mark in corpus.labelled():
        for row, policy in zip(rows, policies, strict=True):
            row[0] += 1
            trip = replay(trace, policy).trip
            if trip is None:
                continue
            row[1] += 1
            if _good_later(trace, mark, trip):
                row[2] += 1
            else:
                row[3] += _rounds_after(trace, trip)
    return pd.DataFrame(rows, columns=["runs", "stopped", "later_good", "rounds_after"])


def _good_later(trace: Trace, mark: Label, trip: Trip) -> bool:
    rewards = [one for one in trace.meta.labels if one.get("name") == "reward" and "step" in one]
    if rewards:
        return any(one["step"] > trip.round and _reached(one.get("value")) for one in rewards)
    later = useful_rows(trace, mark.solved)[trip.row + 1 :]
    return mark.label == "good" and any(later)


def _reached(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 1


def _rounds_after(trace: Trace, trip: Trip) -> int:
    rounds = trace.tables["rounds"]
    return sum(
        bool(trace.round_calls[row])
        and (rounds["thread"][row], rounds["request"][row]) == (trip.thread, trip.request)
        for row in range(trip.row + 1, len(trace.round_calls))
    )
