"""What a choice of a setting is: the setting, why, what was tried, and how far to trust it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from agentlens.breaker.policy import Policy

__all__ = ["Choice", "HeldOut", "Tried"]


@dataclass(frozen=True, slots=True)
class Tried:
    """One setting of the path.

    Attributes
    ----------
    policy
        The setting.
    stopped_good, stopped_loops
        How many good tasks and how many loops it stops.
    saved_rounds
        Rounds that it saves in the loops.
    p_value
        Of the claim that it stops more good runs than promised (exact binomial).
    safe
        Whether the promise holds for it and for all before it.
    bound
        Upper bound of the share of good tasks that it stops (Clopper and Pearson).
    wasted_rounds
        Rounds that the loops still make.
    utility
        Rounds gained a run of production, where prevalence and value were given; else None.
    front
        Whether no other setting of the path has both a lower bound and fewer wasted rounds.
    chosen_in
        Share of resamples (by task) in which it would have been chosen.
    """

    policy: Policy
    stopped_good: int
    stopped_loops: int
    saved_rounds: int
    p_value: float
    safe: bool
    bound: float = 1.0
    wasted_rounds: int = 0
    utility: float | None = None
    front: bool = False
    chosen_in: float = 0.0


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The same choice made on one half of the tasks, and what it does to the other half.

    Attributes
    ----------
    policy
        What the first half chooses, or None.
    good, stopped_good, bound
        Good tasks of the second half, how many it stops, and the upper bound of that share.
    loops, stopped_loops
        Loops of the second half, and how many it stops.
    """

    policy: Policy | None
    good: int
    stopped_good: int
    bound: float
    loops: int
    stopped_loops: int

    def __str__(self) -> str:
        if self.policy is None:
            return "one half of the tasks alone chooses nothing"
        return (
            f"chosen on one half of the tasks, it stops {self.stopped_good} of {self.good} good "
            f"ones of the other half (at most {self.bound:.1%}) and {self.stopped_loops} of "
            f"{self.loops} loops"
        )


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
        How many tasks of either kind there were.
    bound
        Upper bound of the share of good runs that the setting stops, at the confidence asked
        for (Clopper and Pearson), or None.
    needed
        Good runs that the promise needs, given how many the first setting stops.
    promise
        What is guaranteed, in words, and for what: the hash `tied_to` changes with the models,
        tools, token profile and rules of the runs, and then the promise is void.
    held_out
        A check on tasks that had no part in choosing, where there are at least twice the good
        tasks needed; else None.
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
    held_out: HeldOut | None = None

    def to_frame(self) -> pd.DataFrame:
        """Return one row a setting that was tried, in the order of the path."""
        import pandas as pd

        rows = [
            (str(t.policy.similarity), t.policy.threshold, t.stopped_good, t.bound,
             t.stopped_loops, t.saved_rounds, t.wasted_rounds, t.p_value, t.safe, t.utility,
             t.front, t.chosen_in, t.policy == self.policy)
            for t in self.tried
        ]  # fmt: skip
        columns = (
            "similarity threshold stopped_good bound stopped_loops saved_rounds wasted_rounds "
            "p_value safe utility front chosen_in chosen"
        )
        return pd.DataFrame(rows, columns=columns.split())
