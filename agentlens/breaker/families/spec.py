"""A rule as data: its family, what two calls must share to count as one, and when it speaks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any

from agentlens.errors import PolicyError

__all__ = ["FAMILIES", "RuleError", "RuleSpec", "rules_of"]

#: What each family counts.
FAMILIES: Mapping[str, str] = {
    "streak": "the same key again and again, in a row",
    "count": "the same key so often among the last `window` units, in any order",
    "cycle": "the last keys repeat with a period of `periods`, so many laps",
    "text": "the model says the same, in one message or in several",
    "state": "what the agent acts on stays as it is: `of` is page or change",
    "novelty": "rounds that bring nothing new: no URL, no line, no range, no change",
    "similar": "calls whose arguments are alike, in a row",
    "budget": "how much of `of` is used: rounds, calls, tool, tokens, cost, seconds, failures",
    "repeat": "the same call whose result does not change, nothing else having changed",
    "errors": "the same failure, whatever the call; what brings news ends it",
    "barren": "rounds of one tool that bring nothing, whatever each ends in",
    "waiting": "polls of something that runs, throttles, people who have not answered",
}

_WORDS: Mapping[str, tuple[str, ...]] = {
    "args": ("sorted", "raw", "salient", "browser"),
    "result": ("full", "exit", "first100", "masked"),
    "group": ("all", "tool", "call"),
    "only": ("", "error", "dispatch", "success", "read"),
    "unit": ("call", "round"),
    "scope": ("request", "message", "run"),
    "reset": ("other", "success", "mutation"),
    "when": ("", "next"),
    "metric": ("dice", "jaccard"),
    "of": ("", "message", "thought", "any", "empty", "chunk", "tokens", "page", "change",
           "rounds", "calls", "tool", "cost", "seconds", "failures"),
}  # fmt: skip
_LATE = frozenset("barren errors novelty state waiting".split())
_PARTS = ("tool", "args", "result", "thought", "error", "effect")


class RuleError(PolicyError):
    """A rule that cannot be; `index` counts rules from 0, `field` names what is wrong."""

    def __init__(self, message: str, index: int = 0, field: str = "") -> None:
        super().__init__(message)
        self.index, self.field = index, field


@dataclass(frozen=True, slots=True)
class RuleSpec:
    """One rule of a policy, as a ``[[rules]]`` table writes it.

    Attributes
    ----------
    name, family
        What it is called, and which of `FAMILIES` it belongs to.
    key
        What must be equal for two calls to count as the same: any of tool, args, result, thought,
        error, effect.
    args
        How arguments are read: ``sorted`` keys, ``raw`` order, only ``salient`` fields (`fields`,
        all if a call has none of them), or as ``browser`` actions compare (words as a set, an
        element by its number, a page by its address).
    fields, drop
        Names of arguments: the only ones that ``salient`` reads; those never read.
    result
        How a result is read: ``full``, ``exit`` (status and exit code), ``first100`` characters,
        or ``masked`` (what changes by itself left out).
    group
        Streaks are kept for ``all`` calls, each ``tool``, or each ``call`` (tool and arguments).
    only
        Only calls that end in error; that the framework refuses (``dispatch``: an error without
        an exit code); that succeed; or that only read.
    unit
        Each call counts, or each round as a whole.
    tools, exempt
        Names of tools, or ``effect:poll``: the only ones looked at; those passed over, which
        neither count nor break. A cycle also passes over ``waits``, where another rule sees them.
    scope
        Counting begins anew with each ``message`` of the model, each ``request``, or never in a
        ``run``.
    events
        Only so many events (a call or a message is one, its result another) back count.
    window, min_len
        For ``count``: of so many last units; and how many there must be before it looks.
    periods, partial, evidence
        For ``cycle``: shortest and longest period; a lap that has only begun counts; every place
        of the cycle must have kept its result.
    reset
        What ends a streak besides another key: ``other`` calls, only a ``success``, or only a
        successful ``mutation``.
    when
        ``next``: speaks before the next call of its group instead of after the one counted.
    of, metric, similarity
        What families text, state and budget look at; how ``similar`` compares.
    limit
        Size that a family needs besides its levels: characters, tokens, rounds; see the family.
    warn, block, stop
        Counts at which it speaks to the model, keeps calls from running, ends the run. Several
        for `warn` mean exactly there.
    clear, once
        A trip sets the count to zero; each key speaks only once.
    note
        What it cannot see, or what of the original cannot be replayed.
    """

    name: str
    family: str
    key: tuple[str, ...] = ("tool", "args")
    args: str = "sorted"
    fields: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    result: str = "full"
    group: str = "all"
    only: str = ""
    unit: str = "call"
    tools: tuple[str, ...] = ()
    exempt: tuple[str, ...] = ()
    scope: str = "request"
    events: int | None = None
    window: int | None = None
    min_len: int = 0
    periods: tuple[int, ...] = (1, 1)
    partial: bool = False
    evidence: bool = False
    reset: str = "other"
    when: str = ""
    of: str = ""
    metric: str = "dice"
    similarity: float = 0.85
    limit: int | None = None
    warn: tuple[int, ...] = ()
    block: int | None = None
    stop: int | None = None
    clear: bool = False
    once: bool = False
    note: str = ""

    @property
    def speaks_after(self) -> bool:
        """True where it needs results."""
        late = self.reset == "mutation" or self.family in _LATE or self.only not in ("", "read")
        return late or not {"result", "error"}.isdisjoint(self.key)

    @property
    def means_loop(self) -> bool:
        """True where its trip says that the run went in circles: not for budgets and waiting."""
        return self.family not in ("budget", "waiting")

    def to_dict(self) -> dict[str, Any]:
        """Return what differs from the defaults, as TOML holds it."""
        out: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.default is MISSING or value != field.default:
                out[field.name] = list(value) if isinstance(value, tuple) else value
        return out


_FIELDS = {field.name: field for field in fields(RuleSpec)}


def rules_of(tables: Any) -> tuple[RuleSpec, ...]:
    """Read the ``[[rules]]`` tables of a policy.

    Raises
    ------
    RuleError
        If a table is no rule: it names the rule's place and the field.
    """
    if isinstance(tables, tuple) and all(isinstance(t, RuleSpec) for t in tables):
        rules = tables
    elif isinstance(tables, Iterable) and not isinstance(tables, str | Mapping):
        rules = tuple(t if isinstance(t, RuleSpec) else _read(t, i) for i, t in enumerate(tables))
    else:
        raise RuleError("rules: expected [[rules]] tables", 0, "rules")
    names: set[str] = {"query", "budget"}
    for index, rule in enumerate(rules):
        if rule.name in names:
            raise RuleError(f"rule {rule.name!r}: another rule has this name", index, "name")
        names.add(rule.name)
    return rules


def _read(table: Any, index: int) -> RuleSpec:
    if not isinstance(table, Mapping):
        raise RuleError(f"rule {index + 1}: expected a table, not {table!r}", index)
    name = table.get("name")
    said = repr(name) if isinstance(name, str) and name else str(index + 1)
    for needed in ("name", "family"):
        if not isinstance(table.get(needed), str) or not table[needed]:
            raise RuleError(f"rule {said}: {needed} is missing", index, needed)
    values: dict[str, Any] = {}
    for field, given in table.items():
        try:
            values[field] = _value(field, given)
        except ValueError as error:
            raise RuleError(f"rule {said}: {field}: {error}", index, field) from None
    spec = RuleSpec(**values)
    if not spec.warn and spec.block is None and spec.stop is None:
        raise RuleError(f"rule {said}: none of warn, block, stop is set", index, "name")
    return spec


def _value(field: str, given: Any) -> Any:
    if field not in _FIELDS:
        raise ValueError(f"no such field; there are: {', '.join(_FIELDS)}")
    if field == "family" and given not in FAMILIES:
        raise ValueError(f"{given!r} is none of {', '.join(FAMILIES)}")
    if field in _WORDS and given not in _WORDS[field]:
        raise ValueError(f"{given!r} is none of {', '.join(filter(None, _WORDS[field]))}")
    if field in ("key", "fields", "drop", "tools", "exempt"):
        if not isinstance(given, list | tuple) or not all(isinstance(v, str) for v in given):
            raise ValueError(f"{given!r} is no list of words")
        strange = [v for v in given if field == "key" and v not in _PARTS]
        if strange:
            raise ValueError(f"{strange[0]!r} is none of {', '.join(_PARTS)}")
        return tuple(given)
    if field in ("warn", "periods"):
        listed = given if isinstance(given, list | tuple) else [given]
        if not listed or not all(_is_count(v) for v in listed) or list(listed) != sorted(listed):
            raise ValueError(f"{given!r} is no whole number from 1 on, nor a rising list of them")
        if field == "periods":
            if len(listed) > 2:
                raise ValueError(f"{given!r} is no shortest and longest period")
            return (listed[0], listed[-1])
        return tuple(listed)
    if field in ("events", "window", "min_len", "limit", "block", "stop"):
        number = isinstance(given, int | float) and not isinstance(given, bool) and given > 0
        if not (_is_count(given) or (field == "stop" and number)):
            raise ValueError(f"{given!r} is no whole number from 1 on")
    elif field in ("partial", "evidence", "clear", "once"):
        if not isinstance(given, bool):
            raise ValueError(f"{given!r} is neither true nor false")
    elif field == "similarity":
        if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given <= 1:
            raise ValueError(f"{given!r} is no number above 0 and at most 1")
    elif not isinstance(given, str):
        raise ValueError(f"{given!r} is no text")
    return given


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1
