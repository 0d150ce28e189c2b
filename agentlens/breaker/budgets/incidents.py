"""A budget that was hit: which, how far, and how it is said."""

from __future__ import annotations

from dataclasses import dataclass

from agentlens.breaker.budgets.amounts import DIMENSIONS, Amounts, Limits
from agentlens.breaker.words import duration

__all__ = ["Incident", "amount_words", "hits", "incident_words"]


@dataclass(frozen=True, slots=True)
class Incident:
    """A budget that was hit; `kind`, such as ``budget_tokens``, is its class.

    Attributes
    ----------
    dimension
        One of `DIMENSIONS`, or ``tool_timeout``.
    used, limit
        What was used, and what could be: of the main loop without the finalizer's reserve.
    tool
        For a tool's timeout, which.
    """

    dimension: str
    used: float
    limit: float
    tool: str = ""

    @property
    def kind(self) -> str:
        """The class of the incident."""
        return self.dimension if self.dimension == "tool_timeout" else f"budget_{self.dimension}"


def hits(used: Amounts, limits: Limits) -> tuple[Incident, ...]:
    """Return every dimension in which as much was used as may be, or more (``>=``)."""
    found = []
    for name in DIMENSIONS:
        limit = getattr(limits, name)
        if limit is not None and getattr(used, name) >= limit:
            found.append(Incident(name, getattr(used, name), limit))
    return tuple(found)


_UNITS = {
    "en": {"steps": "round", "tokens": "token", "calls": "call"},
    "zh": {"steps": "轮", "tokens": "个 token", "calls": "次调用"},
}


def amount_words(dimension: str, value: float, lang: str = "en") -> str:
    """Say an amount of a dimension: `9,000 tokens`, `15.0 s`, `$0.25`; in Chinese `9,000 个 token`.

    Examples
    --------
    >>> amount_words("calls", 1), amount_words("cost", 0.25), amount_words("seconds", 15, "zh")
    ('1 call', '$0.25', '15.0 s')
    """
    if dimension in ("seconds", "tool_timeout"):
        return duration(value)
    if dimension == "cost":
        return f"${value:.4g}"
    number, unit = f"{value:,.0f}", _UNITS[lang][dimension]
    return f"{number} {unit}" if lang == "zh" else f"{number} {unit}{'' if value == 1 else 's'}"


def incident_words(round: int, incident: Incident, lang: str = "en") -> str:
    """Say which budget was hit at a round, and how much was used."""
    limit = amount_words(incident.dimension, incident.limit, lang)
    used = amount_words(incident.dimension, incident.used, lang)
    if incident.dimension == "tool_timeout":
        if lang == "zh":
            return f"第 {round} 轮：{incident.tool} 用时 {used}，上限为 {limit}"
        return f"round {round}: {incident.tool} took {used}; its limit is {limit}"
    if lang == "zh":
        return f"第 {round} 轮：预算已用完，上限 {limit}，已用 {used}"
    return f"round {round}: the budget of {limit} is used up ({used} used)"
