"""A setting chosen over labelled runs: what it stops is what a replay of each run says."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

import agentlens as al
from agentlens.thresholds.paths import SIMILARITIES, paths_of
from agentlens.thresholds.stops import stops_of
from agentlens.trace.labels import Label

LETTERS = "东西南北春夏秋冬金木水火土天地玄黄宇宙洪荒日月盈昃辰宿列张"


def run(rng: random.Random, kind: str) -> al.Trace:
    """Return a run of eight searches: ever new ones, reworded ones, or a mixture."""
    base = "".join(rng.sample("北京今日气温晴雨预报", 5))
    calls: list[dict[str, Any]] = []
    for number in range(1, 9):
        loops = kind == "loop" or (kind == "mixed" and rng.random() < 0.5)
        query = (
            base[: rng.randint(3, 5)] + rng.choice("甲乙丙丁")
            if loops
            else "".join(rng.sample(LETTERS, 6))
        )
        calls.append(
            {"round": number, "tool": "web_search", "args": {"query": query}, "result": "x"}
        )
    return al.load(calls)


def corpus(seed: int, **kinds: tuple[int, str]) -> al.Corpus:
    rng = random.Random(seed)
    rows = [(kind, label) for kind, (n, label) in kinds.items() for _ in range(n)]
    return al.Corpus([run(rng, kind) for kind, _ in rows], labels=[label for _, label in rows])


@pytest.mark.parametrize("path", ["similarity", "threshold", "both"])
def test_every_setting_stops_what_its_replay_stops(path: str) -> None:
    runs = corpus(5, new=(4, "good"), mixed=(6, "good"), loop=(4, "loop"))
    choice = al.choose(runs, "classic", path=path)
    for tried in choice.tried:
        made = [al.replay(trace, tried.policy) for trace in runs]
        stopped = [bool(m.trips) for m in made]
        of = {
            label: sum(s for s, own in zip(stopped, runs.labels, strict=True) if own == label)
            for label in ("good", "loop")
        }
        assert (tried.stopped_good, tried.stopped_loops) == (of["good"], of["loop"])
        saved = sum(
            trip.saved_rounds
            for m, label in zip(made, runs.labels, strict=True)
            if label == "loop"
            for trip in m.trips
        )
        assert tried.saved_rounds == saved


def test_it_abstains_and_says_how_many_runs_it_needs() -> None:
    choice = al.choose(corpus(1, new=(12, "good"), loop=(20, "loop")), "classic")
    assert choice.policy is None
    assert choice.reason == "needs 45 good runs, has 12"
    assert choice.needed == 45


def test_it_abstains_where_the_runs_are_stopped_at_any_setting() -> None:
    choice = al.choose(corpus(2, new=(60, "good"), loop=(60, "good")), "classic")
    assert choice.policy is None
    assert "even the most cautious settings stop" in choice.reason


def test_it_chooses_what_stops_the_most_loops() -> None:
    choice = al.choose(corpus(3, new=(90, "good"), loop=(40, "loop")), "classic")
    assert choice.policy is not None
    chosen = next(t for t in choice.tried if t.policy == choice.policy)
    assert chosen.safe
    assert chosen.stopped_loops == max(t.stopped_loops for t in choice.tried if t.safe)
    assert choice.bound is not None
    assert choice.bound <= 0.05
    frame = choice.to_frame()
    assert frame["chosen"].sum() == 1
    assert len(frame) == len(SIMILARITIES)


def test_a_search_over_both_needs_more_runs() -> None:
    runs = corpus(4, new=(60, "good"), loop=(10, "loop"))
    assert al.choose(runs, "classic").policy is not None
    both = al.choose(runs, "classic", path="both")
    assert both.policy is None
    assert both.reason == "needs 80 good runs, has 60"  # 5 % at 1 - 0.1/6: 0.95**80 < 0.0167


def test_unlabelled_runs_are_left_out() -> None:
    runs = corpus(6, new=(5, "good"), loop=(3, "unknown"), mixed=(2, "loop"))
    found = stops_of(runs, [al.Policy.preset("classic")])
    assert (found.good, found.loops) == (5, 2)


def test_the_promise_is_tied_to_what_ran() -> None:
    runs = corpus(7, new=(3, "good"), loop=(3, "loop"))
    one = al.choose(runs, "classic").tied_to
    assert one == al.choose(runs, "classic", max_false_stops=0.2).tied_to
    assert one != al.choose(runs, al.Policy.preset("classic", profile="safe@1")).tied_to


def test_paths_are_fixed_and_go_from_cautious_to_bold() -> None:
    (walk,) = paths_of(al.Policy.preset("classic"))
    assert [p.similarity for p in walk] == sorted({p.similarity for p in walk}, reverse=True)
    assert walk[0].similarity == 1
    assert walk[-1].similarity == Fraction(1, 2)
    assert Fraction(7, 12) in SIMILARITIES
    (walk,) = paths_of(al.Policy.preset("classic"), "threshold")
    assert [p.threshold for p in walk] == [6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize("path", ["sideways", [], ["classic"]])
def test_other_paths_are_refused(path: Any) -> None:
    with pytest.raises(al.PolicyError, match="path"):
        paths_of(al.Policy.preset("classic"), path)


def test_runs_of_one_task_are_one_unit() -> None:
    runs = corpus(8, new=(60, "good"), loop=(10, "loop"))
    marks = [Label(one.label, task=f"{one.label} {at % 12}") for at, one in enumerate(runs.marks)]
    choice = al.choose(runs.with_labels(marks), "classic")
    assert choice.policy is None
    assert choice.reason == "needs 45 good tasks, has 12 (60 runs)"


def test_a_check_on_tasks_that_had_no_part_in_choosing() -> None:
    choice = al.choose(corpus(9, new=(120, "good"), loop=(40, "loop")), "classic")
    held = choice.held_out
    assert held is not None
    assert (held.good, held.loops) == (60, 20)
    assert held.policy is not None
    assert "of 60 good ones of the other half" in str(held)
    assert al.choose(corpus(9, new=(60, "good"), loop=(9, "loop")), "classic").held_out is None


def test_only_harmful_stops_can_be_counted() -> None:
    """Good runs that repeat themselves at the end, after nothing new: no harm is done."""
    rows = [
        {"round": n, "tool": "web_search", "args": {"query": "same"}, "result": "the same page"}
        for n in range(1, 6)
    ]
    runs = al.Corpus([al.load(rows) for _ in range(50)], labels=["good"] * 50)
    assert al.choose(runs, "classic").policy is None
    harmless = al.choose(runs, "classic", counted="harmful")
    assert harmless.policy is not None
    assert harmless.tried[0].stopped_good == 0


def test_a_user_who_values_good_runs_highly_chooses_with_more_caution() -> None:
    runs = corpus(10, new=(100, "good"), mixed=(3, "good"), loop=(20, "loop"))
    dear = al.choose(runs, "classic", prevalence=0.05, value=1000, max_false_stops=0.2)
    cheap = al.choose(runs, "classic", prevalence=0.5, value=0.1, max_false_stops=0.2)
    assert dear.policy is not None
    assert cheap.policy is not None
    chosen = {p: next(t for t in c.tried if t.policy == c.policy)
              for p, c in (("dear", dear), ("cheap", cheap))}  # fmt: skip
    assert chosen["dear"].stopped_good <= chosen["cheap"].stopped_good
    assert chosen["dear"].utility == max(t.utility for t in dear.tried if t.safe)


def test_how_stable_the_choice_is() -> None:
    runs = corpus(11, new=(90, "good"), mixed=(2, "good"), loop=(40, "loop"))
    choice = al.choose(runs, "classic")
    frame = choice.to_frame()
    assert 0 < frame["chosen_in"].sum() <= 1 + 1e-9
    assert frame["front"].any()
    again = al.choose(runs, "classic")
    assert again.to_frame().equals(frame), "the same seed, the same resamples"


@pytest.mark.parametrize("wrong", [{"counted": "few"}, {"prevalence": 2}, {"method": "x"}])
def test_other_wishes_are_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"counted|prevalence|method"):
        al.choose(corpus(1, new=(2, "good")), "classic", **wrong)
