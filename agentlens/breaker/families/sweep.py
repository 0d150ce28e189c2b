"""A rule over a whole recorded thread: what it says step by step, found quicker.

Many presets read one trace, and most of them compare the same few keys. Where a rule's count
depends on nothing but the keys of the calls that it looks at, these are laid out once for all the
rules that share them, and the rule is fed with keys instead of rounds: through the same method
that counts them in a running loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

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

#: The calls of one round that a rule looks at: place in the round, call, key.
_Keyed = Sequence[tuple[int, SeenCall, int]]


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
    laid = _layout(rule, thread)
    phase = _AFTER if rule.spec.speaks_after else BEFORE
    feed = rule.feed
    for place in places:
        keyed = laid[place]
        if keyed and (found := feed(keyed)) is not None:
            said.append((place, phase, found))
        counts[place] = rule.count


def _layout(rule: Streak | Count | Cycle, thread: SeenThread) -> Sequence[_Keyed]:
    """Return for each round the calls that a rule looks at, with their keys; kept for the next."""
    spec, facts = rule.spec, rule.board.facts
    how = "error" if "error" in spec.key else spec.result if "result" in spec.key else ""
    thought = "thought" in spec.key
    reads = spec.only == "read"
    mode: Any = (spec.args, spec.fields, spec.drop) if "args" in spec.key else ()
    parts = "tool" in spec.key, "effect" in spec.key
    name = mode, parts, how, thought, frozenset(spec.tools), frozenset(spec.exempt), reads
    found: list[_Keyed] | None = thread.layouts.get(name)
    if found is not None:
        return found
    call_key = facts.call_keys(spec)
    key_of: Callable[..., int] | None = facts.result_keys(how) if how else None
    found = []
    for seen, results in zip(thread.seen, thread.results, strict=True):
        keyed = []
        for index, (call, result) in enumerate(zip(seen.calls, results, strict=True)):
            if not rule.looks_at(call) or (reads and call.effect not in READS):
                continue
            key = call_key(call)
            if key_of is not None:
                key = facts.intern((key, key_of(call, result)))
            if thought:
                key = facts.intern((key, thought_of(seen)))
            keyed.append((index, call, key))
        found.append(tuple(keyed))
    thread.layouts[name] = found
    return found
