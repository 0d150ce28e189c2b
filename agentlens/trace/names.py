"""Names of tools as logs write them, unwrapped: the one room that knows how MCP dresses them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

__all__ = ["unwrap", "unwrap_call"]

#: Tools whose arguments name the tool that is really called, and under which keys.
_WRAPPERS = frozenset("execute-tool execute_tool call_tool use_mcp_tool mcp_call run_tool".split())
_TOOL_KEYS = ("tool_name", "toolName", "tool", "name")
_SERVER_KEYS = ("server_name", "serverName", "server", "server_id")
_ARGS_KEYS = ("params", "arguments", "args", "tool_args", "input", "tool_input", "parameters")


@lru_cache(maxsize=4096)
def unwrap(name: str) -> tuple[str, str | None]:
    """Return ``(tool, namespace)`` of a name such as ``mcp__server__tool``.

    Examples
    --------
    >>> unwrap("mcp__tavily__tavily-search")
    ('tavily-search', 'tavily')
    >>> unwrap("functions.web_search")
    ('web_search', 'functions')
    >>> unwrap("Bash")
    ('Bash', None)
    """
    if name.startswith("mcp__"):
        server, mark, tool = name[5:].partition("__")
        return (tool, server) if mark and tool else (name[5:], None)
    if name.startswith("functions.") and len(name) > 10:
        return name[10:], "functions"
    return name, None


def unwrap_call(name: str, args: Any) -> tuple[str, str | None, Any]:
    """Return ``(tool, namespace, arguments)``, taking the real tool out of a wrapping call.

    Hosts that route every call through one tool (``execute-tool`` with ``server_name``,
    ``tool_name`` and ``params``) would otherwise look like agents with one single tool.
    """
    tool, namespace = unwrap(name)
    if tool in _WRAPPERS and isinstance(args, Mapping):
        inner = next(
            (args[k] for k in _TOOL_KEYS if isinstance(args.get(k), str) and args[k]), None
        )
        if inner:
            server = next(
                (args[k] for k in _SERVER_KEYS if isinstance(args.get(k), str)), namespace
            )
            inside: Any = next((args[k] for k in _ARGS_KEYS if k in args), {})
            return unwrap(inner)[0], server, inside
    return tool, namespace, args
