"""A scripted agent and the little world that it acts on: nothing in it is random or live."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentlens.breaker.task.goal import Goal
from agentlens.breaker.task.ledger import Entry
from agentlens.breaker.task.replan import Action, Plan

__all__ = ["Call", "Scenario", "Turn", "World", "call"]

#: A call as a guard is asked about it, and a result as it is told.
Call = Mapping[str, Any]
Result = Mapping[str, Any]


def call(tool: str, /, **args: Any) -> Call:
    """Return a call of a tool."""
    return {"tool": tool, "args": args}


@dataclass(frozen=True, slots=True)
class Turn:
    """One response of the scripted agent.

    Attributes
    ----------
    calls
        What it asks for.
    thread
        Which agent speaks: ``main``, or the name of a sub-task.
    waits_on
        The sub-task whose result this one needs before it can go on.
    text
        What it says.
    """

    calls: Sequence[Call]
    thread: str = "main"
    waits_on: str = ""
    text: str = ""


@dataclass(slots=True)
class World:
    """What a scenario plays in.

    Attributes
    ----------
    goal
        The task's completion conditions.
    facts
        What they look at.
    tools
        What tools do, where their names do not say it.
    script
        Gives the agent's turns, from the world; it ends where the agent answers.
    act
        Runs a call and returns its result.
    healed
        The agent's turns once what was in the way is gone; none where nothing is.
    found
        What the agent has found so far, in words.
    effects
        How often each side effect took place.
    said
        What the agent was told last: why a call was blocked.
    well
        True once what was in the way is gone.
    """

    goal: Goal
    script: Callable[[World], Iterator[Turn]]
    act: Callable[[World, Call], Result]
    healed: Sequence[Turn] = ()
    tools: Mapping[str, Any] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=lambda: {"evidence": {}})
    found: list[str] = field(default_factory=list)
    effects: Counter[str] = field(default_factory=Counter)
    said: str = ""
    well: bool = False

    def learn(self, slot: str, value: Any = True) -> None:
        """Fill an evidence slot."""
        self.facts["evidence"][slot] = value
        self.found.append(f"{slot}: {value}")

    def query(self, entry: Entry) -> bool | None:
        """Say whether a write took effect: this world can always tell."""
        took = any(name.startswith(entry.tool) for name in self.effects)
        if took:
            self.facts["confirmed"] = True
        return took

    def plan(self) -> Plan:
        """Return what the agent plans when it is asked to plan anew: the same, in other words."""
        return Plan([Action("webSearch", {"query": "再搜一次"})], constraint="")

    @property
    def duplicates(self) -> int:
        """How many side effects took place again after they had taken place once."""
        return sum(times - 1 for times in self.effects.values() if times > 1)


@dataclass(frozen=True, slots=True)
class Scenario:
    """One case of the loop test set.

    Attributes
    ----------
    name, title
        ``S1`` and what happens, in a few words.
    world
        Makes a new world.
    terminal
        How it must end.
    onset
        The first turn that brings nothing; None where the run is a good one.
    latest
        The turn by which a guard must have intervened.
    """

    name: str
    title: str
    world: Callable[[], World]
    terminal: str
    onset: int | None = None
    latest: int | None = None

    @property
    def good(self) -> bool:
        """True where the run reaches its goal if it is let alone."""
        return self.onset is None
