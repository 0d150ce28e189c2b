"""A replay's tables: the frames that users read, and the dictionary that `--json` prints."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pandas as pd

from agentlens.breaker.query.counting import bound_of, similar_rows
from agentlens.breaker.rules import rule_of
from agentlens.breaker.states import states
from agentlens.progress.measures import value_of
from agentlens.progress.novelty import round_novelty

if TYPE_CHECKING:
    from agentlens.breaker.replay import Replay

__all__ = ["as_dict", "rounds_frame", "rules_frame", "transitions_frame"]


def rounds_frame(replay: Replay) -> pd.DataFrame:
    """Return one row a round of the trace, in its order.

    Columns: thread, request, round, kind, query, score (float, for reading), score_num and
    score_den (exact; for cosine the square), match_round, match_query, similar,
    no_progress_count (whole, missing after the trip), state, event, new_urls, new_lines,
    counterfactual, started, seconds, tokens.
    """
    trace, signals = replay.trace, replay.signals
    rounds = trace.tables["rounds"]
    state, event = states(replay)
    novelty = round_novelty(trace)
    best = signals.query
    match = [signals.scored.match[q] if q >= 0 else -1 for q in best]
    measure = replay.policy.measure
    score = [
        value_of(n, d, measure) if q >= 0 else None
        for n, d, q in zip(signals.num, signals.den, best, strict=True)
    ]
    tokens = [
        None if i is None and o is None else (i or 0) + (o or 0)
        for i, o in zip(rounds["input_tokens"], rounds["output_tokens"], strict=True)
    ]
    return pd.DataFrame(
        {
            "thread": rounds["thread"],
            "request": rounds["request"],
            "round": rounds["round"],
            "kind": signals.kind,
            "query": pd.Series(
                [signals.queries[q].text if q >= 0 else None for q in best], dtype=object
            ),
            "score": pd.Series(score, dtype="Float64"),
            "score_num": signals.num,
            "score_den": signals.den,
            "match_round": pd.Series(
                [rounds["round"][signals.queries[m].row] if m >= 0 else None for m in match],
                dtype="Int64",
            ),
            "match_query": pd.Series(
                [signals.queries[m].text if m >= 0 else None for m in match], dtype=object
            ),
            "similar": similar_rows(
                signals.num, signals.den, bound_of(replay.policy), replay.policy.strict
            ),
            "no_progress_count": pd.Series(replay.counts["query"], dtype="Int64"),
            "state": state,
            "event": pd.Series(event, dtype=object),
            "new_urls": novelty.urls,
            "new_lines": novelty.lines,
            "counterfactual": replay.counterfactual,
            "started": pd.to_numeric(pd.Series(rounds["started"], dtype=object)),
            "seconds": pd.to_numeric(pd.Series(rounds["seconds"], dtype=object)),
            "tokens": pd.to_numeric(pd.Series(tokens, dtype=object)),
        }
    )


def transitions_frame(replay: Replay) -> pd.DataFrame:
    """Return one row a transition: thread, request, round, source, event, target, cause, time."""
    rounds = replay.trace.tables["rounds"]
    rows = [
        (
            rounds["thread"][sequence[0]],
            rounds["request"][sequence[0]],
            t.round,
            t.source,
            t.event,
            t.target,
            t.cause,
            t.time,
        )
        for sequence, path in zip(replay.signals.sequences, replay.paths, strict=True)
        for t in path
    ]
    return pd.DataFrame(
        rows, columns=["thread", "request", "round", "source", "event", "target", "cause", "time"]
    )


def rules_frame(replay: Replay) -> pd.DataFrame:
    """Return one row a rule: rule, trip_round (of its own earliest trip), verdict, reason.

    The reason is given for the rule that stopped the run.
    """
    rounds, sequences = replay.trace.tables["rounds"], replay.signals.sequences
    table = []
    waits = {s.finding.rule for s in replay.spoken if s.finding.level == "wait"}
    for name, outcome in replay.outcomes.items():
        own = [
            rows[c.trip] for rows, c in zip(sequences, outcome, strict=True) if c.trip is not None
        ]
        trip = next((t for t in replay.trips if t.rule == name), None)
        verdict = "loop" if own and rule_of(name, replay.policy).means_loop else "progress"
        if name in waits and not own:
            verdict = "waiting"
        table.append(
            (name, rounds["round"][min(own)] if own else None, verdict, trip.reason if trip else "")
        )
    frame = pd.DataFrame(table, columns=["rule", "trip_round", "verdict", "reason"])
    return frame.astype({"trip_round": "Int64"})


def as_dict(replay: Replay, *, redact: bool) -> dict[str, Any]:
    """Return trace, policy, verdict, trips, transitions and rounds as plain values."""
    from agentlens.trace.redact_trace import masker_of

    frame = rounds_frame(replay).astype(object)
    out = {
        "trace": {
            "name": replay.trace.name,
            "source": replay.trace.meta.source,
            "format": replay.trace.format,
        },
        "policy": replay.policy.to_dict(),
        "verdict": replay.verdict,
        "trip": replay.trip.to_dict() if replay.trip else None,
        "trips": [t.to_dict() for t in replay.trips],
        "transitions": transitions_frame(replay).to_dict("records"),
        "rounds": frame.where(frame.notna(), None).to_dict("records"),
        "notes": [str(n) for n in replay.trace.notes],
    }
    finite: dict[str, Any] = _finite(out)
    return masker_of(replay.trace).redact_values(finite) if redact else finite


def _finite(value: Any) -> Any:
    """Return plain values in which a number that JSON cannot hold is None."""
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
