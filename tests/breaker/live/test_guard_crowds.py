"""Many guards and many threads at once: no cross-talk, no lost event."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import agentlens as al
from agentlens.breaker.live.guard import Guard

INCIDENT = ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报"]
THREADS = 50


def search(query: str) -> dict:
    return {"tool": "webSearch", "args": {"query": query}}


def expected(rounds: int) -> Counter:
    """Count the events of a run whose last round is stopped, each round with one call."""
    return Counter(
        decision=rounds, tool_started=rounds - 1, tool_finished=rounds - 1, guard_fired=1,
        transition=2,
    )  # fmt: skip


def test_ten_thousand_guards_in_fifty_threads_do_not_touch_each_other(count):
    number = count(1000, 10_000)
    # every guard speaks of its own city, and each threshold trips in another round
    guards = [Guard(al.Policy.preset("classic", threshold=1 + n % 3)) for n in range(number)]
    stops = [0] * number
    barrier = Barrier(THREADS)

    def work(worker: int) -> None:
        barrier.wait()
        for place, query in enumerate(INCIDENT, 1):  # all guards of a worker advance in turn
            for n in range(worker, number, THREADS):
                if stops[n]:
                    continue
                if guards[n].before([search(f"{query} c{n}")]).stop:
                    stops[n] = place
                else:
                    guards[n].after([{"result": f"page {n}"}])

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(THREADS)))
    assert stops == [2 + n % 3 for n in range(number)]
    for n, guard in enumerate(guards):
        assert Counter(e["event"] for e in guard.events) == expected(stops[n])
        rows = guard._run.log.recorder.rows
        queries = [row["args"]["query"] for row in rows if "tool" in row]
        assert queries == [f"{query} c{n}" for query in INCIDENT[: stops[n]]]
        assert {row["result"] for row in rows if row.get("event") == "result"} == {f"page {n}"}


def test_one_guard_serves_fifty_sub_agents_at_once(count):
    rounds = count(40, 400)
    guard = Guard(al.Policy.preset("classic", threshold=rounds))
    barrier = Barrier(THREADS)
    stopped: dict[int, int] = {}

    def work(worker: int) -> None:
        mine = guard.thread(f"agent {worker}")
        barrier.wait()
        for place in range(1, rounds + 2):
            if mine.before([search(f"天气 w{worker}")]).stop:
                stopped[worker] = place
                return
            mine.after([{"result": "x"}])

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(THREADS)))
    assert stopped == dict.fromkeys(range(THREADS), rounds + 1)
    for worker in range(THREADS):
        mine = [e["event"] for e in guard.events if e.get("thread") == f"agent {worker}"]
        assert Counter(mine) == expected(rounds + 1) + Counter(thread_started=1)
    trips = al.replay(guard.trace(), guard.policy).trips
    assert {(t.thread, t.round) for t in trips} == {
        (f"agent {worker}", rounds + 1) for worker in range(THREADS)
    }


def test_threads_that_share_one_thread_of_the_run_lose_no_round(count):
    rounds = count(20, 200)
    guard = Guard("classic", mode="shadow")
    barrier = Barrier(THREADS)

    def work(_: int) -> None:
        barrier.wait()
        for _ in range(rounds):
            guard.before([search("天气")])
            guard.after([{"result": "x"}])

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(THREADS)))
    guard.close()
    told = Counter(e["event"] for e in guard.events)
    assert told["decision"] == told["tool_started"] == told["tool_finished"] == THREADS * rounds
    assert guard.trace().tables["rounds"]["round"] == list(range(1, THREADS * rounds + 1))
    assert not told["guard_error"]
