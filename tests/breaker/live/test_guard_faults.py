"""R19: whatever is handed in and whatever breaks inside, the loop goes on and an event says so."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hosts import INCIDENT, host, search

import agentlens as al
from agentlens.breaker.live import engine as guard_run
from agentlens.breaker.live import eye as guard_eye
from agentlens.breaker.live.guard import Guard
from agentlens.breaker.live.log import GuardLog
from agentlens.breaker.live.recorder import Recorder
from agentlens.breaker.machine import Machine
from agentlens.breaker.query import live_query
from agentlens.breaker.query.live_history import LiveHistory
from agentlens.breaker.query.live_query import LiveQuery
from agentlens.breaker.rules import start_rules

ROUNDS = [[search(query)] for query in INCIDENT]


def broken(*_, **__):
    raise RuntimeError("broken on purpose")


def faults(guard: Guard) -> list[dict]:
    return [event for event in guard.events if event["event"] == "guard_error"]


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (live_query, "tokenize"),
        (guard_eye, "live_call"),
        (guard_run, "start_rules"),
        (guard_run, "decide"),
        (LiveHistory, "compare"),
        (LiveHistory, "remember"),
        (LiveQuery, "before"),
    ],
    ids=str,
)
def test_r19_a_fault_inside_fails_open_with_an_event(owner, name, monkeypatch):
    monkeypatch.setattr(owner, name, broken)
    guard = Guard("classic")
    assert host(ROUNDS, guard) == host(ROUNDS)
    assert len(faults(guard)) >= 1
    assert "broken on purpose" in faults(guard)[0]["cause"]


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (guard_eye, "live_result"),
        (LiveQuery, "after"),
        (Recorder, "flush"),
        (Machine, "fire"),
        (GuardLog, "happened"),
        (GuardLog, "tools_started"),
        (GuardLog, "tool_finished"),
    ],
    ids=str,
)
def test_r19_a_fault_that_leaves_the_rule_whole_does_not_undo_its_stop(owner, name, monkeypatch):
    whole = host(ROUNDS, Guard("classic"))
    monkeypatch.setattr(owner, name, broken)
    guard = Guard("classic")
    assert host(ROUNDS, guard) == whole
    assert faults(guard)


def test_r19_even_a_log_that_fails_never_reaches_the_host(monkeypatch):
    monkeypatch.setattr(GuardLog, "emit", broken)
    for mode in ("enforce", "shadow"):
        guard = Guard("classic", mode=mode)
        host(ROUNDS, guard)
        guard.new_request("next")
        guard.thread("helper").before([search("x")])
        guard.note("compaction")
        assert faults(guard)


def test_r19_one_rule_that_fails_leaves_the_others_at_work(monkeypatch):
    monkeypatch.setattr(LiveQuery, "before", broken)
    guard = Guard(al.Policy.preset("classic", max_rounds=4))
    stops = [guard.before(asked).stop for asked in ROUNDS]
    assert stops == [False, False, False, False, True]


def test_r19_a_stop_outlives_a_later_fault(monkeypatch):
    guard = Guard("classic")
    host(ROUNDS, guard)
    monkeypatch.setattr(guard_eye, "live_call", broken)
    assert guard.before([search("x")]).stop


def test_a_clock_that_fails_and_a_subscriber_that_fails_are_events():
    guard = Guard("classic", clock=broken)
    told = []
    guard.subscribe(broken)
    end = guard.subscribe(lambda g: told.append(g.version))
    assert host(ROUNDS, guard) == host(ROUNDS, Guard("classic"))
    assert {fault["where"] for fault in faults(guard)} == {"clock", "subscriber"}
    assert told == sorted(set(told))
    assert len(told) == 5  # two rounds of before and after, and the stop
    end()
    guard.before([])
    assert len(told) == 5


class Hostile(Mapping):
    def __getitem__(self, key):
        raise KeyError(key)

    def __iter__(self):
        raise RuntimeError("not to be read")

    def __len__(self):
        return 3

    def __repr__(self):
        raise RuntimeError("not to be shown")


def deep(levels: int) -> dict:
    value: dict = {}
    for _ in range(levels):
        value = {"query": value}
    return value


LOOP: dict = {"query": "x"}
LOOP["self"] = LOOP

ARGUMENTS = [
    None, "", "{broken", '{"query": ', "plain words", b"bytes", 7, 2**70, float("nan"), [1, {}],
    {"query": None}, {"query": {"query": "天气"}}, {"query": "\ud800"}, {"query": 2**70},
    {"query": {1, 2}}, {"query": object()}, {1: 2, None: 3}, {"query": float("inf")}, "\ud800{",
    Hostile(), {"query": Hostile()}, deep(150), deep(5000), LOOP, '{"query": ' * 2000,
]  # fmt: skip


def test_r19_malformed_arguments_never_raise_and_the_record_stays_whole(tmp_path):
    guard = Guard(al.Policy.preset("classic", empty="equal", threshold=99), mode="enforce")
    for args in ARGUMENTS:
        assert not guard.before([{"tool": "webSearch", "args": args}]).stop
        guard.after([{"result": args, "error": args, "exit_code": args, "seconds": args}])
    assert not faults(guard)
    guard.save(tmp_path / "run.jsonl")
    trace = al.load(tmp_path / "run.jsonl")
    assert len(trace) == len(ARGUMENTS)
    assert set(trace.tables["calls"]["effect"]) == {"search", "read"}  # read: {1: 2, None: 3}


@pytest.mark.parametrize(
    "handed",
    [None, 7, "webSearch", {"tool": "webSearch"}, [None], [[]], ["x"], [{"tool": Hostile()}],
     Hostile(), object(), (c for c in [{"tool": "x"}]), iter([])],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_r19_a_wrong_shape_never_raises(handed):
    guard = Guard("classic")
    assert guard.before(handed).action == "proceed"
    assert guard.after(handed).action == "proceed"
    assert guard.before(ROUNDS[0], text=Hostile(), tokens="many", cost=-1).action == "proceed"
    guard.after([1, 2, 3])
    guard.note(Hostile(), Hostile())
    guard.new_request(Hostile())
    guard.thread(Hostile()).before(ROUNDS[0])
    guard.trace()


def test_results_of_blocked_calls_may_be_left_out(monkeypatch):
    from agentlens.breaker.seen import Finding

    class Blocks:
        count = 0
        shown = ()

        def before(self, seen):
            return Finding("query", "block", 1, 1, "asked before", blocked=(1,))

        def after(self, seen, results):
            Blocks.shown = tuple((r.status, r.text) for r in results)

    monkeypatch.setattr(guard_run, "start_rules", lambda *a, **k: [Blocks()])
    for results in (["a", "c"], ["a", None, "c"]):
        guard = Guard("classic")
        decision = guard.before([search("1"), search("2"), search("3")])
        assert (decision.action, decision.blocked, decision.stop) == ("block", (1,), False)
        guard.after([r and {"result": r} for r in results])
        assert Blocks.shown == (("ok", "a"), ("denied", ""), ("ok", "c"))
        assert guard.trace().tables["calls"]["status"] == ["ok", "denied", "ok"]
        assert [e["call"] for e in guard.events if e["event"] == "tool_started"] == [1, 3]


def test_the_real_rules_are_those_of_the_policy():
    assert guard_run.start_rules is start_rules
