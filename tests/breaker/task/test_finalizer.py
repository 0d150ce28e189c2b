"""The end of a run: its order, the five saved things, the terminals, and the way back."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from agentlens.breaker.budgets.amounts import DIMENSIONS, Amounts, Limits
from agentlens.breaker.budgets.incidents import Incident
from agentlens.breaker.budgets.limits import Budget
from agentlens.breaker.machine import Machine
from agentlens.breaker.task import finalizer as finalizer_module
from agentlens.breaker.task.checkpoint import read, resume
from agentlens.breaker.task.finalizer import Finalizer
from agentlens.breaker.task.goal import Goal, filled, holds
from agentlens.breaker.task.ledger import Ledger, SideEffectsBlockedError
from agentlens.breaker.task.messages import EndSlots, lint_message
from agentlens.breaker.task.sub_agents import Family
from agentlens.breaker.task.work import Work
from agentlens.trace.tools import EFFECTS

GOAL = Goal((filled("price", "supplier"), holds("format", lambda f: f.get("formatted", False))))
ALL = {"evidence": {"price": 3, "supplier": "acme"}, "formatted": True}


def stopped(tmp_path: Path, event: str = "no_progress", **options) -> Finalizer:
    """Return the finalizer of a run that one event has stopped."""
    machine = Machine(clock=lambda: 50.0)
    machine.fire(event, cause="count 3 of 3", round=7)
    if machine.state == "stalled":
        machine.fire("replan_exhausted", round=7)
    options = {"ledger": Ledger(), "goal": GOAL, "clock": lambda: 1_000.0, **options}
    return Finalizer(task="task-7", machine=machine, path=tmp_path / "task.json", **options)


def test_r46_block_then_look_then_summarise_then_save_then_the_terminal(tmp_path, monkeypatch):
    ledger, seen, family = Ledger(), [], Family()
    ledger.begin("pay", {"amount": 5}, key="k1")
    end = stopped(tmp_path, ledger=ledger, family=family)

    def note(what: str) -> None:
        with pytest.raises(SideEffectsBlockedError):  # from the first to the last moment
            ledger.begin("mail", {}, key=f"new {len(seen)}")
        assert family.dispatch(f"goal {len(seen)}").cause == "stopping"
        seen.append((what, end.machine.state))

    def query(entry):
        note(f"query {entry.key}")
        return True

    def summarise(left):
        note("summarise")
        return "two conclusions"

    write = finalizer_module.Checkpoint.write
    monkeypatch.setattr(
        finalizer_module.Checkpoint, "write",
        lambda self, path: (note(f"save {self.state}"), write(self, path))[1],
    )  # fmt: skip
    ended = end.run(Work(["found"], {}), query=query, summarise=summarise)
    assert seen == [
        ("save finalizing", "finalizing"), ("query key:k1", "finalizing"),
        ("summarise", "finalizing"), ("save partial", "finalizing"),
    ]  # fmt: skip
    assert (ended.state, end.machine.state) == ("partial", "partial")


def test_r47_a_write_that_a_query_confirms_counts_towards_the_goal(tmp_path):
    ledger, facts = Ledger(), {"paid": False}
    ledger.begin("pay", {"amount": 5}, key="k1")

    def query(entry):
        facts["paid"] = True
        return True

    goal = Goal((holds("paid", lambda known: known["paid"]),))
    assert stopped(tmp_path, ledger=ledger, goal=goal).run(
        Work(["x"], facts), query=query
    ).state == ("completed")


def test_r46_a_finalizer_may_read_and_write_its_summary_and_no_more():
    assert {e for e in EFFECTS if Finalizer.permits(e)} == {"read", "think", "finish"}


def test_r46_the_five_things_are_saved_as_one_file(tmp_path):
    ledger = Ledger()
    ledger.begin("pay", {"amount": 5}, target="ana", key="k1")
    work = Work(
        results=["a", {"b": 2}], consistent={"page": 4}, conditions=["ana confirms the payment"],
        slots=EndSlots("partial", rounds=3, without="a new source", verified=["a"]),
    )  # fmt: skip
    stopped(tmp_path, ledger=ledger).run(work, query=lambda entry: None)
    (file,) = tmp_path.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600  # results may hold secrets
    saved = read(file)
    assert saved.results == ("a", {"b": 2})
    assert saved.consistent == {"page": 4}
    assert [e["key"] for e in saved.unconfirmed] == ["key:k1"]
    assert saved.stop["event"] == "replan_exhausted"
    assert saved.path[0]["cause"] == "count 3 of 3"
    assert saved.conditions == ("ana confirms the payment",)


@pytest.mark.parametrize(
    ("event", "work", "state"),
    [
        ("goal_met", Work(["x"], ALL), "completed"),
        ("hard_budget_hit", Work(["x"], ALL), "completed"),  # met all the same
        ("no_progress", Work(["x"], {**ALL, "formatted": False}), "partial"),  # only the format
        ("no_progress", Work([], {"evidence": {"price": 3}}), "partial"),
        ("hard_budget_hit", Work(["x"], {}), "partial"),
        ("no_progress", Work([], {}), "failed"),
    ],
)
def test_r31_the_four_terminals_are_kept_apart(tmp_path, event, work, state):
    ended = stopped(tmp_path, event).run(work)
    assert ended.state == state == read(tmp_path / "task.json").state
    for lang in ("zh", "en"):
        assert lint_message(ended.message(lang)) in ([], ["does not say why it stopped"])
    if state == "partial":
        assert "format" in ended.message("zh")  # what is missing is named


def test_r30_without_conditions_only_the_run_itself_can_say_that_it_is_done(tmp_path):
    assert stopped(tmp_path, "goal_met", goal=None).run(Work(["x"])).state == "completed"
    assert stopped(tmp_path, goal=None).run(Work(["x"])).state == "partial"


def test_r47_a_write_that_nobody_can_confirm_goes_to_a_person(tmp_path):
    for query in (None, lambda entry: None, lambda entry: 1 / 0):
        ledger = Ledger()
        ledger.begin("pay", {"amount": 5}, target="ana", key="k1")
        end = stopped(tmp_path, ledger=ledger)
        ended = end.run(Work(["x"], ALL), query=query)
        assert ended.state == "waiting_human"
        assert ended.checkpoint.ask == "pay ana"  # one concrete thing
        assert "请确认一件事：pay ana" in ended.message("zh")
        assert ledger.entries[0].status == "unknown"


def test_r47_a_write_that_a_query_finds_is_no_matter_for_a_person(tmp_path):
    for found, status in ((True, "done"), (False, "failed")):
        ledger = Ledger()
        ledger.begin("pay", {"amount": 5}, key="k1")
        ended = stopped(tmp_path, ledger=ledger).run(Work(["x"], ALL), query=lambda e, f=found: f)
        assert (ended.state, ledger.entries[0].status) == ("completed", status)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_r34_the_finalizer_ends_within_its_reserve_in_every_dimension(tmp_path, dimension):
    total = {"steps": 40, "seconds": 300.0, "tokens": 60_000, "calls": 25, "cost": 2.0}[dimension]
    now = [0.0]
    budget = Budget(Limits(**{dimension: total}), clock=lambda: now[0])

    def use(amount: float) -> None:
        if dimension == "seconds":
            now[0] += amount
        else:
            budget.spend(Amounts(**{dimension: amount}))

    use(getattr(budget.main, dimension))
    (incident,) = budget.hit()
    assert incident.kind == f"budget_{dimension}"
    end = stopped(tmp_path, "hard_budget_hit", budget=budget)
    half = getattr(budget.reserve, dimension) / 2
    half = half if isinstance(total, float) else max(1, int(half))

    def summarise(left):
        assert getattr(left, dimension) == pytest.approx(getattr(budget.reserve, dimension))
        use(half)
        return "what was found"

    ended = end.run(
        Work(["x"], {}, slots=EndSlots("partial", incidents=(incident,))), summarise=summarise
    )
    assert ended.state == "partial"
    assert end.machine.path[-1].event == "partial_saved"
    assert ended.checkpoint.results[-1] == {"summary": "what was found"}
    assert not budget.exhausted() or getattr(budget.reserve, dimension) == half
    assert ended.checkpoint.stop["causes"] == [f"budget_{dimension}"]
    assert lint_message(ended.message("en")) == []


@pytest.mark.parametrize(("results", "state"), [(["x"], "partial"), ([], "failed")])
def test_r34_a_reserve_that_is_gone_ends_the_run_without_a_summary(tmp_path, results, state):
    budget = Budget(Limits(tokens=10_000), clock=lambda: 0.0)
    budget.spend(Amounts(tokens=10_000))
    end = stopped(tmp_path, "hard_budget_hit", budget=budget)
    ended = end.run(Work(results), summarise=lambda left: pytest.fail("not asked"))
    assert (ended.state, end.machine.path[-1].event) == (state, "finalizer_budget_hit")


def test_r34_a_summary_that_does_not_come_is_given_up_when_its_seconds_are_gone(tmp_path):
    budget, gate = Budget(Limits(seconds=0.2)), threading.Event()
    end = stopped(tmp_path, "hard_budget_hit", budget=budget)
    started = time.monotonic()
    ended = end.run(Work(["x"]), summarise=lambda left: gate.wait(20))
    gate.set()
    assert time.monotonic() - started < 10
    assert (ended.state, end.machine.path[-1].event) == ("partial", "finalizer_budget_hit")


def test_a_summary_that_fails_costs_the_summary(tmp_path):
    ended = stopped(tmp_path).run(Work(["x"]), summarise=lambda left: 1 / 0)
    assert ended.state == "partial"
    assert ended.problems == ("no summary: ZeroDivisionError: division by zero",)


def test_a_file_that_cannot_be_written_leaves_the_run_finalizing(tmp_path):
    end = stopped(tmp_path / "no such folder")
    with pytest.raises(OSError, match="No such file"):
        end.run(Work(["x"]))
    assert end.machine.state == "finalizing"
    (tmp_path / "no such folder").mkdir()
    assert end.run(Work(["x"])).state == "partial"


def test_only_a_run_that_is_finalizing_is_ended(tmp_path):
    end = Finalizer(task="t", machine=Machine(), ledger=Ledger(), path=tmp_path / "t.json")
    with pytest.raises(RuntimeError, match="the machine is running, not finalizing"):
        end.run(Work())


def test_r45_a_person_s_answer_goes_on_with_the_same_task(tmp_path):
    """The same id, what is left of the budget, and the side effects there were."""
    ledger = Ledger()
    ledger.begin("mail", {"to": "bo"}, key="k0")
    ledger.settle("key:k0", "done", "sent")
    ledger.begin("pay", {"amount": 5}, target="ana", key="k1")
    budget = Budget(Limits(steps=10, tokens=9_000), clock=lambda: 0.0)
    budget.spend(Amounts(steps=4, tokens=3_000))
    stopped(tmp_path, ledger=ledger, budget=budget).run(Work(["x"]))
    again = resume(tmp_path / "task.json", clock=lambda: 2_000.0, monotonic=lambda: 77.0)
    assert again.task == "task-7"
    assert again.machine.state == "waiting_human"
    assert again.budget.left() == budget.left()
    assert again.ledger.begin("mail", {"to": "bo"}, key="k0").action == "replay"
    assert again.ledger.begin("pay", {"amount": 5}, target="ana", key="k1").action == "query"
    assert again.machine.fire("approved") == "running"
    assert [t.event for t in again.machine.path] == [
        "no_progress", "replan_exhausted", "write_unconfirmed", "approved"
    ]  # fmt: skip
    assert again.ledger.begin("mail", {"to": "cy"}, key="k2").action == "run"  # it may act again


def spawn(path: Path, size: int) -> subprocess.Popen:
    script = Path(__file__).with_name("finalize_forever.py")
    made = subprocess.Popen(
        [sys.executable, str(script), str(path), str(size)], stdout=subprocess.PIPE, text=True
    )
    assert made.stdout.readline() == "ready\n"
    return made


def test_r45_r46_a_process_killed_while_finalizing_leaves_one_whole_file(tmp_path, count):
    """SIGKILL at random moments: the file is the old or the new one, and resuming works."""
    rng = random.Random(4)
    seen = set()
    for kill in range(count(20, 200)):
        path = tmp_path / "task.json"
        with spawn(path, rng.choice([1, 40, 2_000])) as process:
            time.sleep(rng.random() * 0.05)
            process.kill()
        saved = read(path)  # raises unless it is whole
        seen.add(saved.state)
        number = saved.consistent["number"]
        rows = [r for r in saved.results if isinstance(r, str)]
        assert {int(r.partition(":")[0]) for r in rows} == {number}  # all of one version
        assert rows[-1] == saved.consistent["last"]
        assert saved.budget["used"]["tokens"] == number
        assert saved.ledger[0]["result"] == f"receipt {number}"
        assert (saved.state == "partial") == ({"summary": f"summary {number}"} in saved.results)
        again = resume(path)
        assert (again.task, again.budget.used.steps) == ("task-7", 90)
        assert (
            again.machine.state == {"partial": "running", "finalizing": "finalizing"}[saved.state]
        )
        if saved.state == "finalizing":  # it is finished by whoever resumes it
            end = Finalizer(
                task=again.task, machine=again.machine, ledger=again.ledger, path=path,
                budget=again.budget,
            )  # fmt: skip
            assert end.run(Work(rows)).state == "partial"
        left = [p for p in tmp_path.iterdir() if p != path]
        assert len(left) <= kill + 1  # at most one unfinished copy a kill, removed in time
    assert seen <= {"partial", "finalizing"}


def test_incidents_are_kept_as_causes(tmp_path):
    slots = EndSlots("partial", incidents=(Incident("tokens", 9, 9), Incident("steps", 3, 3)))
    ended = stopped(tmp_path, "hard_budget_hit").run(Work(["x"], slots=slots))
    assert ended.checkpoint.stop["causes"] == ["budget_tokens", "budget_steps"]
