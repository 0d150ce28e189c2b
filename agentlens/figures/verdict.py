"""The verdict on one thread in words: one sentence, why, and the honest other half.

The stage says the same in the browser (`widgets/js/verdict.js`) while a handle moves; a test
holds the two together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agentlens.breaker.query.counting import longest_count, starts_anew
from agentlens.breaker.rules import RULES
from agentlens.breaker.trip import Trip
from agentlens.breaker.words import duration
from agentlens.figures.view import View
from agentlens.figures.words import say
from agentlens.progress.measures import score_text
from agentlens.progress.novelty import round_novelty

__all__ = ["Said", "said_of", "score_said"]

_MOST_TOOLS = 8


@dataclass(frozen=True, slots=True)
class Said:
    """A verdict, its reason and the other half; the latter two may be empty."""

    verdict: str
    reason: str = ""
    other: str = ""

    def __str__(self) -> str:
        return "\n".join(filter(None, (self.verdict, self.reason, self.other)))


def score_said(num: int, den: int, measure: str, lang: str) -> str:
    """Say a score: for containment how many tokens of the smaller query are shared."""
    if measure == "containment":
        return say(lang, "score_tokens", num=num, den=den)
    if measure == "cosine":
        return say(lang, "score_cosine", value=score_text(num, den, measure))
    return say(lang, "score_ratio", measure=say(lang, f"measure_{measure}"), num=num, den=den)


def said_of(view: View, lang: str = "en") -> Said:
    """Return the verdict on the thread that a view shows."""
    replay, rounds = view.replay, view.replay.trace.tables["rounds"]
    if not view.rows:
        return Said(say(lang, "empty"), say(lang, "empty_hint"))
    acting = [row for row in view.rows if replay.trace.round_calls[row]]
    total = max(
        rounds["round"][row] for row in acting or view.rows
    )  # a last answer is no round more
    if not replay.policy.enabled:
        return Said(say(lang, "disabled"))
    trips = [trip for trip in replay.trips if trip.row in view.position]
    if trips:
        return _tripped(view, trips, total, lang)
    if all(replay.signals.query[row] < 0 for row in view.rows):
        said = _unasked(view, total, lang)
        if not (replay.policy.rules and said.reason):
            return said
        # Further rules did look: the answer comes first, then what the query rule could not see.
        return Said(_untripped(view, total, lang), said.verdict, said.reason)
    return Said(_untripped(view, total, lang), _nearest(view, lang))


def _untripped(view: View, total: int, lang: str) -> str:
    key = "verdict_waiting" if view.waits else "verdict_none"
    return say(lang, key, total=total)


def _unasked(view: View, total: int, lang: str) -> Said:
    names = view.replay.trace.tables["calls"]["tool"]
    tools = list(dict.fromkeys(names[call] for call in view.calls))
    if not tools:
        return Said(say(lang, "no_calls", total=total))
    listed = say(lang, "comma").join(view.masked(tool, 60) for tool in tools[:_MOST_TOOLS])
    more = "…" if len(tools) > _MOST_TOOLS else ""
    return Said(
        say(lang, "no_search", calls=len(view.calls), total=total),
        say(lang, "no_search_tools", tools=listed + more),
    )


def _tripped(view: View, trips: list[Trip], total: int, lang: str) -> Said:
    comma = say(lang, "comma")
    trip = min(trips, key=lambda t: view.position[t.row])
    parts = [say(lang, "rounds", n=trip.saved_rounds)]
    if trip.saved_seconds is not None:
        parts.append(duration(trip.saved_seconds))
    requests = {view.replay.trace.tables["rounds"]["request"][row] for row in view.rows}
    key = "verdict_trip_request" if len(requests) > 1 else "verdict_trip"
    key += "_after" if trip.phase == "after" else ""
    verdict = say(
        lang, key, round=trip.round, total=total, request=trip.request, saved=comma.join(parts)
    )
    return Said(verdict, _reason(view, trip, lang), _other(view, trip, len(trips), lang))


def _reason(view: View, trip: Trip, lang: str) -> str:
    signals, replay = view.replay.signals, view.replay
    values: dict[str, Any] = {"count": trip.count, "threshold": trip.threshold}
    if trip.rule not in RULES:
        said = replay.said_at(trip)
        return say(lang, "reason_rule", rule=trip.rule, reason=view.masked(said, 200))
    if trip.rule != "query":
        return say(lang, f"reason_{trip.rule}", **values)
    query = signals.query[trip.row]
    match = signals.queries[signals.scored.match[query]]
    foreign = match.row not in view.position
    return say(
        lang,
        "reason_trip_foreign" if foreign else "reason_trip",
        query=view.masked(signals.queries[query].text),
        match=view.masked(match.text),
        round=replay.trace.tables["rounds"]["round"][match.row],
        score=score_said(signals.num[trip.row], signals.den[trip.row], replay.policy.measure, lang),
        **values,
    )


def _other(view: View, trip: Trip, trips: int, lang: str) -> str:
    trace, novelty = view.replay.trace, round_novelty(view.replay.trace)
    own = view.sequence[view.position[trip.row]]
    later = [
        row
        for place, row in enumerate(view.rows)
        if row >= trip.row + (trip.phase == "after")
        and view.sequence[place] == own
        and trace.round_calls[row]
    ]
    urls, lines = sum(novelty.urls[r] for r in later), sum(novelty.lines[r] for r in later)
    news = [
        say(lang, "new_urls", n=urls) if urls else "",
        say(lang, "new_lines", n=lines) if lines else "",
    ]
    joined = say(lang, "comma").join(filter(None, news))
    other = say(lang, "later_news", news=joined) if joined else say(lang, "later_nothing")
    if trace.meta.outcome.get("status") == "success":
        other += say(lang, "false_stop" if joined else "succeeded_anyway")
    if trips > 1:
        other += " " + say(lang, "more_requests", n=trips - 1)
    return other


def _nearest(view: View, lang: str) -> str:
    replay, threshold = view.replay, view.replay.policy.threshold
    longest = _longest(view)
    if longest < threshold:
        return say(lang, "too_long", threshold=threshold, longest=longest)
    counts = replay.counts["query"]
    best = max(view.rows, key=lambda row: counts[row] or 0)  # the first of equals
    if not counts[best]:
        return say(lang, "nothing_similar")
    number = replay.trace.tables["rounds"]["round"][best]
    return say(lang, "nearest", count=counts[best], threshold=threshold, round=number)


def _longest(view: View) -> int:
    """Return the highest count that any similarity can reach."""
    made = view.replay
    sequences: dict[int, list[int]] = {}
    for row, own in zip(view.rows, view.sequence, strict=True):
        sequences.setdefault(own, []).append(row)
    return longest_count(made.signals, sequences.values(), starts_anew(made.trace, made.policy))
