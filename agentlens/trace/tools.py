"""What a tool does, and where its query and target sit: one table, extended in one line.

The table speaks of the *words* of a tool's name (``webSearch``, ``web_search`` and
``mcp__tavily__tavily-search`` all hold the word *search*), because every agent spells them anew.
Looking for a pattern in local files (grep, glob) is reading: its patterns are not the queries
that an agent rewords when a search engine disappoints.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from agentlens.errors import TraceError

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
    "search_terms",
    "keyword", "keywords", "search_text", "searchText", "question", "term", "terms", "text",
    "input", "prompt",
)  # fmt: skip

#: Arguments that hold what a call acts on, the likeliest first.
TARGET_KEYS = (
    "file_path", "path", "filepath", "filename", "notebook_path", "url", "uri", "urls", "link",
    "element",
    "selector", "xpath", "ref", "directory", "dir", "target", "id",
)  # fmt: skip

# Whole names first; then the first row that shares a word with the name.
_NAMES: Mapping[str, str] = {
    "toolsearch": "read", "codebasesearch": "search", "filesearch": "read", "searchfiles": "read",
    "searchdir": "read", "searchfile": "read", "searchreplace": "write",
    "searchandreplace": "write",
    "strreplace": "write", "strreplaceeditor": "write", "askfollowupquestion": "ask",
    "askuser": "ask",
    "askuserquestion": "ask", "attemptcompletion": "finish", "finalanswer": "finish",
    "exitplanmode": "ask",
    "task": "run", "agent": "run", "todowrite": "think", "writetodos": "think", "todoread": "think",
    "updateplan": "think", "sequentialthinking": "think", "think": "think", "bashoutput": "poll",
    "taskoutput": "poll",
    "writestdin": "poll", "killshell": "run", "webfetch": "read", "webrun": "search",
    "browse": "read",
    "transfertohumanagents": "ask", "presentfile": "finish", "presentfiles": "finish",
    "searchdirectflight": "read", "searchonestopflight": "read",
}  # fmt: skip

_WORDS: tuple[tuple[str, frozenset[str]], ...] = (
    ("think", frozenset("think thinking thought thoughts todo todos plan planning reflect scratchpad".split())),
    ("poll", frozenset("poll wait sleep status".split())),
    ("ask", frozenset("ask clarify clarification confirm approval human".split())),
    ("finish", frozenset("finish finished submit done complete completion terminate".split())),
    ("read", frozenset("grep glob find ls".split())),
    ("search", frozenset("search searches google bing duckduckgo ddg tavily serper exa brave baidu bocha searxng "
                         "arxiv pubmed wikipedia retrieve retrieval retriever rag 搜索 检索 查询 联网搜索".split())),
    ("write", frozenset("write edit replace create update delete insert patch apply save send post book cancel modify "
                        "move rename remove append upload commit".split())),
    ("read", frozenset("read fetch get list view open cat show load crawl scrape extract browse visit navigate "
                       "screenshot snapshot scroll goto query lookup describe".split())),
    ("run", frozenset("run exec execute bash shell terminal command python code interpreter click type press "
                      "calculate call task".split())),
)  # fmt: skip

_SPLIT = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[\u4e00-\u9fff]+")


@lru_cache(maxsize=4096)
def classify(tool: str) -> str:
    """Return the effect of a tool by its name; ``unknown`` where the table has no word of it."""
    last = re.split(r"__|[./:]", tool)[-1] or tool
    words = [w.lower() for w in _SPLIT.findall(last)]
    joined = "".join(words)
    if joined in _NAMES:
        return _NAMES[joined]
    for effect, vocabulary in _WORDS:
        if not vocabulary.isdisjoint(words) or joined in vocabulary:
            return effect
    return "unknown"


def queries_of(
    args: Mapping[str, Any] | None, raw: str | None, key: str | None = None
) -> tuple[str, ...]:
    """Return the queries in a search's arguments; empty where there is none. Never raises."""
    if not args:
        return (raw,) if raw and raw.strip() and not raw.lstrip().startswith(("{", "[")) else ()
    value = args.get(key) if key else next((args[k] for k in QUERY_KEYS if args.get(k)), None)
    if value is None and not key:
        texts = [v for v in args.values() if isinstance(v, str) and v]
        value = texts[0] if len(texts) == 1 else None
    return tuple(_texts(value))


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
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
        out["effect"].append(effect)
        out["queries"].append(found)
        out["query"].append(" | ".join(found) if found else None)
        out["target"].append(_target(arguments))
    return out
