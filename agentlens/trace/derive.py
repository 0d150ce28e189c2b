"""Columns that follow from others: a round's seconds from times, its tokens from their parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["add_up_tokens", "derive_seconds"]


def derive_seconds(rounds: Mapping[str, list[Any]], ended: Sequence[float | None]) -> None:
    """Fill a round's seconds from the next response of its request, or from its last result.

    Parameters
    ----------
    rounds
        Columns of the rounds table; ``seconds`` and ``time_quality`` are filled in place.
    ended
        For each row, when the last result of its calls came.
    """
    following: dict[str, int] = {}
    seconds, started, threads = rounds["seconds"], rounds["started"], rounds["thread"]
    requests, quality = rounds["request"], rounds["time_quality"]
    for row in range(len(started) - 1, -1, -1):
        thread, begun = threads[row], started[row]
        after = following.get(thread)
        following[thread] = row
        if seconds[row] is not None or begun is None:
            continue
        end = ended[row]
        if after is not None and requests[after] == requests[row] and started[after] is not None:
            end = started[after]
        if end is not None and end >= begun:
            seconds[row] = end - begun
            quality[row] = "derived"


def add_up_tokens(rounds: Mapping[str, list[Any]]) -> None:
    """Fill a round's tokens where the log has no total but has its parts."""
    totals = rounds["tokens"]
    parts = zip(totals, rounds["input_tokens"], rounds["output_tokens"], strict=True)
    for row, (total, prompt, answer) in enumerate(parts):
        if total is None and (prompt is not None or answer is not None):
            totals[row] = (prompt or 0) + (answer or 0)
