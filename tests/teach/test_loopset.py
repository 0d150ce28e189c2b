"""The loop test set: each scenario under the whole design, and what it says of other guards."""

from __future__ import annotations

import json
import subprocess
import sys
from math import isnan

import pytest

import agentlens as al
from agentlens.teach.drivers import OwnDriver, RunDriver
from agentlens.teach.good_runs import GOOD_RUNS
from agentlens.teach.loopset import MOST_TURNS, LoopSet, loopset, play
from agentlens.teach.scenarios import SCENARIOS

OURS = "layered"

#: From the design (A2): how each must end, and the turn from which nothing comes any more.
EXPECTED = {
    "S1": ("failed", 1), "S2": ("partial", 3), "S3": ("partial", 2), "S4": ("completed", 2),
    "S5": ("partial", 4), "S6": ("partial", 2), "S7": ("waiting_human", 3), "S8": ("partial", 2),
}  # fmt: skip


def let_alone(calls, history):
    """Guard nothing."""


@pytest.fixture(scope="module")
def ours() -> LoopSet:
    return loopset(OURS)


def test_r49_the_set_is_the_design_s_list():
    assert {one.name: (one.terminal, one.onset) for one in SCENARIOS} == EXPECTED
    assert all(one.latest - one.onset <= 3 for one in SCENARIOS)  # the ladder: nudge, block, stop


@pytest.mark.parametrize("policy", ["layered", "classic"])
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.name)
def test_r49_every_scenario_ends_as_it_must_in_time_and_does_nothing_twice(
    scenario, policy, tmp_path
):
    world, path = None, tmp_path / "end.json"

    def make(made, where):
        nonlocal world
        world = made
        return RunDriver(made, where, policy)

    played = play(scenario, make, path)
    assert played.terminal == EXPECTED[scenario.name][0]
    assert played.detected <= scenario.latest
    assert played.duplicates == 0
    assert played.kept == played.found
    assert max(world.effects.values(), default=0) <= 1
    assert played.recovered in (None, True)
    assert (played.recovered is None) == (played.terminal == "completed")


@pytest.mark.parametrize("scenario", GOOD_RUNS, ids=lambda s: s.name)
def test_r49_a_good_run_is_let_alone(scenario, tmp_path):
    played = play(scenario, lambda w, p: RunDriver(w, p, OURS), tmp_path / "end.json")
    assert (played.stopped, played.terminal, played.passed) == (False, "completed", True)


def test_r49_the_article_s_breaker_alone_stops_two_good_runs():
    """Legitimate series and narrowing overlap in their words: G12 and G14 of the golden table."""
    stopped = {one.name for one in loopset("classic").played if one.good and one.stopped}
    assert stopped == {"G1", "G2"}


def test_r49_without_a_guard_nothing_ends_and_a_payment_is_made_again_and_again():
    made = loopset(let_alone)
    loops = {one.name: one for one in made.played if not one.good}
    assert {one.terminal for one in loops.values()} == {"running"}
    assert loops["S4"].duplicates == MOST_TURNS - 1
    assert not made.passed
    assert all(one.passed for one in made.played if one.good)


def test_r50_the_five_metrics_by_their_definitions(ours):
    loops = [one for one in ours.played if not one.good]
    delays = [max(0, one.detected - one.onset) for one in loops]
    metrics = ours.metrics
    assert metrics["detection_rounds"].value == sum(delays) / len(delays)
    assert (metrics["detected"].hits, metrics["detected"].n) == (8, 8)
    assert (metrics["false_stops"].hits, metrics["false_stops"].n) == (0, 5)
    assert metrics["retention"].value == 1
    assert metrics["duplicates"].value == 0
    # 0 in 13 runs: exact 95 % two-sided Poisson bound is -ln(0.025) = 3.689 events
    assert metrics["duplicates"].high == pytest.approx(3.6888794541 * 100 / 13)
    # Wilson, z = 1.959964: 8 of 8 is at least 1 / (1 + z²/8) = 0.67559
    assert metrics["detected"].low == pytest.approx(0.675592, abs=1e-5)
    assert (metrics["recovery"].hits, metrics["recovery"].n) == (7, 7)
    for metric in metrics.values():
        assert metric.low <= metric.value <= metric.high


def test_r50_metrics_of_a_guard_that_never_speaks():
    metrics = loopset(let_alone).metrics
    assert isnan(metrics["detection_rounds"].value)
    assert metrics["detected"].value == 0
    # S4 pays 15 times and S7 asks 14 times: 14 + 13 too many in 13 runs
    assert metrics["duplicates"].hits == 27
    assert metrics["recovery"].n == 0
    assert json.loads(json.dumps(loopset(let_alone).to_dict()))["metrics"]["recovery"]["n"] == 0


class Blocks:
    """A guard of a user that blocks whatever was asked for before, and stops at the third time."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __call__(self, calls, history):
        blocked = [n for n, one in enumerate(calls) if repr(one) in self.seen]
        self.seen += map(repr, calls)
        return True if blocked and len(self.seen) > 4 else blocked


@pytest.mark.parametrize(
    "guard",
    [Blocks, lambda: al.Guard("layered"), lambda calls, history: "stop" if len(history) > 3 else 0],
    ids=["class", "guard", "function"],
)
def test_r49_any_callable_can_be_tested(guard):
    made = loopset(guard)
    assert len(made.played) == 13
    assert all(one.terminal != "running" for one in made.played if one.stopped)
    assert made.metrics["detected"].hits >= 5


def test_r49_a_guard_of_a_user_is_made_anew_for_every_run(tmp_path):
    driver = OwnDriver(SCENARIOS[0].world(), tmp_path / "a.json", Blocks)
    assert isinstance(driver.guard, Blocks)
    assert driver.guard is not OwnDriver(SCENARIOS[0].world(), tmp_path / "b.json", Blocks).guard


def run(*words: str, cwd) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "agentlens.cli", "loopset", *words], capture_output=True, text=True,
        cwd=cwd, timeout=500, check=False,
    )  # fmt: skip


def test_r49_r50_the_command(tmp_path):
    done = run(cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\nok ") == 13
    assert "recovery          7 of 7" in done.stdout
    (tmp_path / "mine.py").write_text("def guard(calls, history):\n    return len(history) >= 4\n")
    done = run("--guard", "mine:guard", "--json", cwd=tmp_path)
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert (told["guard"], told["passed"]) == ("guard", False)
    assert {one["detected"] for one in told["scenarios"] if not one["good"]} == {5}
    for wrong in ("mine", "mine:nothing", "nowhere:guard"):
        done = run("--guard", wrong, cwd=tmp_path)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
