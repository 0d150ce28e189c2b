"""The S-stemmer, numbers and letters."""

import pytest

from agentlens.progress.words import jieba_version, plain_number, split_letters, stem


@pytest.mark.parametrize(
    ("word", "want"),
    [
        ("laptops", "laptop"),
        ("queries", "query"),
        ("houses", "house"),
        ("shoes", "shoes"),  # -oes keeps its s: Harman's rule, to the letter
        ("employees", "employees"),
        ("class", "class"),
        ("status", "status"),
        ("analysis", "analysis"),
        ("news", "news"),
        ("gas", "gas"),  # three letters
        ("what's", "what"),
        ("laptops's", "laptop"),
        ("node.js", "node.js"),
        ("appels2", "appels2"),
        ("façades", "façades"),
        ("007", "7"),
        ("'s", ""),
    ],
)
def test_stem(word, want):
    assert stem(word) == want


@pytest.mark.parametrize(
    ("token", "want"), [("0", "0"), ("000", "0"), ("0.50", "0.50"), ("01.02", "1.02"), ("0x", "0x")]
)
def test_plain_number(token, want):
    assert plain_number(token) == want


@pytest.mark.parametrize(
    ("token", "parts"),
    [
        ("python3.11", ["python", "3.11"]),
        ("a1b2", ["a", "1", "b", "2"]),
        ("don't", ["don't"]),
        ("👍", ["👍"]),
        ("x_1", ["x", "1"]),
    ],
)
def test_split_letters(token, parts):
    assert split_letters(token) == parts


def test_jieba_version():
    assert jieba_version() == "0.42.1"
