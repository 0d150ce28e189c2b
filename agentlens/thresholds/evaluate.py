"""What a policy does to a labelled corpus: the five metrics, each with its interval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from agentlens.breaker.policy import Policy, as_policy
from agentlens.thresholds.metrics import Metric, metrics_of
from agentlens.thresholds.runs import Run, run_of

if TYPE_CHECKING:
    import pandas as pd

    from agentlens.thresholds.compare import Comparison
    from agentlens.trace.corpus import Corpus

__all__ = ["Evaluation", "evaluate"]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What `evaluate` found; shares are of tasks.

    Attributes
    ----------
    policy
        What was replayed.
    runs
        One `Run` for each trace, in the order of the corpus.
    confidence, finalizer, horizon, seed, resamples
        As they were asked for.
    """

    policy: Policy
    runs: tuple[Run, ...]
    confidence: float
    finalizer: float
    horizon: float | None
    seed: int
    resamples: int

    @cached_property
    def metrics(self) -> dict[str, Metric]:
        """The metrics by name; see `agentlens.thresholds.metrics.metrics_of`."""
        return metrics_of(
            self.runs, confidence=self.confidence, finalizer=self.finalizer, horizon=self.horizon,
            seed=self.seed, resamples=self.resamples,
        )  # fmt: skip

    def __getitem__(self, name: str) -> Metric:
        """Return one metric by its name."""
        return self.metrics[name]

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric: value, low, high, n, unit and how the interval was made."""
        import pandas as pd

        rows = [(name, *metric.as_tuple()) for name, metric in self.metrics.items()]
        return pd.DataFrame(rows, columns="metric value low high n hits unit interval".split())

    def runs_frame(self) -> pd.DataFrame:
        """Return one row a run."""
        import pandas as pd

        frame = pd.DataFrame(
            [run.to_dict() for run in self.runs], columns=list(Run.__dataclass_fields__)
        )
        whole = dict.fromkeys(("onset", "trip_round", "saved_tokens", "delay"), "Int64")
        return frame.astype(whole)

    @property
    def false_stops(self) -> tuple[Run, ...]:
        """The good runs that it stops, the harmful ones first."""
        found = [run for run in self.runs if run.label == "good" and run.stopped]
        return tuple(sorted(found, key=lambda run: (not run.harmful, -run.saved_rounds)))

    def compare(self, other: Evaluation) -> Comparison:
        """Compare with another policy on the same runs, run by run.

        Parameters
        ----------
        other
            Another policy's evaluation.

        Raises
        ------
        ValueError
            If the other is not of the same runs.
        """
        from agentlens.thresholds.compare import compare

        return compare(self, other)

    def __repr__(self) -> str:
        lines = [f"{self.policy.name}: {_counted(self.runs)}"]
        lines += [f"{name:<20}{metric}" for name, metric in self.metrics.items() if metric.n]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        html: str = self.to_frame().to_html(index=False, float_format=lambda v: f"{v:.3g}")
        return html


def _counted(runs: Sequence[Run]) -> str:
    counts = {name: sum(run.label == name for run in runs) for name in ("good", "loop", "unknown")}
    few = counts["good"] + counts["loop"] < 30
    wide = (
        f"; n = {counts['good'] + counts['loop']} labelled runs: intervals are wide" if few else ""
    )
    return ", ".join(f"{n:,} {name}" for name, n in counts.items()) + wide


def evaluate(
    corpus: Corpus | Iterable[Any],
    policy: Policy | str | None = None,
    *,
    confidence: float = 0.95,
    finalizer: float = 1.0,
    horizon: float | None = None,
    seed: int = 0,
    resamples: int = 2000,
) -> Evaluation:
    """Replay a policy over every run of a corpus and measure what it does.

    Parameters
    ----------
    corpus
        A `Corpus`, or traces. Traces are read one at a time.
    policy
        A policy or the name of a preset; the default policy where none is given.
    confidence
        Of all intervals.
    finalizer
        What it costs to end a stopped run in order, in rounds of that run's mean size; taken off
        what is saved.
    horizon
        Up to how many rounds a delay is counted; by default the longest that is seen.
    seed, resamples
        Of the bootstrap over tasks.

    Returns
    -------
    Evaluation
        False stops, any and harmful; detected share; delay; rounds, seconds, tokens and cost
        saved; retention; duplicate side effects; recovery. `compare` sets two side by side.

    Raises
    ------
    PolicyError
        If the policy is none.
    ValueError
        If the confidence is not within (0, 1), or the finalizer costs less than nothing.
    """
    from agentlens.trace.corpus import Corpus

    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence} is not within (0, 1)")
    if not finalizer >= 0:
        raise ValueError(f"finalizer: {finalizer} rounds is less than nothing")
    policy = as_policy(policy)
    runs = corpus if isinstance(corpus, Corpus) else Corpus(corpus)
    made = tuple(
        run_of(trace, mark, policy, place) for place, (trace, mark) in enumerate(runs.labelled())
    )
    return Evaluation(policy, made, confidence, finalizer, horizon, seed, resamples)
