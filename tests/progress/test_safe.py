"""Folding, and the order of the patterns of the safe profile."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.progress.safe import normalise, safe_tokens


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("ＡＢＣ１２３", "abc123"),
        ("Straße ﬁ", "strasse fi"),
        ("a\u200bb", "a b"),
        ("a\u200db\u200cc\ufeffd\u00ade", "abcde"),
        ("٣۴๕", "345"),
        ("\u0130", "i"),
        ("e\u200d\u0301", "é"),
        ("\U0001f468\u200d\U0001f469", "\U0001f468\u200d\U0001f469"),
        ("❤\ufe0f", "❤"),
        ("x\U000e0041", "x"),
    ],
)
def test_normalise(text, want):
    assert normalise(text) == want


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_normalise_ascii_shortcut_and_form(text):
    folded = normalise(text)
    assert unicodedata.is_normalized("NFKC", folded)
    if text.isascii():
        assert folded == text.casefold()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("2025-05-20t10:00 2025-02-30", "d:2025-05-20 t10:00 d:2025-02-30"),
        ("2025-13-01 1.2025-05-20", "2025 13 1 1.2025 5 20"),
        ("2025年 5月 20号 2025年5月", "d:2025-05-20 2025 年 5 月"),
        ("c++20 objc++ g++ f# c#sharp", "c++ 20 objc g++ f# c sharp"),
        ("filetype:pdf before:2024-01-01", "filetype:pdf before:2024-01-01"),
        ("std::vector __init__ a.b.c. x:1", "std vector init a.b.c x:1"),
        ("wi-fi hi-fi a-b x-ray x-y-z", "wifi hi fi a b xray x y z"),
        ("-rf --force a-b", "-rf force a b"),
        ("1,234,567.89 1,23 12,345", "1234567.89 1 23 12345"),
        ("한국어", "한국 국어"),
        ("カタカナ・ひらがな", "カタカナ ひら らが がな"),
        ("သည်", "သည်"),
        ("🇨🇳🇺🇸 ©2024 🏽", "🇨🇳 🇺🇸 2024"),
        ("http://a.com/b?utm_source=x https://a.com/b/", "url:a.com/b"),
    ],
)
def test_first_pattern_that_fits_wins(text, tokens):
    assert safe_tokens(text, False) == frozenset(tokens.split())
