"""The call graph as a `networkx.DiGraph` that a user can take away."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from agentlens.breaker.states import states
from agentlens.figures.call_lanes import LETTERS, lanes_of
from agentlens.figures.view import View, view_of

if TYPE_CHECKING:
    import networkx as nx

    from agentlens.breaker.replay import Replay

__all__ = ["graph"]


def graph(replay: Replay, *, thread: str | None = None) -> nx.DiGraph:
    """Return the calls of a replay as a directed graph.

    A node is a call, by its number in the trace. Its attributes: thread, request, round, order,
    tool, effect, query (full text, not masked), cluster (letter, or number from 26 on; None:
    none), score_num, score_den, state, counterfactual. An edge has a ``kind``: ``sequence`` (to
    the calls of the next round of the thread) or ``match`` (from a call to that of its best
    earlier query, with score_num and score_den). Sequence leads forward and match back, so one
    never hides the other.

    Parameters
    ----------
    replay
        From `agentlens.replay`.
    thread
        One thread; by default all of them.
    """
    import networkx as nx

    trace = replay.trace
    names = [thread] if thread is not None else trace.tables["threads"]["thread"]
    made = nx.DiGraph(name=trace.name)
    for name in names:
        _add(made, view_of(replay, name))
    return made


def _add(made: nx.DiGraph, view: View) -> None:
    replay = view.replay
    calls, signals = replay.trace.tables["calls"], replay.signals
    lanes, (state, _) = lanes_of(view), states(replay)
    for index, call in enumerate(view.calls):
        place = view.query_of_call.get(call)
        query = None if place is None else view.queries[place]
        group, row = lanes.group[index], calls["round_row"][call]
        made.add_node(
            calls["call"][call],
            thread=view.thread,
            request=calls["request"][call],
            round=calls["round"][call],
            order=calls["order"][call],
            tool=calls["tool"][call],
            effect=calls["effect"][call],
            query=None if query is None else signals.queries[query].text,
            cluster=None if group < 0 else LETTERS[group] if group < len(LETTERS) else group,
            score_num=None if query is None else signals.scored.num[query],
            score_den=None if query is None else signals.scored.den[query],
            state=state[row],
            counterfactual=replay.counterfactual[row],
        )
    acting = [row for row in view.rows if replay.trace.round_calls[row]]
    for earlier, later in pairwise(acting):
        for a in replay.trace.round_calls[earlier]:
            for b in replay.trace.round_calls[later]:
                made.add_edge(calls["call"][a], calls["call"][b], kind="sequence")
    for query in view.queries:
        match = signals.scored.match[query]
        if match < 0:
            continue
        a, b = signals.queries[query].call, signals.queries[match].call
        if a != b:
            num, den = signals.scored.num[query], signals.scored.den[query]
            made.add_edge(
                calls["call"][a], calls["call"][b], kind="match", score_num=num, score_den=den
            )
