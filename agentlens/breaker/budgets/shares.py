"""Sub-agents as values: their limits, what they return, and whether one may start."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from agentlens.breaker.budgets.limits import Budget
from agentlens.errors import PolicyError
from agentlens.progress.text import tokenize

__all__ = ["STATUSES", "ChildResult", "Dispatch", "FamilyLimits", "goal_fingerprint"]

#: How a sub-agent ends; `needs_more` is a wish for more research and no ground to get it.
STATUSES = ("completed", "partial", "failed", "waiting_human", "needs_more")


def goal_fingerprint(goal: str) -> frozenset[str]:
    """Return the token set of a goal: order, case, width and punctuation do not matter.

    A goal without a token is its plain text.
    """
    plain = unicodedata.normalize("NFKC", goal).casefold().strip()
    return tokenize(goal) or frozenset({plain})


@dataclass(frozen=True, slots=True)
class FamilyLimits:
    """How many levels below the main agent, how many sub-agents in all, how many at once.

    `similarity` is the containment from which on two goals are the same; None asks for equality.
    """

    depth: int = 2
    total: int = 8
    at_once: int = 4
    similarity: Fraction | None = None

    def __post_init__(self) -> None:
        for name in ("depth", "total", "at_once"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise PolicyError(f"{name}: {value!r} is no whole number from 0 on")


@dataclass(frozen=True, slots=True)
class ChildResult:
    """What a sub-agent returns: a status and fields, never only prose.

    Attributes
    ----------
    status
        One of `STATUSES`.
    facts
        What it found, by name.
    missing
        What it could not find.
    sources
        Sources, tools or constraints that it met and that could serve another try.
    """

    status: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise PolicyError(f"status: {self.status!r} is none of {', '.join(STATUSES)}")


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Whether a sub-agent may start: its name and budget, or the cause of the refusal.

    `cause` is one of ``depth``, ``total``, ``at_once``, ``same_goal``, ``nothing_new``,
    ``unknown_parent``, ``stopping`` and ``budget``; empty where it may start.
    """

    name: str = ""
    budget: Budget | None = None
    cause: str = ""
    reason: str = ""

    @property
    def granted(self) -> bool:
        """True where it may start."""
        return not self.cause
