"""Every switch of a policy: what it may hold, and what it decides. Docs and errors read this."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from agentlens.errors import PolicyError
from agentlens.progress.measures import MEASURES

__all__ = ["SWITCHES", "Switch", "as_fraction"]


def as_fraction(value: Any) -> Fraction:
    """Read 0.8, ``Fraction(4, 5)`` or ``"5/6"`` as a fraction in (0, 1].

    A float stands for the nearest fraction with a denominator of at most 10**6, so 0.8 is 4/5.

    Raises
    ------
    PolicyError
        If it is no number, or not in (0, 1].
    """
    try:
        if isinstance(value, bool):
            raise TypeError
        exact = Fraction(value)
        fraction = exact.limit_denominator(10**6) if exact <= 1 else Fraction(0)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        fraction = Fraction(0)
    if not 0 < fraction <= 1:
        raise PolicyError(f"similarity: {value!r} is no number above 0 and at most 1, such as 0.8")
    return fraction


@dataclass(frozen=True, slots=True)
class Switch:
    """One switch: its default, what it may hold (in words and as a check), what it decides."""

    default: Any
    values: str
    check: Callable[[Any], bool]
    doc: str

    def validate(self, name: str, value: Any) -> Any:
        """Return the value, or raise a PolicyError that names the switch and what it may hold."""
        if not self.check(value):
            raise PolicyError(f"{name}: {value!r} is not {self.values}")
        return value


def _flag(default: bool, doc: str) -> Switch:
    return Switch(default, "true or false", lambda v: isinstance(v, bool), doc)


def _one_of(values: tuple[Any, ...], doc: str) -> Switch:
    listed = ", ".join("none" if v is None else str(v) for v in values)
    known = [(type(v), v) for v in values]
    return Switch(values[0], f"one of {listed}", lambda v: (type(v), v) in known, doc)


def _whole(default: int | None, doc: str, *, words: tuple[str, ...] = ()) -> Switch:
    optional = "" if default is not None else ", or none"
    listed = "".join(f", {word!r}" for word in words)

    def check(value: Any) -> bool:
        if value is None:
            return default is None
        whole = isinstance(value, int) and not isinstance(value, bool) and value >= 1
        return whole or (isinstance(value, str) and value in words)

    return Switch(default, f"a whole number from 1 on{listed}{optional}", check, doc)


def _amount(doc: str) -> Switch:
    def check(value: Any) -> bool:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return value is None or (number and 0 < value < float("inf"))

    return Switch(None, "a number above 0, or none", check, doc)


def _is_pattern(value: Any) -> bool:
    if value is None:
        return True
    try:
        re.compile(value)
    except (re.error, TypeError):
        return False
    return True


SWITCHES: dict[str, Switch] = {
    "enabled": _flag(True, "off: nothing is counted and nothing trips"),
    "query": _flag(True, "the rule of repeated searches is on"),
    "staged": _flag(False, "a similar search that brings a new URL or line starts the count anew"),
    "similarity": Switch(
        Fraction(4, 5),
        "a number above 0 and at most 1",
        lambda v: isinstance(v, Fraction),
        "the containment from which on two queries are the same",
    ),
    "threshold": _whole(2, "consecutive rounds without progress at which it trips"),
    "profile": Switch(
        "classic@1",
        "the name of a token profile",
        lambda v: isinstance(v, str) and bool(v),
        "how a query becomes a fingerprint, its set of tokens",
    ),
    "measure": _one_of(MEASURES, "how fingerprints are compared"),
    "strict": _flag(False, "similar only above the similarity, not at it"),
    "agg": _one_of(("any", "all", "majority"), "how many queries of a round must repeat"),
    "mixed": _one_of(("neutral", "reset", "count"), "what a round of searches and others does"),
    "mixed_join_history": _flag(True, "queries of mixed rounds are remembered"),
    "business": _one_of(("reset", "neutral"), "what a round without any search does"),
    "intra": _flag(False, "queries of one round are compared with each other too"),
    "empty": _one_of(
        ("ignore", "equal", "similar"),
        "queries without a token: similar to nothing, if their texts are equal, or always",
    ),
    "min_tokens": _whole(1, "below so many tokens only equal fingerprints are similar"),
    "numeric_veto": _flag(False, "not similar if a token with a decimal digit is in one only"),
    "window": _whole(
        None, "how many earlier search rounds are remembered; last is 1", words=("last",)
    ),
    "decay": _whole(None, "a match fades in equal steps and is gone after so many search rounds"),
    "clear_on_progress": _flag(False, "a reset of the count empties the history too"),
    "punct": _one_of(
        (None, "delete", "space"), "what becomes of punctuation: a choice of classic@1 only"
    ),
    "split_alnum": _flag(False, "letters and digits of one word are two tokens"),
    "search_tools": Switch(
        None,
        "a regular expression, or none",
        _is_pattern,
        "which tools are searches, by name, if not as the tool table says",
    ),
    "history_scope": _one_of(
        ("agent", "tree"), "sub-agents remember their own queries, or share all"
    ),
    "scope": _one_of(("request", "session"), "a user message starts anew, or does not"),
    "max_rounds": _whole(None, "how many rounds with calls a request may use, at most"),
    "max_seconds": _amount("how many seconds a request may take, the finalizer's included"),
    "max_tokens": _whole(None, "how many tokens a request may use, the finalizer's included"),
    "max_calls": _whole(None, "how many calls a request may make, the finalizer's included"),
    "max_cost": _amount("how many US dollars a request may cost, the finalizer's included"),
    "reserve": _flag(True, "a part of those four budgets is kept for the finalizer"),
    "retry_failed": _flag(False, "one repetition of a failed search is neutral"),
}
