"""Parts of a profile: what each round saves, from each place on, and which round started it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentlens.breaker.trip import round_amounts, started_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from agentlens.breaker.query.signals import QuerySignals
    from agentlens.trace.model import Trace

__all__ = ["amounts_of", "means_of", "parents_of", "suffixes_of"]


def amounts_of(
    trace: Trace, order: list[int]
) -> tuple[NDArray[np.float64], tuple[bool, bool, bool, bool]]:
    """Return what each round saves by itself, with the sub-agents that it starts."""
    import numpy as np

    tokens, costs = round_amounts(trace)
    seconds = trace.tables["rounds"]["seconds"]
    out = np.zeros((len(order), 4))
    many = len(trace.tables["threads"]["thread"]) > 1
    for at, row in enumerate(order):
        if not trace.round_calls[row]:
            continue
        family = [row, *started_rows(trace, [row])] if many else [row]
        out[at] = (
            1, seconds[row] or 0, sum(tokens[r] or 0 for r in family),
            sum(costs[r] or 0 for r in family),
        )  # fmt: skip
    known = [any(v is not None for v in column) for column in (seconds, tokens, costs)]
    return out, (True, known[0], known[1], known[2])


def means_of(trace: Trace) -> tuple[float, float, float, float]:
    """Return the mean amounts of one round: 1, seconds, tokens, cost; 0 where nothing is known."""
    columns = (trace.tables["rounds"]["seconds"], *round_amounts(trace))
    known = [[v for v in column if v is not None] for column in columns]
    a, b, c = (sum(values) / len(values) if values else 0.0 for values in known)
    return 1.0, a, b, c


def suffixes_of(
    signals: QuerySignals, amounts: NDArray[np.float64], useful: list[bool]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return what is lost from each place on, one row more for each sequence."""
    import numpy as np

    saved, harms, start = [], [], 0
    for rows in signals.sequences:
        part = amounts[start : start + len(rows)]
        saved += [part[::-1].cumsum(axis=0)[::-1], np.zeros((1, 4))]
        flags = np.array(useful[start : start + len(rows)], dtype=bool)
        harms += [np.logical_or.accumulate(flags[::-1])[::-1], np.zeros(1, dtype=bool)]
        start += len(rows)
    if not saved:
        return np.zeros((0, 4)), np.zeros(0, dtype=bool)
    return np.concatenate(saved), np.concatenate(harms)


def parents_of(
    trace: Trace, signals: QuerySignals, where: dict[int, tuple[int, int]]
) -> tuple[tuple[int, int] | None, ...]:
    """Return for each sequence the place of the round that started its thread."""
    threads, calls = trace.tables["threads"], trace.tables["calls"]
    if len(threads["thread"]) < 2:
        return (None,) * len(signals.sequences)
    starter = dict(zip(threads["thread"], threads["parent_call"], strict=True))
    row_of_call = dict(zip(calls["call_id"], calls["round_row"], strict=True))
    names = [trace.tables["rounds"]["thread"][rows[0]] for rows in signals.sequences]
    rows = [row_of_call.get(starter.get(name)) for name in names]
    return tuple(None if row is None else where.get(row) for row in rows)
