"""The story of the incident: it says what is so, reads where no code runs, and stays small."""

from __future__ import annotations

import re


def test_it_tells_the_incident(story):
    said = story.stream()
    for threshold, round_, rounds, seconds in ((1, 2, 4, 28.7), (2, 3, 3, 21.5), (3, 4, 2, 14.3)):
        stopped = f"threshold {threshold}: stopped before round {round_}"
        assert f"{stopped}; saved {rounds} rounds, {seconds} s" in said
    assert "'jaccard'} trips in round None" in said
    assert "'whitespace'} trips in round None" in said
    assert "0.8 trips in round 3\n0.81 trips in round None" in said
    assert 'preset = "classic"' in said
    assert not story.stream("stderr")


def test_it_reads_where_no_code_runs(story):
    texts, pages = story.shown("text/plain"), story.shown("text/html")
    assert any(text.startswith("Would have stopped before round 3 of") for text in texts)
    assert any(text.startswith("Would have stopped before round 11 of 24") for text in texts)
    stills = [page for page in pages if "al-still" in page]
    assert len(stills) == 3
    assert "今日天气 晴雨" in stills[0]
    assert any("of 13 sessions would have been stopped" in page for page in pages)
    for page in stills:
        assert not re.search(r"<script|<iframe|\son\w+=|https?://(?!www\.w3\.org)", page)


def test_it_stays_small(story):
    assert story.size() < 300_000  # bytes
