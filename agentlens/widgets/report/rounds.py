"""A replay's threads and rounds as a report holds them: payloads, table cells, details."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentlens.breaker.states import states
from agentlens.figures.view import View, view_of
from agentlens.figures.words import say
from agentlens.progress.measures import score_text
from agentlens.widgets.escape import clean
from agentlens.widgets.lens.inspector import MOST_RESULT, inspect_round
from agentlens.widgets.lens.payload import stage_payload

if TYPE_CHECKING:
    from agentlens.breaker.replay import Replay

__all__ = ["threads_of"]

_BUDGET = 3_000_000  # characters of results in a report, all together
_LEAST = 160  # characters of each that are always shown
_MOST_THREADS = 1_000  # of each everything is there; the page says how many are not


def threads_of(made: Replay, lang: str) -> list[dict[str, Any]]:
    """Return each thread with its payload and its rounds, the most telling one first.

    A payload is that of `stage_payload`, marked as one that stands without a kernel; the words of
    the stage are in the first alone. Results are shortened, the more the longer the run, together
    to 3 MB; but the beginning of each stays, with what else its round says: about a kilobyte a
    round, so that a report of 50,000 rounds has about 50 MB.
    """
    first = view_of(made)
    counts = made.trace.tables["rounds"]["thread"]
    others = dict.fromkeys(name for name in counts if name != first.thread)
    most = max(_LEAST, min(MOST_RESULT, _BUDGET // max(1, len(made.trace))))
    names = states(made)[0]
    views = [first, *(view_of(made, name) for name in list(others)[: _MOST_THREADS - 1])]
    threads: list[dict[str, Any]] = [
        {
            "name": clean(view.thread),
            "payload": {**stage_payload(made, thread=view.thread, lang=lang), "isolated": True},
            "rounds": [_round(view, row, names[row], lang, most) for row in view.rows],
        }
        for view in views
    ]
    for thread in threads[1:]:
        del thread["payload"]["words"]
    return threads


def _round(view: View, row: int, state: str, lang: str, most: int) -> dict[str, Any]:
    made = view.replay
    signals, trace = made.signals, made.trace
    query = signals.query[row]
    if query >= 0:
        asked = signals.queries[query].text
    else:
        tools = trace.tables["calls"]["tool"]
        asked = say(lang, "comma").join(
            dict.fromkeys(tools[call] or "?" for call in trace.round_calls[row])
        )
    count, measure = made.counts["query"][row], made.policy.measure
    return {
        "cells": [
            str(trace.tables["rounds"]["round"][row]),
            clean(asked)[:200],
            score_text(signals.num[row], signals.den[row], measure) if query >= 0 else "",
            "" if count is None else str(count),
            say(lang, f"state_{state}"),
        ],
        "ghost": made.counterfactual[row],
        "html": inspect_round(made, row, lang, most=most),
    }
