"""The notebook on picking thresholds runs, says what is so, and stays small."""

from __future__ import annotations


def test_it_abstains_then_keeps_a_promise(story):
    printed = story.stream()
    assert "even the most cautious settings stop 14 of 242 good runs" in printed
    assert "at most 5.0% of good runs are stopped, with 90% confidence" in printed
    assert "of the other half" in printed
    assert 'preset = "classic"' in printed
    assert "needs 45 good runs, has" in printed
    assert not story.stream("stderr")


def test_it_reads_where_no_code_runs_and_stays_small(story):
    pages = story.shown("text/html")
    assert any("would have stopped" in page and "al-still" in page for page in pages)
    assert story.size() < 300_000  # bytes
