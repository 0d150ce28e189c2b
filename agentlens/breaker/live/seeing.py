"""What rules see, made from live calls and from a trace's columns: the same values both ways.

A live call is a mapping with ``tool`` and ``args``. Whatever else it holds, nothing here raises:
arguments that cannot be read are text without a query, as `agentlens.load` has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from agentlens.breaker.live.plain_values import plain_args, plain_count, plain_number, plain_text
from agentlens.breaker.query.signals import kind_of
from agentlens.breaker.seen import SeenCall, SeenResult, SeenRound
from agentlens.trace.arguments import parse_arguments
from agentlens.trace.content import as_text
from agentlens.trace.names import unwrap_call
from agentlens.trace.status import judge

if TYPE_CHECKING:
    from agentlens.trace.model import Trace
    from agentlens.trace.tools import ToolTable

__all__ = ["STATUSES", "UNNAMED", "live_call", "live_result", "results_of", "seen_round"]

#: The name of a call that has none.
UNNAMED = "(unnamed)"

STATUSES = frozenset("ok error denied timeout interrupted missing".split())


def live_call(
    item: Any, number: int, call_id: str, table: ToolTable
) -> tuple[SeenCall, dict[str, Any]]:
    """Return what rules see of a live call, and its row of the plain format.

    Parameters
    ----------
    item
        ``{"tool": ..., "args": ...}``; ``args`` is a mapping, JSON text, or anything.
    number, call_id
        Its number in the run, from 1, and its id.
    table
        What tools do.
    """
    about = item if isinstance(item, Mapping) else {}
    name = about.get("tool")
    raw_name = plain_text(name) if name else ""
    raw_name = raw_name or UNNAMED
    given = plain_args(about.get("args"))
    args, raw, _ = parse_arguments(given)
    tool, _, inside = unwrap_call(raw_name, args)
    if inside is not args:
        args, raw, _ = parse_arguments(inside)
    effect, queries, target = table.describe((tool, raw_name), args, raw)
    row: dict[str, Any] = {"tool": raw_name, "call_id": call_id}
    if given is not None:
        row["args"] = given
    return SeenCall(number, tool, effect, args, raw or "", queries, target or "", call_id), row


def live_result(
    item: Any, started: float | None, ended: float | None
) -> tuple[SeenResult, dict[str, Any]]:
    """Return what rules see of a live result, and its cells in the plain format.

    Parameters
    ----------
    item
        ``{"result": ..., "error": bool}``, where ``error`` may be left out, and ``exit_code``,
        ``seconds``, ``tokens``, ``cost`` and ``status`` may be given; None for a call that was
        not run. Anything else is the result itself.
    started, ended
        When its round was let through, and when its results came.
    """
    about = item if isinstance(item, Mapping) else {"result": item}
    error, status = about.get("error"), about.get("status")
    error = None if error is None else bool(error)
    status = status if isinstance(status, str) and status in STATUSES else None
    if (about.get("result") is None and error is None and status is None) or status == "missing":
        return SeenResult("missing", "", started=started), {}
    text = _result_text(about.get("result"))
    given = plain_count(about.get("exit_code"))
    judged, kind, code, _ = judge(text, error=error, exit_code=given)
    seconds = plain_number(about.get("seconds"))
    if seconds is None and started is not None and ended is not None and ended >= started:
        seconds = ended - started
    tokens = plain_count(plain_number(about.get("tokens")))
    cost = plain_number(about.get("cost"))
    cells = {
        "result": text, "error": error, "exit_code": given, "status": status,
        "seconds": seconds, "tokens": tokens, "cost": cost,
    }  # fmt: skip
    seen = SeenResult(status or judged, text, kind or "", code, started, seconds, tokens, cost)
    return seen, {key: value for key, value in cells.items() if value is not None}


def _result_text(value: Any) -> str:
    try:
        return plain_text(as_text(value))
    except Exception:  # a host's own __str__ or __repr__
        return plain_text(value)


def seen_round(trace: Trace, row: int) -> SeenRound:
    """Return what rules see of a row of a trace's rounds table before it runs."""
    rounds, calls = trace.tables["rounds"], trace.tables["calls"]
    members = trace.round_calls[row]
    searches = sum(calls["effect"][call] == "search" for call in members)
    return SeenRound(
        thread=rounds["thread"][row],
        request=rounds["request"][row],
        round=rounds["round"][row],
        kind=kind_of(rounds["round"][row], rounds["copied"][row], len(members), searches),
        calls=tuple(_seen_call(trace, call) for call in members),
        text=rounds["text"][row] or "",
        reasoning=rounds["reasoning"][row] or "",
        started=rounds["started"][row],
        events=_events(trace).get(row, ()),
        tokens=rounds["tokens"][row],
        cost=rounds["cost"][row],
    )


def results_of(trace: Trace, row: int) -> tuple[SeenResult, ...]:
    """Return what rules see of the results of a row of a trace's rounds table."""
    calls = trace.tables["calls"]
    return tuple(
        SeenResult(
            calls["status"][call],
            calls["result"][call],
            calls["error_type"][call] or "",
            calls["exit_code"][call],
            calls["started"][call],
            calls["seconds"][call],
            calls["tokens"][call],
            calls["cost"][call],
        )
        for call in trace.round_calls[row]
    )


def _seen_call(trace: Trace, call: int) -> SeenCall:
    calls = trace.tables["calls"]
    return SeenCall(
        number=calls["call"][call],
        tool=calls["tool"][call],
        effect=calls["effect"][call],
        args=calls["args"][call],
        args_raw=calls["args_raw"][call] or "",
        queries=tuple(calls["queries"][call] or ()),
        target=calls["target"][call] or "",
        call_id=calls["call_id"][call],
    )


def _events(trace: Trace) -> dict[int, tuple[str, ...]]:
    """Return for each row the kinds of the events of its thread since the round before it."""
    key = "seen_events"
    if key not in trace.cache:
        events, following = trace.tables["events"], _following(trace)
        found: dict[int, tuple[str, ...]] = {}
        columns = (events["kind"], events["thread"], events["after_row"])
        for kind, thread, after in zip(*columns, strict=True):
            row = following.get((thread, after))
            if row is not None:
                found[row] = (*found.get(row, ()), kind)
        trace.cache[key] = found
    events_of: dict[int, tuple[str, ...]] = trace.cache[key]
    return events_of


def _following(trace: Trace) -> dict[tuple[str, int], int]:
    """Return the row of the round that follows each row in its thread; -1 stands for the start."""
    following: dict[tuple[str, int], int] = {}
    last: dict[str, int] = {}
    for row, thread in enumerate(trace.tables["rounds"]["thread"]):
        following[thread, last.get(thread, -1)] = row
        last[thread] = row
    return following
