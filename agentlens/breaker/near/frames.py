"""Near misses and ignored advice as frames, and in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from agentlens.breaker.near.advice import advice_of
from agentlens.breaker.near.misses import NearMiss, near_misses

if TYPE_CHECKING:
    from agentlens.breaker.replay import Replay

__all__ = ["advice_frame", "near_frame"]

_BROKE: Mapping[str, str] = {
    "key_order": "the arguments came in another order",
    "volatile_argument": "an id, a time or a comment among the arguments differed",
    "thought": "the model thought or said something else with it",
    "volatile_result": "an id or a time in the result differed",
    "think": "a call that only thinks came in between",
    "message": "each call was in a message of its own",
    "window": "the calls lay further apart than it looks back",
    "early": "there were too few rounds for it to look",
    "result": "the results differed",
}


def reason_of(miss: NearMiss) -> str:
    """Say in one English sentence why a rule did not speak."""
    why = ", and ".join(_BROKE[kind] for kind in miss.broke)
    return (
        f"{miss.rule} would have counted {miss.would_count} in round {miss.would_round}, "
        f"not {miss.count}, but from round {miss.round} on {why}"
    )


def near_frame(replay: Replay) -> pd.DataFrame:
    """Return one row a near miss; see `NearMiss` for the columns, and `Replay.near_misses`."""
    gone = replay.counterfactual
    rows = [
        (
            m.thread, m.request, m.round, m.rule, ", ".join(m.broke), m.count, m.would_count,
            m.would_round, m.level, m.threshold, reason_of(m),
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
