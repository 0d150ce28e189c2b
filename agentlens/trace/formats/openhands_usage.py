"""What a conversation of OpenHands used: tokens and cost of its responses, and of all of it.

Facts that it rests on: counts are kept for each use of a model (``agent``, ``condenser``, …) and
only ever grow, in ``stats`` events as in the state that is kept beside the events; so a response's
own are the difference to the event before. The kept state also holds a list with the tokens of
each response under its id. Costs have no id: they are in the order of the responses, but what cost
nothing is left out, so that they tell whose they are only where there are as many as responses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.formats.part import dicts, mapping, text_or_none

__all__ = ["Usage", "difference"]

_TOKENS = (
    ("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens"),
    ("cached_tokens", "cache_read_tokens"), ("cache_write_tokens", "cache_write_tokens"),
    ("reasoning_tokens", "reasoning_tokens"),
)  # fmt: skip


class Usage:
    """Takes the counts as they come and gives them to rounds and to the whole.

    Attributes
    ----------
    unspent : dict
        Round columns of what the agent's model used since its last round.
    """

    def __init__(self) -> None:
        self.unspent: dict[str, Any] = {}
        self._so_far: dict[str, Mapping[str, Any]] = {}
        self._responses: dict[str, dict[str, Any]] = {}

    def take(self) -> dict[str, Any]:
        """Return what is unspent, which belongs to the round that begins now."""
        taken, self.unspent = self.unspent, {}
        return taken

    def count(self, stats: Mapping[str, Any]) -> None:
        """Read counts of the conversation so far."""
        uses = mapping(stats.get("usage_to_metrics"))
        for name, each in uses.items():
            metrics = mapping(each)
            self._each_response(metrics)
            used = dict(mapping(metrics.get("accumulated_token_usage")))
            used["cost"] = metrics.get("accumulated_cost")
            before = self._so_far.get(name, {})
            self._so_far[name] = used
            if name != ("agent" if "agent" in uses else "default"):
                continue
            columns = difference(used, before)
            if columns:
                model = text_or_none(metrics.get("model_name"))
                self.unspent = {**columns, "model": model} if model else columns

    def _each_response(self, metrics: Mapping[str, Any]) -> None:
        """Remember tokens by the id of their response, and costs where it is clear whose."""
        usages = list(dicts(metrics.get("token_usages")))
        costs = [cost.get("cost") for cost in dicts(metrics.get("costs"))]
        for place, used in enumerate(usages):
            response = text_or_none(used.get("response_id"))
            if response is None:
                continue
            found = {column: used.get(key) for column, key in _TOKENS}
            if len(costs) == len(usages):
                found["cost"] = costs[place]
            columns: dict[str, Any] = {k: v for k, v in found.items() if _is_amount(v)}
            if model := text_or_none(used.get("model")):
                columns["model"] = model
            self._responses[response] = columns

    def finish(self, build: TraceBuilder, rows: Mapping[str, int]) -> None:
        """Write what is known of responses into their rounds, and the totals.

        Parameters
        ----------
        rows
            Row of the round of each response, by its id.
        """
        for response, columns in self._responses.items():
            row = rows.get(response)
            if row is not None:
                build.update_round(row, **columns)
        totals: dict[str, Any] = {}
        for used in self._so_far.values():
            for column, key in (*_TOKENS, ("cost", "cost")):
                value = used.get(key)
                if _is_amount(value) and value:
                    totals[column] = totals.get(column, 0) + value
        if totals:
            build.describe(totals=totals, totals_source="reported")


def _is_amount(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def difference(now: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """Return round columns: what counters that only grow have grown by, or nothing."""
    columns: dict[str, Any] = {}
    for column, key in (*_TOKENS, ("cost", "cost")):
        new, old = now.get(key), before.get(key) or 0
        if not isinstance(new, int | float) or isinstance(new, bool):
            continue
        grown = new - (old if isinstance(old, int | float) else 0)
        if grown > 0 or (grown == 0 and new and column != "cost"):
            columns[column] = grown
    return columns if any(columns.values()) else {}
