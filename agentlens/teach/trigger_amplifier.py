r"""Trigger and amplifier as a model of three probabilities: closed forms and a recursion.

A request's first search is bad with probability *p*: the **trigger**. From then on, after each
failed round, the agent searches again with probability *c* (`persistence`), and each further search
succeeds with probability *g* (`success`). The run has at most *R* `rounds`. The breaker finds a
further query similar with probability *d* (`detection`) and, at *k* similar ones in a row
(`threshold`), stops the run before that query is executed. All of this but *p* is the
**amplifier**. With ρ = (1 − g) c:

*No breaker.* Round n ≥ 2 is executed with probability c ρ^(n−2): the agent went on n − 1 times,
and all n − 2 searches between failed. Summed over n = 2 … R,

    E[extra] = c (1 − ρ^(R−1)) / (1 − ρ),        R − 1 where ρ = 1.

*Perfect detection* (d = 1): every further query is similar, so round k + 1 is never executed: the
same with min(k, R) in place of R. The breaker turns R into k.

*Any d, R = ∞.* Let E_i be the expected number of further rounds at i similar queries in a row.
A further query that is similar and does not trip leads to i + 1, one that is not leads to 0:
E_i = c d + u E_(i+1) + v for i < k − 1, and E_(k−1) = v, with u = ρ d and
v = c (1 − d) (1 + (1 − g) E_0). Solved for E_0, with U = u^(k−1) and S = (1 − U) / (1 − u),

    E_0 = [c d S + c (1 − d) (S + U)] / [1 − ρ (1 − d) (S + U)].

*Any d, finite R.* The same relation with the round as a second index: a table of k × R, filled from
the last round back (`extra_rounds`).

*Wasted rounds a request*: W = p A with A = (1 − g) E[extra]. p and A never mix, so savings
multiply.
*Price*: each further round succeeds with g, so σ = P(success | trigger) = g E[extra], and what the
breaker saves in rounds it loses in successes in the same proportion: σ_off / σ_on = A_off / A_on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

__all__ = [
    "INCIDENT_SECONDS",
    "Loop",
    "Outcome",
    "extra_rounds",
    "extra_rounds_closed",
    "outcome",
    "rounds_distribution",
    "trip_probability",
]

#: Seconds of one round of the incident: 35.875 s in five rounds.
INCIDENT_SECONDS = 35.875 / 5


@dataclass(frozen=True, slots=True)
class Loop:
    """The amplifier: what becomes of a request whose first search was bad.

    Attributes
    ----------
    rounds
        R, the hard limit of rounds, from 1 on; `math.inf` for the closed forms.
    success
        g in [0, 1], the probability that a further search succeeds.
    persistence
        c in [0, 1], the probability that the agent searches again after a failed round.
    threshold
        k from 1 on, similar queries in a row at which the breaker stops; None: no breaker.
    detection
        d in [0, 1], the probability that a further query is similar to an earlier one.
    """

    rounds: float = 5
    success: float = 0.0
    persistence: float = 1.0
    threshold: int | None = 2
    detection: float = 1.0

    def __post_init__(self) -> None:
        for name in ("success", "persistence", "detection"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name}: {getattr(self, name)!r} is not from 0 to 1")
        if self.threshold is not None and self.threshold < 1:
            raise ValueError(f"threshold: {self.threshold!r} is not a whole number from 1 on")
        if not (self.rounds == math.inf or (self.rounds >= 1 and self.rounds == int(self.rounds))):
            raise ValueError(f"rounds: {self.rounds!r} is not a whole number from 1 on")

    @property
    def rho(self) -> float:
        """ρ = (1 − g) c: the probability that a failed round is followed by another failed one."""
        return (1 - self.success) * self.persistence

    @property
    def off(self) -> Loop:
        """The same without a breaker."""
        return replace(self, threshold=None)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a trigger and an amplifier make of a request, on average.

    Attributes
    ----------
    wasted
        Wasted rounds a request, W = p A.
    amplification
        A, wasted rounds a bad first search.
    worst
        The most rounds that a request can execute, its first included.
    success
        Probability that the request gets a good result.
    seconds
        Mean seconds a request.
    trip
        Probability that the breaker stops a request whose first search was bad.
    """

    wasted: float
    amplification: float
    worst: int
    success: float
    seconds: float
    trip: float


def extra_rounds_closed(loop: Loop) -> float | None:
    """Return E[extra rounds | trigger] in closed form, None where there is none.

    There is none for 0 < d < 1 and a finite R; `extra_rounds` has a number for every finite R.

    Examples
    --------
    >>> extra_rounds_closed(Loop(threshold=None)), extra_rounds_closed(Loop(threshold=2))
    (4.0, 1.0)
    """
    c, d, rho, k = loop.persistence, loop.detection, loop.rho, loop.threshold
    if k is None or d == 0:
        return _without(c, rho, loop.rounds)
    if d == 1:
        return _without(c, rho, min(k, loop.rounds))
    if loop.rounds < math.inf:
        return None
    u = rho * d
    big: float = u ** (k - 1)
    s = (1 - big) / (1 - u)
    below = 1 - rho * (1 - d) * (s + big)
    return (c * d * s + c * (1 - d) * (s + big)) / below if below > 0 else math.inf


def _without(c: float, rho: float, rounds: float) -> float:
    if rho == 1:
        return float(rounds - 1)
    value: float = c * (1 - rho ** (rounds - 1)) / (1 - rho)
    return value


def _table(loop: Loop, executed: float, tripped: float) -> float:
    """Return the expected sum of rewards: so much for a further round, so much for a trip."""
    if loop.rounds == math.inf:
        raise ValueError("rounds: the recursion needs a finite limit")
    g, c, d = loop.success, loop.persistence, loop.detection
    k = loop.threshold or int(loop.rounds) + 1  # without a breaker: higher than a count can get
    after = [0.0] * k
    for _ in range(int(loop.rounds) - 1):
        other = executed + (1 - g) * after[0]
        row = []
        for i in range(k):
            same = tripped if i + 1 == k else executed + (1 - g) * after[i + 1]
            row.append(c * (d * same + (1 - d) * other))
        after = row
    return after[0]


def extra_rounds(loop: Loop) -> float:
    """Return E[extra rounds | trigger] by recursion over the rounds; R must be finite.

    Examples
    --------
    >>> round(extra_rounds(Loop(rounds=5, threshold=2, detection=0.8)), 4)
    1.696
    """
    return _table(loop, 1.0, 0.0)


def trip_probability(loop: Loop) -> float:
    """Return P(the breaker stops the run | trigger); 0 without a breaker."""
    return 0.0 if loop.threshold is None else _table(loop, 0.0, 1.0)


def rounds_distribution(loop: Loop) -> tuple[float, ...]:
    """Return P(n rounds are executed | trigger) for n = 1 … R, forward over the rounds.

    The breaker's probability of a trip is in the round after which it stopped.
    """
    limit = int(loop.rounds)
    g, c, d = loop.success, loop.persistence, loop.detection
    k = loop.threshold or limit + 1
    alive, ended = {0: 1.0}, [0.0] * limit
    for n in range(limit):
        following: dict[int, float] = {}
        for i, mass in alive.items():
            if n + 1 == limit:
                ended[n] += mass
                continue
            stops = c * d if i + 1 == k else 0.0
            ended[n] += mass * (1 - c + stops)
            for to, chance in ((i + 1, 0.0 if i + 1 == k else c * d), (0, c * (1 - d))):
                if chance:
                    ended[n + 1] += mass * chance * g
                    following[to] = following.get(to, 0.0) + mass * chance * (1 - g)
        alive = following
    return tuple(ended)


def outcome(trigger: float, loop: Loop, seconds: float = INCIDENT_SECONDS) -> Outcome:
    """Return what a trigger and an amplifier make of a request.

    Parameters
    ----------
    trigger
        p, the probability that the first search is bad.
    loop
        The amplifier; R must be finite.
    seconds
        Of one round.

    Examples
    --------
    >>> outcome(0.3, Loop(threshold=None)).wasted, outcome(0.3, Loop(threshold=2)).worst
    (1.2, 2)
    """
    if not 0 <= trigger <= 1:
        raise ValueError(f"trigger: {trigger!r} is not from 0 to 1")
    extra = extra_rounds(loop)
    amplification = (1 - loop.success) * extra
    shares = rounds_distribution(loop) if trigger else (1.0,)
    return Outcome(
        wasted=trigger * amplification,
        amplification=amplification,
        worst=max(n for n, share in enumerate(shares, 1) if share > 0),
        success=1 - trigger + trigger * loop.success * extra,
        seconds=(1 + trigger * extra) * seconds,
        trip=trip_probability(loop),
    )
