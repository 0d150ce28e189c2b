"""Which arguments say nothing of what a call does: by a table, and by what a run itself shows.

The table holds what hosts and models add to a call. Most such words can also be content (the
``description`` of a ticket), so they are dropped only beside an argument that says what is done:
a query, a path, a command. Learning finds what no table knows, from two things together: an
argument that differs in every call of one repeated call, and answers that do not care.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

from agentlens.errors import PolicyError
from agentlens.progress.novelty import MAX_RESULT
from agentlens.progress.results import digest, mask
from agentlens.trace.tools import QUERY_KEYS, TARGET_KEYS

__all__ = [
    "ALWAYS",
    "BESIDE",
    "MAIN",
    "ArgumentLearner",
    "Look",
    "Volatile",
    "check_volatile",
    "told",
]

#: What a user adds: names of arguments for every tool, or for each tool (``*``: every one).
Volatile: TypeAlias = "Iterable[str] | Mapping[str, Iterable[str]]"

#: Written by hosts and never content; dropped wherever another argument is left.
ALWAYS: Mapping[str, str] = {
    "security_risk": "OpenHands SDK injects the model's own estimate into every schema",
    "task_progress": "Cline's to-do list, which old versions of its own rule dropped too",
    "nonce": "made to differ",
    "idempotency_key": "made to differ", "idempotencyKey": "made to differ",
    "tool_call_id": "id of the call itself", "toolCallId": "id of the call itself",
}  # fmt: skip

#: Words about a call, and ids and times of it; dropped beside an argument of `MAIN`.
BESIDE: Mapping[str, str] = {
    "description": "Claude Code's Bash, deer-flow's tools: what the model says it is doing",
    "summary": "OpenHands SDK: the same",
    "thought": "the model's reasoning as an argument", "thoughts": "the same",
    "thinking": "the same", "reasoning": "the same", "rationale": "the same",
    "explanation": "Cursor's tools: why it is called", "justification": "Codex: why it may run",
    "reason": "why it is called", "intent": "why it is called",
    "request_id": "id of one request", "requestId": "the same", "trace_id": "the same",
    "timestamp": "when it was called", "ts": "the same",
}  # fmt: skip

_CONTENT = frozenset(
    "content contents file_text text new_str new_string new_text old_str old_string old new diff "
    "patch edits replacement body message data value".split()
)
_COMMANDS = frozenset("command commands cmd code script sql expression program chars".split())
#: Arguments that say what a call does.
MAIN: frozenset[str] = _COMMANDS | frozenset(
    "query queries q search_query searchQuery search_queries search_term searchTerm keyword "
    "keywords question path file_path filepath filePath filename file_name notebook_path url "
    "urls uri pattern glob regex prompt 查询 关键词 问题".split()
)
#: Never learned: what a call looks for, acts on, runs or writes.
_KEPT = frozenset(QUERY_KEYS) | frozenset(TARGET_KEYS) | MAIN | _CONTENT

#: Where equal answers may speak for any value, and where only for values that were generated. An
#: action answers "ok" whatever it did, so nothing is learned from writing, asking and finishing.
_LOOKS = frozenset(("search", "read", "poll"))
_LEARNS = _LOOKS | {"run", "unknown"}
_ENOUGH = 3
_PLACEHOLDERS = re.compile(r"(?:<(?:uuid|time|tmp|address|hex|epoch|id)>[\s_\-.:/T]*)+")
_TOKEN = re.compile(r"(?=[^\s]*[0-9])(?=[^\s]*[A-Za-z])[A-Za-z0-9_\-]{16,200}")


def check_volatile(volatile: Volatile) -> dict[str, frozenset[str]]:
    """Return what a user adds as a set of names for each tool.

    Raises
    ------
    PolicyError
        If it is neither names nor a mapping of tools to names.
    """
    table = volatile if isinstance(volatile, Mapping) else {"*": volatile}
    out: dict[str, frozenset[str]] = {}
    for tool, names in table.items():
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise PolicyError(
                "volatile must be names of arguments, such as ['note'], or {'tool': ['note']}, "
                f"not {ascii(names)[:60]}"
            )
        kept = frozenset(names)
        if not isinstance(tool, str) or not all(isinstance(name, str) for name in kept):
            raise PolicyError("volatile: names of tools and arguments must be text")
        out[tool] = kept
    return out


def told(
    tool: str, effect: str, names: Collection[str], added: Mapping[str, frozenset[str]]
) -> set[str]:
    """Return which of a call's arguments are volatile by the tables.

    Of a call that writes, words are dropped only where what it writes stands beside them. What
    the user named goes even where it is all there is; what the tables name does not.
    """
    own = {n for n in names if n in added.get("*", ()) or n in added.get(tool, ())}
    beside = not MAIN.isdisjoint(names)
    if effect in ("write", "ask", "finish"):
        beside = beside and not _CONTENT.isdisjoint(names)
    found = {n for n in names if n in ALWAYS or (beside and n in BESIDE)}
    return own if own | found >= set(names) else own | found


@lru_cache(maxsize=8192)
def _generated(value: str) -> bool:
    """Say whether a value looks made by a machine: an id, a time, a random token."""
    if not 6 <= len(value) <= 200 or not any(c.isdigit() for c in value):
        return False
    return bool(_TOKEN.fullmatch(value) or _PLACEHOLDERS.fullmatch(mask(value)))


def _looks_generated(value: str | bytes) -> bool:
    return _generated(value) if isinstance(value, str) else _generated(value.decode("utf-8"))


@dataclass(slots=True)
class _Group:
    """Calls of one tool that agree in all but one argument."""

    values: set[str | bytes] = field(default_factory=set)
    answer: str | None = None
    answered: int = 0
    generated: bool = True
    alive: bool = True


@dataclass(frozen=True, slots=True)
class Look:
    """What of a call may be learned: name, value, group and look of each such argument."""

    tool: str
    effect: str
    size: int
    arguments: tuple[tuple[str, str | bytes, tuple[Any, ...], bool], ...]


#: A call of more arguments than this teaches nothing: each of them would be held beside the others.
_MOST_ARGUMENTS = 64


class ArgumentLearner:
    """Learns volatile arguments, call by call.

    A *group* is the calls of one tool that agree in everything but one argument; other arguments
    that were generated (UUIDs, times, hashes, random tokens) count as agreeing. An argument is
    volatile for a call where the group holds at least two earlier calls, no two of all their
    values (this call's included) are equal, and the answers so far were all the same, masked:

    * where every value was generated, for any tool that searches, reads, polls, runs or is
      unknown; and once three calls of a group have shown so, for the tool's other calls too,
      until a group in which the answers differ shows that the argument matters;
    * any other value, for tools that search, read or poll, where every call was answered: and
      then in that group alone, so that a page number which once did not matter does elsewhere.

    Never learned: a call's only argument, and those that say what it looks for, acts on, runs or
    writes: else different searches would be one.
    """

    def __init__(self) -> None:
        self._groups: dict[tuple[Any, ...], _Group] = {}
        self._known: set[tuple[str, str]] = set()
        self._matters: set[tuple[str, str]] = set()

    def look(
        self, tool: str, effect: str, fields: Mapping[str, str | bytes], kept: Collection[str]
    ) -> Look:
        """Return what may be learned of a call.

        Parameters
        ----------
        fields
            Its arguments without those of the tables: texts as they are, other values as their
            canonical JSON.
        kept
            Names that are known to hold the query or the target.
        """
        names: list[str] = []
        if 1 < len(fields) <= _MOST_ARGUMENTS and effect in _LEARNS:
            names = [name for name in fields if name not in _KEPT and name not in kept]
        made = {name: _looks_generated(fields[name]) for name in names}
        if effect not in _LOOKS and not any(made.values()):
            return Look(tool, effect, len(fields), ())
        items = {(n, None if made.get(n) else value) for n, value in fields.items()}
        groups = {n: items - {(n, None if made[n] else fields[n])} for n in names}
        return Look(tool, effect, len(fields), tuple(
            (n, fields[n], (tool, n, frozenset(groups[n])), made[n]) for n in names
        ))  # fmt: skip

    def volatile(self, look: Look) -> set[str]:
        """Return which arguments are volatile for a call that is about to be made."""
        found: set[str] = set()
        for name, value, key, made in look.arguments:
            known = (look.tool, name)
            if made and known in self._known and known not in self._matters:
                found.add(name)
            group = self._groups.get(key)
            if group is None or not group.alive or len(group.values) < _ENOUGH - 1:
                continue
            free = look.effect in _LOOKS and group.answered == len(group.values)
            if value not in group.values and ((group.generated and made) or free):
                found.add(name)
        return found if len(found) < look.size else set()

    def learn(self, look: Look, answer: str | None) -> None:
        """Remember a call and its result, None where it has none."""
        for name, value, key, made in look.arguments:
            group = self._groups.get(key)
            if group is None:
                group = self._groups[key] = _Group()
            if not group.alive:
                continue
            again = value in group.values
            differs = answer is not None and not _same(answer, group.answer)
            if differs and not again and group.generated and made:
                self._matters.add((look.tool, name))
            if differs or again:
                group.alive, group.values, group.answer = False, set(), None
                continue
            group.values.add(value)
            group.generated = group.generated and made
            if answer is not None:
                group.answered += 1
                group.answer = answer if group.answer is None else group.answer
            if group.generated and len(group.values) >= _ENOUGH:
                self._known.add((look.tool, name))


def _same(answer: str, first: str | None) -> bool:
    """Say whether two answers are the same once masked."""
    return first is None or answer == first or _digest(answer) == _digest(first)


@lru_cache(maxsize=256)
def _digest(answer: str) -> str:
    return digest(answer[:MAX_RESULT])
