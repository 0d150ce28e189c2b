"""The notebook on rules runs, says what is so, and stays small."""

from __future__ import annotations


def test_r25_it_says_what_each_rule_cannot_see(story):
    told = " ".join(story.shown("text/html"))
    assert "repeats with anything else in between" in told
    assert "a repeat that the model thinks about otherwise" in told
    assert "a model&#x27;s judgement" in told or "a model's judgement" in told


def test_it_tells_facts_from_what_is_not(story):
    printed = story.stream()
    assert "roo-code: repetition would have counted 4 in round 11, not 1" in printed
    assert "the arguments came in another order" in printed
    assert "StepLimit(limit=None, runs=0, needed=19" in printed
    assert "round 14: same call of web_fetch, 4 times in a row" in printed  # Roo Code
    assert "round 11: same call of web_fetch, 4 times in a row" in printed  # thinking passed over
    assert not story.stream("stderr")


def test_it_stays_small_and_runs_nothing(story):
    assert story.size() < 300_000  # bytes
    (lanes,) = (page for page in story.shown("text/html") if 'class="al-lanes"' in page)
    assert "<script" not in lanes
    assert "ignored for 2 rounds" in lanes
