"""Completion conditions decide how a task ends; without them a report says that there is no end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.breaker.task.goal import Condition, Goal, failing_tests, filled, holds, required

REPORT = Goal(
    (filled("price", "supplier"), holds("format", lambda facts: facts.get("formatted", False)))
)


@pytest.mark.parametrize(
    ("facts", "outcome", "missing"),
    [
        ({}, "failed", ("price, supplier", "format")),
        ({"evidence": {"price": 3}}, "partial", ("price, supplier", "format")),
        ({"evidence": {"price": 0, "supplier": "acme"}, "formatted": True}, "completed", ()),
    ],
)
def test_r30_conditions_that_can_be_checked_decide_the_outcome(facts, outcome, missing):
    judged = REPORT.judge(facts)
    assert (judged.outcome, judged.missing) == (outcome, missing)


def test_r31_all_the_data_without_the_format_is_partial_and_not_failed():
    judged = REPORT.judge({"evidence": {"price": 3, "supplier": "acme"}})
    assert (judged.outcome, judged.met, judged.missing) == (
        "partial", ("price, supplier",), ("format",)
    )  # fmt: skip
    assert REPORT.judge({}, usable=True).outcome == "partial"


def test_r30_without_conditions_the_report_warns():
    assert "没有终态" in Goal().warning("zh")
    assert Goal().warning("en").startswith("no end state")
    assert REPORT.warning() == ""
    assert Goal().judge({"anything": 1}).outcome == "failed"
    assert Goal().judge({}, usable=True).outcome == "partial"  # never completed: nobody can tell


def test_r24_research_counts_filled_slots_and_not_pages():
    slots = filled("a", "b", "c")
    pages = [{"evidence": {}, "pages": n} for n in range(5)]
    assert [Goal((slots,)).progress(f)["a, b, c"] for f in pages] == [0, 0, 0, 0, 0]
    assert slots.value({"evidence": {"a": "x", "b": "", "c": None}})[0] == 1
    assert slots.value({})[0] == 0


def test_r24_repair_counts_tests_that_fail_no_more():
    tests = failing_tests(at_first=5)
    steps = [{"failing_tests": n} for n in (5, 3, 4, 0)]
    assert [tests.value(f)[0] for f in steps] == [0, 2, 1, 5]
    assert Goal((tests,)).judge({"failing_tests": ["t1", "t2"]}).outcome == "partial"
    assert Goal((tests,)).judge({"failing_tests": []}).outcome == "completed"
    unknown = Goal((tests,)).judge({})  # never run: not known to pass
    assert unknown.outcome == "failed"
    assert unknown.problems == ("failing_tests: KeyError: 'failing_tests'",)
    assert Goal((failing_tests(at_first=0),)).judge({"failing_tests": 0}).outcome == "completed"


def test_r24_a_form_counts_fields_and_its_submission():
    form = required("name", "date")
    assert form.value({"fields": {"name": "ana"}, "clicks": 40})[0] == 1
    full = {"fields": {"name": "ana", "date": "2026-01-01"}}
    assert Goal((form,)).judge(full).outcome == "partial"
    assert Goal((form,)).judge({**full, "submitted": True}).outcome == "completed"


def test_a_condition_that_fails_is_not_met_and_says_why():
    def broken(facts):
        raise RuntimeError("no such table")

    judged = Goal((holds("rows", broken), Condition("n", lambda facts: "many"))).judge({})
    assert judged.missing == ("rows", "n")
    assert judged.problems[0] == "rows: RuntimeError: no such table"
    assert judged.problems[1].startswith("n: ValueError")


@given(st.lists(st.sampled_from("abcd")), st.sampled_from("abcd"))
def test_r24_more_evidence_never_lowers_the_measure(known, more):
    slots = Goal((filled("a", "b", "c"),))
    before = slots.progress({"evidence": dict.fromkeys(known, "x")})
    after = slots.progress({"evidence": dict.fromkeys([*known, more], "x")})
    assert after["a, b, c"] >= before["a, b, c"]
    assert (after != before) == (more in "abc" and more not in known)
