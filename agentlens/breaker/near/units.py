"""What a rule counted, unit by unit: the members of a streak, and what differs between two."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agentlens.breaker.families.facts import Facts, is_failure, thought_of
from agentlens.breaker.near.loose import LooseFacts, how_of

if TYPE_CHECKING:
    from agentlens.breaker.families.recorded import SeenThread
    from agentlens.breaker.families.spec import RuleSpec
    from agentlens.breaker.seen import SeenCall, SeenResult

__all__ = ["Unit", "between", "cycle_pairs", "members", "units_of"]

_READS = frozenset(("read", "search", "poll"))


@dataclass(frozen=True, slots=True)
class Unit:
    """A call, or a round, as a rule counts it.

    Attributes
    ----------
    place, number, tool
        Place of its round in the thread; number and tool of its last call.
    key
        What the looser rule compares.
    ordered, sorted, thought, result
        What the rule itself compares: the call as it is written, the same with its keys sorted,
        the thought, the result.
    same
        The result with ids and times left out.
    """

    place: int
    number: int
    tool: str
    key: Hashable
    ordered: Hashable
    sorted: Hashable
    thought: str
    result: Hashable
    same: Hashable


def units_of(
    thread: SeenThread, places: Sequence[int], spec: RuleSpec, loose: RuleSpec,
    looks_at: Callable[[SeenCall], bool], facts: tuple[Facts, LooseFacts],
) -> list[Unit]:  # fmt: skip
    """Return the calls that the looser of two rules counts, oldest first.

    Parameters
    ----------
    places
        Places of the rounds in the thread.
    spec, loose
        The rule, and the same made looser.
    looks_at
        Whether the looser rule looks at a call.
    facts
        Keys as they are, and loosened ones.
    """
    own, free = facts
    key = free.call_keys(loose)
    ordered = own.call_keys(spec)
    plain = own.call_keys(replace(spec, args="sorted") if spec.args == "raw" else spec)
    how, loose_how = how_of(spec), how_of(loose)
    result = own.result_keys(how) if how else _nothing
    same = free.result_keys(how) if how else _nothing
    waits = _waits(thread) if "waits" in loose.exempt else frozenset[int]()
    found = []
    for place in places:
        seen, results = thread.seen[place], thread.results[place]
        thought = thought_of(seen) if "thought" in spec.key else ""
        for call, got in zip(seen.calls, results, strict=False):
            if not looks_at(call) or call.number in waits or not _counts(loose, call, got):
                continue
            said = same(call, got)
            found.append(
                Unit(
                    place, call.number, call.tool, (key(call), said if loose_how else 0),
                    ordered(call), plain(call), thought, result(call, got), said,
                )
            )  # fmt: skip
    return _rounds(found, by_tool=spec.family == "streak") if spec.unit == "round" else found


def _nothing(call: SeenCall, result: SeenResult) -> int:  # noqa: ARG001
    return 0


def _waits(thread: SeenThread) -> frozenset[int]:
    return frozenset(s.call for _, _, signs in thread.known or () for s in signs.calls if s.wait)


def _counts(spec: RuleSpec, call: SeenCall, result: SeenResult) -> bool:
    if spec.only == "read":
        return call.effect in _READS
    if spec.only == "dispatch":
        return is_failure(result) and result.exit_code is None
    return not spec.only or is_failure(result) == (spec.only == "error")


def _rounds(calls: Sequence[Unit], *, by_tool: bool) -> list[Unit]:
    """Return a unit for each round, or for each tool of a round."""
    rounds: dict[tuple[int, str], list[Unit]] = {}
    for unit in calls:
        rounds.setdefault((unit.place, unit.tool if by_tool else ""), []).append(unit)
    return [
        Unit(
            place=place,
            number=own[-1].number,
            tool=own[-1].tool,
            key=frozenset(u.key for u in own),
            ordered=frozenset(u.ordered for u in own),
            sorted=frozenset(u.sorted for u in own),
            thought=own[-1].thought,
            result=frozenset(u.result for u in own),
            same=frozenset(u.same for u in own),
        )
        for (place, _), own in rounds.items()
    ]


def members(units: Sequence[Unit], place: int, count: int) -> list[Unit]:
    """Return the last `count` units of one key up to the round at `place`; empty if none has."""
    upto = [unit for unit in units if unit.place <= place]
    tried = set[Hashable]()
    for last in reversed(upto):
        if last.key in tried:
            continue
        tried.add(last.key)
        own = [unit for unit in upto if unit.key == last.key]
        if len(own) >= count:
            return own[-count:]
    return []


def cycle_pairs(
    units: Sequence[Unit], place: int, laps: int, periods: tuple[int, ...], *, partial: bool
) -> list[tuple[Unit, Unit]]:
    """Return each unit of the cycle that ends at `place` with the one a lap before it."""
    tail = [unit for unit in units if unit.place <= place]
    for period in range(periods[0], periods[-1] + 1):
        run = 0
        while run + period < len(tail) and tail[-1 - run].key == tail[-1 - run - period].key:
            run += 1
        whole, rest = divmod(run + period, period)
        if whole + (partial and rest > 0) >= laps:
            first = len(tail) - run
            return [(tail[i - period], tail[i]) for i in range(first, len(tail))]
    return []


def between(one: Unit, other: Unit) -> list[str]:
    """Return what of a rule's key differs between two units that a looser rule takes for equal."""
    found = []
    if one.sorted != other.sorted:
        found.append("volatile_argument")
    elif one.ordered != other.ordered:
        found.append("key_order")
    if one.thought != other.thought:
        found.append("thought")
    if one.same != other.same:
        found.append("result")
    elif one.result != other.result:
        found.append("volatile_result")
    return found
