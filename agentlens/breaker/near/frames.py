"""Near misses and ignored advice as frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from agentlens.breaker.near.advice import advice_of
from agentlens.breaker.near.misses import near_misses
from agentlens.breaker.near.words import miss_words

if TYPE_CHECKING:
    from agentlens.breaker.replay import Replay

__all__ = ["advice_frame", "near_frame"]


def near_frame(replay: Replay) -> pd.DataFrame:
    """Return one row a near miss; see `NearMiss` for the columns, and `Replay.near_misses`."""
    gone = replay.counterfactual
    rows = [
        (
            m.thread, m.request, m.round, m.rule, ", ".join(m.broke), m.count, m.would_count,
            m.would_round, m.level, m.threshold, miss_words(m),
        )
        for m in near_misses(replay.trace, replay.policy)
        if not gone[m.would_row]
    ]  # fmt: skip
    names = "thread request round rule broke count would_count would_round level threshold reason"
    return pd.DataFrame(rows, columns=names.split())


def advice_frame(replay: Replay) -> pd.DataFrame:
    """Return one row a warning of the log; see `Advice`, and `Replay.advice`."""
    rows = [
        (a.thread, a.request, a.round, a.tool, a.said, a.ignored, a.warnings, a.next_round)
        for a in advice_of(replay.trace)
    ]
    names = "thread request round tool said ignored warnings next_round"
    frame = pd.DataFrame(rows, columns=names.split())
    return frame.astype({"next_round": "Int64"})
