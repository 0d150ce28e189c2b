"""The machine's state after every round of a replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentlens.breaker.replay import Replay

__all__ = ["states"]


def states(replay: Replay) -> tuple[list[str], list[str | None]]:
    """Return for each row the machine's state after it, and the event that led there.

    The round of a trip shows `stalled`, where the trip leads; the rest of the path follows within
    it (`Replay.transitions`), so that the rounds after it show the terminal.
    """
    state = ["running"] * len(replay.signals.kind)
    event: list[str | None] = [None] * len(state)
    for rows, stop, path in zip(replay.signals.sequences, replay.stops, replay.paths, strict=True):
        if stop:
            first, *after = rows[stop.place :]
            state[first], event[first] = path[0].target, path[0].event
            for row in after:
                state[row] = path[-1].target
    return state, event
