"""A time in shadow: what enforcing would have done, and whether to switch (R51)."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import agentlens as al
from agentlens.errors import PolicyError
from agentlens.trace.labels import Label

WORDS = "alpha bravo charlie delta echo foxtrot golf hotel".split()
LOOP = ["same question"] * 5  # classic stops before round 3 and saves 3 rounds


def guarded(*queries: str, record=None, **options) -> al.Guard:
    """Return a guard that has watched a run in shadow."""
    guard = al.Guard("classic", mode="shadow", record=record, **options)
    for number, query in enumerate(queries, 1):
        decision = guard.before([{"tool": "web_search", "args": {"query": query}}], tokens=100)
        assert decision.action == "proceed"
        guard.after([{"result": f"https://site.example/{number}", "seconds": 2.0}])
    guard.close()
    return guard


def test_r51_what_the_guard_said_is_what_the_report_says():
    report = al.shadow_report([guarded(*LOOP), guarded(*WORDS[:4])])
    looped, fine = report.runs
    assert (looped.would_stop, looped.logged, looped.saved_rounds) == (3, 3, 3)
    assert looped.saved_tokens == 300
    assert (fine.would_stop, fine.logged) == (None, None)
    assert report.disagreements == ()
    assert report.stopped == (looped,)
    assert report.saved["rounds"] == 3


def test_r51_another_policy_than_the_log_s_is_named():
    report = al.shadow_report([guarded(*LOOP)], al.Policy.preset("classic", threshold=3))
    assert [(one.would_stop, one.logged) for one in report.disagreements] == [(4, 3)]
    assert "disagree in 1" in repr(report)


def test_r51_one_guard_is_a_report_too_under_its_own_policy():
    report = al.shadow_report(guarded(*LOOP))
    assert report.policy == al.Policy.preset("classic")
    assert report.runs[0].would_stop == 3


def test_r51_only_good_runs_speak_and_a_task_counts_once():
    good, loop = guarded(*WORDS[:3]), guarded(*LOOP)
    marks = [Label("good", task=f"t{n}") for n in range(80)] + [Label("loop")] * 5
    ready = al.shadow_report([good] * 80 + [loop] * 5, "classic", labels=marks).ready
    assert (bool(ready), ready.good, ready.false_stops) == (True, 80, 0)
    again = [Label("good", task="one")] * 80
    assert al.shadow_report([good] * 80, "classic", labels=again).ready.good == 1


def test_r51_a_false_stop_is_counted_and_shown_first():
    runs = [guarded(*WORDS[:3])] * 50 + [guarded(*LOOP)] * 2
    labels = ["good"] * 50 + ["loop", "good"]
    report = al.shadow_report(runs, "classic", labels=labels)
    assert not report.ready
    assert (report.ready.good, report.ready.false_stops) == (51, 1)
    assert [one.label for one in report.stopped] == ["good", "loop"]
    assert report.stopped[0].harmful  # later rounds brought URLs that were new


def test_r51_runs_that_differ_from_those_it_was_set_on_are_a_reason():
    before = [guarded(*WORDS[:n]) for n in (2, 3, 4)] * 5
    later = [guarded(*("一二三四五六七八九十" * 2)[:n]) for n in (2, 3, 4)] * 30
    report = al.shadow_report(later, "classic", labels=["good"] * 90, against=[
        one.trace() for one in before])  # fmt: skip
    assert not report.ready
    assert "language: Chinese in queries 0% before, 100% now" in report.ready.reasons[0]


def test_r51_the_report_as_a_table_and_as_plain_values():
    report = al.shadow_report([guarded(*LOOP), guarded(*WORDS[:4])])
    frame = report.to_frame()
    assert list(frame["would_stop"].isna()) == [False, True]
    told = json.loads(json.dumps(report.to_dict()))
    assert told["ready"]["ready"] is False
    assert told["runs"][0]["saved_rounds"] == 3
    assert al.shadow_report([]).runs == ()


def test_bad_settings_raise():
    with pytest.raises(PolicyError):
        al.shadow_report([], "no such preset")
    with pytest.raises(ValueError, match="looks"):
        al.shadow_report([], looks="never")


def test_r51_the_command(tmp_path):
    for number in range(3):
        guarded(*LOOP, record=tmp_path / f"{number}.jsonl")
    guarded(*WORDS, record=tmp_path / "fine.jsonl")
    labels = tmp_path / "labels.csv"
    labels.write_text("trace,label\n0.jsonl,loop\nfine.jsonl,good\n")
    words = ["shadow", str(tmp_path / "*.jsonl"), "--policy", "classic", "--labels", str(labels)]

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "agentlens.cli", *words, *more], capture_output=True, text=True,
            timeout=500, check=False, cwd=tmp_path,
        )  # fmt: skip

    done = run()
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("round 3") >= 3
    assert "not ready: 0 of 1 good runs" in done.stdout
    told = json.loads(run("--json", "--once").stdout)
    assert told["ready"]["needed"] == 45
    assert len(told["runs"]) == 4
    assert run("--confidence", "2").returncode == 2
