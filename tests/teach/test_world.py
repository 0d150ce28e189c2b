"""The made-up world: the same runs for a seed, labels that what happens bears out."""

from __future__ import annotations

import pytest

import agentlens as al
from agentlens.breaker.families.recorded import fresh_rows
from agentlens.teach.world import SCRIPTS, corpus, run_of_script


@pytest.fixture(scope="module")
def runs() -> al.Corpus:
    return corpus()


def test_there_are_hundreds_in_two_languages_and_all_scripts(runs):
    card = runs.card()
    assert card.runs >= 300
    assert {"Chinese", "Latin"} <= card.languages.keys()
    assert min(card.labels["good"], card.labels["loop"]) >= 59
    ids = {trace.meta.trace_id.partition("-")[0] for trace in runs}
    assert ids == SCRIPTS.keys()


def test_a_seed_makes_the_same_runs(runs):
    again = corpus()
    assert [t.tables["calls"]["args"] for t in again] == [t.tables["calls"]["args"] for t in runs]
    assert corpus(20, seed=2)[0].tables != corpus(20, seed=3)[0].tables


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("script", SCRIPTS)
def test_from_the_onset_on_nothing_new_comes(script: str, lang: str):
    for seed in range(5):
        trace, mark = run_of_script(script, seed, lang)
        assert mark.label == SCRIPTS[script][0]
        if mark.onset is None:
            assert mark.label == "good"
            continue
        rounds = trace.tables["rounds"]["round"]
        late = [fresh for fresh, n in zip(fresh_rows(trace), rounds, strict=True)
                if n >= mark.onset]  # fmt: skip
        assert late
        assert not any(late)


def test_what_the_classic_rule_cannot_see_is_in_it():
    for script in ("synonyms", "failing"):
        stopped = [al.replay(run_of_script(script, n)[0], "classic").trip for n in range(9)]
        assert not any(stopped)


def test_good_runs_that_look_like_loops_are_in_it(runs):
    found = al.evaluate(runs, "classic", resamples=10).false_stops
    scripts = {run.source.partition("-")[0] for run in found}
    assert {"years", "narrow", "late"} & scripts


def test_choosing_by_threshold_keeps_a_promise_that_the_default_breaks(runs):
    default = al.evaluate(runs, "classic", resamples=10)["false_stops"]
    assert default.value > 0.05
    choice = al.choose(runs, "classic", path="threshold")
    assert choice.policy is not None
    assert choice.bound < 0.05
