"""Evidence that a call waits for something: what runs, a throttle, a person.

A tool's name alone proves nothing: `process list` that finds no process is no wait, and a shell
that tails a log is one. What counts is what a call asks (does it only look?) and what it is told:
words for an unfinished state, a share of a whole that rises, output that grows, a pause.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentlens.breaker.families.looks import command_of, is_look, is_pause

if TYPE_CHECKING:
    from agentlens.breaker.seen import SeenCall, SeenResult

__all__ = ["grows", "wait_kind"]

#: Words are looked for in small letters: a search that folds cases itself takes twice as long.
_RUNNING = re.compile(
    r"\b(?:still (?:running|in progress|working|processing|building|pending|waiting|going)"
    r"|in[ _-]progress|running|pending|queued|processing|waiting|compiling|provisioning"
    r"|initiali[sz]ing|scheduled|deploying|training|creating|starting"
    r"|not (?:yet )?(?:ready|finished|completed?|done|available)|has(?:n't| not) finished"
    r"|no (?:new )?output yet|unfinished|incomplete"
    r"|building|downloading|uploading|container ?creating|active \(running\))\b"
    r"|运行中|进行中|处理中|排队|等待中|正在|尚未(?:完成|就绪|结束)|未完成|仍在"
)
#: Parts of all words that say so, above and below: most answers have none, and are passed over.
_MAY = re.compile(
    r"ing\b|ed\b|not|pend|incomp|unfin|progress|active|out ?put|429|many|rate|throttl|retry"
    r"|overload|slow|again|unavail|repl|answer|approv|wait|need|requir|step|epoch|%|complete|batch"
    r"|chunk|part|[\u4e00-\u9fff]"
)
#: What stands before such a word and takes it back.
_NOT = re.compile(
    r"\b(?:no|not|nothing|none|0|isn't|never|finished|stopped|without)\s+(?:[\w-]+\s+){0,2}\Z"
    r"|(?:没有|无)[^，。]{0,6}\Z"
)
_THROTTLE = re.compile(
    r"\b429\b|too many requests|rate[ _-]?limit|throttl|retry[- ]after|overloaded|slow down"
    r"|try again (?:later|in \d)|temporarily unavailable"
    r"|请求过于频繁|频率(?:过高|限制)|限流|稍后(?:再试|重试)"
)
_HUMAN = re.compile(
    r"\b(?:waiting (?:for|on)|awaiting|pending|needs|requires?)\s+(?:\w+\s+){0,3}"
    r"(?:user|human|approval|confirmation|reply|response|answer|review(?:er)?|operator|sign-?off)\b"
    r"|\bno (?:reply|response|answer|message|decision)s?\b"
    r"|\b(?:has|have)(?: not|n't) (?:yet )?(?:replied|answered|responded|approved)"
    r"|等待(?:用户|人工|审批|审核|确认|批准|回复|答复)|(?:尚未|还没|未)(?:回复|答复|批准|审批|确认)"
)
_SHARE = re.compile(r"(\d+(?:\.\d+)?)\s?(?:(%)|(?:/|of|out of)\s?(\d+(?:\.\d+)?))", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LOG_FILE = re.compile(
    r"(?:log|out|output|progress|status|stdout|stderr|events|history)\b[^/]*\Z", re.I
)
#: Something with a name of its own that was started.
_HANDLE = re.compile(
    r"\b(?:p?pid|session|job|task|run|process|container|execution|build)(?:[ _-]?id)?[\"']?"
    r"[\s:=#]{1,3}[\"']?([\w-]*\d[\w-]*)", re.I)  # fmt: skip
#: Words for a state are believed in short answers only: a page may hold any word.
_SHORT = 400


def wait_kind(
    call: SeenCall, result: SeenResult, before: str | None, interval: float | None
) -> str:
    """Return what a call waits for: ``running``, ``throttled``, ``person``, ``pause`` or nothing.

    Parameters
    ----------
    call, result
        The call, and what it brought.
    before
        What the same call brought the last time, None for its first time.
    interval
        Seconds since then, where known.
    """
    text = result.text.strip()
    short = len(text) <= _SHORT
    low = text.lower() if short else ""
    may = short and _MAY.search(low) is not None
    if before is None and not may and call.effect not in ("ask", "poll"):
        return "pause" if "sleep" in (command_of(call) or "") and is_pause(call) else ""
    if may and _THROTTLE.search(low) and result.status != "denied":
        return "throttled"
    look = is_look(call)
    if may and (look or call.effect == "ask") and _HUMAN.search(low):
        return "person"
    if call.effect == "ask" and (not text or result.status in ("timeout", "interrupted")):
        return "person"
    if result.status in ("error", "denied"):
        return ""
    if _names_another(before, text):
        return ""  # it did not look at what ran, it began anew
    if (
        before is not None
        and before != text
        and grows(before, text, look=look, command=command_of(call) is not None)
    ):
        return "running"
    if not look:
        return ""
    if may and _is_unfinished(call, low):
        return "running"
    if is_pause(call):
        return "pause"
    if call.effect == "poll" and before is not None and interval is not None and interval >= 20:
        return "running" if not re.search(r"\bno \w+", text, re.I) else ""
    return ""


def _is_unfinished(call: SeenCall, text: str) -> bool:
    """Say whether an answer has a word for an unfinished state; a file's content may be any."""
    if call.effect == "read" and call.target and "/" in call.target + "/":
        path = call.target
        is_file = "." in path.rsplit("/", 1)[-1] or "/" in path
        if is_file and not path.startswith("http") and not _LOG_FILE.search(path):
            return False
    for match in _RUNNING.finditer(text):
        if not _NOT.search(text[max(0, match.start() - 30) : match.start()]):
            return True
    return any(_shares(text))


def _shares(text: str) -> list[bool]:
    """Return for each share of a whole whether it is short of it; only of short answers."""
    if len(text) > 80 or not re.search(r"step|epoch|progress|%|complete|batch|chunk|part", text):
        return []
    return [float(m[1]) < float(m[3] or 100) for m in _SHARE.finditer(text)]


def grows(before: str, text: str, *, look: bool, command: bool) -> bool:
    """Say whether an answer is the one before, further on.

    It is where a share of a whole rose, where the earlier text is the beginning of this one, or,
    for a command that looks, where the same words hold numbers that only rose, and not each by
    one, as a count of the calls would.
    """
    if before == text or not before:
        return False
    shared_start = text.startswith(before) and len(before) >= 4
    if look and (shared_start or (command and _moved_on(before, text))):
        return True
    if _NUMBER.sub("#", before[-4000:]) == _NUMBER.sub("#", text[-4000:]):
        pairs = [
            (float(a), float(b))
            for a, b in zip(
                _NUMBER.findall(before[-4000:]), _NUMBER.findall(text[-4000:]), strict=False
            )
        ]
        moved = [(a, b) for a, b in pairs if a != b]
        if not moved:
            return False
        wholes = {m[1] for m in _SHARE.finditer(before)}
        risen = [
            m for m, n in zip(_SHARE.finditer(before), _SHARE.finditer(text), strict=False)
            if m[3] == n[3] and float(n[1]) > float(m[1])
        ]  # fmt: skip
        if wholes and risen:
            return True
        steps = {b - a for a, b in moved}
        return look and command and all(b > a for a, b in moved) and steps != {1.0}
    return False


def _moved_on(before: str, text: str) -> bool:
    """Say whether the last lines of one answer are followed by others in the next."""
    old, new = before.splitlines()[-200:], text.splitlines()[-200:]
    if len(old) < 2 or old[-1] not in new[:-1]:
        return False
    at = new.index(old[-1]) + 1
    return 2 <= at < len(new) and new[:at] == old[-at:]


def _names_another(before: str | None, text: str) -> bool:
    """Say whether both answers name something started, and not the same one."""
    if before is None or before == text:
        return False
    first, then = _HANDLE.findall(before[:_SHORT]), _HANDLE.findall(text[:_SHORT])
    return bool(first and then) and not set(first) & set(then)
