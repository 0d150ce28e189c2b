"""A rule over a whole recorded thread: what it says step by step, found quicker.

Many presets read one trace, and most of them compare the same few keys. Where a rule's count
depends on nothing but the keys of the calls that it looks at, these are laid out once for all the
rules that share them, and the rule is fed with keys instead of rounds: through the same method
that counts them in a running loop.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from agentlens.breaker.families.base import strongest
from agentlens.breaker.families.board import Board
from agentlens.breaker.families.count import Count
from agentlens.breaker.families.cycle import Cycle
from agentlens.breaker.families.facts import Facts, thought_of
from agentlens.breaker.families.panel import SIGNED, start_rule
from agentlens.breaker.families.streak import READS, Streak
from agentlens.breaker.seen import Finding, SeenCall

if TYPE_CHECKING:
    from agentlens.breaker.families.base import Family
    from agentlens.breaker.families.recorded import SeenThread
    from agentlens.breaker.families.spec import RuleSpec

__all__ = ["BEFORE", "Said", "sweep"]

#: A finding: the place of its round in the thread, whether it ran (0 or 1), and what was found.
Said = tuple[int, int, Finding]
BEFORE, _AFTER = 0, 1


def sweep(
    spec: RuleSpec, thread: SeenThread, facts: Facts, *, signed: bool
) -> tuple[list[Said], list[int]]:
    """Run one rule over a thread.

    Parameters
    ----------
    spec
        The rule.
    thread
        A recorded thread.
    facts
        Keys of the run's calls.
    signed
        The thread's signs are taken, for rules that read them.

    Returns
    -------
    said, counts
        What it says, and its count after each round.
    """
    reads = signed and (spec.family in SIGNED or "waits" in spec.exempt)
    board = Board(facts, thread.known if reads else ())
    rule = start_rule(spec, board, quiet=True)
    said: list[Said] = []
    counts = [0] * len(thread.seen)
    for places in _requests(thread, spec.scope == "run"):
        rule.reset()
        rule.count = 0
        if reads:
            _step(rule, thread, places, said, counts, board)
        elif isinstance(rule, Streak | Count | Cycle) and rule.is_fed:
            _feed(rule, thread, places, said, counts)
        else:
            _step(rule, thread, places, said, counts, None)
    return said, counts


def _requests(thread: SeenThread, whole: bool) -> Sequence[range]:
    """Return the places of the rounds that are counted together."""
    if whole:
        return [range(len(thread.seen))]
    found: Sequence[range] | None = thread.layouts.get("requests")
    if found is None:
        requests = [seen.request for seen in thread.seen]
        starts = [n for n, request in enumerate(requests) if not n or request != requests[n - 1]]
        ends = [*starts[1:], len(requests)]
        found = [range(a, b) for a, b in zip(starts, ends, strict=False)]
        thread.layouts["requests"] = found
    return found


def _step(
    rule: Family, thread: SeenThread, places: range, said: list[Said], counts: list[int],
    board: Board | None,
) -> None:  # fmt: skip
    """Take a rule through rounds as a running loop does."""
    early, late = rule.asks
    before, after = rule.before, rule.after
    for place in places:
        seen = thread.seen[place]
        if board is not None:
            board.before(seen)
        if early and (found := before(seen)) is not None:
            said.append((place, BEFORE, found))
        if late and (found := after(seen, thread.results[place])) is not None:
            said.append((place, _AFTER, found))
        counts[place] = rule.count


def _feed(
    rule: Streak | Count | Cycle, thread: SeenThread, places: range, said: list[Said],
    counts: list[int],
) -> None:  # fmt: skip
    """Feed a rule with the keys of its calls."""
    calls = _calls(thread)
    keys, members = _keys(rule, thread, calls), _members(rule, thread, calls)
    phase = _AFTER if rule.asks[1] else BEFORE
    at_place = calls.place
    first = calls.first
    ours = members[
        bisect_left(members, first[places.start]) : bisect_left(members, first[places.stop])
    ]
    told: list[tuple[int, Finding]] = []
    for place in places:
        counts[place] = -1
    if isinstance(rule, Count) and rule.spec.unit == "round":
        for place, group in groupby(ours, key=at_place.__getitem__):
            keyed = [(calls.index[n], calls.call[n], keys[n]) for n in group]
            if (found := rule.feed(keyed)) is not None:
                told.append((place, found))
            counts[place] = rule.count
    else:
        push = rule.push
        for n in ours:
            place = at_place[n]
            if (found := push(keys[n], calls.call[n], calls.index[n])) is not None:
                told.append((place, found))
            counts[place] = rule.count
    for place, group_ in groupby(told, key=itemgetter(0)):
        best = strongest(found for _, found in group_)
        said += [(place, phase, best)] if best else []
    last = 0
    for place in places:  # a round that the rule does not look at leaves its count alone
        if counts[place] < 0:
            counts[place] = last
        else:
            last = counts[place]


@dataclass(frozen=True, slots=True)
class _Calls:
    """All calls of a thread, in order.

    Attributes
    ----------
    place, index, call
        For each call the place of its round, its own in the round, and itself.
    first
        For each round the number of its first call in these lists; and how many calls there are.
    kind, kinds
        For each call which of `kinds` it is like: a call for each tool and effect.
    """

    place: list[int]
    index: list[int]
    call: list[SeenCall]
    first: list[int]
    kind: list[int]
    kinds: list[SeenCall]


def _calls(thread: SeenThread) -> _Calls:
    found: _Calls | None = thread.layouts.get("calls")
    if found is None:
        found = _Calls([], [], [], [], [], [])
        kinds: dict[tuple[str, str], int] = {}
        for place, seen in enumerate(thread.seen):
            found.first.append(len(found.call))
            for index, call in enumerate(seen.calls):
                found.place.append(place)
                found.index.append(index)
                found.call.append(call)
                found.kind.append(kinds.setdefault((call.tool, call.effect), len(kinds)))
                if len(kinds) > len(found.kinds):
                    found.kinds.append(call)
        found.first.append(len(found.call))
        thread.layouts["calls"] = found
    return found


def _members(rule: Family, thread: SeenThread, calls: _Calls) -> Sequence[int]:
    """Return which calls a rule looks at."""
    reads = rule.spec.only == "read"
    wanted = tuple(
        rule.looks_at(call) and (not reads or call.effect in READS) for call in calls.kinds
    )
    if all(wanted):
        return range(len(calls.call))
    found: list[int] | None = thread.layouts.get(wanted)
    if found is None:
        found = [n for n, kind in enumerate(calls.kind) if wanted[kind]]
        thread.layouts[wanted] = found
    return found


def _keys(rule: Family, thread: SeenThread, calls: _Calls) -> list[int]:
    """Return for each call the key that a rule compares, a number; kept for the next rule."""
    spec, facts = rule.spec, rule.board.facts
    how = spec.result if "result" in spec.key else ""
    if "error" in spec.key and not isinstance(rule, Cycle):
        how = "error"
    thought = "thought" in spec.key and not isinstance(rule, Count)
    mode: Any = (spec.args, spec.fields, spec.drop) if "args" in spec.key else ()
    name = mode, "tool" in spec.key, "effect" in spec.key, how, thought
    found: list[int] | None = thread.layouts.get(name)
    if found is not None:
        return found
    found = list(map(facts.call_keys(spec), calls.call))
    if how:
        results = [result for of_round in thread.results for result in of_round]
        read = map(facts.result_keys(how), calls.call, results)
        found = [key << 32 | more for key, more in zip(found, read, strict=True)]
    if thought:
        said = [facts.intern(thought_of(seen)) for seen in thread.seen]
        found = [key << 32 | said[at] for key, at in zip(found, calls.place, strict=True)]
    thread.layouts[name] = found
    return found
