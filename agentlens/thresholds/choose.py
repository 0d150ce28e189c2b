"""Choose a setting that stops few good runs, with a guarantee: or say how many runs that needs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from agentlens.breaker.policy import Policy, as_policy
from agentlens.thresholds.guarantee import METHODS, safe_settings
from agentlens.thresholds.intervals import at_most, binomial_tail, runs_needed
from agentlens.thresholds.paths import paths_of
from agentlens.thresholds.stops import Stops, stops_of

if TYPE_CHECKING:
    import pandas as pd

    from agentlens.trace.corpus import Corpus

__all__ = ["Choice", "Tried", "choose"]


@dataclass(frozen=True, slots=True)
class Tried:
    """One setting of the path.

    Attributes
    ----------
    policy
        The setting.
    stopped_good, stopped_loops
        How many good runs and how many loops it stops.
    saved_rounds
        Rounds that it saves in the loops.
    p_value
        Of the claim that it stops more good runs than promised (exact binomial).
    safe
        Whether the promise holds for it and for all before it.
    """

    policy: Policy
    stopped_good: int
    stopped_loops: int
    saved_rounds: int
    p_value: float
    safe: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """What `choose` found.

    Attributes
    ----------
    policy
        The setting, or None where it abstains.
    reason
        Why, in one sentence.
    tried
        Every setting of the path, in its order.
    good, loops
        How many runs of either kind there were.
    bound
        Upper bound of the share of good runs that the setting stops, at the confidence asked
        for (Clopper and Pearson), or None.
    needed
        Good runs that the promise needs, given how many the first setting stops.
    promise
        What is guaranteed, in words, and for what: the hash `tied_to` changes with the models,
        tools, token profile and rules of the runs, and then the promise is void.
    """

    policy: Policy | None
    reason: str
    tried: tuple[Tried, ...]
    good: int
    loops: int
    bound: float | None
    needed: int
    promise: str
    tied_to: str

    def to_frame(self) -> pd.DataFrame:
        """Return one row a setting that was tried, in the order of the path."""
        import pandas as pd

        rows = [
            (str(t.policy.similarity), t.policy.threshold, t.stopped_good, t.stopped_loops,
             t.saved_rounds, t.p_value, t.safe, t.policy == self.policy)
            for t in self.tried
        ]  # fmt: skip
        columns = "similarity threshold stopped_good stopped_loops saved_rounds p_value safe chosen"
        return pd.DataFrame(rows, columns=columns.split())


def choose(
    corpus: Corpus,
    policy: Policy | str | None = None,
    *,
    max_false_stops: float = 0.05,
    confidence: float = 0.9,
    path: str | Sequence[Policy] = "similarity",
    method: str = "ltt",
) -> Choice:
    """Choose the boldest setting of a path whose false stops are bounded.

    Learn-then-Test with fixed-sequence testing (Angelopoulos et al., arXiv 2110.01052): from the
    most cautious setting on, the claim "more than `max_false_stops` of good runs are stopped" is
    tested by its exact binomial p-value, until it cannot be rejected. With probability of at
    least `confidence` all settings before keep the promise; of these the one that stops the most
    loops (then saves the most rounds, then comes first) is chosen.

    Parameters
    ----------
    corpus
        Runs with labels: those labelled ``good`` are what must not be stopped, those labelled
        ``loop`` what should be.
    policy
        The policy whose setting is moved; the default policy where none is given.
    max_false_stops
        The share of good runs that may be stopped, above 0 and below 1.
    confidence
        With which the promise shall hold, above 0 and below 1.
    path
        As for `agentlens.thresholds.paths.paths_of`; a search over ``both`` shares the allowed
        error ``1 - confidence`` between six walks, and so needs more runs.
    method
        ``ltt``, or ``crc``, conformal risk control (arXiv 2208.02814): the promise then holds on
        average only, and needs fewer runs.

    Raises
    ------
    PolicyError
        If the policy or the path is none.
    ValueError
        If a share is not within (0, 1), or there is no such method.
    """
    if method not in METHODS:
        raise ValueError(f"method: {method!r} is none of {', '.join(METHODS)}")
    runs_needed(max_false_stops, confidence)  # refuses shares that are none
    policy = as_policy(policy)
    walks = paths_of(policy, path)
    level = (1 - confidence) / len(walks)
    stops = stops_of(corpus, [one for walk in walks for one in walk])
    tried: list[Tried] = []
    for walk in walks:
        counts = stops.counts[len(tried) : len(tried) + len(walk)]
        stopped = [good for good, _, _ in counts]
        safe = safe_settings(stopped, stops.good, max_false_stops, level, method)
        tried += [
            Tried(one, *count, binomial_tail(count[0], stops.good, max_false_stops), at < safe)
            for at, (one, count) in enumerate(zip(walk, counts, strict=True))
        ]
    return _chosen(tried, stops, max_false_stops, confidence, level, method)


def _chosen(
    tried: list[Tried], stops: Stops, share: float, confidence: float, level: float, method: str
) -> Choice:
    fewest = min((t.stopped_good for t in tried), default=0)
    needed = runs_needed(share, 1 - level, fewest)
    if method == "crc":
        needed = -(-(fewest + 1) // Fraction(share).limit_denominator(10**6)) - 1
    safe = [t for t in tried if t.safe]
    best = max(safe, key=lambda t: (t.stopped_loops, t.saved_rounds), default=None)
    promise = (
        f"at most {share:.1%} of good runs are stopped, with {confidence:.0%} confidence"
        if method == "ltt"
        else f"on average at most {share:.1%} of good runs are stopped"
    )
    if best is None:
        reason = _why_not(stops, needed, fewest, share)
        policy, bound = None, None
    else:
        policy, bound = best.policy, at_most(best.stopped_good, stops.good, confidence)
        found = (
            f"{best.stopped_loops} of {stops.loops} loops" if stops.loops else "no loop is known"
        )
        reason = (
            f"stops {best.stopped_good} of {stops.good} good runs (at most {bound:.1%}) and {found}"
        )
    return Choice(
        policy, reason, tuple(tried), stops.good, stops.loops, bound, needed, promise,
        _tied_to(stops, tried[0].policy if tried else Policy()),
    )  # fmt: skip


def _why_not(stops: Stops, needed: int, fewest: int, share: float) -> str:
    if stops.good < needed and not fewest:
        return f"needs {needed} good runs, has {stops.good}"
    return (
        f"even the most cautious settings stop {fewest} of {stops.good} good runs: to show at most "
        f"{share:.1%}, that many false stops need {needed} good runs"
    )


def _tied_to(stops: Stops, policy: Policy) -> str:
    """Return 16 hexadecimal digits for what the promise was made under."""
    rules = {k: v for k, v in policy.to_dict().items() if k not in ("similarity", "threshold")}
    text = json.dumps(
        [sorted(stops.models), sorted(stops.tools), rules], sort_keys=True, default=str
    )
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
