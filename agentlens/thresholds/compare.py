"""Two policies on the same runs: which runs only one of them stops, and whether that is chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentlens.thresholds.intervals import mcnemar
from agentlens.thresholds.metrics import net_saved
from agentlens.thresholds.resample import cluster_interval
from agentlens.thresholds.runs import Run

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from agentlens.thresholds.evaluate import Evaluation

__all__ = ["Comparison", "Paired", "compare"]


@dataclass(frozen=True, slots=True)
class Paired:
    """Tasks that one policy stops and the other does not.

    Attributes
    ----------
    both, only_first, only_second, neither
        How many tasks.
    p_value
        Exact McNemar test that both stop equally many.
    """

    both: int
    only_first: int
    only_second: int
    neither: int
    p_value: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The second policy less the first, on the same runs.

    Attributes
    ----------
    false_stops, harmful_stops, detected
        Task by task.
    saved_rounds
        Mean difference of what is saved in a loop, in rounds, net of the finalizer, with its
        paired bootstrap interval by task: ``(value, low, high)``.
    """

    false_stops: Paired
    harmful_stops: Paired
    detected: Paired
    saved_rounds: tuple[float, float, float]

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each of the three shares."""
        import pandas as pd

        names = ("false_stops", "harmful_stops", "detected")
        rows = [
            (name, p.both, p.only_first, p.only_second, p.neither, p.p_value)
            for name in names
            for p in [getattr(self, name)]
        ]
        columns = "metric both only_first only_second neither p_value".split()
        return pd.DataFrame(rows, columns=columns)

    def __repr__(self) -> str:
        false, found = self.false_stops, self.detected
        value, low, high = self.saved_rounds
        return (
            f"{false.only_second - false.only_first:+d} false stops (p = {false.p_value:.3g}), "
            f"{found.only_second - found.only_first:+d} loops detected (p = {found.p_value:.3g}), "
            f"{value:+.3g} rounds saved a loop ({low:+.3g} to {high:+.3g})"
        )


def compare(first: Evaluation, second: Evaluation) -> Comparison:
    """Compare two evaluations of the same runs.

    Raises
    ------
    ValueError
        If they are not of the same runs.
    """
    if [_key(run) for run in first.runs] != [_key(run) for run in second.runs]:
        raise ValueError("these evaluations are not of the same runs in the same order")
    return Comparison(
        _paired(first, second, "good", lambda run: run.stopped),
        _paired(first, second, "good", lambda run: run.harmful),
        _paired(first, second, "loop", lambda run: run.stopped),
        _difference(first, second),
    )


def _key(run: Run) -> tuple[str, str, str, int]:
    return run.source, run.label, run.task, run.rounds


def _paired(
    first: Evaluation, second: Evaluation, label: str, hit: Callable[[Run], bool]
) -> Paired:
    tasks: dict[str, list[bool]] = {}
    for one, other in zip(first.runs, second.runs, strict=True):
        if one.label == label and not (label == "loop" and one.waits):
            pair = tasks.setdefault(one.task, [False, False])
            pair[0] |= hit(one)
            pair[1] |= hit(other)
    pairs = list(tasks.values())
    first_only, second_only = pairs.count([True, False]), pairs.count([False, True])
    return Paired(
        pairs.count([True, True]), first_only, second_only, pairs.count([False, False]),
        mcnemar(first_only, second_only),
    )  # fmt: skip


def _difference(first: Evaluation, second: Evaluation) -> tuple[float, float, float]:
    import numpy as np

    rows = [
        (one.task, (net_saved(other, "rounds", second.finalizer) or 0.0)
         - (net_saved(one, "rounds", first.finalizer) or 0.0))
        for one, other in zip(first.runs, second.runs, strict=True)
        if one.label == "loop" and not one.waits
    ]  # fmt: skip
    if not rows:
        return np.nan, np.nan, np.nan
    gained = np.array([value for _, value in rows])

    def statistic(weights: NDArray[np.float64]) -> float:
        return float(weights @ gained / weights.sum())

    low, high = cluster_interval(
        statistic, [task for task, _ in rows], confidence=first.confidence,
        resamples=first.resamples, seed=first.seed,
    )  # fmt: skip
    return float(gained.mean()), low, high
