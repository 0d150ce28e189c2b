"""What a trace keeps of a Claude Code record: an entry, with its blocks boiled down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from agentlens.trace.content import content_of
from agentlens.trace.status import judge

__all__ = [
    "AGENT_TOOLS",
    "Entry",
    "Outcome",
    "Session",
    "Tokens",
    "outcome_of",
    "pieces_of",
    "tokens_of",
]

#: Tools that start a sub-agent.
AGENT_TOOLS = frozenset(("Task", "Agent"))
_NOTHING: Mapping[str, Any] = {}


#: One result: the id of its call, its text and other parts, how the call ended (status, error,
#: exit code), whether that was guessed, and whether the log shortened the text.
Outcome: TypeAlias = (
    "tuple[str | None, str, tuple[str, ...], str, str | None, int | None, bool, bool]"
)

#: Prompt tokens in all, of those read from a cache, of those written to it, and answer tokens.
Tokens: TypeAlias = "tuple[int | None, int | None, int | None, int | None]"


@dataclass(slots=True, eq=False)
class Entry:
    """One record that matters.

    Parameters
    ----------
    kind
        ``assistant``, ``result``, ``user``, ``prompt`` (a sub-agent's), ``notice``, ``summary``,
        ``link`` (only a place in the graph), or the kind of an event.
    order
        Time that never runs backwards within a file, for merging files.
    blocks
        Of an assistant, what `pieces_of` returns; of a result, an `Outcome` for each block.
    copied
        True where it says itself, or an older log shows, that it repeats an older record.
    launches
        True where it calls a tool that starts sub-agents.
    launched
        The sub-agent whose start, or end, a result tells of.
    """

    kind: str
    line: int
    uuid: str | None
    parent: str | None
    time: float | None
    order: float
    side: bool
    agent: str | None
    session: str | None
    text: str = ""
    blocks: list[Any] | tuple[()] = ()
    message_id: str | None = None
    model: str | None = None
    copied: bool = False
    launches: bool = False
    launched: str | None = None


@dataclass
class Session:
    """What a scan gathers besides entries."""

    entries: list[Entry] = field(default_factory=list)
    known: int = 0
    session_id: str | None = None
    cwd: str | None = None
    version: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    #: For each agent with a file of its own, the id of the call that started it (or None).
    agents: dict[str, str | None] = field(default_factory=dict)
    #: For each message, the tokens that its latest record has; earlier ones are snapshots.
    usage: dict[str, Tokens] = field(default_factory=dict)
    #: For each type of record that is not read, the first line and how many there are.
    skipped: dict[str, tuple[int, int]] = field(default_factory=dict)
    #: One object for each text that many records repeat.
    shared: dict[str, str] = field(default_factory=dict)

    def beside(self) -> Session:
        """Return a session for a file beside this one: what is known by id is known to both."""
        return Session(seen=self.seen, usage=self.usage, shared=self.shared)


def pieces_of(content: Any) -> list[tuple[str, str, Any, str | None]]:
    """Return the blocks of an assistant's message that a trace keeps.

    Returns
    -------
    list of tuple
        ``("text" or "reasoning", the text, None, None)``, or ``("call", tool, arguments, id)``.
    """
    pieces: list[tuple[str, str, Any, str | None]] = []
    for block in content if isinstance(content, list) else [content]:
        if not isinstance(block, dict):
            if isinstance(block, str):
                pieces.append(("text", block, None, None))
            continue
        get = block.get
        kind = get("type")
        if kind in ("tool_use", "server_tool_use"):
            call_id = get("id")
            pieces.append((
                "call", str(get("name") or "?"), get("input"),
                call_id if type(call_id) is str else None,
            ))  # fmt: skip
        elif kind == "text":
            pieces.append(("text", str(get("text") or ""), None, None))
        elif kind == "thinking":
            pieces.append(("reasoning", str(get("thinking") or ""), None, None))
    return pieces


def outcome_of(block: dict[str, Any], structured: Any, *, first_is_empty: bool) -> Outcome:
    """Return what a result's block says, and ``toolUseResult`` beside it.

    Parameters
    ----------
    structured
        ``toolUseResult``: text, or a dict with exit codes and the like; anything else says nothing.
    first_is_empty
        True where the record's first block has no content: the output then stands in `structured`.
    """
    get = block.get
    content = get("content")
    text, parts = (content, ()) if type(content) is str else content_of(content)
    flag = get("is_error")
    code = None
    interrupted = truncated = False
    if type(structured) is dict:
        say = structured.get
        code = say("exitCode")
        if code is None:
            code = say("exit_code", say("returnCode"))
        if type(code) is not int:
            code = None
        interrupted, truncated = say("interrupted") is True, say("truncated") is True
        if first_is_empty and not text and type(say("stdout")) is str:
            text = structured["stdout"]
    elif flag is None and type(structured) is str and structured.startswith("Error"):
        flag = True
    status, kind, code, guessed = judge(text, error=flag, exit_code=code, anywhere=False)
    if interrupted and status != "denied":
        status, kind = "interrupted", "interrupted"
    call_id = get("tool_use_id")
    return (
        call_id if type(call_id) is str else None,
        text, parts, status, kind, code, guessed, truncated,
    )  # fmt: skip


def tokens_of(usage: Any) -> Tokens:
    """Return the tokens of a usage record; every value may be null, and the prompt is three."""
    get = usage.get if isinstance(usage, dict) else _NOTHING.get
    prompt, answer = get("input_tokens"), get("output_tokens")
    read, written = get("cache_read_input_tokens"), get("cache_creation_input_tokens")
    if type(prompt) is type(read) is type(written) is type(answer) is int:  # the usual case
        return prompt + read + written, read, written, answer
    prompt, read, written, answer = (
        count if type(count) is int else None for count in (prompt, read, written, answer)
    )
    known = [count for count in (prompt, read, written) if count is not None]
    return sum(known) if known else None, read, written, answer
