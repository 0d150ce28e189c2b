"""Own completion, used budgets, repetition and waiting for a person are four different alarms."""

from __future__ import annotations

import pytest

from agentlens.breaker.machine import EVENTS, Machine
from agentlens.breaker.task.endings import ENDINGS, ending_of, overdue


def path(*events: str, start: str = "running"):
    machine = Machine(start, clock=lambda: 100.0)
    for event in events:
        machine.fire(event, usable=True)
    return machine.path


@pytest.mark.parametrize(
    ("events", "ending"),
    [
        ("", "running"),
        ("goal_met result_saved", "completed"),
        ("goal_met finalizer_budget_hit", "completed"),
        ("hard_budget_hit partial_saved", "budget"),
        ("no_progress hard_budget_hit partial_saved", "budget"),
        ("no_progress", "repeated"),
        ("no_progress replan_exhausted nothing_usable", "repeated"),
        ("no_progress novel_plan", "running"),
        ("no_progress novel_plan hard_budget_hit partial_saved", "budget"),
        ("approval_required", "human"),
        ("approval_required denied partial_saved", "human"),
        ("approval_required timeout nothing_usable", "human"),
        ("approval_required approved goal_met result_saved", "completed"),
        ("approval_required hard_budget_hit partial_saved", "budget"),
        ("hard_budget_hit write_unconfirmed", "human"),
        ("no_safe_path", "unsafe"),
    ],
)
def test_r44_monitoring_tells_the_ends_apart(events, ending):
    assert set(events.split()) <= set(EVENTS)
    assert ending_of(path(*events.split())) == ending
    assert ending in ENDINGS


def test_nobody_is_waited_for_for_ever():
    """S7: the person never answers."""
    waiting = path("approval_required")
    assert not overdue(waiting, 159.9, 60)
    assert overdue(waiting, 160, 60)
    assert not overdue(path("approval_required", "approved"), 1e9, 60)
    assert not overdue([], 1e9, 60)
