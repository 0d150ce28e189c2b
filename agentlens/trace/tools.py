"""What calls do: effect, queries and target, from a table that is extended in one line.

The table of names is in `tool_words`; here stand the arguments that hold queries and targets, and
what both say together: a "search" whose arguments hold no free text (flights by origin and date)
is a lookup, so it is reading.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from agentlens.errors import TraceError
from agentlens.trace.tool_words import classify, words_of

__all__ = [
    "EFFECTS",
    "QUERY_KEYS",
    "TARGET_KEYS",
    "ToolSpec",
    "ToolTable",
    "check_tools",
    "classify",
    "describe_all",
    "queries_of",
]

#: An effect, or an effect and the name of the argument that holds the query.
ToolSpec: TypeAlias = "str | tuple[str, str]"

_Spec: TypeAlias = "tuple[ToolSpec | None, str, str | None]"

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
#: Tools that look after what runs, and also act on it: the argument that says so, and the values
#: with which they only look. Codex's ``write_stdin`` polls by typing nothing; OpenClaw's
#: ``process`` has an action.
_ACTS: dict[str, tuple[str, frozenset[str]]] = {
    "writestdin": ("chars", frozenset(("",))),
    "process": ("action", frozenset(("list", "poll", "log", "status"))),
}
_TARGETS = frozenset(TARGET_KEYS)
_QUERIES = frozenset(QUERY_KEYS)


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
    if not args or _TARGETS.isdisjoint(args):
        return None
    for key in TARGET_KEYS:
        value = args.get(key)
        if value is not None and isinstance(value, (str, int)) and value != "":
            return str(value)
    return None


def _acts(tool: str, args: Mapping[str, Any]) -> bool:
    """Say whether a call of a tool that can also look only does act on what runs."""
    key, looks = _ACTS.get("".join(words_of(tool)), ("", frozenset()))
    value = args.get(key)
    return isinstance(value, str) and value not in looks


def check_tools(known: Any) -> None:
    """Say in one line what is wrong with what a user says of tools.

    Raises
    ------
    TraceError
        If it is no mapping of names to an effect, or to an effect and an argument.
    """
    if not isinstance(known, Mapping):
        raise TraceError(
            f"tools must be a mapping such as {{'lookup': 'search'}}, not {ascii(known)[:60]}"
        )
    for tool, spec in known.items():
        pair = spec if isinstance(spec, tuple) else (spec, "")
        if len(pair) != 2 or not all(isinstance(part, str) for part in (tool, *pair)):
            raise TraceError(
                f"tool {ascii(tool)[:60]}: expected an effect such as 'search', or ('search', "
                f"'argument'), not {ascii(spec)[:60]}"
            )
        if pair[0] not in EFFECTS:
            raise TraceError(f"tool {tool!r}: effect {pair[0]!r} is none of {', '.join(EFFECTS)}")


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
        If `known` names an effect that does not exist, or is no table of tools.
    """
    table = ToolTable(known)
    effects: list[str] = []
    queries: list[tuple[str, ...]] = []
    targets: list[str | None] = []
    for name, arguments, raw in zip(zip(tools, raws, strict=True), args, args_raw, strict=True):
        effect, found, target = table.describe(name, arguments, raw)
        effects.append(effect)
        queries.append(found)
        targets.append(target)
    texts = [" | ".join(found) if found else None for found in queries]
    return {"effect": effects, "queries": queries, "query": texts, "target": targets}


class ToolTable:
    """What tools do: the table of names, extended by what a user says.

    Parameters
    ----------
    known
        For each tool an effect, or ``(effect, argument that holds the query)``.

    Raises
    ------
    TraceError
        If `known` names an effect that does not exist, or is no table of tools.
    """

    __slots__ = ("_known", "_specs")

    def __init__(self, known: Mapping[str, ToolSpec] | None = None):
        self._known = {} if known is None else known
        check_tools(self._known)
        self._specs: dict[tuple[str, str], _Spec] = {}  # there are few tools and many calls

    def describe(
        self, name: tuple[str, str], args: Mapping[str, Any] | None, args_raw: str | None
    ) -> tuple[str, tuple[str, ...], str | None]:
        """Return the effect, the queries and the target of a call, by its name and raw name."""
        about = self._specs.get(name)
        if about is None:
            about = self._specs[name] = self._spec(*name)
        given, effect, key = about
        found: tuple[str, ...] = ()
        if key or effect == "search":
            found = queries_of(args, args_raw, key)
            if not found and args and given is None and _QUERIES.isdisjoint(args):
                effect = "read"  # a lookup by fields; an empty query is a query all the same
        elif effect == "poll" and given is None and args and _acts(name[0], args):
            effect = "run"
        return effect, found, _target(args)

    def _spec(self, tool: str, raw_name: str) -> _Spec:
        """Return what was said of a tool, its effect, and the argument that holds its query."""
        given = self._known.get(tool) or self._known.get(raw_name)
        effect, key = given if isinstance(given, tuple) else (given or classify(tool), None)
        return given, effect, key
