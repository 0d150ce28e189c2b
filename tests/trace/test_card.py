"""The card of a corpus: counts that can be counted by eye, and every gap in words."""

from __future__ import annotations

import agentlens as al
from agentlens.trace.card import scripts_of


def run(query: str, **amounts):
    return al.load(
        [
            {"role": "user", "text": "same question"},
            {"round": 1, "tool": "web_search", "args": {"query": query}, **amounts},
            {"round": 2, "tool": "read_page", "args": {"url": "https://a.example"}},
        ]
    )


def test_it_counts_and_says_what_is_missing():
    corpus = al.Corpus(
        [run("北京 weather", seconds=1.0), run("Moscow weather"), run("погода")],
        labels=["good", "loop", "unknown"],
    )
    card = corpus.card()
    assert (card.runs, card.tasks, card.rounds, card.calls) == (3, 1, 6, 6)
    assert card.labels == {"good": 1, "loop": 1, "unknown": 1}
    assert card.tools == {"web_search": 3, "read_page": 3}
    assert card.languages == {"Latin": 2, "Cyrillic": 1}
    assert card.missing == (
        "no label, and so left out: 1 run",
        "no onset, and so no delay: 1 loop",
        "no seconds in 2 runs",
        "no tokens in 3 runs",
        "no cost in 3 runs",
    )
    assert "3 of 1 task" in repr(card)
    assert card.to_dict()["timed"] == 1


def test_an_empty_corpus_has_a_card():
    assert al.Corpus([]).card().missing == ("there is no run",)


def test_text_of_traces_is_escaped():
    trace = al.load([{"round": 1, "tool": "<b>x</b>", "args": {}}])
    assert "<b>" not in al.Corpus([trace]).card()._repr_html_()


def test_scripts():
    assert dict(scripts_of(["天气 abc", "ひらがな", "한국", "123 …"])) == {
        "Chinese": 2, "Latin": 3, "Japanese": 4, "Korean": 2,
    }  # fmt: skip
