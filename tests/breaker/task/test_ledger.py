"""The ledger: a write is never run twice, and never called failed while that is unknown."""

from __future__ import annotations

from threading import Barrier, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentlens as al
from agentlens.breaker.task.ledger import KeyReuseError, Ledger, SideEffectsBlockedError
from agentlens.breaker.task.side_effects import duplicate_writes, identity_of

PAY = {"amount": 5, "to": "ana"}


def test_r36_a_write_is_asked_about_before_it_is_tried_again():
    """S4: the write took effect, its answer did not come."""
    ledger = Ledger()
    begun = ledger.begin("pay", PAY, key="k1", round=3)
    assert (begun.action, begun.entry.status) == ("run", "unknown")
    ledger.settle("key:k1", "unknown")  # timed out
    again = ledger.begin("pay", PAY, key="k1")
    assert again.action == "query"
    ledger.confirm("key:k1", took_effect=True)
    third = ledger.begin("pay", PAY, key="k1")
    assert (third.action, third.entry.status) == ("replay", "done")
    assert ledger.duplicates == 0


def test_r36_a_write_that_certainly_failed_may_be_tried_again():
    ledger = Ledger()
    ledger.begin("pay", PAY, key="k1")
    ledger.confirm("key:k1", took_effect=False)
    assert ledger.begin("pay", PAY, key="k1").action == "run"
    assert ledger.settle("key:k1", "done", "receipt 7").result == "receipt 7"
    assert ledger.begin("pay", PAY, key="k1").entry.result == "receipt 7"  # the first result again


def test_r47_what_a_query_cannot_tell_stays_unknown_and_is_never_called_failed():
    ledger = Ledger()
    ledger.begin("pay", PAY, key="k1")
    assert ledger.confirm("key:k1", took_effect=None).status == "unknown"
    assert ledger.begin("pay", PAY, key="k1").action == "query"
    assert [e.key for e in ledger.unconfirmed] == ["key:k1"]


def test_r47_only_what_was_designed_before_undoes_an_effect():
    ledger = Ledger()
    ledger.begin("pay", PAY, key="k1", compensation="refund")
    with pytest.raises(ValueError, match="is unknown"):
        ledger.compensate("key:k1")
    ledger.settle("key:k1", "done")
    assert ledger.compensate("key:k1").status == "compensated"
    assert ledger.begin("pay", PAY, key="k1").action == "run"
    ledger.settle("key:k1", "done")
    assert ledger.duplicates == 0  # the first one was undone
    ledger.begin("mail", {}, key="k2")
    ledger.settle("key:k2", "done")
    with pytest.raises(ValueError, match="no compensation was designed"):
        ledger.compensate("key:k2")


@pytest.mark.parametrize(
    ("tool", "args", "target"),
    [("pay", {"amount": 6, "to": "ana"}, ""), ("mail", PAY, ""), ("pay", PAY, "account 2")],
)
def test_r36_one_key_for_two_different_writes_is_an_error(tool, args, target):
    ledger = Ledger()
    ledger.begin("pay", PAY, key="k1")
    with pytest.raises(KeyReuseError, match="key:k1: used for pay before"):
        ledger.begin(tool, args, target=target, key="k1")
    assert ledger.begin("pay", {"to": "ana", "amount": 5}, key="k1").action == "query"  # reordered


def test_a37_identity_is_the_key_else_tool_arguments_and_target():
    assert identity_of("pay", PAY, key="k") == "key:k"
    assert identity_of("pay", {**PAY, "idempotency_key": "k"}) == "key:k"
    assert identity_of("pay", {"to": "ana", "amount": 5}) == identity_of("pay", PAY)
    assert identity_of("pay", {"to": "ana", "amount": 5.0}) == identity_of("pay", PAY)
    parts = {identity_of("pay", PAY, t) for t in ("", "a")} | {identity_of("send", PAY)}
    assert len(parts) == 3


def test_r46_no_new_side_effect_begins_once_the_run_is_stopping():
    ledger = Ledger()
    ledger.begin("pay", PAY, key="k1")
    ledger.begin("mail", {}, key="k2")
    ledger.settle("key:k2", "failed")
    ledger.block()
    with pytest.raises(SideEffectsBlockedError, match="mail may not run"):
        ledger.begin("mail", {}, key="k3")
    with pytest.raises(SideEffectsBlockedError):
        ledger.begin("mail", {}, key="k2")  # nor is an old one tried again
    assert ledger.begin("pay", PAY, key="k1").action == "query"  # asking goes on


def test_r45_the_ledger_survives_as_plain_values():
    ledger = Ledger()
    ledger.begin("pay", PAY, key="k1", compensation="refund", round=2)
    ledger.settle("key:k1", "done", "receipt")
    ledger.begin("mail", {"to": "bo"}, target="bo")
    again = Ledger.from_list(ledger.to_list())
    assert again.entries == ledger.entries
    assert again.begin("pay", PAY, key="k1").action == "replay"


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["begin", "done", "failed", "unknown", "yes", "no", "cannot tell"]),
            st.sampled_from("ab"),
        ),
        max_size=40,
    )
)
def test_r36_a_host_that_obeys_never_does_anything_twice(steps):
    """The world counts what happens; a host runs only what it is told to run."""
    ledger, world, running = Ledger(), {"a": 0, "b": 0}, {}
    for step, name in steps:
        key = f"key:{name}"
        if step == "begin":
            if ledger.begin("write", {"what": name}, key=name).action == "run":
                running[name] = True
        elif name in running:
            if step == "done" and running[name]:
                world[name] += 1
                ledger.settle(key, "done")
                running[name] = False
            elif step == "failed" and running[name]:
                ledger.settle(key, "failed")
                running[name] = False
            elif step == "unknown" and running[name]:
                world[name] += 1  # it took effect, and its answer was lost
                ledger.settle(key, "unknown")
                running[name] = False
            elif step in ("yes", "cannot tell") and not running[name]:
                ledger.confirm(key, took_effect=True if step == "yes" and world[name] else None)
    assert all(count <= 1 for count in world.values())
    assert ledger.duplicates == 0


def test_threads_that_begin_the_same_write_run_it_once():
    for _ in range(20):
        ledger, gate, told = Ledger(), Barrier(8), []

        def work(ledger=ledger, gate=gate, told=told):
            gate.wait()
            told.append(ledger.begin("pay", PAY, key="k").action)

        threads = [Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(told) == ["query"] * 7 + ["run"]


def test_a37_duplicates_of_a_recorded_run_are_counted():
    def write(number: int, content: str, **more):
        args = {"file_path": "a.txt", "content": content}
        return {"round": number, "tool": "write_file", "args": args, "result": "ok", **more}

    trace = al.load(
        [
            write(1, "one"), write(2, "one"), write(3, "two"),
            write(4, "two", error=True), write(5, "one"),
            {"round": 6, "tool": "read_file", "args": {"path": "a.txt"}, "result": "one"},
            {"round": 7, "tool": "read_file", "args": {"path": "a.txt"}, "result": "one"},
        ]
    )  # fmt: skip
    assert duplicate_writes(trace) == 2


def test_a_status_that_is_none_is_refused():
    ledger = Ledger()
    ledger.begin("pay", PAY, key="k1")
    with pytest.raises(ValueError, match="status: 'perhaps' is none of"):
        ledger.settle("key:k1", "perhaps")
