"""Tables for a terminal: aligned with wide characters, no escape sequence gets through."""

from __future__ import annotations

import pytest
import wcwidth
from hypothesis import given
from hypothesis import strategies as st

from agentlens.widgets.plain import cut, one_line, table, width


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("北京", 4), ("ａ", 2), ("e\u0301", 1), ("", 0), ("a北", 3)]
)
def test_width(text, columns):
    assert width(text) == columns == wcwidth.wcswidth(text)


@given(st.text(), st.integers(1, 30))
def test_cut_never_takes_more(text, columns):
    text = one_line(text)
    assert width(cut(text, columns)) <= columns
    if width(text) <= columns:
        assert cut(text, columns) == text


@pytest.mark.parametrize(
    "text", ["\x1b[31mred\x1b[0m", "a\nb", "a\x00b", "a\u202eb", "a\u2028b", "\ud800", "\x9b31m"]
)
def test_nothing_moves_the_cursor(text):
    shown = one_line(text)
    assert not any(c in shown for c in "\x1b\n\x00\u202e\u2028\ud800\x9b")
    shown.encode("utf-8")


def test_table_is_aligned():
    lines = table(["round", "query"], [[1, "天气"], [10, "weather"], [3, None]], right=["round"])
    assert lines == ["round  query", "    1  天气", "   10  weather", "    3"]


@given(st.lists(st.tuples(st.text(), st.text("xyz", min_size=1, max_size=5)), max_size=6))
def test_columns_start_at_the_same_place(rows):
    lines = table(["a", "b"], rows)
    assert len(lines) == len(rows) + 1
    start = max([1, *(width(cut(one_line(x), 40)) for x, _ in rows)]) + 2
    for line, (x, y) in zip(lines[1:], rows, strict=True):
        shown = cut(one_line(x), 40)
        assert line == shown + " " * (start - width(shown)) + y
