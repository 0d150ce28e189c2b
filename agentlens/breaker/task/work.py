"""What a finalizer is given, what it may do, and what it makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentlens.breaker.task.checkpoint import Checkpoint
from agentlens.breaker.task.goal import Judgement
from agentlens.breaker.task.messages import EndSlots

__all__ = ["MAY", "Ended", "Work"]

#: Effects of the calls that a finalizer may make: it reads and writes its summary, no more.
MAY = frozenset({"read", "think", "finish"})


@dataclass(frozen=True, slots=True)
class Work:
    """What there is when a run stops.

    Attributes
    ----------
    results
        What was found, as plain values.
    facts
        What the goal's conditions look at.
    consistent
        The host's own last consistent state.
    slots
        What the end message is filled with; its terminal and missing parts are set here.
    conditions
        What must hold before the task may go on, in words.
    forbidden, replans
        Actions that brought nothing; how many replans were used.
    causes
        Every rule that asked for the stop, where there were several.
    """

    results: Sequence[Any] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    consistent: Mapping[str, Any] = field(default_factory=dict)
    slots: EndSlots = field(default_factory=lambda: EndSlots("partial"))
    conditions: Sequence[str] = ()
    forbidden: Sequence[Any] = ()
    replans: int = 0
    causes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended: where its machine is, what was saved and what the user is told."""

    state: str
    checkpoint: Checkpoint
    judgement: Judgement
    problems: tuple[str, ...] = ()

    def message(self, lang: str = "zh") -> str:
        """Return what the user is told."""
        return self.checkpoint.messages[lang]
