"""The fold of lanes costs nothing before it is opened, and follows policy, thread and language."""

from __future__ import annotations

import pytest

import agentlens as al
from agentlens.figures.rule_lanes import rows
from agentlens.widgets.lens.lanes_fold import LanesFold

MAKE = {"tool": "bash", "args": {"command": "make"}, "result": "built"}
TRACE = al.load([{"round": number, **MAKE} for number in range(1, 8)])


@pytest.fixture
def drawn(monkeypatch):
    """Count how often rows are made."""
    calls = []
    made = rows.lane_rows
    monkeypatch.setattr(rows, "lane_rows", lambda *a, **k: calls.append(1) or made(*a, **k))
    return calls


def test_nothing_is_replayed_before_it_is_opened(drawn):
    lens = al.Lens(TRACE, "layered")
    fold = lens._folds.lanes
    lens.policy = "classic"
    lens.lang = "zh"
    assert drawn == []
    assert fold.picture.value == ""
    assert fold.picture.layout.display == "none"
    fold.button.value = True
    assert len(drawn) == 1
    assert "roo-code" in fold.picture.value
    assert fold.picture.layout.display == ""
    lens.close()


def test_it_follows_what_changes_and_nothing_else(drawn):
    fold = LanesFold()
    fold.show(al.replay(TRACE, "layered"), "main", "en")
    fold.button.value = True
    first = fold.picture.value
    assert "layered · repeat" in first
    fold.show(al.replay(TRACE, "layered"), "main", "en")
    assert len(drawn) == 1
    fold.show(al.replay(TRACE, "classic"), "main", "en")
    assert "classic · query" in fold.picture.value
    assert "layered · repeat" not in fold.picture.value
    fold.show(al.replay(TRACE, "classic"), "main", "zh")
    assert "本可省去" in fold.picture.value
    assert len(drawn) == 3


def test_closed_again_it_costs_nothing(drawn):
    fold = LanesFold()
    fold.show(al.replay(TRACE, "layered"), "main", "en")
    fold.button.value = True
    fold.button.value = False
    fold.show(al.replay(TRACE, "classic"), "main", "en")
    assert len(drawn) == 1
