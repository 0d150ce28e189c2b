"""Whether a policy in shadow may be switched to enforcing: by runs that it would have stopped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from agentlens.thresholds.intervals import at_most, binomial_tail, runs_needed
from agentlens.thresholds.shift import Shift

__all__ = ["LOOKS", "Readiness", "evidence", "readiness"]

#: How often the gate is looked at: `any` time one likes, or `once`, at a time fixed beforehand.
LOOKS = ("any", "once")


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether to enforce, and why.

    Attributes
    ----------
    ready
        True where every reason against it is gone.
    reasons
        What speaks against it, or, where it is ready, for it; one sentence each.
    good, false_stops
        Good tasks seen so far, and how many the policy would have stopped.
    bound
        Upper bound of the share of good tasks that it stops, at the confidence asked for
        (Clopper and Pearson); valid for one look.
    evidence
        The largest e-value so far that it stops fewer than allowed; valid whenever one looks.
    needed
        Good tasks that are needed in all, if no more of them is stopped.
    shifts
        In what the runs differ from those on which the policy was set.
    """

    ready: bool
    reasons: tuple[str, ...]
    good: int
    false_stops: int
    bound: float
    evidence: float
    needed: int
    shifts: tuple[Shift, ...]

    def __bool__(self) -> bool:
        return self.ready

    def __str__(self) -> str:
        return f"{'ready' if self.ready else 'not ready'}: {'; '.join(self.reasons)}"


def evidence(stopped: int, good: int, share: float) -> float:
    """Return the e-value against "at least `share` of good runs are stopped".

    The likelihood ratio of every smaller share against `share`, averaged over them. Whatever the
    true share from `share` on, its mean is at most 1 after every run, so that with a probability
    of at most 1/e it ever reaches e, however often one looks (Ville 1939; Robbins 1970; for such
    monitoring see aLTT, arXiv 2409.15844). The average has a closed form:
    P(Bin(n+1, share) > k) / ((n+1) · share · P(Bin(n, share) = k)).

    Parameters
    ----------
    stopped, good
        How many of how many good runs were stopped.
    share
        The share that is allowed, above 0 and below 1.

    Raises
    ------
    ValueError
        If there is no such share, or more are stopped than there are.
    """
    if not 0 < share < 1 or not 0 <= stopped <= good:
        raise ValueError(f"{stopped} of {good} runs, share {share}: no such evidence")
    log_mass = (
        math.lgamma(good + 1) - math.lgamma(stopped + 1) - math.lgamma(good - stopped + 1)
        + stopped * math.log(share) + (good - stopped) * math.log1p(-share)
    )  # fmt: skip
    above = binomial_tail(good - stopped, good + 1, 1 - share)  # of those that are not stopped
    if above <= 0:
        return 0.0
    return math.exp(math.log(above) - math.log((good + 1) * share) - log_mass)


def readiness(
    stopped: Sequence[bool],
    *,
    share: float,
    confidence: float,
    looks: str = "any",
    shifts: Sequence[Shift] = (),
    compared: bool = False,
) -> Readiness:
    """Say whether a policy may be switched to enforcing.

    Parameters
    ----------
    stopped
        For each good task, in the order in which they came, whether it would have been stopped.
    share
        The share of good tasks that may be stopped.
    confidence
        With which that must be shown.
    looks
        One of `LOOKS`.
    shifts, compared
        How the runs differ from those the policy was set on, and whether there were any.

    Raises
    ------
    ValueError
        If a share is not within (0, 1), or there is no such `looks`.
    """
    if looks not in LOOKS:
        raise ValueError(f"looks: {looks!r} is none of {', '.join(LOOKS)}")
    good, hits, best, so_far = len(stopped), sum(stopped), 0.0, 0
    for number, one in enumerate(stopped, 1):
        so_far += one
        best = max(best, evidence(so_far, number, share))
    if looks == "any":
        shown = best >= 1 / (1 - confidence) and hits <= share * good  # and it is so still
        needed = good if shown else _needed(hits, good, share, confidence)
    else:
        shown = good > 0 and binomial_tail(hits, good, share) <= 1 - confidence
        needed = runs_needed(share, confidence, hits)
    bound = at_most(hits, good, confidence)
    moved = [str(shift) for shift in shifts if shift.found]
    promise = f"at most {share:.1%} of good runs are stopped, at {confidence:.0%} confidence"
    against = []
    if not shown:
        against.append(
            f"{hits} of {good} good runs would have been stopped (up to {bound:.1%}): to show that "
            f"{promise}, {needed} good runs are needed if no more of them is stopped"
        )
    against += [f"the runs are no longer those it was set on: {said}" for said in moved]
    reasons = against or [
        f"{hits} of {good} good runs would have been stopped (up to {bound:.1%}): {promise}",
        "no shift was found against the runs it was set on" if compared
        else "no shift was looked for: name the runs on which it was set",
    ]  # fmt: skip
    return Readiness(
        not against, tuple(reasons), good, hits, bound, best, needed, tuple(shifts)
    )  # fmt: skip


def _needed(hits: int, good: int, share: float, confidence: float) -> int:
    """Return how many good runs bring the evidence to its bar, if no more is stopped."""
    bar, high = 1 / (1 - confidence), max(good, 1)
    while evidence(hits, high, share) < bar:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if middle >= hits and evidence(hits, middle, share) >= bar:
            high = middle
        else:
            low = middle
    return high
