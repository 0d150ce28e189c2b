"""Marking a tool as a search keeps what was said of the tools before."""

from __future__ import annotations

from agentlens.trace.load import load
from agentlens.widgets.lens.tool_marks import mark_tool

ROWS = [
    {"round": 1, "tool": "lookup", "args": {"word": "weather", "lang": "en"}},
    {"round": 2, "tool": "frobnicate", "args": {"query": "rain"}},
]


def test_marking_one_tool_keeps_what_was_said_of_another():
    trace = load(ROWS, tools={"lookup": ("search", "word")})
    marked = mark_tool(trace, "frobnicate", True)
    assert marked.tables["calls"]["effect"] == ["search", "search"]
    assert marked.tables["calls"]["queries"] == [("weather",), ("rain",)]


def test_a_tool_marked_again_searches_by_the_argument_that_was_named():
    trace = load(ROWS, tools={"lookup": ("search", "word")})
    off = mark_tool(trace, "lookup", False)
    assert off.tables["calls"]["effect"] == ["read", "unknown"]
    again = mark_tool(off, "lookup", True)
    assert again.tables["calls"]["effect"][0] == "search"
    assert again.tables["calls"]["queries"][0] == ("weather",)


def test_a_search_by_name_is_none_once_unmarked():
    trace = load([{"round": 1, "tool": "web_search", "args": {"query": "rain"}}])
    off = mark_tool(trace, "web_search", False)
    assert off.tables["calls"]["effect"] == ["unknown"]
    assert mark_tool(off, "web_search", True).tables["calls"]["effect"] == ["search"]
