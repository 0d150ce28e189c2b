"""Goal: what must hold before a task is done, as conditions that can be checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Condition", "Goal", "Judgement", "failing_tests", "filled", "holds", "required"]

_NO_END = {
    "en": "no end state: the task declares no completion conditions, so nothing can say that it "
    "is done",
    "zh": "没有终态：任务没有声明完成条件，无法判断它是否已经完成",
}


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition.

    Attributes
    ----------
    name
        What the user is told is missing while it does not hold.
    measure
        How far facts are, from 0 up; it holds when `goal` is reached.
    goal
        The value from which on it holds.
    """

    name: str
    measure: Callable[[Mapping[str, Any]], float]
    goal: float = 1

    def value(self, facts: Mapping[str, Any]) -> tuple[float, str]:
        """Return how far the facts are, and what went wrong; a measure that fails has nothing."""
        try:
            return min(float(self.measure(facts)), self.goal), ""
        except Exception as error:  # a user's own function
            return 0.0, f"{type(error).__name__}: {error}"


def holds(name: str, check: Callable[[Mapping[str, Any]], bool]) -> Condition:
    """Return a condition from any function of the facts."""
    return Condition(name, lambda facts: float(bool(check(facts))))


def filled(*slots: str, within: str = "evidence", name: str = "") -> Condition:
    """Return the condition that evidence slots are filled: what is known, not what was opened.

    Parameters
    ----------
    slots
        Names of the slots.
    within
        The fact that holds them: a mapping from slot to what fills it.
    """

    def measure(facts: Mapping[str, Any]) -> float:
        held = facts.get(within) or {}
        return sum(_is_filled(held.get(slot)) for slot in slots)

    return Condition(name or ", ".join(slots), measure, len(slots))


def required(*names: str, submitted: str = "submitted", within: str = "fields") -> Condition:
    """Return the condition that a form's fields are filled and it is submitted: not how often
    something was clicked.
    """  # noqa: D205 - one sentence

    def measure(facts: Mapping[str, Any]) -> float:
        held = facts.get(within) or {}
        return sum(_is_filled(held.get(n)) for n in names) + bool(facts.get(submitted))

    return Condition(", ".join((*names, submitted)), measure, len(names) + 1)


def failing_tests(key: str = "failing_tests", *, at_first: int) -> Condition:
    """Return the condition that no test fails any more: not how many commands were run.

    Parameters
    ----------
    key
        The fact that holds how many fail, or which; absent means that it is not known.
    at_first
        How many failed when the task began; each that passes is a step.
    """

    def measure(facts: Mapping[str, Any]) -> float:
        failing = facts[key]
        return max(0, at_first - (failing if isinstance(failing, int) else len(failing)))

    if not at_first:
        return holds(key, lambda facts: not facts[key])
    return Condition(key, measure, at_first)


def _is_filled(value: Any) -> bool:
    return value is not None and value not in ("", [], {}, ())


@dataclass(frozen=True, slots=True)
class Judgement:
    """Which conditions hold, which do not, and what went wrong in checking them.

    `outcome` is ``completed`` only where every condition holds and there is one; ``partial``
    where some hold, or anything usable was found; else ``failed``.
    """

    met: tuple[str, ...]
    missing: tuple[str, ...]
    problems: tuple[str, ...]
    outcome: str


@dataclass(frozen=True, slots=True)
class Goal:
    """The completion conditions of a task.

    Examples
    --------
    >>> goal = Goal((filled("price", "supplier"), holds("format", lambda f: f.get("formatted"))))
    >>> facts = {"evidence": {"price": 3, "supplier": "acme"}}
    >>> goal.judge(facts).outcome, goal.judge(facts).missing
    ('partial', ('format',))
    >>> Goal().warning("zh")
    '没有终态：任务没有声明完成条件，无法判断它是否已经完成'
    """

    conditions: Sequence[Condition] = ()
    name: str = ""

    def judge(self, facts: Mapping[str, Any], *, usable: bool = False) -> Judgement:
        """Check every condition against the facts.

        Parameters
        ----------
        facts
            What is known, by name.
        usable
            Whether something was found that helps the user even where no condition holds.
        """
        met: list[str] = []
        missing: list[str] = []
        problems: list[str] = []
        begun = False
        for condition in self.conditions:
            value, problem = condition.value(facts)
            begun |= value > 0
            (met if value >= condition.goal else missing).append(condition.name)
            if problem:
                problems.append(f"{condition.name}: {problem}")
        done = bool(self.conditions) and not missing
        outcome = "completed" if done else "partial" if begun or usable else "failed"
        return Judgement(tuple(met), tuple(missing), tuple(problems), outcome)

    def progress(self, facts: Mapping[str, Any]) -> dict[str, float]:
        """Return how far each condition is; a run that moves raises one of them."""
        return {c.name: c.value(facts)[0] for c in self.conditions}

    def warning(self, lang: str = "en") -> str:
        """Return what a report says of a task without conditions; empty where there are some."""
        return "" if self.conditions else _NO_END[lang]
