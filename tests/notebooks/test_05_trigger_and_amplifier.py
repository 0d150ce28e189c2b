"""The lesson's notebook runs, and its nine scenes can be read where no code runs."""

from __future__ import annotations

import re

from agentlens.figures.lesson.page import plain


def test_nine_scenes_in_order(story):
    found = story.shown("text/html")
    assert [plain(page)[:3] for page in found] == [f"{n} ·" for n in range(9)]
    for page in found:
        assert not re.search(r"<script|<iframe|\son\w+=|https?://(?!www\.w3\.org)", page)


def test_it_says_the_numbers(story):
    said = story.stream()
    assert said.splitlines() == [
        "as it is      1.2 wasted rounds, worst 5, 15.8 s",
        "search fixed  0.4 wasted rounds, worst 5, 10.0 s",
        "breaker at 2  0.3 wasted rounds, worst 2, 9.3 s",
        "both          0.1 wasted rounds, worst 2, 7.9 s",
    ]
    assert not story.stream("stderr")


def test_it_stays_small(story):
    assert story.size() < 150_000  # bytes
