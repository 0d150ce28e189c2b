"""The inspector: what a round searched for, what it repeats, and nothing of a trace gets loose."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

import pytest

import agentlens as al
from agentlens.widgets.lens.inspector import MOST_RESULT, inspect_round
from agentlens.widgets.marks import marked, spans

INCIDENT = ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时"]
HOSTILE = '<img src=x onerror=alert(1)></script><script>alert(2)</script>" onmouseover="x'
SECRET = "sk-ant-api03-" + "Q4x7mK2p" * 11 + "-AAAAAA"


def trace(queries=INCIDENT, **more):
    return al.load(
        [
            {"round": n, "tool": "web_search", "args": {"query": q}, "seconds": 7.175, **more}
            for n, q in enumerate(queries, 1)
        ]
    )


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.open = set(), set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def plain(text):
    return html.unescape(re.sub(r"<[^>]+>", " ", text))


def test_both_queries_shared_tokens_and_the_exact_score():
    shown = inspect_round(al.replay(trace(), "classic"), 2)
    assert '<div class="query">今日<mark>天气</mark> 晴雨</div>' in shown
    assert '<div class="query"><mark>天气</mark></div>' in shown
    said = plain(shown)
    assert "Best earlier match, round 1" in said
    assert "containment 2/2 = 1 (2 shared tokens), similarity 4/5: the same." in re.sub(
        r"\s+", " ", said
    )
    assert "stops here" in said
    assert "count 2 of 2" in said


def test_a_round_after_the_trip_would_not_have_happened():
    replay = al.replay(trace(), "classic")
    assert "would not have happened" in inspect_round(replay, 3)
    assert "would not" not in inspect_round(replay, 1)


def test_scores_of_other_measures_are_exact():
    jaccard = plain(
        inspect_round(al.replay(trace(), al.Policy.preset("classic", measure="jaccard")), 2)
    )
    # {今,日,天,气,晴,雨} and {今,日,天,气,温}: 4 shared of 7.
    assert "Jaccard 4/7 = 0.571 (4 shared tokens)" in jaccard
    assert "not the same" in jaccard
    cosine = plain(
        inspect_round(al.replay(trace(), al.Policy.preset("classic", measure="cosine")), 1)
    )
    assert "cosine √(4/10) = 0.632 (2 shared tokens)" in cosine  # 2/√(2·5), squared 4/10


def test_first_search_and_rounds_without_a_query():
    replay = al.replay(trace(), "classic")
    assert "No earlier query" in inspect_round(replay, 0)
    business = al.load(
        [{"round": 1, "tool": "read_file", "args": {"path": "/a b"}, "result": "text"}]
    )
    shown = plain(inspect_round(al.replay(business, "classic"), 0))
    assert "no search" in shown
    assert "read_file" in shown
    assert "/a b" in shown
    assert "text" in shown
    message = al.load([{"round": 1, "tool": None, "text": "I give up"}])
    assert "I give up" in inspect_round(al.replay(message, "classic"), 0)


@pytest.mark.parametrize("row", [-1, 99])
def test_no_round(row):
    assert "Choose a round" in inspect_round(al.replay(trace(), "classic"), row)
    assert "选择一轮" in inspect_round(al.replay(trace(), "classic"), row, "zh")


def test_several_queries_in_a_round_are_all_shown():
    t = al.load([
        {"round": 1, "tool": "web_search", "args": {"query": "北京天气"}},
        {"round": 2, "tool": "web_search", "args": {"query": "上海GDP"}},
        {"round": 2, "tool": "web_search", "args": {"query": "北京今日天气"}},
    ])  # fmt: skip
    shown = plain(inspect_round(al.replay(t, "classic"), 1))
    assert shown.index("今日") < shown.index("上海")  # the one that decides comes first
    assert shown.count("web_search") == 2


def test_urls_are_text_and_new_ones_marked():
    t = al.load([
        {"round": 1, "tool": "web_search", "args": {"query": "a"}, "result": "https://one.example/x"},
        {"round": 2, "tool": "web_search", "args": {"query": "b"},
         "result": "https://one.example/x?utm_source=y and https://two.example/"},
    ])  # fmt: skip
    shown = inspect_round(al.replay(t, "classic"), 1)
    assert "2 URLs, 1 new" in shown
    assert '<span class="new">new</span> https://two.example/' in shown
    assert "a" not in Tags(shown).tags
    assert not {"href", "src"} & Tags(shown).attributes


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_hostile_text_stays_text(lang):
    rows = [
        {
            "round": n, "tool": HOSTILE, "args": {"query": f"{HOSTILE} {n}", HOSTILE: HOSTILE},
            "result": HOSTILE + "\u202e https://x.example/<b>", "text": HOSTILE, "thought": HOSTILE,
            "thread": HOSTILE,
        }
        for n in (1, 2, 3)
    ] + [{"round": 1, "tool": "web_search", "args": {"query": HOSTILE}, "thread": "b"}]  # fmt: skip
    t = al.load(rows, tools={HOSTILE: "search"})
    replay = al.replay(t, "classic")
    for row in range(4):
        shown = inspect_round(replay, row, lang)
        tags = Tags(shown)
        assert tags.open == []
        assert tags.tags <= set(
            "div p strong h4 pre code mark details summary ul li span em".split()
        )
        assert tags.attributes <= {"class"}
        assert "\u202e" not in shown


def test_secrets_are_masked_also_where_text_is_cut():
    for pad in (0, MOST_RESULT - 40, MOST_RESULT - 5, 10 * MOST_RESULT - 20):
        t = trace(
            [f"find {SECRET} {n}" for n in (1, 2, 3)], result="x" * pad + " " + SECRET, text=SECRET
        )
        shown = inspect_round(al.replay(t, "classic"), 2)
        assert "Q4x7mK2p" not in shown
        assert "find" in shown


def test_a_long_result_is_cut():
    shown = inspect_round(al.replay(trace(result="ab <c> " * 100_000), "classic"), 0)
    assert len(shown) < 4 * MOST_RESULT
    assert "…" in shown


@pytest.mark.parametrize(
    ("text", "shared", "profile", "expected"),
    [
        ("Beijing Weather today", {"weather", "today"}, "classic@1", "Beijing [Weather] [today]"),
        ("北京天气", {"天", "气"}, "classic@1", "北京[天气]"),
        ("C++ 教程", {"c++"}, "safe@1", "[C++] 教程"),
        ("ＡＢＣ 天", {"abc"}, "safe@1", "[ＡＢＣ] 天"),
        ("cat concat", {"cat"}, "classic@1", "[cat] concat"),
        ("查询数据库 天气", {"数据库"}, "words-jieba", "查询[数据库] 天气"),
        ("今日天气 晴雨", {"今日天气"}, "whitespace", "[今日天气] 晴雨"),
        ("anything", set(), "classic@1", "anything"),
        ("", {"a"}, "classic@1", ""),
        ("İstanbul weather", {"weather"}, "classic@1", "İstanbul [weather]"),
    ],
)
def test_spans(text, shared, profile, expected):
    out, end = "", 0
    for start, stop in spans(text, shared, profile):
        out += text[end:start] + "[" + text[start:stop] + "]"
        end = stop
    assert out + text[end:] == expected


def test_marked_escapes_inside_and_outside():
    assert marked("<b> a&b", {"b"}, "classic@1") == "<mark>&lt;b&gt;</mark> a&amp;b"
