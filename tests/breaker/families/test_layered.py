"""The default rules on runs made by hand: loops, waits and progress of every kind."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import agentlens as al


def replay(rows: list[dict[str, Any]]) -> al.Replay:
    number, out = 0, []
    for row in rows:
        number += "event" not in row
        out.append({"round": number, **row})
    return al.replay(al.load(out), "layered")


def call(tool: str, result: str = "", error: bool = False, **args: Any) -> dict[str, Any]:
    return {"tool": tool, "args": args, "result": result, "error": error}


def sh(command: str, result: str = "", error: bool = False) -> dict[str, Any]:
    return call("bash", result, error, command=command)


FILE = "def run():\n    return 1\n"
LOOPS = {
    "same read": [call("read_file", FILE, path="a.py")] * 6,
    "same read, thinking in between": [
        call("read_file", FILE, path="a.py"), call("think", "", thought="hm")] * 6,
    "same edit that is in already": [call("edit", "no change", path="a", old="x", new="y")] * 6,
    "receipts with an id of their own": [
        call("send_message", json.dumps({"sent": True, "id": f"r{i}x"}), to="u", text="hi")
        for i in range(9)],
    "the same failure under other arguments": [
        call("get_user", f"user {i} not found", True, id=i) for i in range(1000, 1008)],
    "no permission, by any tool": [
        call(t, "403 Forbidden", True, q=i) for i, t in enumerate("abcdef")],
    "two steps in turn": [
        call("list_dir", "a.py b.py", path="."), call("read_file", FILE, path="a.py")] * 5,
    "pages that say the same": [
        call("web_fetch", "The page is empty.", url=f"https://e.org/{c}") for c in "abcdefgh"],
    "a file paged again": [
        call("read_file", f"page {i % 6}", path="big.log", offset=40 * (i % 6), limit=40)
        for i in range(12)],
    "the same words, no call": [{"tool": None, "text": "Let me check that once more."}] * 6,
    "a job started anew each time": [
        sh("bash train.sh", f"started job {i}, still running") for i in range(9)],
    "an empty list of processes": [call("process", "no running processes", action="list")] * 8,
    "reworded searches with the same hits": [
        call("web_search", "1. Only hit", query=q)
        for q in ("weather beijing", "weather beijing today", "beijing weather today now")],
}  # fmt: skip
WAITS = {
    "a build": [call("get_build", '{"status": "in_progress"}', id=7)] * 6,
    "a queue": [call("job_status", "queued", job="a")] * 5,
    "a download": [sh("tail -1 get.log", f"{9 * i}% of 2 GB") for i in range(1, 9)],
    "a log that grows": [
        sh("cat build.log", "\n".join(f"compiled {c}.c" for c in "abcdefgh"[:i]))
        for i in range(2, 9)],
    "a throttle": [call("web_search", "429 Too Many Requests", True, query="x")] * 5,
    "a person": [call("ask_user", "no reply yet", question="Shall I delete it?")] * 5,
    "pods": [sh("kubectl get pods", "web-1  0/1  ContainerCreating  0")] * 6,
    "a pause and a look": [sh("sleep 60"), sh("squeue -u me", "12  PENDING")] * 4,
    "in Chinese": [call("query_task_status", "任务运行中", id="t1")] * 6,
}  # fmt: skip
PROGRESS = {
    "a board that changes": [call("list_tasks", f"{9 - i} open") for i in range(6)],
    "a page that turns": [
        call("click", f"Week of {m} 1", index=3, name="Next week")
        for m in ("Jan", "Feb", "Mar", "Apr", "May", "Jun")],
    "a test after every edit": [
        x for i in range(6)
        for x in (call("edit", "ok", path="a.py", new=f"v{i}"), sh("pytest -q", "1 failed"))],
    "one list, item by item": [
        call("web_search", f"Film {c} is on Netflix.\nSince {2000 + i}", query=f"film {c} netflix")
        for i, c in enumerate("ABCDEFGH")],
    "versions": [call("web_search", f"release notes of {v}", query=f"python {v} changes")
                 for v in ("3.9", "3.10", "3.11", "3.12")],
    "many files": [call("write_file", "ok", path=f"f{i}", content="x") for i in range(20)],
    "read once more after the context was cut": [
        call("read_file", FILE, path="a.py"), call("read_file", FILE, path="a.py"),
        {"event": "compaction", "tool": None},
        call("read_file", FILE, path="a.py"), call("read_file", FILE, path="a.py")],
    "parallel reads": [{**call("read_file", f"t{i}", path=f"f{i}"), "round": 1} for i in range(9)],
    "one call five times in one response": [
        {**call("read_file", FILE, path="a.py"), "round": 1} for _ in range(5)],
    "errors that differ": [sh("make", f"undefined reference to {n}", True)
                           for n in ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")],
    "an error put right at the fourth try": [
        *[sh("psql -c 'select nme'", "column nme does not exist", True)] * 4, sh("psql", "5 rows")],
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_finds_a_loop(name):
    made = replay(LOOPS[name])
    assert made.verdict == "loop", made.spoken
    assert made.trip.reason


@pytest.mark.parametrize("name", WAITS)
def test_tells_waiting_from_a_loop(name):
    made = replay(WAITS[name])
    assert made.verdict == "waiting", made.trip


@pytest.mark.parametrize("name", PROGRESS)
def test_leaves_progress_alone(name):
    made = replay(PROGRESS[name])
    assert made.verdict == "progress", (made.trip, made.spoken)


@pytest.mark.shared
def test_reported_cases(shared):
    wrong, late = [], []
    for line in (shared / "data" / "cases.jsonl").read_text("utf-8").splitlines():
        case = json.loads(line)
        want = {"loop": "loop", "progress": "progress", "wait": "waiting"}.get(case["truth"])
        made = al.replay(al.load(case["trace"]), "layered")
        if want and made.verdict != want:
            wrong.append(case["id"])
        elif want == "loop" and case["onset"] and made.trip.call > case["onset"] + 6:
            late.append(case["id"])
    assert (wrong, late) == ([], [])


def test_a_trip_after_a_round_counts_only_the_rounds_that_did_not_run():
    rows = [call("get_user", "not found", True, id=i) for i in range(1000, 1009)]
    made = replay(rows)
    assert (made.trip.round, made.trip.phase, made.trip.call) == (6, "after", 6)
    assert (made.trip.saved_rounds, made.trip.saved_calls) == (3, 3)
    assert made.counterfactual == [False] * 6 + [True] * 3
    assert made.counts["errors"][:6] == [1, 2, 3, 4, 5, 6]
    assert list(made.rules["rule"])[-8:] == [
        "waiting", "repeat", "cycle", "errors", "returns", "novelty", "barren", "text",
    ]  # fmt: skip


def test_live_and_replayed_verdicts_are_equal(count):
    rng = random.Random(11)
    tools = [
        lambda: call("web_search", rng.choice(["a", "b", "c"]), query=rng.choice(["x y", "x y z"])),
        lambda: call("read_file", rng.choice(["t1", "t2"]), path=rng.choice("ab")),
        lambda: call("get_job", rng.choice(["running", "done"]), id=1),
        lambda: sh(rng.choice(["make", "ls"]), rng.choice(["no rule", "ok"]), rng.random() < 0.4),
        lambda: call("write_file", "ok", path="a", content=rng.choice("xy")),
        lambda: call("think", "", thought="hm"),
    ]
    for _ in range(count(60, 5000)):
        repertoire = rng.sample(tools, rng.choice([1, 2, 6]))
        rounds = [
            [rng.choice(repertoire)() for _ in range(rng.choice([1, 1, 1, 2]))]
            for _ in range(rng.randint(1, 14))
        ]
        made = al.replay(
            al.load([{"round": n, **c} for n, r in enumerate(rounds, 1) for c in r]), "layered"
        )
        guard, live = al.Guard("layered"), None
        for number, calls in enumerate(rounds, 1):
            if guard.before(calls).stop:
                live = number, "before"
                break
            # Blocked calls ran in the record: give their results, so that both see the same.
            if guard.after([{"result": c["result"], "error": c["error"]} for c in calls]).stop:
                live = number, "after"
                break
        assert live == (made.trip and (made.trip.round, made.trip.phase)), rounds
