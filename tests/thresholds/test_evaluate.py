"""The metrics of a policy, on runs whose figures can be worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
from scipy import stats

import agentlens as al
from agentlens.thresholds.intervals import at_most, wilson
from agentlens.thresholds.metrics import net_saved
from agentlens.trace.labels import Label


def run(*queries: str, new: bool = True, answer: str = "", **about: Any) -> al.Trace:
    rows: list[dict[str, Any]] = [
        {"round": n, "tool": "web_search", "args": {"query": query}, "seconds": 2.0, "tokens": 100,
         "result": f"https://site.example/{n if new else 0}"}
        for n, query in enumerate(queries, 1)
    ]  # fmt: skip
    if answer:
        rows.append({"round": len(queries) + 1, "tool": None, "text": answer})
    return al.load({**about, "trace": rows})


WORDS = "alpha bravo charlie delta echo foxtrot golf hotel".split()
LOOP = ["same question"] * 5  # classic trips before round 3: 3 rounds saved


def corpus() -> al.Corpus:
    good = [run(*WORDS[:n]) for n in (3, 4, 5)]
    noisy = run(*LOOP)  # a good run that is stopped although later rounds bring news
    dull = run(*LOOP, new=False)  # and one that loses nothing by it
    loops = [run(*LOOP, new=False), run("other", *LOOP, new=False), run(*WORDS, new=False)]
    marks = [Label("good")] * 5 + [Label("loop", 2), Label("loop", 3), Label("loop", 2)]
    return al.Corpus([*good, noisy, dull, *loops], labels=marks)


@pytest.fixture(scope="module")
def found() -> al.Evaluation:
    return al.evaluate(corpus(), "classic", resamples=200)


def test_shares_have_wilsons_interval_and_an_exact_bound(found):
    false = found["false_stops"]
    assert (false.hits, false.n, false.value) == (2, 5, 0.4)
    assert (false.low, false.high) == wilson(2, 5, 0.95)
    assert false.bound == at_most(2, 5, 0.95)
    assert (found["harmful_stops"].hits, found["harmful_stops"].n) == (1, 5)
    assert (found["detected"].hits, found["detected"].n) == (2, 3)


def test_savings_are_net_of_the_finalizer(found):
    # Loops save 3 rounds each, less one for the finalizer; the third is never stopped.
    assert found["saved_rounds"].value == pytest.approx((2 + 2 + 0) / 3)
    assert found["saved_tokens"].value == pytest.approx((200 + 200 + 0) / 3)
    assert found["wasted_rounds"].value == pytest.approx((2 + 3 + 8) / 3)
    assert found["saved_cost"].n == 0, "no log says what it cost"
    free = al.evaluate(corpus(), "classic", finalizer=0, resamples=10)
    assert free["saved_rounds"].value == pytest.approx((3 + 3 + 0) / 3)


def test_a_stop_at_the_last_round_costs_more_than_it_saves():
    (stopped,) = al.evaluate([run("a", "a", "a")], "classic").runs
    assert stopped.saved_rounds == 1
    assert net_saved(stopped, "rounds", 2.0) == -1.0


def test_the_delay_counts_undetected_loops_as_later(found):
    # Trips at rounds 3 and 4, onsets 2 and 3: delay 1 each; the third is censored after 6 rounds.
    assert found["delay_detected"].value == pytest.approx(1.0)
    assert found["delay"].value == pytest.approx(1 + (6 - 1) / 3)
    assert al.evaluate(corpus(), "classic", horizon=3, resamples=9)["delay"].value == (
        pytest.approx(1 + 2 / 3)
    )


def test_runs_of_one_task_are_one(found):
    marks = [Label("good", task="t") for _ in range(5)] + [Label("loop", task="u")] * 3
    one = al.evaluate(corpus().with_labels(marks), "classic", resamples=10)
    assert (one["false_stops"].hits, one["false_stops"].n) == (1, 1)
    assert (one["detected"].hits, one["detected"].n) == (1, 1)


def test_a_stop_after_the_goal_is_no_harm():
    trace = run(*LOOP)
    for solved, harmful in ((1, False), (2, False), (3, True), (5, True)):
        (got,) = al.evaluate(
            al.Corpus([trace], labels=[Label("good", solved=solved)]), "classic"
        ).runs
        assert got.harmful is harmful


def test_retention_is_what_the_answer_keeps_of_what_was_there():
    kept = run(*LOOP, answer="see https://site.example/1 and https://site.example/5")
    got = al.evaluate(al.Corpus([kept], labels=["loop"]), "classic", resamples=20)
    assert (got.runs[0].facts, got.runs[0].kept) == (2, 1)  # rounds 1 and 2 ran
    assert got["retention"].value == 0.5
    assert al.evaluate([run(*LOOP)], "classic", resamples=20)["retention"].n == 0


def test_duplicate_writes_of_rounds_that_would_not_have_happened_are_saved():
    writes = [
        {"round": n, "tool": "send_email", "args": {"to": "a"}, "result": "sent"} for n in (2, 6)
    ]
    rows = sorted([*writes, *({"round": n, "tool": "web_search", "args": {"query": "q"},
                   "result": "x"} for n in (1, 3, 4, 5))], key=lambda r: r["round"])  # fmt: skip
    trace = al.load(rows).with_tools({"send_email": "write"})
    (got,) = al.evaluate([trace], al.Policy.preset("classic", business="neutral")).runs
    assert (got.duplicates_without, got.duplicates) == (1, 0)


def test_recovery_is_of_those_that_could_be_resumed():
    states = [("completed", True), ("failed", True), ("completed", False), (None, None)]
    runs = [run("a", resumable=can, resumed_to=state) for state, can in states]
    got = al.evaluate(runs, "classic", resamples=10)["recovery"]
    assert (got.hits, got.n) == (1, 2)


def test_runs_that_wait_for_a_person_are_no_missed_loops():
    rows = [{"round": 1, "tool": "ask_user", "args": {"question": "which one?"}}]
    trace = al.load(rows).with_tools({"ask_user": "ask"})
    got = al.evaluate(al.Corpus([trace], labels=["loop"]), "classic", resamples=10)
    assert got.runs[0].waits
    assert got["detected"].n == 0


def test_two_policies_are_compared_run_by_run(found):
    lax = al.evaluate(corpus(), al.Policy.preset("classic", threshold=4), resamples=200)
    both = found.compare(lax)
    assert (both.false_stops.only_first, both.false_stops.only_second) == (0, 0)
    never = al.evaluate(corpus(), al.Policy.preset("classic", threshold=9), resamples=200)
    gap = found.compare(never)
    assert (gap.false_stops.only_first, gap.false_stops.only_second) == (2, 0)
    assert gap.detected.p_value == stats.binomtest(0, 2, 0.5).pvalue
    assert gap.saved_rounds[0] == pytest.approx(-4 / 3)
    assert gap.to_frame().shape == (3, 6)
    with pytest.raises(ValueError, match="not of the same runs"):
        found.compare(al.evaluate([run("a")], "classic"))


def test_it_reads_back_as_tables_and_text(found):
    frame = found.to_frame().set_index("metric")
    assert frame.loc["false_stops", "hits"] == 2
    assert found.runs_frame()["trip_round"].tolist()[3] == 3
    assert [r.harmful for r in found.false_stops] == [True, False]
    assert "n = 8 labelled runs: intervals are wide" in repr(found)
    again = al.evaluate(corpus(), "classic", resamples=200)
    assert repr(again) == repr(found), "the same seed gives the same intervals"


def test_nothing_known_is_no_number():
    empty = al.evaluate([], "classic", resamples=10)
    assert math.isnan(empty["false_stops"].value)
    assert empty["false_stops"].bound == 1.0


@pytest.mark.parametrize("wrong", [{"confidence": 1}, {"finalizer": -1}])
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match=r"confidence|finalizer"):
        al.evaluate([], "classic", **wrong)
