"""What enforcing would have done, beside what happened: the report of a time in shadow."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from agentlens.breaker.live.guard import Guard
from agentlens.breaker.policy import Policy, as_policy
from agentlens.errors import amount
from agentlens.thresholds.profile import AMOUNTS
from agentlens.thresholds.readiness import Readiness, readiness
from agentlens.thresholds.runs import Run, run_of
from agentlens.thresholds.shift import Shift, shifts, traits_of
from agentlens.trace.corpus import Corpus
from agentlens.trace.labels import LabelSource
from agentlens.trace.model import Trace

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Shadow", "ShadowRun", "shadow_report"]


@dataclass(frozen=True, slots=True)
class ShadowRun:
    """One run: what enforcing would have done to it, and what it did without.

    Attributes
    ----------
    source, label, outcome
        The run, what is known of it, and how its log says that it ended.
    rounds
        Rounds that call a tool.
    would_stop, rule, reason
        The round at which it would have been stopped, by what and why; None where it would not.
    logged
        The round at which the guard that wrote the log says so; None where it does not.
    saved_rounds, saved_seconds, saved_tokens, saved_cost
        What would have been saved.
    lost_facts
        Facts of its answer that would not have been found.
    harmful
        Whether the stop would have taken away something of use.
    """

    source: str
    label: str
    outcome: str
    rounds: int
    would_stop: int | None
    rule: str
    reason: str
    logged: int | None
    saved_rounds: int
    saved_seconds: float | None
    saved_tokens: int | None
    saved_cost: float | None
    lost_facts: int
    harmful: bool


@dataclass(frozen=True, eq=False)
class Shadow:
    """The report.

    Attributes
    ----------
    policy
        What would have been enforced.
    runs
        One `ShadowRun` for each run, in the order in which they came.
    ready
        Whether to switch to enforcing, and why: true or false, and `ready.reasons`.
    failures
        What could not be read: ``(source, error)``.
    """

    policy: Policy
    runs: tuple[ShadowRun, ...]
    ready: Readiness
    failures: tuple[tuple[str, str], ...] = ()

    @property
    def stopped(self) -> tuple[ShadowRun, ...]:
        """The runs that would have been stopped, those that would have lost something first."""
        found = [run for run in self.runs if run.would_stop is not None]
        return tuple(
            sorted(found, key=lambda r: (not r.harmful, r.label != "good", -r.saved_rounds))
        )

    @property
    def saved(self) -> dict[str, float]:
        """What all stops together would have saved, where the logs say it; before finalizers."""
        return {
            name: sum(getattr(run, f"saved_{name}") or 0 for run in self.runs) for name in AMOUNTS
        }

    @property
    def disagreements(self) -> tuple[ShadowRun, ...]:
        """Runs whose own guard says otherwise: it had another policy, or other tools."""
        told = [run for run in self.runs if run.logged is not None]
        return tuple(run for run in told if run.logged != run.would_stop)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a run."""
        import pandas as pd

        columns = list(ShadowRun.__dataclass_fields__)
        frame = pd.DataFrame([asdict(run) for run in self.runs], columns=columns)
        return frame.astype(dict.fromkeys(("would_stop", "logged", "saved_tokens"), "Int64"))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "policy": self.policy.name,
            "ready": asdict(self.ready),
            "saved": self.saved,
            "runs": [asdict(run) for run in self.runs],
            "failures": [list(each) for each in self.failures],
        }

    def __repr__(self) -> str:
        counts = {name: sum(r.label == name for r in self.runs) for name in ("good", "loop")}
        lost = sum(run.harmful for run in self.stopped)
        saved = self.saved
        told = f"; the logs themselves disagree in {n}" if (n := len(self.disagreements)) else ""
        return (
            f"{self.policy.name} in shadow over {len(self.runs)} runs ({counts['good']} good, "
            f"{counts['loop']} loops): would have stopped {len(self.stopped)}, {lost} of them at a "
            f"loss; saved {amount(round(saved['rounds']), 'round')}, "
            f"{saved['tokens']:,.0f} tokens{told}\n"
            f"{self.ready}"
        )


def shadow_report(
    source: Guard | Corpus | Trace | str | os.PathLike[str] | Iterable[Trace | Guard],
    policy: Policy | str | None = None,
    *,
    labels: LabelSource | None = None,
    against: Corpus | Iterable[Trace] | str | os.PathLike[str] | None = None,
    max_false_stops: float = 0.05,
    confidence: float = 0.9,
    looks: str = "any",
    seed: int = 0,
) -> Shadow:
    """Set beside what happened what enforcing a policy would have done.

    Parameters
    ----------
    source
        Recorded runs: a folder, a glob or a file, a corpus, traces; or guards, whose record is
        taken. In the order in which they came.
    policy
        What would be enforced; by default that of the guards, or the default policy.
    labels
        What runs are known to be, as for `Corpus`; by default what their logs say. Only good
        runs speak for or against enforcing.
    against
        The runs on which the policy was set, for a look at whether these are still like them.
    max_false_stops, confidence
        What must be shown before `ready`: that at most this share of good runs is stopped.
    looks
        ``any``: the report may be made every day until it says ready (an e-process; it needs
        more runs); ``once``: at a time fixed beforehand.
    seed
        Of the permutation tests.

    Returns
    -------
    Shadow
        A row a run, what is saved and lost in all, and ``ready``.

    Raises
    ------
    PolicyError, TraceError, ValueError
        If the policy, the source or a share cannot be used.
    """
    if not isinstance(source, Guard | Corpus | Trace | str | os.PathLike):
        source = list(source)
    items = _corpus(source, labels)
    guards = [one for one in (source if isinstance(source, list) else [source])
              if isinstance(one, Guard)]  # fmt: skip
    if policy is None and guards and all(one.policy == guards[0].policy for one in guards):
        policy = guards[0].policy
    policy = as_policy(policy)
    rows, tasks, traits = [], dict[str, bool](), []
    for place, (trace, mark) in enumerate(items.labelled()):
        run = run_of(trace, mark, policy, place)
        rows.append(_row(trace, run))
        if run.label == "good":
            tasks[run.task] = tasks.get(run.task, False) or run.stopped
        if against is not None:
            traits.append(traits_of(trace))
    found: tuple[Shift, ...] = ()
    if against is not None:
        found = shifts(map(traits_of, _corpus(against, None)), traits, seed=seed)
    gate = readiness(
        list(tasks.values()), share=max_false_stops, confidence=confidence, looks=looks,
        shifts=found, compared=against is not None,
    )  # fmt: skip
    return Shadow(policy, tuple(rows), gate, tuple(items.failures))


def _corpus(source: Any, labels: LabelSource | None) -> Corpus:
    from agentlens.trace.load import load_many

    if isinstance(source, Guard | Trace):
        source = [source]
    if isinstance(source, Corpus):
        return source if labels is None else source.with_labels(labels)
    if isinstance(source, str | os.PathLike):
        made = load_many(source)
        return made if labels is None else made.with_labels(labels)
    return Corpus([one.trace() if isinstance(one, Guard) else one for one in source], labels)


def _row(trace: Trace, run: Run) -> ShadowRun:
    status = trace.meta.outcome.get("status")
    return ShadowRun(
        run.source, run.label, status if isinstance(status, str) else "", run.rounds,
        run.trip_round, run.rule, run.reason, _logged(trace), run.saved_rounds,
        run.saved_seconds, run.saved_tokens, run.saved_cost, run.facts - run.kept, run.harmful,
    )  # fmt: skip


def _logged(trace: Trace) -> int | None:
    """Return the first round that the guard of the log stopped, or would have stopped."""
    events, rounds = trace.tables["events"], trace.tables["rounds"]["round"]
    for kind, text, after in zip(
        *(events[name] for name in ("kind", "text", "after_row")), strict=True
    ):
        if kind == "guard_fired" and (text or "").startswith(("stop:", "would stop:")):
            return rounds[after] if 0 <= after < len(rounds) else None
    return None
