"""Five ways to cut, four to compare; the silent failures fail as the golden data say."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from agentlens.errors import PolicyError
from agentlens.teach import token_lab
from agentlens.teach.token_lab import FAILURES, TOKENISERS, bigrams, compare


def test_the_pair_of_the_article():
    cuts = {cut.tokeniser: cut for cut in compare("北京天气", "北京今日天气 气温")}
    assert tuple(cuts) == TOKENISERS
    classic = cuts["classic@1"]
    assert classic.first == set("北京天气")
    assert classic.scores == {
        "containment": (4, 4), "jaccard": (4, 7), "dice": (8, 11), "cosine": (16, 28)
    }  # fmt: skip
    assert classic.similar("containment")
    assert not any(classic.similar(m) for m in ("jaccard", "dice", "cosine"))
    assert Fraction(*cuts["whitespace"].scores["containment"]) == 0
    assert cuts["words-jieba"].first == {"北京", "天气"}
    assert cuts["bigrams"].scores["containment"] == (2, 3)


def test_bigrams():
    assert bigrams("北京天气") == {"北京", "京天", "天气"}
    assert bigrams("天 C++ GDP2023年") == {"天", "c", "gdp2023", "年"}
    assert bigrams("？！") == frozenset()


#: Failure: the score it fails with.
SCORES = {
    "jaccard": (4, 7), "whitespace": (0, 1), "full_width": (1, 1), "symbols": (3, 3),
    "order": (2, 2), "synonyms": (1, 2), "years": (7, 8),
}  # fmt: skip


@pytest.mark.parametrize("failure", FAILURES, ids=lambda f: f.name)
def test_it_fails(failure):
    assert failure.cut.scores[failure.measure] == SCORES[failure.name]
    assert failure.cut.similar(failure.measure) is not failure.same


@pytest.mark.shared
def test_each_is_in_the_golden_data(shared):
    runs = {g["id"]: g for g in json.loads((shared / "data/golden_traces.json").read_text("utf-8"))}
    rows = json.loads((shared / "data/golden_tokens.json").read_text("utf-8"))
    texts = {row["text"]: row for row in rows}
    for failure in FAILURES:
        if failure.golden in runs:
            queries = {q for r in runs[failure.golden]["rounds"] for q in r}
            assert {failure.first, failure.second} <= queries
        elif failure.golden == "R2":
            for text, cut in ((failure.first, "first"), (failure.second, "second")):
                found = {c.tokeniser: c for c in compare(failure.first, failure.second)}
                assert getattr(found["classic@1"], cut) == set(texts[text]["classic"])
        else:
            assert set(failure.golden.split(" · ")) <= texts.keys()


def test_a_tokeniser_that_is_missing_is_said(monkeypatch):
    def missing(text, profile):
        if profile == "words-jieba":
            raise PolicyError("needs the package jieba")
        return frozenset(text)

    monkeypatch.setattr(token_lab, "tokenize", missing)
    cuts = {cut.tokeniser: cut for cut in compare("a", "b")}
    assert cuts["words-jieba"].missing == "needs the package jieba"
    assert not cuts["words-jieba"].similar("containment")
    assert not cuts["classic@1"].missing
