"""The classic profile, faults included."""

import pytest

from agentlens.progress.classic import classic_tokens


@pytest.mark.parametrize(
    ("text", "deleted", "spaced"),
    [
        ("C++ c# C", "c", "c"),
        ("3.14", "314", "3 14"),
        ("３．１４", "", ""),
        ("A/B测试", "ab 测 试", "a b 测 试"),
        ("a_b-c", "abc", "a b c"),
        ("№①㎞", "①", "①"),
        ("人々〇𠮷", "人 々 〇 𠮷", "人 々 〇 𠮷"),
        ("東京の天気", "東 京 の 天 気", "東 京 の 天 気"),
        ("a\u3000b\tc\nd", "a b c d", "a b c d"),
    ],
)
def test_symbols_deleted_or_spaced(text, deleted, spaced):
    assert classic_tokens(text, "delete", False) == frozenset(deleted.split())
    assert classic_tokens(text, "space", False) == frozenset(spaced.split())


def test_letters_and_digits_can_be_parted():
    assert classic_tokens("gpt4o", "delete", True) == {"gpt", "4", "o"}
