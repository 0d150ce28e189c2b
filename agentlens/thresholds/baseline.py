"""The honest baseline: a plain limit of rounds, calibrated on one's own good runs.

Split conformal prediction (Vovk, Gammerman and Shafer 2005): of n good runs the limit is the
ceil((n + 1)(1 - share))-th shortest length. A further good run of the same kind is then longer
with a probability of at most `share`, whatever the lengths look like. Below so many runs that this
rank exists there is no such limit, and none is made up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentlens.trace.model import Trace

__all__ = ["StepLimit", "calibrated_steps", "longest_request", "step_limit"]


@dataclass(frozen=True, slots=True)
class StepLimit:
    """A limit of rounds.

    Attributes
    ----------
    limit
        How many rounds with calls a request may use; None where there were too few good runs.
    runs, needed
        How many good tasks it rests on, and how many it takes.
    share
        At most such a share of good runs is longer.
    """

    limit: int | None
    runs: int
    needed: int
    share: float


def step_limit(lengths: Sequence[int], share: float = 0.05) -> StepLimit:
    """Return the limit that at most a share of further good runs exceeds.

    Parameters
    ----------
    lengths
        Rounds of good runs, one for each task.
    share
        Within (0, 1).

    Raises
    ------
    ValueError
        If the share is not.

    Examples
    --------
    >>> step_limit(range(1, 20)).limit, step_limit(range(1, 19)).limit
    (19, None)
    """
    if not 0 < share < 1:
        raise ValueError(f"share {share} is not within (0, 1)")
    exact = Fraction(share).limit_denominator(10**6)
    runs, needed = len(lengths), math.ceil(1 / exact) - 1
    rank = math.ceil((runs + 1) * (1 - exact))
    limit = sorted(lengths)[rank - 1] if 1 <= rank <= runs else None
    return StepLimit(limit, runs, needed, share)


def calibrated_steps(corpus: Iterable[Any], share: float = 0.05) -> StepLimit:
    """Return the limit of rounds that the good runs of a corpus give.

    The unit is the task: of several good runs of one task the longest counts.

    Parameters
    ----------
    corpus
        A `Corpus`, or traces: labels come from the logs where none are given.
    share
        See `step_limit`.
    """
    from agentlens.trace.corpus import Corpus

    runs = corpus if isinstance(corpus, Corpus) else Corpus(corpus)
    longest: dict[object, int] = {}
    for number, (trace, mark) in enumerate(runs.labelled()):
        if mark.label == "good":
            task: object = number if mark.task is None else mark.task
            longest[task] = max(longest.get(task, 0), longest_request(trace))
    return step_limit(list(longest.values()), share)


def longest_request(trace: Trace) -> int:
    """Return how many rounds with calls the longest request of a trace has, in any thread."""
    rounds, sizes = trace.tables["rounds"], dict[tuple[str, int], int]()
    for row, calls in enumerate(trace.round_calls):
        if calls and not rounds["copied"][row]:
            place = (rounds["thread"][row], rounds["request"][row])
            sizes[place] = sizes.get(place, 0) + 1
    return max(sizes.values(), default=0)
