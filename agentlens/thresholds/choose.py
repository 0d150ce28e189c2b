"""Choose a setting that stops few good runs, with a guarantee: or say how many runs that needs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from agentlens.breaker.policy import Policy, as_policy
from agentlens.thresholds.choice import Choice, HeldOut, Tried
from agentlens.thresholds.guarantee import METHODS, safe_settings
from agentlens.thresholds.intervals import at_most, binomial_tail, runs_needed
from agentlens.thresholds.paths import paths_of
from agentlens.thresholds.stops import COUNTED, Stops, stops_of
from agentlens.thresholds.weigh import front_of, selection, utility

if TYPE_CHECKING:
    from agentlens.trace.corpus import Corpus

__all__ = ["Choice", "HeldOut", "Tried", "choose"]


def choose(
    corpus: Corpus,
    policy: Policy | str | None = None,
    *,
    max_false_stops: float = 0.05,
    confidence: float = 0.9,
    path: str | Sequence[Policy] = "similarity",
    method: str = "ltt",
    counted: str = "any",
    prevalence: float | None = None,
    value: float | None = None,
    resamples: int = 200,
    seed: int = 0,
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
    counted
        Which stops of good runs are false: ``any``, or only ``harmful`` ones, that would have
        taken away the goal or something new.
    prevalence, value
        The share of loops among the runs in production, and what a good run is worth, in rounds.
        With both, the safe setting of the highest utility is chosen
        (`agentlens.thresholds.weigh.utility`) instead of the one that stops most loops.
    resamples, seed
        How often the tasks are drawn anew to see how stable the choice is.

    Returns
    -------
    Choice
        Its ``policy`` is None where nothing can be promised; ``reason`` says why.

    Raises
    ------
    PolicyError
        If the policy or the path is none.
    ValueError
        If a share is not within (0, 1), or there is no such method.
    """
    if method not in METHODS:
        raise ValueError(f"method: {method!r} is none of {', '.join(METHODS)}")
    if counted not in COUNTED:
        raise ValueError(f"counted: {counted!r} is none of {', '.join(COUNTED)}")
    runs_needed(max_false_stops, confidence)  # refuses shares that are none
    if prevalence is not None and not 0 <= prevalence <= 1:
        raise ValueError(f"prevalence: {prevalence} is no share")
    walks = paths_of(as_policy(policy), path)
    level = (1 - confidence) / len(walks)
    stops = stops_of(corpus, [one for walk in walks for one in walk], counted)

    def tried_on(part: Stops) -> list[Tried]:
        return _tried(part, walks, max_false_stops, confidence, level, method, prevalence, value)

    tried = tried_on(stops)
    often = selection(
        *stops.arrays(), [len(walk) for walk in walks], max_false_stops, level, method,
        resamples=resamples, seed=seed,
    ) if stops.good else [0.0] * len(tried)  # fmt: skip
    tried = [replace(one, chosen_in=share) for one, share in zip(tried, often, strict=True)]
    made = _chosen(tried, stops, max_false_stops, confidence, level, method)
    if stops.good < 2 * made.needed:
        return made
    first = _half(stops)
    other = {*stops.good_hits, *stops.loop_hits} - first
    best = _best(tried_on(stops.part(first)))
    rest = stops.part(other)
    hits = (0, 0, 0) if best is None else rest.counts[best]
    bound = at_most(hits[0], rest.good, confidence)
    policy = None if best is None else tried[best].policy
    return replace(made, held_out=HeldOut(policy, rest.good, hits[0], bound, rest.loops, hits[1]))


def _half(stops: Stops) -> set[str]:
    """Return one half of the tasks of either kind, by a hash of their names: always the same."""
    half: set[str] = set()
    for table in (stops.good_hits, stops.loop_hits):
        names = sorted(table, key=lambda task: hashlib.blake2b(
            task.encode("utf-8", "surrogatepass"), digest_size=8).digest())  # fmt: skip
        free = [task for task in names if task not in half]
        half |= set(free[: len(names) // 2])
    return half


def _tried(
    stops: Stops, walks: Sequence[Sequence[Policy]], share: float, confidence: float, level: float,
    method: str, prevalence: float | None, value: float | None,
) -> list[Tried]:  # fmt: skip
    tried: list[Tried] = []
    counts = stops.counts or [(0, 0, 0)] * sum(map(len, walks))
    total, loops = sum(stops.rounds.values()), max(1, stops.loops)
    for walk in walks:
        part = counts[len(tried) : len(tried) + len(walk)]
        safe = safe_settings([good for good, _, _ in part], stops.good, share, level, method)
        for at, (one, (good, found, saved)) in enumerate(zip(walk, part, strict=True)):
            worth = None
            if prevalence is not None and value is not None:
                worth = utility(
                    found / loops, saved / loops, good / max(1, stops.good),
                    prevalence=prevalence, value=value,
                )  # fmt: skip
            tried.append(Tried(
                one, good, found, saved, binomial_tail(good, stops.good, share), at < safe,
                at_most(good, stops.good, confidence), total - saved, worth,
            ))  # fmt: skip
    front = front_of([t.bound for t in tried], [float(t.wasted_rounds) for t in tried])
    return [replace(one, front=flag) for one, flag in zip(tried, front, strict=True)]


def _best(tried: Sequence[Tried]) -> int | None:
    """Return the place of the safe setting that is chosen; of equals the first."""
    safe = [at for at, one in enumerate(tried) if one.safe]

    def worth(at: int) -> tuple[float, int, int]:
        one = tried[at]
        return (one.utility or 0.0, one.stopped_loops, one.saved_rounds)

    return max(safe, key=worth, default=None)


def _chosen(
    tried: list[Tried], stops: Stops, share: float, confidence: float, level: float, method: str
) -> Choice:
    fewest = min((t.stopped_good for t in tried), default=0)
    needed = runs_needed(share, 1 - level, fewest)
    if method == "crc":
        needed = -(-(fewest + 1) // Fraction(share).limit_denominator(10**6)) - 1
    place = _best(tried)
    promise = (
        f"at most {share:.1%} of good runs are stopped, with {confidence:.0%} confidence"
        if method == "ltt"
        else f"on average at most {share:.1%} of good runs are stopped"
    )
    if place is None:
        reason = _why_not(stops, needed, fewest, share)
        policy, bound = None, None
    else:
        best = tried[place]
        policy, bound = best.policy, best.bound
        found = (
            f"{best.stopped_loops} of {stops.loops} loops" if stops.loops else "no loop is known"
        )
        reason = (
            f"stops {best.stopped_good} of {stops.good} good {_unit(stops)} (at most {bound:.1%}) "
            f"and {found}"
        )
    return Choice(
        policy, reason, tuple(tried), stops.good, stops.loops, bound, needed, promise,
        _tied_to(stops, tried[0].policy if tried else Policy()),
    )  # fmt: skip


def _unit(stops: Stops) -> str:
    return "runs" if stops.good == stops.good_runs else "tasks"


def _why_not(stops: Stops, needed: int, fewest: int, share: float) -> str:
    if stops.good < needed and not fewest:
        runs = "" if _unit(stops) == "runs" else f" ({stops.good_runs} runs)"
        return f"needs {needed} good {_unit(stops)}, has {stops.good}{runs}"
    return (
        f"even the most cautious settings stop {fewest} of {stops.good} good {_unit(stops)}: to "
        f"show at most "
        f"{share:.1%}, that many false stops need {needed} good {_unit(stops)}"
    )


def _tied_to(stops: Stops, policy: Policy) -> str:
    """Return 16 hexadecimal digits for what the promise was made under."""
    rules = {k: v for k, v in policy.to_dict().items() if k not in ("similarity", "threshold")}
    text = json.dumps(
        [sorted(stops.models), sorted(stops.tools), rules], sort_keys=True, default=str
    )
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
