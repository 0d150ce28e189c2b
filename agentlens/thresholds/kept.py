"""What had been found when a run was stopped, and how much of it its answer used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentlens.progress.urls import canonical, find_urls

if TYPE_CHECKING:
    from agentlens.trace.model import Trace

__all__ = ["answer_of", "kept_facts"]


def answer_of(trace: Trace) -> str:
    """Return what the run said last in its main thread; empty where it never said anything.

    The answer given to a tool that finishes the run counts as said.
    """
    rounds, calls = trace.tables["rounds"], trace.tables["calls"]
    main = rounds["thread"][0] if rounds["thread"] else None
    for row in range(len(rounds["round"]) - 1, -1, -1):
        if rounds["thread"][row] != main:
            continue
        said = [rounds["text"][row] or ""]
        said += [
            str(value)
            for call in trace.round_calls[row]
            if calls["effect"][call] == "finish"
            for value in (calls["args"][call] or {}).values()
        ]
        if any(text.strip() for text in said):
            return "\n".join(said)
    return ""


def kept_facts(trace: Trace, executed: list[bool]) -> tuple[int, int]:
    """Return how many facts were there at the stop, and how many of them are in the answer.

    Parameters
    ----------
    trace
        The trace.
    executed
        For each row of its rounds table whether it would have happened.

    Returns
    -------
    tuple
        Facts are the URLs (canonical) in results, and the targets of writes that went well. (0, 0)
        where the run has no answer to look in. Facts without a URL or a name cannot be seen.
    """
    answer = answer_of(trace)
    if not answer:
        return 0, 0
    calls = trace.tables["calls"]
    urls: set[str] = set()
    targets: set[str] = set()
    for row, happened in enumerate(executed):
        for call in trace.round_calls[row] if happened else ():
            urls |= {canonical(url) for url in find_urls(calls["result"][call])}
            if calls["effect"][call] == "write" and calls["status"][call] == "ok":
                target = calls["target"][call]
                targets |= {target} if target else set()
    used = {canonical(url) for url in find_urls(answer)}
    return len(urls) + len(targets), len(urls & used) + sum(t in answer for t in targets)
