"""Which rule would have spoken where: a row a rule, a row a preset, a row for the step count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from agentlens.breaker.near.advice import Advice, advice_of
from agentlens.breaker.policy import Policy
from agentlens.breaker.replay import Replay, replay
from agentlens.breaker.rules import threshold_of
from agentlens.figures.rule_lanes.marks import row_of
from agentlens.figures.rule_lanes.row import LaneRow
from agentlens.thresholds.baseline import StepLimit, calibrated_steps

if TYPE_CHECKING:
    from agentlens.figures.view import View
    from agentlens.trace.model import Trace

__all__ = ["LaneRows", "lane_rows"]

#: Rounds, and characters of results, in which near misses are looked for by themselves.
_MOST_ROUNDS, _MOST_TEXT = 1_000, 3_000_000


@dataclass(frozen=True, slots=True)
class LaneRows:
    """The rows, the first to fire on top, and the warnings that the log itself shows."""

    view: View
    rows: tuple[LaneRow, ...]
    advice: tuple[Advice, ...]


def lane_rows(
    view: View, presets: Iterable[str] | None = None, *, steps: Any = None,
    near: bool | None = None, lang: str = "en",
) -> LaneRows:  # fmt: skip
    """Return a row for each rule of the policy, for each preset, and for the step count.

    Parameters
    ----------
    view
        The thread to show, and the replay.
    presets
        Names of presets; all where none are given.
    steps
        A limit of rounds, a `StepLimit`, or a corpus whose good runs calibrate one; without it
        the row says how many good runs it takes.
    near
        Look for near misses; by default where it takes no more than a moment.
    lang
        Of the reasons.

    Raises
    ------
    PolicyError
        If there is no such preset.
    """
    made, policy = view.replay, view.replay.policy
    near = _is_quick(view) if near is None else near
    rows = [
        row_of(view, made, name, "rule", [name], near=near, lang=lang) for name in _counting(made)
    ]
    if len(rows) > 1:
        rows.append(row_of(view, made, policy.name, "policy", None, near=near, lang=lang))
    for name in Policy.presets() if presets is None else presets:
        preset = Policy.preset(name)
        if presets is None and preset == policy:
            continue
        rows.append(_peer_row(view, preset, near, lang))
    rows.append(_steps_row(view, steps, lang))
    last = len(view)
    order = {"policy": 0, "rule": 1, "peer": 2, "steps": 3}

    def key(row: LaneRow) -> tuple[Any, ...]:
        fired = last if row.fired is None else row.fired
        stop = last if row.stop is None else row.stop.place + (row.stop.phase == "after") / 2
        return fired, stop, order[row.kind], row.name

    advice = tuple(a for a in advice_of(made.trace) if a.row in view.position)
    return LaneRows(view, tuple(sorted(rows, key=key)), advice)


def _is_quick(view: View) -> bool:
    """Say whether near misses can be looked for at once: few rounds in all, moderate results."""
    tables = view.replay.trace.tables  # of all threads: each of them is looked through
    said = tables["calls"]["result"]
    return (
        len(tables["rounds"]["round"]) <= _MOST_ROUNDS
        and sum(len(text or "") for text in said) <= _MOST_TEXT
    )


def _peer_row(view: View, preset: Policy, near: bool, lang: str) -> LaneRow:
    """Return the row of a preset; kept on the trace, since no policy of ours changes it."""
    trace, name = view.replay.trace, preset.name
    key = ("lane", name, view.thread, near, lang)
    if key not in trace.cache:
        about = Policy.about(name)
        row = row_of(view, replay(trace, preset), name, "peer", None, near=near, lang=lang)
        trace.cache[key] = replace(
            row, upper=_upper(trace, preset, about["cannot"]), cannot=about["cannot"],
            shipped=about["shipped"], version=about["version"],
        )  # fmt: skip
    found: LaneRow = trace.cache[key]
    return found


def _counting(made: Replay) -> list[str]:
    """Return the rules that a policy has on: the query rule, its budgets, its own."""
    policy = made.policy
    own = {spec.name for spec in policy.rules}
    return [
        name
        for name in made.outcomes
        if name in own
        or (name == "query" and policy.query)
        or (name != "query" and threshold_of(name, policy) is not None)
    ]


def _upper(trace: Trace, preset: Policy, cannot: str) -> bool:
    """Say whether a preset asks for thoughts that the log does not hold, or for a model's word."""
    if "judgement" in cannot:
        return True
    if not any("thought" in spec.key for spec in preset.rules):
        return False
    rounds = trace.tables["rounds"]
    return not any(
        calls and (rounds["reasoning"][row] or rounds["text"][row])
        for row, calls in enumerate(trace.round_calls)
    )


@cache
def _limit_policy(limit: int) -> Policy:
    return Policy.preset("classic", query=False, max_rounds=limit)


def _steps_row(view: View, steps: Any, lang: str) -> LaneRow:
    """Return the row of the step count: calibrated, given, or saying what it needs."""
    if steps is None:
        found = calibrated_steps(())
    elif isinstance(steps, StepLimit):
        found = steps
    elif isinstance(steps, int):
        found = StepLimit(steps, 0, 0, 0.0)
    else:
        found = calibrated_steps(steps)
    if found.limit is None:
        return LaneRow("steps", "steps", (), steps=found)
    made = replay(view.replay.trace, _limit_policy(max(1, found.limit)))
    return replace(
        row_of(view, made, "steps", "steps", ["budget"], near=False, lang=lang), steps=found
    )
