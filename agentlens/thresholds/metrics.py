"""The metrics of a policy over runs: false stops, detection, delay, savings, and what is kept.

Wilson's interval is shown for shares, Clopper and Pearson's bound stands for claims; what is no
share has a bootstrap by task. The unit of a share is the task: one whose runs are stopped once is
stopped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentlens.thresholds.intervals import at_most, wilson
from agentlens.thresholds.profile import AMOUNTS
from agentlens.thresholds.resample import cluster_interval, poisson_interval, restricted_mean
from agentlens.thresholds.runs import Run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Metric", "hit_tasks", "metrics_of", "net_saved"]


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure with its interval.

    Attributes
    ----------
    value, low, high
        The figure and its interval; not a number where nothing is known.
    n, hits
        Of how many (tasks, loops, writes, facts), and how many of these were hit, for a share.
    unit
        What it is counted in.
    interval
        How the interval was made: ``wilson``, ``bootstrap`` or ``garwood``.
    bound
        For a share: Clopper and Pearson's one-sided upper bound, for claims.
    """

    value: float
    low: float
    high: float
    n: int
    hits: int | None
    unit: str
    interval: str
    bound: float | None = None

    def as_tuple(self) -> tuple[float, float, float, int, int | None, str, str]:
        """Return all but the bound, in the order of the table's columns."""
        return self.value, self.low, self.high, self.n, self.hits, self.unit, self.interval

    def __str__(self) -> str:
        if self.hits is not None and self.interval == "wilson":
            return f"{self.hits} of {self.n} = {self.value:.1%} ({self.low:.1%} to {self.high:.1%})"
        return f"{self.value:.3g} {self.unit} ({self.low:.3g} to {self.high:.3g}), n = {self.n}"


def hit_tasks(runs: Iterable[Run], hit: Callable[[Run], bool]) -> tuple[int, int]:
    """Return in how many tasks a run was hit, and how many tasks there are."""
    tasks: dict[str, bool] = {}
    for run in runs:
        tasks[run.task] = tasks.get(run.task, False) or hit(run)
    return sum(tasks.values()), len(tasks)


def net_saved(run: Run, amount: str, finalizer: float) -> float | None:
    """Return what a stop saves after the finalizer's own cost; 0 where the run is not stopped.

    Parameters
    ----------
    run
        The run.
    amount
        ``rounds``, ``seconds``, ``tokens`` or ``cost``.
    finalizer
        What a finalizer costs, in rounds of this run's mean size.

    Returns
    -------
    float or None
        Less than nothing where the finalizer costs more than the stop saves; None where the log
        does not say.
    """
    if not run.stopped:
        return 0.0 if amount == "rounds" or getattr(run, f"round_{amount}") is not None else None
    saved = getattr(run, f"saved_{amount}")
    price = 1.0 if amount == "rounds" else getattr(run, f"round_{amount}")
    if saved is None:  # nothing was left to save, or nothing is known
        return None if price is None else -finalizer * price
    return float(saved - finalizer * (price or 0.0))


def metrics_of(
    runs: Sequence[Run], *, confidence: float, finalizer: float, horizon: float | None,
    seed: int, resamples: int,
) -> dict[str, Metric]:  # fmt: skip
    """Return the metrics by name.

    ``false_stops`` and ``harmful_stops`` (of tasks with good runs), ``detected`` (of tasks with
    loops), ``delay`` (restricted mean, rounds from the onset to the stop; undetected loops are
    censored at their end) and ``delay_detected`` (plain mean over detected loops),
    ``saved_rounds``, ``_seconds``, ``_tokens``, ``_cost`` (mean of a loop, net of the finalizer),
    ``wasted_rounds`` (mean of a loop: those that stay), ``retention``, ``duplicates`` (a hundred
    runs), ``recovery``.
    """

    def share(hits: int, n: int, unit: str = "tasks") -> Metric:
        low, high = wilson(hits, n, confidence)
        return Metric(
            hits / n if n else math.nan, low, high, n, hits, unit, "wilson",
            at_most(hits, n, confidence) if n else 1.0,
        )  # fmt: skip

    def mean(of: Sequence[Run], values: Sequence[float], unit: str) -> Metric:
        return _ratio(of, values, [1.0] * len(values), unit, confidence, seed, resamples)

    good = [run for run in runs if run.label == "good"]
    loops = [run for run in runs if run.label == "loop" and not run.waits]
    found = {
        "false_stops": share(*hit_tasks(good, lambda run: run.stopped)),
        "harmful_stops": share(*hit_tasks(good, lambda run: run.harmful)),
        "detected": share(*hit_tasks(loops, lambda run: run.stopped)),
        "delay": _delay(loops, confidence, horizon, seed, resamples),
    }
    late = [run for run in loops if run.delay is not None]
    found["delay_detected"] = mean(late, [float(run.delay or 0) for run in late], "rounds")
    for amount in AMOUNTS:
        net = [(run, net_saved(run, amount, finalizer)) for run in loops]
        known = [(run, value) for run, value in net if value is not None]
        unit = {"cost": "dollars"}.get(amount, amount)
        found[f"saved_{amount}"] = mean([r for r, _ in known], [v for _, v in known], unit)
    left = [float(run.rounds - run.saved_rounds) for run in loops]
    found["wasted_rounds"] = mean(loops, left, "rounds")
    told = [run for run in runs if run.facts]
    kept, facts = [float(run.kept) for run in told], [float(run.facts) for run in told]
    found["retention"] = _ratio(told, kept, facts, "share of facts", confidence, seed, resamples)
    again = sum(run.duplicates for run in runs)
    scale = 100 / len(runs) if runs else math.nan
    low, high = poisson_interval(again, confidence)
    found["duplicates"] = Metric(
        again * scale, low * scale, high * scale, len(runs), again, "a hundred runs", "garwood"
    )
    resumable = [run for run in runs if run.resumable]
    recovered = sum(bool(run.recovered) for run in resumable)
    found["recovery"] = share(recovered, len(resumable), "runs")
    return found


def _ratio(
    runs: Sequence[Run], above: Sequence[float], below: Sequence[float], unit: str,
    confidence: float, seed: int, resamples: int,
) -> Metric:  # fmt: skip
    """Return the ratio of two sums, with its interval by task."""
    import numpy as np

    top, bottom = np.asarray(above, dtype=float), np.asarray(below, dtype=float)

    def statistic(weights: NDArray[np.float64]) -> float:
        under = float(weights @ bottom)
        return float(weights @ top) / under if under else math.nan

    if not runs:
        return Metric(math.nan, math.nan, math.nan, 0, None, unit, "bootstrap")
    low, high = cluster_interval(
        statistic, [run.task for run in runs], confidence=confidence, resamples=resamples, seed=seed
    )
    return Metric(
        statistic(np.ones(len(runs))), low, high, int(bottom.sum()), None, unit, "bootstrap"
    )


def _delay(
    loops: Sequence[Run], confidence: float, horizon: float | None, seed: int, resamples: int
) -> Metric:
    import numpy as np

    known = [run for run in loops if run.onset is not None]
    if not known:
        return Metric(math.nan, math.nan, math.nan, 0, None, "rounds", "bootstrap")
    seen = np.array([run.delay is not None for run in known])
    times = np.array([
        float(max(0, run.delay if run.delay is not None else run.last_round - (run.onset or 0)))
        for run in known
    ])  # fmt: skip
    end = float(times.max()) if horizon is None else horizon

    def statistic(weights: NDArray[np.float64]) -> float:
        return restricted_mean(times, seen, end, weights)

    low, high = cluster_interval(
        statistic, [run.task for run in known], confidence=confidence, resamples=resamples,
        seed=seed,
    )  # fmt: skip
    return Metric(
        statistic(np.ones(len(known))), low, high, len(known), None, "rounds", "bootstrap"
    )
