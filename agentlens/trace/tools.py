"""What calls do: effect, queries and target, from a table that is extended in one line.

The table of names is in `tool_words`; here stand the arguments that hold queries and targets, and
what both say together: a "search" whose arguments hold no free text (flights by origin and date)
is a lookup, so it is reading.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from agentlens.errors import TraceError
from agentlens.trace.tool_words import classify

__all__ = [
    "EFFECTS",
    "QUERY_KEYS",
    "TARGET_KEYS",
    "ToolSpec",
    "classify",
    "describe_all",
    "queries_of",
]

#: An effect, or an effect and the name of the argument that holds the query.
ToolSpec: TypeAlias = "str | tuple[str, str]"

EFFECTS = ("search", "read", "write", "run", "poll", "think", "ask", "finish", "unknown")

#: Arguments that hold a search's query, the likeliest first.
QUERY_KEYS = (
    "query", "queries", "q", "search_query", "searchQuery", "search_queries", "search_term",
    "search_terms", "searchTerm", "keyword", "keywords", "search_text", "searchText", "question",
    "questions", "objective", "term", "terms", "text", "input", "prompt", "查询", "关键词", "问题",
)  # fmt: skip

#: Arguments that hold what a call acts on, the likeliest first.
TARGET_KEYS = (
    "file_path", "path", "filepath", "filePath", "filename", "file_name", "notebook_path", "url",
    "uri", "urls", "link", "element", "selector", "xpath", "ref", "directory", "dir", "target",
    "id",
)  # fmt: skip


def queries_of(
    args: Mapping[str, Any] | None, raw: str | None, key: str | None = None
) -> tuple[str, ...]:
    """Return the queries in a search's arguments; empty where there is none. Never raises."""
    if not args:
        return (raw,) if raw and raw.strip() and not raw.lstrip().startswith(("{", "[")) else ()
    value = args.get(key) if key else next((args[k] for k in QUERY_KEYS if args.get(k)), None)
    if value is None and not key:
        texts = [v for k, v in args.items() if isinstance(v, str) and v and k not in TARGET_KEYS]
        value = texts[0] if len(texts) == 1 and len(args) <= 2 else None
    return tuple(_texts(value))


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [str(value)]
    if isinstance(value, Mapping):
        return _texts(next((value[k] for k in QUERY_KEYS if value.get(k)), None))
    if isinstance(value, Sequence):
        return [text for item in value[:100] for text in _texts(item)]
    return []


def _target(args: Mapping[str, Any] | None) -> str | None:
    if not args:
        return None
    for key in TARGET_KEYS:
        value = args.get(key)
        if value is not None and isinstance(value, (str, int)) and value != "":
            return str(value)
    return None


def describe_all(
    tools: Sequence[str],
    raws: Sequence[str],
    args: Sequence[Mapping[str, Any] | None],
    args_raw: Sequence[str | None],
    known: Mapping[str, ToolSpec],
) -> dict[str, list[Any]]:
    """Return the columns ``effect``, ``queries``, ``query`` and ``target`` for all calls.

    Raises
    ------
    TraceError
        If `known` names an effect that does not exist.
    """
    for tool, spec in known.items():
        effect = spec if isinstance(spec, str) else spec[0]
        if effect not in EFFECTS:
            raise TraceError(f"tool {tool!r}: effect {effect!r} is none of {', '.join(EFFECTS)}")
    out: dict[str, list[Any]] = {"effect": [], "queries": [], "query": [], "target": []}
    for tool, raw_name, arguments, raw in zip(tools, raws, args, args_raw, strict=True):
        given = known.get(tool) or known.get(raw_name)
        effect, key = given if isinstance(given, tuple) else (given or classify(tool), None)
        found = queries_of(arguments, raw, key) if effect == "search" or key else ()
        if effect == "search" and not found and arguments and given is None:
            # A lookup by fields, whatever its name; an empty query is a query all the same.
            effect = effect if arguments.keys() & set(QUERY_KEYS) else "read"
        out["effect"].append(effect)
        out["queries"].append(found)
        out["query"].append(" | ".join(found) if found else None)
        out["target"].append(_target(arguments))
    return out
