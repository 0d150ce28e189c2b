"""What each rule cannot see: every guard says which loops pass it by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from agentlens.breaker.families.spec import FAMILIES

if TYPE_CHECKING:
    from agentlens.breaker.families.spec import RuleSpec
    from agentlens.breaker.policy import Policy

__all__ = ["BLIND", "blind_spots"]

#: What a family cannot see, whatever its levels.
BLIND: Mapping[str, str] = {
    "streak": "repeats with anything else in between",
    "count": "repeats further apart than its window",
    "cycle": "a cycle in which a step changes",
    "text": "the same said in other words",
    "state": "changes that no call reports",
    "novelty": "news that say nothing",
    "similar": "that a list is worked through, which looks the same",
    "budget": "whether the run moves",
    "repeat": "a repeat whose answer changes",
    "errors": "failures that are told in ever new words",
    "barren": "news that say nothing, and a run that changes its tool each time",
    "waiting": "that what is waited for never comes",
}
#: What a key adds to that: a call is another one where a part of it differs.
_KEYED: Mapping[str, str] = {
    "thought": "a repeat that the model thinks about otherwise",
    "result": "a repeat whose result differs",
    "args": "a repeat in other words",
}
_QUERY = "synonyms, and loops that do not search"
assert BLIND.keys() == FAMILIES.keys()


def blind_spots(policy: Policy) -> dict[str, str]:
    """Return for each rule of a policy that is on what it cannot see, in a part of a sentence."""
    found = {"query": _QUERY} if policy.query else {}
    if policy.max_rounds is not None:
        found["budget"] = BLIND["budget"]
    return {**found, **{spec.name: _of(spec) for spec in policy.rules}}


def _of(spec: RuleSpec) -> str:
    said = spec.note.removeprefix("cannot see ") or BLIND[spec.family]
    if spec.note or spec.family not in ("streak", "count", "cycle"):
        return said
    parts = [said, *(text for part, text in _KEYED.items() if part in spec.key)]
    return "; ".join(parts)
