"""Names of tools as hosts dress them, and the tool inside a wrapping call."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.trace.load import load
from agentlens.trace.names import unwrap, unwrap_call


@pytest.mark.parametrize(
    ("name", "tool", "namespace"),
    [
        ("Bash", "Bash", None),
        ("mcp__tavily__tavily-search", "tavily-search", "tavily"),  # Claude Code, Codex
        ("mcp__plugin_a_b__read__all", "read__all", "plugin_a_b"),
        ("mcp__alone", "alone", None),
        ("mcp--git--list_commits", "list_commits", "git"),  # Roo Code
        ("mcp--alone", "alone", None),
        ("cXu4Oz0mcp0visit_page", "visit_page", "cXu4Oz"),  # Cline
        ("12345670mcp0read0mcp0x", "read0mcp0x", "1234567"),
        ("functions.web_search", "web_search", "functions"),  # OpenAI's own prompt format
        ("functions.", "functions.", None),
        ("", "", None),
    ],
)
def test_each_dress(name, tool, namespace):
    assert unwrap(name) == (tool, namespace)


INNER = {"query": "weather"}


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("execute-tool", {"server_name": "s", "tool_name": "find", "params": INNER}),  # LiveMCP
        ("execute-tool", {"server": "s", "tool": "find", "params": INNER}),
        ("use_mcp_tool", {"server_name": "s", "tool_name": "find", "arguments": INNER}),  # Roo
        ("use_mcp_tool",
         {"server_name": "s", "tool_name": "find", "arguments": json.dumps(INNER)}),  # Cline
        ("call_mcp_tool", {"server": "s", "tool": "find", "arguments": INNER}),
        ("CallMcpTool", {"server": "s", "toolName": "find", "arguments": INNER}),  # Cursor
        ("call_mcp_tool", {"ServerName": "s", "ToolName": "find", "Arguments": INNER}),
        ("mcp__router__execute-tool", {"server_id": "s", "tool": "find", "input": INNER}),
        ("run_mcp_tool", {"mcp_server": "s", "name": "find", "tool_input": INNER}),
        ("call_tool", {"name": "mcp__s__find", "args": INNER}),
        ("use_mcp_tool", {"server_name": "s", "tool_name": "call_tool",
                          "arguments": {"name": "find", "args": INNER}}),
    ],
)  # fmt: skip
def test_each_wrapper(name, args):
    assert unwrap_call(name, args) == ("find", "s", INNER)
    trace = load([{"round": 1, "tool": name, "args": args}])
    calls = trace.tables["calls"]
    found = [calls[c][0] for c in ("tool", "namespace", "args", "args_state", "tool_raw", "target")]
    assert found == ["find", "s", INNER, "parsed", name, None]


def test_arguments_that_are_missing_or_no_mapping():
    assert unwrap_call("use_mcp_tool", {"tool_name": "now"}) == ("now", None, {})
    assert unwrap_call("use_mcp_tool", {"tool_name": "now", "arguments": None}) == ("now", None, {})
    assert unwrap_call("use_mcp_tool", {"tool_name": "say", "arguments": "hello"}) == (
        "say", None, "hello",
    )  # fmt: skip
    assert unwrap_call("mcp__a__call_tool", {"tool_name": "now"}) == ("now", "a", {})


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("bash", {"tool": "hammer"}), ("tool", {"name": "x"}), ("execute-tool", {"params": {}}),
        ("execute-tool", None), ("execute-tool", {"tool_name": 3}), ("search_tools", {"name": "x"}),
    ],
)  # fmt: skip
def test_what_is_no_wrapper_stays(name, args):
    assert unwrap_call(name, args) == (name, None, args)


def test_a_wrapper_in_itself_ends():
    args = {"tool_name": "call_tool", "args": {}}
    args["args"] = args
    assert unwrap_call("call_tool", args)[0] == "call_tool"


@given(st.text(max_size=30), st.dictionaries(st.text(max_size=9), st.text(max_size=9)))
def test_nothing_breaks_it(name, args):
    tool, namespace, inner = unwrap_call(name, args)
    assert isinstance(tool, str)
    assert namespace is None or isinstance(namespace, str)
    assert unwrap_call(name, args) == (tool, namespace, inner)
