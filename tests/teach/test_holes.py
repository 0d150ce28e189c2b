"""Every hole fools the guard, is in the golden data, and is closed by the layer it names."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentlens as al
from agentlens.progress.measures import score
from agentlens.progress.text import tokenize
from agentlens.teach.holes import HOLES, attempt

SWITCHES = {
    'profile = "safe@1"': {"profile": "safe@1"},
    "numeric_veto = true": {"numeric_veto": True},
    "min_tokens = 2": {"min_tokens": 2},
    'profile = "words-jieba"': {"profile": "words-jieba"},
}


def run_of(queries, result="https://a.example/1"):
    return al.load([
        {"round": n, "tool": "web_search", "args": {"query": q},
         "result": result if isinstance(result, str) else result[n - 1]}
        for n, q in enumerate(queries, 1)
    ])  # fmt: skip


@pytest.mark.parametrize("hole", HOLES, ids=lambda h: h.name)
def test_its_example_fools_the_guard_through_it_alone(hole):
    found = attempt(*hole.example, same=hole.same)
    assert found.holes == (hole.name,)
    assert attempt(*hole.example, same=not hole.same).holes == ()
    assert attempt(*reversed(hole.example), same=hole.same).holes == (hole.name,)


@pytest.mark.parametrize("hole", HOLES, ids=lambda h: h.name)
def test_the_layer_it_names_closes_it(hole):
    """A pair at threshold 1 is stopped or not as the classic rule says, and the reverse after."""
    first, second = hole.example

    def tripped(**switches):
        policy = al.Policy.preset("classic", threshold=1, **switches)
        return al.replay(run_of((first, second)), policy).trip is not None

    assert tripped() is not hole.same
    if hole.layer in SWITCHES:
        assert tripped(**SWITCHES[hole.layer]) is hole.same
        return
    assert hole.layer == "novelty"
    for switches in SWITCHES.values():  # what looks at queries alone does not close it
        if switches != SWITCHES['profile = "words-jieba"']:
            assert tripped(**switches) is not hole.same


def test_novelty_closes_the_others():
    """What the results brought tells a loop of synonyms from a search that narrows down."""
    synonyms = ("天气", "气象", "气温实况", "冷暖情况", "晴雨", "阴晴", "寒暑")
    layered = al.Policy.preset("layered")
    assert al.replay(run_of(synonyms), "classic").verdict == "progress"
    assert al.replay(run_of(synonyms), layered).verdict == "loop"
    for queries in (("北京今日天气", "南京今日天气", "东京今日天气"),
                    ("北京", "北京 旅游", "北京 旅游 攻略", "北京 旅游 攻略 三日")):  # fmt: skip
        pages = [f"https://a.example/{n}" for n in range(len(queries))]
        assert al.replay(run_of(queries), "classic").verdict == "loop"
        assert al.replay(run_of(queries, pages), layered).verdict == "progress"


@pytest.mark.shared
def test_golden_cases_exist(shared):
    runs = {g["id"]: g for g in json.loads((shared / "data/golden_traces.json").read_text("utf-8"))}
    texts = {g["text"] for g in json.loads((shared / "data/golden_tokens.json").read_text("utf-8"))}
    for hole in HOLES:
        if hole.golden[0] == "G" and hole.golden[1:].isdigit():
            trip = runs[hole.golden]["expected"]["classic"]["trip_round"]
            assert (trip is None) is hole.same
        else:
            assert set(hole.golden.split(" · ")) <= texts


queries = st.text("天气象北京上海 abcC+#2０２４", max_size=8)


@given(queries, queries, st.booleans())
def test_an_attempt_is_symmetric_and_never_fooled_by_the_same_text(a, b, same):
    one, other = attempt(a, b, same), attempt(b, a, same)
    assert (one.similar, one.holes) == (other.similar, other.holes)
    assert attempt(a, f" {a.upper()} ".lower(), same).holes == ()
    exact = Fraction(*score(tokenize(a, "classic@1"), tokenize(b, "classic@1")))
    assert one.similar is (exact >= Fraction(4, 5))
    if one.holes:
        assert one.similar is not same
