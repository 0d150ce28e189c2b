"""What a rule sees of a run, round by round: the same values live and replayed; and what a rule is.

A rule that is written as a `Stepper` runs over a recorded trace and in a live loop with the same
code: the replay feeds it the rows of a sequence, a guard feeds it the rounds as they come.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

__all__ = ["Finding", "Level", "SeenCall", "SeenResult", "SeenRound", "Stepper"]

#: What a finding asks for: speak to the model, do not run some calls, stop the run; or it says
#: that the run waits for something, which is neither a loop nor progress.
Level = Literal["nudge", "block", "stop", "wait"]


@dataclass(frozen=True, slots=True)
class SeenCall:
    """A call before it runs: what the model asked for.

    Attributes
    ----------
    number
        Number of the call in the run, from 1.
    tool, effect
        Its name, and what it does (`agentlens.trace.tools`).
    args
        Arguments, parsed, or None; `args_raw` holds them as text where they could not be parsed.
    queries, target
        What it searches for, and the path, URL or element that it acts on.
    call_id
        Its id in the log or in the host.
    """

    number: int
    tool: str
    effect: str
    args: Mapping[str, Any] | None
    args_raw: str
    queries: tuple[str, ...]
    target: str
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class SeenResult:
    """What a call brought: its status (as `agentlens.trace.status` names it) and its text.

    Times are seconds since the epoch, durations seconds, cost US dollars; None where unknown.
    """

    status: str
    text: str
    error_type: str = ""
    exit_code: int | None = None
    started: float | None = None
    seconds: float | None = None
    tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class SeenRound:
    """A round of one thread and request before it runs.

    Attributes
    ----------
    thread, request, round
        Where it stands; `round` counts from 1 within its thread.
    kind
        ``search``, ``mixed``, ``business``, ``message``, ``preamble``, ``copied``.
    calls
        The calls that it asks for, in order.
    text, reasoning
        What the model said and thought, where known.
    started
        When the response arrived.
    events
        Kinds of the events between the round before and this one, such as ``compaction``.
    tokens, cost
        What the model's response cost, where known; what its calls cost is with their results.
    """

    thread: str
    request: int
    round: int
    kind: str
    calls: tuple[SeenCall, ...]
    text: str = ""
    reasoning: str = ""
    started: float | None = None
    events: tuple[str, ...] = ()
    tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule says of a round.

    Attributes
    ----------
    rule, level
        Which rule speaks, and what it asks for.
    count, threshold
        The rule's count there, and the one at which it speaks at this level.
    reason
        Why, in one part of an English sentence.
    calls
        Numbers of the calls that it rests on.
    blocked
        Indices, within the round, of the calls not to run, for ``block``.
    """

    rule: str
    level: Level
    count: int
    threshold: int
    reason: str
    calls: tuple[int, ...] = ()
    blocked: tuple[int, ...] = ()


class Stepper(Protocol):
    """One rule at work on the rounds of one thread and request, oldest first.

    `before` is asked of every round before it runs, `after` of every round that ran. Neither may
    change what it is given. `count` is the rule's count after the last call of either.
    """

    count: int

    def before(self, seen: SeenRound) -> Finding | None:
        """Look at a round that has not run; a stop here keeps it from running."""

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> Finding | None:
        """Look at what a round brought; a stop here keeps the next one from running."""
