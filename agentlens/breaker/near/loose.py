"""Rules made looser: they overlook what says nothing of whether a run repeats itself.

The order of keys, ids and times among arguments and results, what the model thought meanwhile, a
call that only thinks, the border of a message: each keeps a rule's key from being equal, and none
of them makes a repeat anything else. A looser rule tells where a streak would have gone on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from agentlens.breaker.families.facts import Facts
from agentlens.progress.fragments import masked
from agentlens.progress.volatile import told

if TYPE_CHECKING:
    from agentlens.breaker.families.spec import RuleSpec
    from agentlens.breaker.seen import SeenCall, SeenResult

__all__ = ["KEYED", "WAYS", "LooseFacts", "how_of", "loosened"]

#: Families that compare keys: only their streaks can be broken by a part of one.
KEYED = frozenset(("streak", "count", "cycle"))
#: What is overlooked: the form of calls and results; besides, how far apart they are; besides,
#: what the results say.
WAYS = ("form", "window", "result")

#: Names of ids and times that a host or a service makes anew for every call.
_OF_CALL = (
    r"(?:(?:message|msg|request|req|trace|span|correlation|client|idempotency|tool_?call)_?(?:id|key)"
    r"|nonce|timestamp|ts)"
)
_NAME = re.compile(_OF_CALL, re.IGNORECASE)
_FIELD = re.compile(rf"(\"?\b{_OF_CALL}\"?\s*[:=]\s*)\"?[\w.\-:+]+\"?", re.IGNORECASE)


def how_of(spec: RuleSpec) -> str:
    """Return how a rule reads results, empty where it does not."""
    return "error" if "error" in spec.key else spec.result if "result" in spec.key else ""


def loosened(spec: RuleSpec, way: str) -> RuleSpec | None:
    """Return a rule that overlooks what `way` names, or None where it makes no difference to it.

    Parameters
    ----------
    spec
        A rule of a family of `KEYED`.
    way
        One of `WAYS`.
    """
    form = replace(
        spec,
        key=tuple(part for part in spec.key if part != "thought"),
        args="sorted" if spec.args == "raw" else spec.args,
        exempt=_with_think(spec),
        scope="request" if spec.scope == "message" else spec.scope,
    )
    if way == "form":
        return form
    if way == "window":
        if spec.window is None and spec.events is None and not spec.min_len:
            return None
        return replace(form, window=None, events=None, min_len=0)
    told = "args" in spec.key or spec.group == "call"  # else nothing would be left to compare
    if not (told and "result" in spec.key) and not spec.evidence:
        return None
    return replace(form, key=tuple(p for p in form.key if p != "result"), evidence=False)


def _with_think(spec: RuleSpec) -> tuple[str, ...]:
    """Return what is passed over: calls that only think too, where they would end a count."""
    ends = spec.family == "cycle" or (spec.family == "streak" and spec.group == "all")
    asked = "effect:think" in spec.tools or "effect:think" in spec.exempt
    return spec.exempt if asked or not ends else (*spec.exempt, "effect:think")


class LooseFacts(Facts):
    """Keys that leave out ids, times and words about a call, and do not mind the order of keys."""

    def __init__(self) -> None:
        super().__init__()
        self._loose_calls: dict[int, SeenCall] = {}
        self._loose_results: dict[int, SeenResult] = {}

    def call_keys(self, spec: RuleSpec) -> Callable[[SeenCall], int]:
        """Return the function from a call to its key under a rule, volatile arguments left out."""
        inner = super().call_keys(replace(spec, args="sorted") if spec.args == "raw" else spec)
        known = self._loose_calls

        def key(call: SeenCall) -> int:
            found = known.get(call.number)
            if found is None:
                found = known[call.number] = _loose_call(call)
            return inner(found)

        return key

    def result_keys(self, how: str) -> Callable[[SeenCall, SeenResult], int]:
        """Return the function from a call and its result to the key of what the result says."""
        inner, known = super().result_keys(how), self._loose_results

        def key(call: SeenCall, result: SeenResult) -> int:
            found = known.get(call.number)
            if found is None:
                text = masked(_FIELD.sub(r"\1<id>", result.text))
                found = known[call.number] = replace(result, text=text)
            return inner(call, found)

        return key


def _loose_call(call: SeenCall) -> SeenCall:
    """Return a call without the arguments that say nothing; as it is where none would be left."""
    args = call.args
    if not args:
        return call
    dropped = told(call.tool, call.effect, args, {}) | set(_ids(args))
    kept = {name: value for name, value in args.items() if name not in dropped}
    return replace(call, args=kept) if kept and dropped else call


def _ids(names: Iterable[str]) -> list[str]:
    return [name for name in names if _NAME.fullmatch(name)]
