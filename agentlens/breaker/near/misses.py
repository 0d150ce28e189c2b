"""Near misses: what broke a streak that would otherwise have made a rule speak."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentlens.breaker.families.panel import Panel
from agentlens.breaker.families.recorded import SeenThread, run_panel, take_signs, views_of
from agentlens.breaker.near.breaks import BREAKS, broken
from agentlens.breaker.near.loose import KEYED, WAYS, LooseFacts, loosened
from agentlens.breaker.near.units import Unit, units_of
from agentlens.breaker.seen import Finding

if TYPE_CHECKING:
    from agentlens.breaker.families.spec import RuleSpec
    from agentlens.breaker.policy import Policy
    from agentlens.trace.model import Trace

__all__ = ["BREAKS", "NearMiss", "near_misses"]

_RANK = {"nudge": 1, "block": 2, "stop": 3}


@dataclass(frozen=True, slots=True)
class NearMiss:
    """Where a rule would have spoken, but for what broke its streak.

    Attributes
    ----------
    thread, request, rule
        Where, and which rule.
    broke
        What broke it: some of `BREAKS`.
    row, round
        Row and number of the round at which it first broke.
    would_row, would_round, would_count
        Where it would have spoken, and its count there.
    count
        What the rule did count there.
    level, threshold
        What it would have asked for, and the count at which it does.
    """

    thread: str
    request: int
    rule: str
    broke: tuple[str, ...]
    row: int
    round: int
    would_row: int
    would_round: int
    would_count: int
    count: int
    level: str
    threshold: int


def near_misses(trace: Trace, policy: Policy) -> tuple[NearMiss, ...]:
    """Return the near misses of a policy's own rules over a trace, in order of their rounds.

    Of each rule and request there is at most one a way of overlooking (`WAYS`): the one that asks
    for most. None is told where the rule itself had asked for as much by then.

    Parameters
    ----------
    trace
        The trace.
    policy
        The policy; its rules of the families streak, count and cycle compare keys.
    """
    key = ("near", policy.rules, policy.scope, policy.enabled)
    if key not in trace.cache:
        found: list[NearMiss] = []
        if policy.enabled and any(spec.family in KEYED for spec in policy.rules):
            found = _Search(trace, policy).found()
        trace.cache[key] = tuple(sorted(found, key=lambda m: (m.would_row, m.row, m.rule)))
    made: tuple[NearMiss, ...] = trace.cache[key]
    return made


class _Search:
    """A search through a trace, thread after thread and way after way."""

    def __init__(self, trace: Trace, policy: Policy) -> None:
        self._trace = trace
        self._rules = [spec for spec in policy.rules if spec.family in KEYED]
        self._views = views_of(trace, policy.scope)
        self._own = run_panel(trace, policy.rules, policy.scope)
        if "loose" not in trace.cache:
            trace.cache["loose"] = LooseFacts()
        self._loose: LooseFacts = trace.cache["loose"]
        self._spoken: dict[str, list[tuple[int, int]]] = {}
        for said in self._own.spoken:
            if said.finding.level in _RANK:
                self._spoken.setdefault(said.finding.rule, []).append(
                    (said.row, _RANK[said.finding.level])
                )

    def found(self) -> list[NearMiss]:
        misses: list[NearMiss] = []
        for thread in self._views.threads:
            best: dict[tuple[str, int], int] = {}
            for way in WAYS:
                strongest: dict[tuple[str, int], NearMiss] = {}
                for miss in self._way(thread, way):
                    place, rank = (miss.rule, miss.request), _RANK[miss.level]
                    if rank > best.get(place, 0):
                        best[place], strongest[place] = rank, miss
                misses += strongest.values()
        return misses

    def _way(self, thread: SeenThread, way: str) -> list[NearMiss]:
        pairs = [(spec, made) for spec in self._rules if (made := loosened(spec, way)) is not None]
        if any("waits" in made.exempt for _, made in pairs):
            take_signs(thread, self._views.facts)
        asked = self._panel([made for _, made in pairs], thread)
        units: dict[str, list[Unit]] = {}
        for (spec, made), family in zip(pairs, asked.rules, strict=True):
            own = units_of(
                thread, range(len(thread.rows)), spec, made, family.looks_at,
                (self._views.facts, self._loose),
            )  # fmt: skip
            if _worth(spec, made, own):
                units[spec.name] = own
        kept = [(spec, made) for spec, made in pairs if spec.name in units]
        if not kept:
            return []
        specs = {spec.name: spec for spec, _ in kept}
        return [
            miss
            for place, finding in self._findings([made for _, made in kept], thread)
            if (miss := self._miss(specs[finding.rule], thread, place, finding,
                                   units[finding.rule], way)) is not None
        ]  # fmt: skip

    def _panel(self, rules: Sequence[RuleSpec], thread: SeenThread) -> Panel:
        signs = any("waits" in rule.exempt for rule in rules)
        return Panel(rules, self._loose, quiet=True, signs=signs, known=thread.known)

    def _findings(
        self, rules: Sequence[RuleSpec], thread: SeenThread
    ) -> Iterator[tuple[int, Finding]]:
        panel = self._panel(rules, thread)
        for place, (seen, results) in enumerate(zip(thread.seen, thread.results, strict=True)):
            panel.eyes.before(seen)
            yield from ((place, finding) for finding in panel.speak_before(seen))
            panel.eyes.after(seen, results)
            yield from ((place, finding) for finding in panel.speak_after(seen, results))

    def _miss(
        self, spec: RuleSpec, thread: SeenThread, place: int, finding: Finding,
        units: Sequence[Unit], way: str,
    ) -> NearMiss | None:  # fmt: skip
        row, rank = thread.rows[place], _RANK.get(finding.level, 0)
        first = 0
        if spec.scope != "run":
            request = thread.seen[place].request
            first = next(i for i, seen in enumerate(thread.seen) if seen.request == request)
        said = self._spoken.get(spec.name, ())
        if any(thread.rows[first] <= at <= row and own >= rank for at, own in said):
            return None
        own = [unit for unit in units if first <= unit.place <= place]
        broke, at = broken(spec, thread, own, place, finding, way)
        if not broke:
            return None
        rounds = self._trace.tables["rounds"]
        return NearMiss(
            thread=rounds["thread"][row],
            request=rounds["request"][row],
            rule=spec.name,
            broke=broke,
            row=thread.rows[at],
            round=rounds["round"][thread.rows[at]],
            would_row=row,
            would_round=rounds["round"][row],
            would_count=finding.count,
            count=self._own.counts[spec.name][row],
            level=finding.level,
            threshold=finding.threshold,
        )


def _worth(spec: RuleSpec, made: RuleSpec, units: Sequence[Unit]) -> bool:
    """Say whether the looser rule can count more than the rule does: looked at before it is run."""
    least = min(made.warn + tuple(t for t in (made.block, made.stop) if t is not None))
    if spec.family == "cycle" and made.partial:
        least -= 1
    known = Counter(unit.key for unit in units)
    if max(known.values(), default=0) < least:
        return False
    if made.scope != spec.scope or made.exempt != spec.exempt or made.window != spec.window:
        return True
    if made.events != spec.events or made.min_len != spec.min_len:
        return True
    strict = {(unit.key, unit.ordered, unit.thought, unit.result) for unit in units}
    return len(strict) > len(known)
