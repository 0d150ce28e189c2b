"""What the stage gets: one thread's rounds as compact columns, from which it counts anew.

A column is ``{"type": "u1", "data": bytes}``; bytes travel as binary buffers of the comm, and as
base64 text in an exported file (`as_json`). Texts are masked and shortened before they leave.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from agentlens.breaker.families.outcomes import finding_of
from agentlens.breaker.families.recorded import fresh_rows
from agentlens.breaker.machine import stop_path
from agentlens.breaker.rules import RULES, first_stop, threshold_of
from agentlens.figures.call_lanes import forest_of
from agentlens.figures.view import View, view_of
from agentlens.figures.words import WORDS
from agentlens.progress.novelty import round_novelty

if TYPE_CHECKING:
    from agentlens.breaker.replay import Replay

__all__ = ["KINDS", "ROLES", "as_json", "pack", "path_of", "stage_payload"]

KINDS = ("search", "mixed", "business", "message", "preamble", "copied", "retry")
ROLES = ("count", "neutral", "reset")

_LONG = 80  # characters of a query that are shown
_SHORT = 48  # the same, where there are thousands
_MANY = 4000

_WHOLE = (("u1", 0, 2**8), ("i1", -(2**7), 2**7), ("i2", -(2**15), 2**15), ("i4", -(2**31), 2**31))


def pack(values: Iterable[Any], *, real: str = "") -> dict[str, Any]:
    """Return a column: the smallest type that holds whole numbers, or `real` ones (None: NaN)."""
    listed = list(values)
    if real:
        data = np.array([np.nan if v is None else v for v in listed], f"<{real}")
        return {"type": real, "data": data.tobytes()}
    low, high = min(listed, default=0), max(listed, default=0)
    name = next((t for t, least, most in _WHOLE if least <= low and high < most), None)
    if name is None:  # a double holds whole numbers up to 2**53
        return {"type": "f8", "data": np.array(listed, "<f8").tobytes()}
    return {"type": name, "data": np.array(listed, f"<{name}").tobytes()}


def path_of(event: str) -> list[str]:
    """Return the states that an event leads through when nothing is tried anew."""
    return [step.target for step in stop_path(event)]


class _Texts:
    """Masked, shortened texts, each kept once."""

    def __init__(self, view: View, limit: int) -> None:
        self.listed: list[str] = []
        self._known: dict[str, int] = {}
        self._view, self._limit = view, limit

    def add(self, text: str) -> int:
        if text not in self._known:
            self._known[text] = len(self.listed)
            self.listed.append(self._view.masked(text, self._limit))
        return self._known[text]


def stage_payload(replay: Replay, *, thread: str | None = None, lang: str = "en") -> dict[str, Any]:
    """Return what the stage draws and counts from.

    Parameters
    ----------
    replay
        The replay; its policy's similarity and threshold are only the first setting.
    thread
        The thread to show; by default that of the trip, else the one with the most queries.
    lang
        ``en`` or ``zh``, the first choice; words of both go along.

    Returns
    -------
    dict
        Columns per round, call and query in the order of the thread, the forest of its queries,
        what other rules say, and every word that the stage may need.
    """
    view = view_of(replay, thread)
    policy = replay.policy
    texts = _Texts(view, _SHORT if len(view.queries) > _MANY else _LONG)
    tools = list(dict.fromkeys(replay.trace.tables["calls"]["tool"][c] for c in view.calls))
    queries = _queries(view, texts)
    return {
        "lang": lang,
        "thread": view.masked(view.thread, _LONG),
        "measure": policy.measure,
        "strict": policy.strict,
        "enabled": policy.enabled,
        "judged": bool(policy.rules),
        "waits": view.waits,
        "recount": not policy.clear_on_progress,
        "similarity": [policy.similarity.numerator, policy.similarity.denominator],
        "threshold": policy.threshold,
        "succeeded": _succeeded(replay),
        "n": len(view),
        "times": view.times is not None,
        "kinds": list(KINDS),
        "rounds": _rounds(view),
        "queries": queries,
        "calls": _calls(view, tools),
        "tools": [view.masked(tool, 60) for tool in tools],
        "texts": texts.listed,
        "forest": _forest(view),
        "path": path_of(RULES["query"].event),
        "rules": _other_rules(view),
        "words": {name: dict(words) for name, words in WORDS.items()},
    }


def _rounds(view: View) -> dict[str, Any]:
    trace, signals = view.replay.trace, view.replay.signals
    rounds, novelty = trace.tables["rounds"], round_novelty(trace)
    starts, ends = view.times or ((), ())
    place = view.query_index

    def column(values: list[Any]) -> dict[str, Any]:
        return pack(values[row] for row in view.rows)

    columns = {
        "number": column(rounds["round"]),
        "request": column(rounds["request"]),
        "sequence": pack(view.sequence),
        "kind": pack(KINDS.index(signals.kind[row]) for row in view.rows),
        "role": pack(ROLES.index(signals.role[row]) for row in view.rows),
        "num": column(signals.num),
        "den": column(signals.den),
        "query": pack(place.get(signals.query[row], -1) for row in view.rows),
        "urls": column(novelty.urls),
        "lines": column(novelty.lines),
        "acts": pack(int(bool(trace.round_calls[row])) for row in view.rows),
        "seconds": pack((rounds["seconds"][row] for row in view.rows), real="f8"),
        "t0": pack(starts, real="f4"),
        "t1": pack(ends, real="f4"),
    }
    if view.replay.policy.staged:
        fresh = fresh_rows(trace, view.replay.policy.scope)
        columns["fresh"] = pack(int(fresh[row]) for row in view.rows)
    return columns


def _queries(view: View, texts: _Texts) -> dict[str, Any]:
    signals, place = view.replay.signals, view.query_index
    scored = signals.scored
    call_place = {call: i for i, call in enumerate(view.calls)}
    matches = [scored.match[q] for q in view.queries]
    own = [signals.queries[q] for q in view.queries]
    return {
        "round": pack(view.position[query.row] for query in own),
        "call": pack(call_place[query.call] for query in own),
        "text": pack(texts.add(query.text) for query in own),
        "num": pack(scored.num[q] for q in view.queries),
        "den": pack(scored.den[q] for q in view.queries),
        "match": pack(place.get(m, -1) for m in matches),
        "foreign": pack(
            texts.add(signals.queries[m].text) if m >= 0 and m not in place else -1 for m in matches
        ),
    }


def _calls(view: View, tools: list[str]) -> dict[str, Any]:
    calls, number = view.replay.trace.tables["calls"], {tool: i for i, tool in enumerate(tools)}
    return {
        "round": pack(view.position[calls["round_row"][c]] for c in view.calls),
        "tool": pack(number[calls["tool"][c]] for c in view.calls),
        "query": pack(view.query_of_call.get(c, -1) for c in view.calls),
    }


def _forest(view: View) -> dict[str, Any]:
    tree = forest_of(view)
    return {
        "order": pack(tree.order),
        "num": pack(n for n, _ in tree.gaps),
        "den": pack(d for _, d in tree.gaps),
    }


def _other_rules(view: View) -> list[dict[str, Any]]:
    """Return for each sequence the first stop of any rule but the query rule, at its position.

    Where the query rule stops the same round, the one that comes first in the policy is named.
    """
    replay = view.replay
    names = list(replay.outcomes)
    others = {name: outcome for name, outcome in replay.outcomes.items() if name != "query"}
    found = []
    for n, rows in enumerate(replay.signals.sequences):
        stop = first_stop(others, n, replay.policy)
        place = None if stop is None else view.position.get(rows[stop.place])
        if stop is None or place is None:
            continue
        name = stop.rule.name
        finding = finding_of(others[name][n])
        found.append(
            {
                "rule": name,
                "position": place,
                "count": others[name][n].counts[-1],
                "threshold": threshold_of(name, replay.policy),
                "after": stop.phase == "after",
                "yields": stop.phase == "after" or names.index(name) > names.index("query"),
                "path": path_of(stop.rule.event),
                "reason": view.masked(finding.reason, 200) if finding else "",
            }
        )
    return found


def _succeeded(replay: Replay) -> bool | None:
    """Return whether the log says that the run succeeded; None where it does not say."""
    status = replay.trace.meta.outcome.get("status")
    return {"success": True, "failure": False}.get(status) if isinstance(status, str) else None


def as_json(payload: Mapping[str, Any]) -> str:
    """Return a payload as JSON text for a page without a kernel: columns become base64."""

    def plain(value: Any) -> str:
        return base64.b64encode(value).decode("ascii")

    return json.dumps(payload, default=plain, ensure_ascii=False, separators=(",", ":"))
