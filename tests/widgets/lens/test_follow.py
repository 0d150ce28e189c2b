"""A Lens that follows a guard: from the loop's own thread, from another, and no longer."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

import agentlens as al
from agentlens.widgets.lens import follow
from agentlens.widgets.lens.follow import Follower

INCIDENT = ["天气", "今日天气 气温", "今日天气 晴雨"]


def play(guard: al.Guard, queries=INCIDENT) -> None:
    for query in queries:
        decision = guard.before([{"tool": "webSearch", "args": {"query": query}}])
        if not decision.stop:
            guard.after([{"result": "..."}])


@pytest.fixture
def eager(monkeypatch):
    """Follow without waiting in between."""
    monkeypatch.setattr(follow, "EVERY", 0.0)
    monkeypatch.setattr(follow, "SHARE", 1.0)


@pytest.mark.usefixtures("eager")
def test_it_shows_the_run_as_it_goes_on():
    guard = al.Guard("classic")
    lens = al.Lens(guard)
    assert lens.policy == guard.policy
    assert len(lens.trace) == 0
    play(guard, INCIDENT[:2])
    assert len(lens.trace) == 2
    assert lens.replay.trip is None
    play(guard, INCIDENT[2:])
    assert lens.replay.trip.round == 3
    assert lens.stage.payload["n"] == 3
    assert [e for e in guard.events if e["event"] == "guard_error"] == []
    lens.close()
    play(guard)
    assert lens.replay.trip.round == 3


@pytest.mark.usefixtures("eager")
def test_another_trace_ends_the_following():
    guard = al.Guard("classic")
    lens = al.Lens(guard)
    lens.trace = [{"round": 1, "tool": "webSearch", "args": {"query": "x"}}]
    play(guard)
    assert len(lens.trace) == 1
    lens.close()


def test_a_loop_in_another_thread_is_followed_in_the_kernel_s(monkeypatch):
    monkeypatch.setattr(follow, "EVERY", 0.01)
    seen: list[int] = []

    async def kernel() -> al.Guard:
        guard = al.Guard("classic")
        home = threading.get_ident()
        follower = Follower(guard, lambda: seen.append(threading.get_ident() - home))
        worker = threading.Thread(target=play, args=(guard,))
        worker.start()
        while worker.is_alive() or follower._version != guard.version:
            await asyncio.sleep(0.01)
        follower.close()
        return guard

    guard = asyncio.run(kernel())
    assert seen
    assert set(seen) == {0}
    play(guard)


def test_many_changes_are_shown_together(monkeypatch):
    monkeypatch.setattr(follow, "EVERY", 60.0)
    guard, calls = al.Guard("classic"), []
    follower = Follower(guard, lambda: calls.append(guard.version))
    play(guard, [f"q {n}" for n in range(50)])
    assert len(calls) == 1
    follower.catch_up()
    assert len(calls) == 2
    follower.catch_up()
    assert len(calls) == 2  # nothing new
    follower.close()


def test_what_it_costs_is_a_small_share_of_the_time(monkeypatch):
    monkeypatch.setattr(follow, "EVERY", 0.0)
    guard = al.Guard("classic")
    follower = Follower(guard, lambda: time.sleep(0.05))
    guard.note("other")
    assert follower._next - time.monotonic() > 0.3  # 0.05 s are a tenth of 0.5 s
    follower.close()


def test_a_run_lights_its_whole_path(tmp_path):
    run = al.Run("classic", task="t", path=tmp_path / "t.json")
    play(run)
    assert run.state == "stalled"
    run.end(["x"])
    lens = al.Lens(run)
    assert lens._folds.machine.picture.value == ""  # closed: nothing is drawn
    lens._folds.machine.button.value = True
    assert 'data-state="partial"' in lens._folds.machine.picture.value
    assert "1 · no progress" in lens._folds.machine.picture.value
    lens.close()


def test_the_fold_follows_the_threshold_and_draws_only_what_changed():
    queries = [*INCIDENT, "今日天气 预报", "天气 实时"]
    rows = [
        {"round": n, "tool": "webSearch", "args": {"query": q}} for n, q in enumerate(queries, 1)
    ]
    lens = al.Lens(rows, "classic")
    lens._folds.machine.button.value = True
    drawn: list[str] = []
    lens._folds.machine.picture.observe(lambda change: drawn.append(change["new"]), "value")
    assert 'data-state="partial"' in lens._folds.machine.picture.value
    lens.policy = lens.policy.with_(similarity=0.79)  # the same trip
    assert drawn == []
    lens.policy = lens.policy.with_(threshold=9)
    assert 'data-state="running"' in drawn[-1]
    lens.lang = "zh"
    assert "运行" in drawn[-1]
    lens.close()
