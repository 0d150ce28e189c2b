"""Advice ignored: how long a run went on after the log itself told it to do something else.

Agents bring guards of their own. What a guard said stands in the log: in place of a result, behind
one, or as a message. It is found by its words, in English and Chinese, where a guard writes them:
at the beginning or the end of a result, and of what was read or found only where that is short or
failed, since a page may be about loops.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agentlens.breaker.families.facts import is_failure
from agentlens.breaker.families.recorded import SeenThread, views_of
from agentlens.breaker.families.spec import RuleSpec
from agentlens.breaker.near.loose import LooseFacts
from agentlens.breaker.words import shorten
from agentlens.trace.redact import BEGINNING, redact

if TYPE_CHECKING:
    from agentlens.breaker.seen import SeenCall, SeenResult
    from agentlens.trace.model import Trace

__all__ = ["Advice", "advice_of", "warning_in"]

_CALL = r"(?:tool[ -])?(?:calls?|actions?|arguments|args|inputs?|commands?|quer(?:y|ies)|steps?)"
_TIMES = r"(?:\d+|two|three|four|five|several|many) (?:times|consecutive)"
#: What guards say: that a call was wasted or not run, that the run repeats itself.
_WARNINGS = re.compile(
    r"\bwasted (?:tool )?call\b"
    r"|\b(?:loop|repetition) (?:was |has been )?detected\b|\bdetected (?:an? )?(?:\w+ )?loop\b"
    r"|\bdoom[ _-]loop\b|\bstuck in an? (?:\w+ )?loop\b"
    r"|\b(?:same|identical|similar|repeat(?:ed|ing))\b[\w` ]{0,40} "
    rf"{_CALL}\b[^.\n]{{0,60}}{_TIMES}"
    rf"|\b(?:\d+|three|four|five) (?:identical|consecutive(?: identical)?) {_CALL}\b"
    rf"|\breus(?:ed|ing) the same {_CALL}\b"
    r"|\b(?:stop|do not|don't) (?:repeat|retry)\w*\b"
    r"|检测到(?:可能的|潜在的)?死?循环|陷入了?死?循环|(?:请勿|不要|停止)重复"
    r"|(?:连续|重复)调用了?\s?\d+\s?次|调用已被?(?:拦截|阻止)",
    re.IGNORECASE,
)
#: In capitals and at the beginning of a line, so that a page about blocked ports is no guard.
_LOUD = re.compile(r"^\W*BLOCKED\b", re.MULTILINE)
#: So many characters are read at the ends of a result, and of one that may be about anything.
_HEAD, _TAIL, _SHORT = 240, 400, 400
_SAME = RuleSpec("same", "streak")


def warning_in(text: str) -> str:
    """Return the line of a text in which a guard warns an agent that repeats itself, or nothing.

    Examples
    --------
    >>> warning_in("Wasted call: unchanged since it was read"), warning_in("3 ports blocked")
    ('Wasted call: unchanged since it was read', '')
    """
    ends = text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    found = _LOUD.search(ends) or _WARNINGS.search(ends)
    if found is None:
        return ""
    at = max(found.start(), found.end() - 1)  # what stands before the word may be empty lines
    start = ends.rfind("\n", 0, at) + 1
    return ends[start:].partition("\n")[0].strip()


@dataclass(frozen=True, slots=True)
class Advice:
    """A warning that the log shows, and how long the run did the same after it.

    Attributes
    ----------
    thread, request
        Where.
    row, round
        Row and number of the round that was warned.
    tool
        The tool of the call that it was warned of.
    said
        The line in which it was warned, secrets masked, shortened.
    ignored
        How many later rounds made the same call before one did something else.
    warnings
        How often it was warned in that time, the first included.
    next_row, next_round
        The next round that did something else; None where there is none.
    """

    thread: str
    request: int
    row: int
    round: int
    tool: str
    said: str
    ignored: int = 0
    warnings: int = 1
    next_row: int | None = None
    next_round: int | None = None


def advice_of(trace: Trace) -> tuple[Advice, ...]:
    """Return the warnings of a trace, each with what came of it, in order of their rounds.

    A round ignores a warning if it makes the call that was warned of again, whatever the order of
    its arguments and ids among them; calls that only think, and messages, are passed over. What a
    warning says while another is being ignored is counted with that one. A new user message ends
    what came before it, but may itself be a warning, of the round before.
    """
    if "advice" not in trace.cache:
        if "loose" not in trace.cache:
            trace.cache["loose"] = LooseFacts()
        facts: LooseFacts = trace.cache["loose"]
        found = [a for t in views_of(trace, "request").threads for a in _of_thread(trace, t, facts)]
        trace.cache["advice"] = tuple(sorted(found, key=lambda advice: advice.row))
    made: tuple[Advice, ...] = trace.cache["advice"]
    return made


def _of_thread(trace: Trace, thread: SeenThread, facts: LooseFacts) -> Iterator[Advice]:
    key = facts.call_keys(_SAME)
    rounds, said_after = trace.tables["rounds"], _messages(trace)
    open_: Advice | None = None
    warned: set[int] = set()
    acted: tuple[int, set[int], str] | None = None
    for row, seen, results in zip(thread.rows, thread.seen, thread.results, strict=True):
        if open_ is not None and seen.request != open_.request:
            yield open_
            open_ = None
        pairs = [p for p in zip(seen.calls, results, strict=False) if p[0].effect != "think"]
        keys = {key(call) for call, _ in pairs}
        lines = [(call, line) for call, got in pairs if (line := _warned_by(call, got))]
        if open_ is not None and pairs:
            if warned.isdisjoint(keys):
                yield replace(open_, next_row=row, next_round=seen.round)
                open_ = None
            else:
                more = open_.warnings + bool(lines)
                open_ = replace(open_, ignored=open_.ignored + 1, warnings=more)
        if pairs:
            acted = row, keys, pairs[-1][0].tool
        if open_ is None and lines:
            warned = {key(call) for call, _ in lines}
            call, line = lines[0]
            open_ = Advice(seen.thread, seen.request, row, seen.round, call.tool, _shown(line))
        for number, line in said_after.get((seen.thread, row), ()):
            if open_ is not None and open_.row == row:
                open_ = replace(open_, request=number)  # the message says it once more
            elif acted is not None:
                if open_ is not None:
                    open_ = replace(open_, request=number, warnings=open_.warnings + 1)
                    continue
                at, warned, tool = acted
                open_ = Advice(seen.thread, number, at, rounds["round"][at], tool, _shown(line))
    if open_ is not None:
        yield open_


def _warned_by(call: SeenCall, result: SeenResult) -> str:
    """Return the line of a result in which a guard speaks, or nothing."""
    about = call.effect in ("read", "search") and not is_failure(result)
    if about and len(result.text) > _SHORT:
        return ""
    return warning_in(result.text)


def _shown(line: str) -> str:
    return shorten(redact(line[:BEGINNING]), 120)


def _messages(trace: Trace) -> dict[tuple[str, int], list[tuple[int, str]]]:
    """Return for each row the warnings said after it, with the request in which they stand."""
    events = trace.tables["events"]
    columns = ("kind", "thread", "after_row", "request", "text")
    found: dict[tuple[str, int], list[tuple[int, str]]] = {}
    for kind, thread, row, request, text in zip(*(events[c] for c in columns), strict=True):
        told = (text or "").strip()
        if line := warning_in(told) or (kind == "guard_fired" and (told or kind)):
            found.setdefault((thread, row), []).append((request, line))
    return found
