"""The lanes as a frame: one row a rule, a preset or the step count, the first to speak on top."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from agentlens.breaker.families.blind import blind_spots
from agentlens.breaker.policy import Policy
from agentlens.figures.rule_lanes.rows import lane_rows
from agentlens.figures.view import view_of

if TYPE_CHECKING:
    import pandas as pd

    from agentlens.breaker.replay import Replay
    from agentlens.figures.rule_lanes.row import LaneRow

__all__ = ["lanes_table"]


def lanes_table(
    replay: Replay, presets: Iterable[str] | None = None, *, steps: Any = None,
    thread: str | None = None, near: bool | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Return what `agentlens.figures.lanes` draws, as a table.

    Parameters
    ----------
    replay, presets, steps, thread, near
        As there.

    Returns
    -------
    pandas.DataFrame
        ``name``, ``kind`` (rule, policy, peer, steps); ``first_round`` and ``first`` (nudge, block
        or stop) of the first time it speaks, which is a fact; ``stop_round``;
        ``saved_rounds`` and ``saved_seconds``; ``upper_bound``; ``near_misses``; ``why``;
        ``cannot_see``, by its rules and, for a preset, by what a replay lacks.
    """
    import pandas as pd

    view = view_of(replay, thread)
    rounds = replay.trace.tables["rounds"]["round"]
    own, cells = blind_spots(replay.policy), []
    for row in lane_rows(view, presets, steps=steps, near=near).rows:
        first = next((mark for mark in row.marks if mark.level != "wait"), None)
        stop, saved = row.stop, row.saved
        cells.append(
            (
                row.name, row.kind,
                rounds[view.rows[first.place]] if first else None, first.level if first else "",
                rounds[view.rows[stop.place]] if stop else None,
                saved.rounds if saved else None, saved.seconds if saved else None, row.upper,
                len(row.near), first.reason if first else "", _blind(row, own),
            )
        )  # fmt: skip
    names = (
        "name kind first_round first stop_round saved_rounds saved_seconds upper_bound "
        "near_misses why cannot_see"
    )
    whole = dict.fromkeys(("first_round", "stop_round", "saved_rounds"), "Int64")
    frame = pd.DataFrame(cells, columns=names.split())
    return frame.astype({**whole, "saved_seconds": "Float64"})


def _blind(row: LaneRow, own: dict[str, str]) -> str:
    """Say what a row cannot see."""
    if row.kind == "rule":
        return own.get(row.name, "")
    if row.kind == "steps":
        return "whether the run moves"
    if row.kind == "policy":
        return "what none of its rules sees"
    said = dict.fromkeys(
        part for text in blind_spots(Policy.preset(row.name)).values() for part in text.split("; ")
    )
    return "; ".join([*said, *filter(None, [row.cannot])])
