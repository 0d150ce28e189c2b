"""The still picture: self-contained, escaped, masked, and small at any length of the run."""

from __future__ import annotations

import random
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

import agentlens as al
from agentlens.figures.still import still, text
from agentlens.trace import samples
from agentlens.trace.build import TraceBuilder
from tests.browser.stage_page import searches

INCIDENT = searches(
    ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时"], seconds=7.175
)


class Tags(HTMLParser):
    """Collects tags, attributes and text."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.texts = [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.texts.append(data)


def svg_of(html):
    return ElementTree.fromstring(html[html.index("<svg") : html.index("</svg>") + 6])


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_picture_says_what_the_text_says(lang):
    replay = al.replay(INCIDENT, "classic")
    found = Tags(still(replay, lang))
    for line in text(replay, lang).splitlines():
        assert line in found.texts
    svg = svg_of(still(replay, lang))
    assert svg.get("role") == "img"
    assert svg.get("aria-label") == text(replay, lang).splitlines()[0]


def test_the_words_of_the_incident():
    assert text(al.replay(INCIDENT, "classic")).splitlines() == [
        "Would have stopped before round 3 of 5. Saved: 3 rounds, 21.5 s.",
        "“今日天气 晴雨” repeats “天气” of round 1: 2 of 2 tokens; count 2 of 2",
        "What the later rounds brought: nothing new",
    ]
    assert text(al.replay(INCIDENT, al.Policy.preset("classic", threshold=5))).splitlines() == [
        "Would not have stopped in 5 rounds.",
        "No similarity brings the count to 5: it never goes above 4",
    ]
    nearest = text(
        al.replay(searches(["a b", "a b", "c d", "c d"]), al.Policy.preset("classic", threshold=2))
    )
    assert "never goes above 1" in nearest
    row = searches(["a1 b1", "a1 b1", "a1 c1", "a1 b1"])
    assert "Closest: count 1 of 3 at round 2" in text(
        al.replay(row, al.Policy.preset("classic", threshold=3))
    )


def test_a_stop_after_a_round_says_so_and_counts_only_what_follows():
    same = {"tool": "run", "args": {"command": "make"}, "result": "Error: permission denied: /x"}
    calls = [{"round": n, **same, "args": {"command": f"make {n}"}} for n in range(1, 8)]
    made = al.replay(al.load(calls), "layered")
    assert (made.trip.rule, made.trip.phase) == ("errors", "after")
    number, saved = made.trip.round, 7 - made.trip.round
    assert text(made).splitlines()[0] == (
        f"Would have stopped after round {number} of 7. Saved: {saved} rounds."
    )
    assert text(made, "zh").startswith(
        f"本会在第 {number} 轮之后停下（共 7 轮）。可省：{saved} 轮。"
    )


def test_waiting_is_no_loop_and_a_run_without_searches_was_looked_at():
    polling = al.load(samples.path("polling.jsonl"))
    assert text(al.replay(polling, "layered")).splitlines() == [
        "Would not have stopped in 7 rounds: it waits, which is no loop.",
        "No search was recognised among 7 calls.",
        "Tools seen: bash, get_job_status. Mark the one that searches, and its rounds are counted.",
    ]
    assert text(al.replay(polling, "layered"), "zh").startswith(
        "7 轮中不会停下：它在等待，不是循环。"
    )
    assert text(al.replay(polling, "classic")).startswith("No search was recognised among 7 calls.")


def test_a_false_stop_is_called_one():
    builder = TraceBuilder("plain")
    builder.meta = type(builder.meta)("plain", outcome={"status": "success"})
    for k in range(3):
        builder.result(
            builder.call(builder.round(), "web_search", {"query": "x y"}), f"https://e.org/{k}"
        )
    said = text(al.replay(builder.finish(), "classic"))
    assert "What the later rounds brought: 1 new URL" in said
    assert "this would have been a false stop" in said


def test_nothing_runs_and_nothing_leaks():
    key = "sk-" + "a1B2" * 8
    evil = f"<script>alert(1)</script> {key} <img src=x onerror=alert(1)>"
    builder = TraceBuilder("plain")
    for _ in range(3):
        builder.call(builder.round(), "web_search", {"query": evil})
    builder.call(builder.round(), "<b>tool</b>", {})
    html = still(al.replay(builder.finish(), "classic"))
    found = Tags(html)
    assert not {"script", "img", "iframe", "link", "b", "a"} & set(found.tags)
    assert not [
        name for name, _ in found.attributes if name.startswith("on") or name in ("href", "src")
    ]
    assert key not in html
    svg_of(html)


@pytest.mark.parametrize("rounds", [400, 5000])
def test_size_does_not_grow_with_the_run(rounds):
    rng = random.Random(rounds)
    words = [f"w{k}" for k in range(40)]
    queries = [" ".join(rng.sample(words, rng.randint(1, 9))) for _ in range(rounds)]
    html = still(al.replay(searches(queries), al.Policy.preset("classic", threshold=50)))
    assert len(html.encode()) < 60_000
    svg_of(html)


def test_the_table_shows_the_rounds_around_the_trip():
    queries = [f"a{k} b{k} c{k}" for k in range(30)] + ["same words"] * 4
    found = Tags(still(al.replay(searches(queries), "classic")))
    assert found.tags.count("tr") == 13
    assert "33" in found.texts
    assert "22 more rounds not listed" in found.texts


def test_an_empty_trace_has_words():
    html = still(al.replay(TraceBuilder("plain").finish(), "classic"))
    assert "This trace holds no rounds." in html
    assert "<svg" not in html
