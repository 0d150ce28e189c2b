"""What broke a streak, and at which round: the parts of a rule's key, compared pair by pair."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from agentlens.breaker.near.loose import loosened
from agentlens.breaker.near.units import Unit, between, cycle_pairs, members

if TYPE_CHECKING:
    from agentlens.breaker.families.recorded import SeenThread
    from agentlens.breaker.families.spec import RuleSpec
    from agentlens.breaker.seen import Finding

__all__ = ["BREAKS", "broken"]

#: What can break a streak: another order of the arguments' keys; an argument, or a part of the
#: result, that is made anew each time; what the model thought; a call that only thinks; the border
#: of a message; more than the rule's window between; too few rounds for it to look; the result.
BREAKS = (
    "key_order", "volatile_argument", "thought", "volatile_result", "think", "message", "window",
    "early", "result",
)  # fmt: skip


def broken(
    spec: RuleSpec,
    thread: SeenThread,
    units: Sequence[Unit],
    place: int,
    finding: Finding,
    way: str,
) -> tuple[tuple[str, ...], int]:
    """Return what broke a streak, and the place of the round at which it first broke."""
    if spec.family == "cycle":
        pairs = cycle_pairs(units, place, finding.count, spec.periods, partial=spec.partial)
        own = [unit for pair in pairs[:1] for unit in pair[:1]] + [unit for _, unit in pairs]
    else:
        own = members(units, place, finding.count)
        pairs = list(pairwise(own))
    breaks: dict[str, int] = {}
    for one, other in pairs:
        for kind in between(one, other):
            breaks.setdefault(kind, other.place)
        if spec.scope == "message" and one.place != other.place:
            breaks.setdefault("message", other.place)
    for one, other in pairwise(own):
        if (at := _thinks(spec, thread, one, other)) is not None:
            breaks.setdefault("think", at)
    if way == "window":
        breaks.update(_apart(spec, units, own, place))
    if way != "result":
        breaks.pop("result", None)
    kinds = tuple(kind for kind in BREAKS if kind in breaks)
    return kinds, min(breaks.values(), default=place)


def _thinks(spec: RuleSpec, thread: SeenThread, one: Unit, other: Unit) -> int | None:
    """Return the place of a call between two that only thinks, where it ends a count."""
    made = loosened(spec, "form")
    if made is None or made.exempt == spec.exempt:
        return None
    for place in range(one.place, other.place + 1):
        for call in thread.seen[place].calls:
            if one.number < call.number < other.number and call.effect == "think":
                return place
    return None


def _apart(
    spec: RuleSpec, units: Sequence[Unit], own: Sequence[Unit], place: int
) -> dict[str, int]:
    """Return where the members of a count lay further apart than the rule looks back."""
    if not own:
        return {}
    at = {unit.number: position for position, unit in enumerate(units)}
    start = at[own[0].number]
    for nth, unit in enumerate(own):
        window = spec.window is not None and at[unit.number] - start >= spec.window
        if window or (spec.events is not None and 2 * (nth + 1) > spec.events):
            return {"window": unit.place}
    return {"early": place} if at[own[-1].number] + 1 < spec.min_len else {}
