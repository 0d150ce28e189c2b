"""From a replay to a row: marks in order, what is a fact, what would not have happened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from agentlens.breaker.families.outcomes import phase_of
from agentlens.breaker.near.misses import near_misses
from agentlens.breaker.trip import Saved, saved_by
from agentlens.breaker.trips import reason_of
from agentlens.breaker.words import finding_words
from agentlens.figures.rule_lanes.row import LaneRow, Mark

if TYPE_CHECKING:
    from agentlens.breaker.replay import Replay
    from agentlens.figures.view import View

__all__ = ["row_of"]


def row_of(
    view: View, made: Replay, name: str, kind: str, rules: Sequence[str] | None, *, near: bool,
    lang: str,
) -> LaneRow:  # fmt: skip
    """Return the row of some rules of a replay, or of all of them.

    Parameters
    ----------
    view
        The thread to show.
    made
        The replay of the policy or preset over its trace.
    name, kind
        See `LaneRow`.
    rules
        Names of rules, each as if it were alone; None for the policy as a whole.
    near, lang
        See `lane_rows`.
    """
    wanted = set(made.outcomes if rules is None else rules)
    rounds = made.trace.tables["rounds"]["round"]
    marks: list[tuple[int, Mark]] = []
    sequence = {row: n for n, rows in enumerate(made.signals.sequences) for row in rows}
    for said in made.spoken:
        place = view.position.get(said.row)
        if place is None or said.finding.rule not in wanted or said.row not in sequence:
            continue
        reason = finding_words(rounds[said.row], said.finding.reason, lang)
        mark = Mark(place, said.finding.level, said.phase, reason)
        marks.append((sequence[said.row], mark))
    families = {spec.name for spec in made.policy.rules}
    spans, lost = [], list[Saved]()
    for n, rows in enumerate(made.signals.sequences):
        first: tuple[int, int] | None = None
        for rule in wanted:
            counted = made.outcomes[rule][n]
            if counted.trip is None or rows[counted.trip] not in view.position:
                continue
            phase = phase_of(counted)
            cut = counted.trip + (phase == "after")
            first = min(first or (cut, counted.trip), (cut, counted.trip))
            if rule not in families:
                saved = saved_by(made.trace, rows[cut:])
                here = rows[counted.trip :]
                reason = reason_of(made, here, rule, counted.counts[-1], saved.seconds, lang)
                marks.append((n, Mark(view.position[here[0]], "stop", phase, reason)))
        if first is not None:
            lost.append(saved_by(made.trace, rows[first[0] :]))
            if rows[first[0] :]:
                spans.append((view.position[rows[first[0]]], view.position[rows[-1]]))
    misses = near_misses(made.trace, made.policy) if near else ()
    return LaneRow(
        name, kind, _in_order(marks), tuple(spans), _sum(lost) if lost else None,
        near=tuple(
            m for m in misses
            if m.rule in wanted and m.would_row in view.position
            and (rules is not None or not made.counterfactual[m.would_row])
        ),
    )  # fmt: skip


def _in_order(marks: list[tuple[int, Mark]]) -> tuple[Mark, ...]:
    """Return marks by their rounds; the first of each request that asks for something is a fact."""
    seen: set[int] = set()
    found = []
    for n, mark in sorted(marks, key=lambda m: (m[1].place, m[1].phase == "after")):
        fact = mark.level != "wait" and n not in seen
        if fact:
            seen.add(n)
        found.append(replace(mark, fact=fact))
    return tuple(found)


def _sum(parts: Sequence[Saved]) -> Saved:
    def total(values: Iterable[float | None]) -> float | None:
        known = [v for v in values if v is not None]
        return sum(known) if known else None

    tokens = total(p.tokens for p in parts)
    return Saved(
        sum(p.rounds for p in parts), sum(p.calls for p in parts), total(p.seconds for p in parts),
        None if tokens is None else int(tokens), total(p.cost for p in parts),
    )  # fmt: skip
