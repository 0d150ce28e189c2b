"""The machine's table against the design's list, and what it refuses."""

from __future__ import annotations

import pytest

from agentlens.breaker.machine import (
    STATES,
    TERMINALS,
    TRANSITIONS,
    IllegalTransitionError,
    Machine,
)


def test_the_table_speaks_only_of_known_states_and_no_terminal_is_left():
    assert {s for s, _ in TRANSITIONS} | set(TRANSITIONS.values()) == set(STATES)
    assert not {s for s, _ in TRANSITIONS} & TERMINALS


@pytest.mark.parametrize(
    ("source", "event", "target"),
    [
        ("running", "no_progress", "stalled"),
        ("stalled", "novel_plan", "running"),
        ("stalled", "replan_exhausted", "finalizing"),
        ("running", "approval_required", "waiting_human"),
        ("running", "hard_budget_hit", "finalizing"),
        ("finalizing", "partial_saved", "partial"),
    ],
)
def test_the_transitions_that_the_design_gives(source, event, target):
    assert TRANSITIONS[source, event] == target


def test_r43_an_illegal_transition_raises_and_moves_nothing():
    machine = Machine()
    with pytest.raises(IllegalTransitionError, match="running allows no partial_saved"):
        machine.fire("partial_saved")
    assert machine.state == "running"
    assert machine.path == []
