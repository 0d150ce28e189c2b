"""A live run and the replay of its record: the same verdicts, the same values for every rule."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from random_runs import CHOICES, calls, random_policy, result

import agentlens as al
from agentlens.breaker.live import engine as guard_run
from agentlens.breaker.live.guard import Guard
from agentlens.breaker.live.seeing import results_of, seen_round
from agentlens.breaker.policy import Policy
from agentlens.errors import TraceError

Stops = list[tuple[str, int, int, str]]


class Spy:
    """A rule that says nothing and keeps what it was shown."""

    count = 0

    def __init__(self, seen: list, results: list):
        self.seen, self.results = seen, results

    def before(self, seen):
        self.seen.append(seen)

    def after(self, seen, results):
        self.results.append(((seen.thread, seen.round), tuple(results)))


def any_policy(rng: Random) -> Policy:
    """Return a random `classic`, or `layered` with its own rules and other thresholds."""
    if rng.random() < 0.6:
        return random_policy(rng)
    drawn = {name: rng.choice(CHOICES[name]) for name in ("threshold", "similarity", "scope")}
    return Policy.preset("layered", staged=rng.random() < 0.5, **drawn)


def ticking(rng: Random):
    """Return a clock that goes on by itself, by a little or by nothing."""
    now = [1_772_442_000.0]

    def clock() -> float:
        now[0] += rng.choice([0, 0.001, 0.25, 3])
        return now[0]

    return clock


def odd(rng: Random, call: dict) -> dict:
    """Return a call, sometimes with an id (used before, too), or as a host might break it."""
    if rng.random() < 0.2:
        call = {**call, "id": rng.choice(["a", "b", "call-1"])}
    if rng.random() < 0.03:
        call = rng.choice([{}, {"tool": None}, {"tool": 7, "args": {"query": object}}, None])
    return call


def drive(rng: Random, guard: Guard, *, obey: bool) -> Stops:
    """Drive a guard through a random run of some threads; return the first stop of each."""
    guards = {"main": guard}
    for _ in range(rng.randint(1, 22)):
        mine = guards[rng.choice(list(guards))]
        if rng.random() < 0.1:
            mine.new_request("next")
        if rng.random() < 0.05:
            mine.note(rng.choice(["compaction", "approval"]), "x")
        said = {"text": "hm", "tokens": 12, "cost": 0.25} if rng.random() < 0.2 else {}
        asked = [odd(rng, call) for call in calls(rng)]
        if mine.before(asked, **said).stop and obey:
            continue
        if len(guards) < 3 and rng.random() < 0.2:  # a call of this round starts a sub-agent
            guards[f"sub{len(guards)}"] = mine.thread(f"sub{len(guards)}")
        if rng.random() < 0.93:  # a host may lose a round
            mine.after([result(rng) for _ in asked][: rng.choice([0, 9, 9, 9, 9])])
    guard.close()
    stops: dict[tuple[str, int], tuple[str, int, int, str]] = {}
    for event in guard.events:
        if event.get("would") == "stop":
            thread, request = event["thread"], event["request"]
            key = (thread, request if guard.policy.scope == "request" else 0)
            stops.setdefault(key, (thread, request, event["round"], event["rule"]))
    return sorted(stops.values())


def trips(trace: al.Trace, policy: Policy) -> Stops:
    return sorted((t.thread, t.request, t.round, t.rule) for t in al.replay(trace, policy).trips)


@pytest.mark.parametrize("mode", ["enforce", "shadow"])
def test_r09_r51_what_a_guard_decides_is_what_the_replay_of_its_record_says(
    mode: str, count, tmp_path: Path
):
    rng = Random(4_000_000_007)
    stopped = 0
    for number in range(count(150, 5000)):
        policy, file = any_policy(rng), tmp_path / f"{number}.jsonl"
        with Guard(policy, mode=mode, clock=ticking(rng), record=file) as guard:
            live = drive(rng, guard, obey=mode == "enforce")
            assert not [e for e in guard.events if e["event"] == "guard_error"], guard.events
            assert trips(guard.trace(), policy) == live, policy
        assert trips(al.load(file), policy) == live, policy
        stopped += bool(live)
        file.unlink()
    assert stopped > count(25, 900)


def test_rules_see_the_same_values_live_and_from_the_record(count, monkeypatch):
    rng = Random(11)
    for _ in range(count(80, 2000)):
        seen, results = [], []
        monkeypatch.setattr(
            guard_run, "start_rules", lambda *a, s=seen, r=results, **k: [Spy(s, r)]
        )
        guard = Guard("classic", clock=ticking(rng))
        drive(rng, guard, obey=True)
        trace = guard.trace()
        rows = range(len(trace.tables["rounds"]["round"]))
        assert [seen_round(trace, row) for row in rows] == seen
        of = {(s.thread, s.round): row for row, s in zip(rows, seen, strict=True)}
        for place, shown in results:
            assert results_of(trace, of[place]) == shown


def along(trace: al.Trace, policy: Policy, guard: Guard) -> list[tuple[int, str]]:
    """Hand a recorded run to a guard, round by round; return row and rule of the first stops."""
    rounds, columns = trace.tables["rounds"], trace.tables["calls"]
    guards, requests, stops = {"main": guard}, {}, {}
    for row, (thread, request) in enumerate(zip(rounds["thread"], rounds["request"], strict=True)):
        mine = guards.setdefault(thread, guard.thread(thread))
        if requests.setdefault(thread, request) != request:
            mine.new_request()
            requests[thread] = request
        members = trace.round_calls[row]
        asked = [
            {"tool": columns["tool"][c], "args": columns["args"][c] or columns["args_raw"][c]}
            for c in members
        ]
        decision = mine.before(asked)
        if decision.would == "stop":
            stops.setdefault((thread, request), (row, decision.rule))
        mine.after(
            [{"result": columns["result"][c], "status": columns["status"][c]} for c in members]
        )
    return sorted(stops.values())


@pytest.mark.shared
def test_r09_real_runs_stop_live_where_their_replay_stops(shared: Path, count):
    rng, tried, stopped = Random(5), 0, 0
    for file in sorted((shared / "data" / "traces" / "loops").rglob("*.*")):
        try:
            trace = al.load(file)
        except TraceError:
            continue  # a table of sources lies beside the runs
        classic = Policy.preset("classic")
        drawn = [random_policy(rng) for _ in range(count(1, 20))]
        for one in (classic, classic.with_(search_tools="."), *drawn):
            policy = one.with_(history_scope="agent", scope="request")
            guard = Guard(policy, mode="shadow", tools=trace.tools)
            want = sorted((t.row, t.rule) for t in al.replay(trace, policy).trips)
            assert along(trace, policy, guard) == want, (file.name, policy)
            stopped += bool(want)
        tried += 1
    assert tried > 100
    assert stopped > 50
