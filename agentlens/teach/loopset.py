"""Play the loop test set under a guard, and measure it: terminals, delays, the five metrics."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentlens.breaker.policy import Policy, as_policy
from agentlens.breaker.task.checkpoint import CheckpointError, read
from agentlens.teach.drivers import Driver, OwnDriver, RunDriver
from agentlens.teach.good_runs import GOOD_RUNS
from agentlens.teach.scenarios import SCENARIOS
from agentlens.teach.scripted import Scenario, Turn, World
from agentlens.thresholds.intervals import at_most, wilson
from agentlens.thresholds.metrics import Metric
from agentlens.thresholds.resample import cluster_interval, poisson_interval

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MOST_TURNS", "LoopSet", "Played", "loopset", "play"]

#: A run that nobody stops is cut off here.
MOST_TURNS = 15


@dataclass(frozen=True, slots=True)
class Played:
    """How one scenario went.

    Attributes
    ----------
    name, title, good
        The scenario, and whether it is one that must be let alone.
    terminal, expected
        How it ended (``running``: nobody ended it), and how it must.
    onset, detected, latest
        The first turn that brings nothing, the turn at which the guard stepped in, by blocking a
        call or stopping, and the one by which it must have; None where there is none.
    stopped
        Whether it was stopped.
    turns
        How many turns ran.
    duplicates
        Side effects that took place again.
    found, kept
        What the agent had found, and how much of it was saved.
    recovered
        Whether the resumed task reached its goal; None where there was nothing to resume.
    """

    name: str
    title: str
    good: bool
    terminal: str
    expected: str
    onset: int | None
    detected: int | None
    latest: int | None
    stopped: bool
    turns: int
    duplicates: int
    found: int
    kept: int
    recovered: bool | None

    @property
    def passed(self) -> bool:
        """True where it ended as it must, in time, and nothing happened twice."""
        in_time = self.latest is None or (
            self.detected is not None and self.detected <= self.latest
        )
        return self.terminal == self.expected and in_time and not self.duplicates


@dataclass(frozen=True)
class LoopSet:
    """What the test set says of a guard."""

    guard: str
    played: tuple[Played, ...]
    confidence: float = 0.95

    @property
    def passed(self) -> bool:
        """True where every scenario went as it must."""
        return all(one.passed for one in self.played)

    @cached_property
    def metrics(self) -> dict[str, Metric]:
        """The five metrics of the design, and the detected share beside the delay."""
        loops = [one for one in self.played if not one.good]
        good = [one for one in self.played if one.good]
        seen = [one for one in loops if one.detected is not None]
        kept, found = sum(o.kept for o in loops), sum(o.found for o in loops)
        again = sum(one.duplicates for one in self.played)
        resumed = [one for one in loops if one.recovered is not None]
        scale = 100 / len(self.played) if self.played else math.nan
        low, high = poisson_interval(again, self.confidence)
        return {
            "detection_rounds": self._mean([float(max(0, o.detected - o.onset)) for o in seen
                                            if o.detected is not None and o.onset is not None]),
            "detected": self._share(len(seen), len(loops), "loops"),
            "false_stops": self._share(sum(o.stopped for o in good), len(good), "good runs"),
            "retention": self._share(kept, found, "facts"),
            "duplicates": Metric(again * scale, low * scale, high * scale, len(self.played),
                                 again, "a hundred runs", "garwood"),
            "recovery": self._share(sum(bool(o.recovered) for o in resumed), len(resumed), "runs"),
        }  # fmt: skip

    def _share(self, hits: int, n: int, unit: str) -> Metric:
        low, high = wilson(hits, n, self.confidence)
        return Metric(hits / n if n else math.nan, low, high, n, hits, unit, "wilson",
                      at_most(hits, n, self.confidence) if n else 1.0)  # fmt: skip

    def _mean(self, values: Sequence[float]) -> Metric:
        import numpy as np

        if not values:
            return Metric(math.nan, math.nan, math.nan, 0, None, "rounds", "bootstrap")
        data = np.array(values)
        low, high = cluster_interval(
            lambda w: float(w @ data / w.sum()), [str(n) for n in range(len(data))],
            confidence=self.confidence,
        )  # fmt: skip
        return Metric(float(data.mean()), low, high, len(data), None, "rounds", "bootstrap")

    def to_frame(self) -> pd.DataFrame:
        """Return one row a scenario."""
        import pandas as pd

        return pd.DataFrame([{**asdict(one), "passed": one.passed} for one in self.played])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; what is not known is None."""
        metrics = {
            name: {k: None if isinstance(v, float) and math.isnan(v) else v
                   for k, v in asdict(metric).items()}
            for name, metric in self.metrics.items()
        }  # fmt: skip
        played = [{**asdict(one), "passed": one.passed} for one in self.played]
        return {
            "guard": self.guard, "passed": self.passed, "scenarios": played, "metrics": metrics
        }  # fmt: skip


def loopset(
    guard: Callable[..., Any] | Policy | str | None = None,
    *,
    scenarios: Sequence[Scenario] = SCENARIOS + GOOD_RUNS,
    confidence: float = 0.95,
) -> LoopSet:
    """Play the loop test set.

    Parameters
    ----------
    guard
        A policy, or the name of a preset, at work in an `agentlens.Run`; `layered` where none is
        given. Or any callable: see `agentlens.teach.drivers.OwnDriver`.
    scenarios
        S1 to S8, and good runs that must be let alone.
    confidence
        Of the intervals.

    Returns
    -------
    LoopSet
        How each scenario ended, and the metrics with their intervals.

    Raises
    ------
    PolicyError
        If there is no such preset.
    """
    if guard is None or isinstance(guard, Policy | str):
        policy = as_policy("layered" if guard is None else guard)
        name = policy.name
        make: Callable[[World, Path], Driver] = partial(RunDriver, policy=policy)
    else:
        name = getattr(guard, "__name__", type(guard).__name__)
        make = partial(OwnDriver, guard=guard)
    with tempfile.TemporaryDirectory(prefix="agentlens-loopset-") as folder:
        played = [play(one, make, Path(folder) / f"{one.name}.json") for one in scenarios]
    return LoopSet(name, tuple(played), confidence)


def play(scenario: Scenario, make: Callable[[World, Path], Driver], path: Path) -> Played:
    """Play one scenario from its beginning to its end, and on from there if it can be resumed."""
    world = scenario.world()
    driver = make(world, path)
    turns, detected, stopped, over = _turns(world, driver, world.script(world))
    terminal = driver.end() if over else "running"
    found, kept = list(world.found), 0
    recovered: bool | None = None
    if over:
        saved = read(path)
        kept = sum(fact in saved.results for fact in found)
        if world.healed and terminal != "completed":
            recovered = _recovered(world, driver)
    return Played(
        scenario.name, scenario.title, scenario.good, terminal, scenario.terminal, scenario.onset,
        detected, scenario.latest, stopped, turns, world.duplicates, len(found), kept, recovered,
    )  # fmt: skip


def _turns(
    world: World, driver: Driver, script: Iterator[Turn]
) -> tuple[int, int | None, bool, bool]:
    """Return how many turns ran, where the guard stepped in, whether it stopped and it ended."""
    ran, detected = 0, None
    for number, turn in enumerate(islice(script, MOST_TURNS), 1):
        stop, blocked, world.said = driver.before(turn)
        if (stop or blocked) and detected is None:
            detected = number
        if stop:
            return ran, detected, True, True
        results = [
            {"result": world.said, "status": "denied"}
            if place in blocked
            else world.act(world, one)
            for place, one in enumerate(turn.calls)
        ]
        ran += 1
        if not blocked:
            world.said = ""
        if driver.after(turn, results):
            return ran, number if detected is None else detected, True, True
    return ran, detected, False, ran < MOST_TURNS


def _recovered(world: World, driver: Driver) -> bool:
    """Resume the task with what was in the way gone, and say whether it reaches its goal."""
    world.well, world.said = True, ""
    try:
        again = driver.resumed()
    except CheckpointError:
        return False
    _turns(world, again, iter(world.healed))
    return again.end() == "completed"
