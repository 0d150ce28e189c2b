"""How a listing looks: aligned whatever the letters, inside the window, plain in a pipe."""

from __future__ import annotations

import io
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.cli.listing import Line
from agentlens.cli.terminal import console, fit, layout, print_listing

ANSI = re.compile(r"\x1b\[[0-9;]*m")
LINES = [
    Line("event", tool="user", what="北京今天会下雨吗？请查一查今天的天气。"),
    Line("call", 1, "main", "web_search", "北京 天气", "一整天都是晴天，没有雨。" * 9, "", 1.25),
    Line("call", 2, "scout", "web_search", "[bold red]x[/] :smile:", "[link=http://a]b[/link]",
         "✗ error", 100.0, True),
    Line("trip", what="policy classic would have stopped here: " + "天气 " * 99),
    Line("gap", what="… 70 rounds …"),
    Line("message", 3, "main", what="done " * 60),
]  # fmt: skip


def columns_of(text):
    """Count the columns of a text by Unicode's own table, independently of rich."""
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


class Window(io.StringIO):
    def isatty(self):
        return True


def printed(monkeypatch, width, watched=True):
    out = Window() if watched else io.StringIO()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", str(width)) if width else monkeypatch.delenv("COLUMNS", False)
    print_listing(LINES, console())
    return out.getvalue()


@pytest.mark.parametrize("width", [48, 60, 80, 132, 200])
def test_every_line_stays_in_its_row(monkeypatch, width):
    text = printed(monkeypatch, width)
    assert "\x1b[31m✗ error" in text or "✗" in text
    lines = ANSI.sub("", text).splitlines()
    assert len(lines) == 1 + len(LINES)
    assert all(columns_of(line) <= width for line in lines)


def test_wide_characters_do_not_shift_the_columns_behind_them(monkeypatch):
    lines = ANSI.sub("", printed(monkeypatch, 100)).splitlines()
    ends = {columns_of(line) for line in (lines[0], lines[2], lines[3])}  # head and both calls
    assert ends == {100}


def test_markup_in_a_trace_is_text(monkeypatch):
    text = ANSI.sub("", printed(monkeypatch, 160))
    assert "[bold red]x[/] :smile:" in text
    assert "[link=http://a]b[/link]" in text
    assert "\x1b]8" not in text


def test_a_pipe_gets_plain_text(monkeypatch):
    text = printed(monkeypatch, None, watched=False)
    assert "\x1b" not in text
    assert "✗ error" in text
    assert max(map(columns_of, text.splitlines())) == 160


def test_what_is_not_there_takes_no_column():
    round_, thread, tool, what, result, mark, seconds = layout(
        80, [Line("call", 1, "main", "ls", "/tmp")]
    )
    assert (thread, result, mark, seconds) == (0, 0, 0, 0)
    assert round_ + tool + what + 4 == 80


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs", "M"])), st.integers(2, 40))
def test_fitted_text_has_its_width(text, columns):
    assert len(fit(text, columns)) <= 5 * columns  # marks without a width, then padding
    if text.isascii():
        assert len(fit(text, columns)) == columns
