"""Names of tools as logs write them, unwrapped: the one room that knows how MCP dresses them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from agentlens.trace.arguments import parse_arguments

__all__ = ["unwrap", "unwrap_call"]

#: Tools whose arguments name the tool that is really called (compared in lower case, without
#: separators), and under which keys.
_WRAPPERS = frozenset(
    "executetool executemcptool calltool callmcptool usemcptool mcpcall mcpcalltool runtool "
    "runmcptool invoketool invokemcptool mcpexecute mcptool".split()
)
_TOOL_KEYS = ("tool_name", "toolName", "tool", "name", "ToolName")
_SERVER_KEYS = (
    "server_name", "serverName", "server", "server_id", "serverId", "mcp_server", "ServerName",
)  # fmt: skip
_ARGS_KEYS = (
    "params", "arguments", "args", "tool_args", "toolArgs", "tool_arguments", "input",
    "tool_input", "parameters", "Arguments",
)  # fmt: skip
#: Cline's short names: a key of the server, ``0mcp0``, the tool.
_SHORT = re.compile(r"([A-Za-z0-9_-]{1,40}?)0mcp0(.+)", re.DOTALL)
_SEPARATORS = re.compile(r"[\W_]+")
#: A wrapper within a wrapper within ... is damage.
_MAX_DEPTH = 4


@lru_cache(maxsize=4096)
def unwrap(name: str) -> tuple[str, str | None]:
    """Return ``(tool, namespace)`` of a name such as ``mcp__server__tool``.

    Examples
    --------
    >>> unwrap("mcp__tavily__tavily-search")
    ('tavily-search', 'tavily')
    >>> unwrap("c9Xy20mcp0visit_page")
    ('visit_page', 'c9Xy2')
    >>> unwrap("functions.web_search")
    ('web_search', 'functions')
    >>> unwrap("Bash")
    ('Bash', None)
    """
    if name.startswith("mcp__"):
        server, mark, tool = name[5:].partition("__")
        return (tool, server) if mark and tool else (name[5:], None)
    if name.startswith("mcp--"):  # Roo Code: two dashes, since not every model may use "__"
        server, mark, tool = name[5:].partition("--")
        return (tool, server) if mark and tool else (name[5:], None)
    if match := _SHORT.fullmatch(name):
        return match[2], match[1]
    if name.startswith("functions.") and len(name) > 10:
        return name[10:], "functions"
    return name, None


def unwrap_call(name: str, args: Any) -> tuple[str, str | None, Any]:
    """Return ``(tool, namespace, arguments)``, taking the real tool out of a wrapping call.

    Hosts that route every call through one tool (``execute-tool`` with ``server_name``,
    ``tool_name`` and ``params``) would otherwise look like agents with one single tool.
    """
    tool, namespace = unwrap(name)
    for _ in range(_MAX_DEPTH):
        if not isinstance(args, Mapping) or not _is_wrapper(tool):
            break
        inner = _first(args, _TOOL_KEYS)
        if inner is None:
            break
        server = _first(args, _SERVER_KEYS)
        tool, own = unwrap(inner)
        namespace = server or own or namespace
        args = next((args[k] for k in _ARGS_KEYS if k in args), {})
        args = {} if args is None else args
        if isinstance(args, str):
            args = parse_arguments(args)[0] or args
    return tool, namespace, args


@lru_cache(maxsize=4096)
def _is_wrapper(tool: str) -> bool:
    return _SEPARATORS.sub("", tool).lower() in _WRAPPERS


def _first(args: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    return next((args[k] for k in keys if isinstance(args.get(k), str) and args[k]), None)


def dress(
    tool: str, raw: str, namespace: str | None, args: Any
) -> tuple[str, Any, dict[str, str | None]]:
    """Return a name and arguments from which `unwrap_call` makes this tool again.

    Returns
    -------
    name, arguments
        As the log wrote them, or wrapped anew where they stood in another tool's arguments.
    beside : dict
        Columns that these do not give back, since the reader knew the tool by other means.
    """
    server = {"server_name": namespace} if namespace else {}
    wrapped = {"tool_name": tool, **server, "params": args}
    for name, dressed in ((raw, args), (raw, wrapped)):
        if unwrap_call(name, dressed) == (tool, namespace, args):
            return name, dressed, {}
    bare, server_of, inside = unwrap_call(tool, args)
    if (bare, inside) != (tool, args):  # looks dressed, and is not
        return tool, {"tool_name": tool, "params": args}, {"tool_raw": raw, "namespace": namespace}
    return (
        tool,
        args,
        {"tool_raw": raw} | ({"namespace": namespace} if server_of != namespace else {}),
    )
