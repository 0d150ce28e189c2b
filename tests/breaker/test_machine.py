"""The machine's table against the design's list, and what it refuses."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import pairwise
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlens.breaker.machine import (
    EVENTS,
    STATES,
    TABLE,
    TERMINALS,
    IllegalTransitionError,
    Machine,
    arcs_of,
    stop_path,
)

#: The design's list (A2), typed off: `source --event--> target`; a bar is an or.
GIVEN = """
running --no_progress--> stalled
stalled --novel_plan--> running
stalled --replan_exhausted--> finalizing
running --approval_required--> waiting_human
running --hard_budget_hit--> finalizing
finalizing --partial_saved--> partial
"""
MISSING = """
running --goal_met--> finalizing
finalizing --result_saved--> completed
finalizing --nothing_usable--> failed
running --no_safe_path--> failed
stalled --approval_required--> waiting_human
stalled --hard_budget_hit--> finalizing
waiting_human --approved--> running
waiting_human --denied|timeout--> finalizing
waiting_human --hard_budget_hit--> finalizing
finalizing --finalizer_budget_hit--> partial|failed
finalizing --write_unconfirmed--> waiting_human
"""


def listed(text: str) -> set[tuple[str, str, str]]:
    found = set()
    for source, events, targets in re.findall(r"(\w+) --([\w|]+)--> ([\w|]+)", text):
        found |= {(source, e, t) for e in events.split("|") for t in targets.split("|")}
    return found


def rows(given: bool) -> set[tuple[str, str, str]]:
    return {(a.source, a.event, a.target) for a in TABLE if a.given is given}


def test_r43_the_table_is_the_design_s_list_and_says_which_rows_were_given():
    assert rows(given=True) == listed(GIVEN)
    assert rows(given=False) == listed(MISSING)
    assert len(TABLE) == len(listed(GIVEN) | listed(MISSING))


def test_the_table_speaks_only_of_known_states_and_no_terminal_is_left():
    assert {a.source for a in TABLE} | {a.target for a in TABLE} == set(STATES)
    assert not {a.source for a in TABLE} & TERMINALS
    assert {a.event for a in TABLE} == set(EVENTS)


def test_r43_an_illegal_transition_raises_moves_nothing_and_is_kept():
    machine = Machine(clock=lambda: 12.0)
    with pytest.raises(IllegalTransitionError, match="running allows no partial_saved"):
        machine.fire("partial_saved", cause="too early", round=2)
    assert machine.state == "running"
    assert machine.path == []
    (refused,) = machine.refused
    assert (refused.source, refused.event, refused.cause) == (
        "running",
        "partial_saved",
        "too early",
    )
    assert (refused.round, refused.time) == (2, 12.0)


def test_r43_every_transition_has_event_cause_round_and_time():
    machine = Machine(clock=lambda: 5.0)
    machine.fire("no_progress", cause="count 2 of 2", round=3)
    machine.fire("replan_exhausted", round=3, time=6.0)
    first, second = machine.path
    assert (first.event, first.cause, first.round, first.time) == (
        "no_progress",
        "count 2 of 2",
        3,
        5,
    )
    assert second.cause == EVENTS["replan_exhausted"]  # an event says why where nobody does
    assert second.time == 6.0


@pytest.mark.parametrize(("usable", "target"), [(True, "partial"), (False, "failed")])
def test_r31_the_finalizer_out_of_budget_ends_by_what_is_usable(usable, target):
    machine = Machine("finalizing")
    with pytest.raises(IllegalTransitionError, match="partial or failed: say whether"):
        machine.fire("finalizer_budget_hit")
    assert machine.fire("finalizer_budget_hit", usable=usable) == target
    assert machine.ended


def test_r45_waiting_for_a_person_is_no_end():
    """A-23: it counts as an end in reports, and the same task goes on from it."""
    assert "waiting_human" not in TERMINALS
    assert {(a.event, a.target) for a in arcs_of("waiting_human")} == {
        ("approved", "running"), ("denied", "finalizing"), ("timeout", "finalizing"),
        ("hard_budget_hit", "finalizing"),
    }  # fmt: skip


@given(
    st.sampled_from(STATES),
    st.lists(
        st.tuples(
            st.sampled_from((*EVENTS, "no such event", "")), st.sampled_from((None, True, False))
        ),
        max_size=60,
    ),
)
def test_r43_a_random_sequence_of_events_never_leaves_the_table(start, events):
    edges = listed(GIVEN) | listed(MISSING)
    machine = Machine(start)
    for number, (event, usable) in enumerate(events):
        before = machine.state
        try:
            after = machine.fire(event, round=number, usable=usable)
        except IllegalTransitionError:
            assert machine.state == before
            ways = {t for s, e, t in edges if (s, e) == (before, event)}
            assert not ways or (len(ways) == 2 and usable is None)
        else:
            assert (before, event, after) in edges
    assert len(machine.path) + len(machine.refused) == len(events)
    states = [start, *(t.target for t in machine.path)]
    assert [t.source for t in machine.path] == states[:-1]
    assert all(t.cause and t.time is not None and t.round is not None for t in machine.path)


def test_every_state_can_be_reached_and_an_end_can_be_reached_from_each():
    def reach(start):
        seen, todo = {start}, [start]
        while todo:
            new = {a.target for a in arcs_of(todo.pop())} - seen
            seen |= new
            todo += new
        return seen

    assert reach("running") == set(STATES)
    assert all(reach(state) & TERMINALS for state in STATES)


def test_threads_that_share_a_machine_lose_nothing():
    machine = Machine()

    def turn():
        for _ in range(200):
            for event in ("no_progress", "novel_plan"):
                with suppress(IllegalTransitionError):
                    machine.fire(event)

    threads = [Thread(target=turn) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(machine.path) + len(machine.refused) == 8 * 400
    assert all(a.target == b.source for a, b in pairwise(machine.path))


def test_the_path_of_a_stop_keeps_the_time_of_the_log_or_none():
    timed = stop_path("no_progress", cause="why", round=3, time=7.5)
    assert [t.target for t in timed] == ["stalled", "finalizing", "partial"]
    assert {t.time for t in timed} == {7.5}
    assert {t.time for t in stop_path("hard_budget_hit")} == {None}
