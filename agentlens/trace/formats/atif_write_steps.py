"""Rounds and events of a trace as the steps of an ATIF trajectory; see `atif_write`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import orjson

from agentlens.trace.names import dress

if TYPE_CHECKING:
    from agentlens.trace.model import Trace

__all__ = ["StepWriter", "jsonable", "some"]


def some(**fields: Any) -> dict[str, Any]:
    """Return the fields that say something; zero does."""
    return {
        k: v
        for k, v in fields.items()
        if v is not None and v is not False and v not in ("", (), [], {})
    }


def _stamp(moment: float | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a step's timestamp, and the moment itself where that is not exactly the same."""
    if moment is None:
        return {}, {}
    try:
        text = datetime.fromtimestamp(moment, UTC).isoformat()
        exact = datetime.fromisoformat(text).timestamp() == moment
    except (ValueError, OverflowError, OSError):
        return {}, {"started": moment}
    return {"timestamp": text}, {} if exact else {"started": moment}


class StepWriter:
    """Writes the steps of one thread after another.

    Parameters
    ----------
    trace
        The trace.
    started_by
        For a call's id, the threads that it started.
    """

    def __init__(self, trace: Trace, started_by: Mapping[str, Sequence[str]]):
        self.trace = trace
        self.by_call = started_by

    def steps(self, thread: str) -> list[dict[str, Any]]:
        """Return rounds and events of a thread in the order in which they happened."""
        rounds, events = self.trace.tables["rounds"], self.trace.tables["events"]
        waiting: dict[int, list[int]] = {}
        for row, (name, after) in enumerate(
            zip(events["thread"], events["after_row"], strict=True)
        ):
            if name == thread:
                waiting.setdefault(after, []).append(row)
        steps = [self._event(row) for row in waiting.get(-1, [])]
        expected = 1
        for row, name in enumerate(rounds["thread"]):
            if name == thread:
                steps.append(self._round(row, expected))
                expected = rounds["round"][row] + 1
                steps += [self._event(event) for event in waiting.get(row, [])]
        return [{"step_id": number, **step} for number, step in enumerate(steps, 1)]

    def _event(self, row: int) -> dict[str, Any]:
        events, rounds = self.trace.tables["events"], self.trace.tables["rounds"]
        kind, after = events["kind"][row], events["after_row"][row]
        step, facts = _stamp(events["started"][row])
        said = kind == "user_message"
        step |= {"source": "user" if said else "system", "message": events["text"][row]}
        if not said:
            facts["event"] = kind
        elif (
            rounds["request"][after] == events["request"][row]
            if after >= 0
            else self.trace.meta.task is None and events["text"][row]
        ):
            facts["asks"] = False  # a user's words that started no request
        return step | ({"extra": {"agentlens": facts}} if facts else {})

    def _round(self, row: int, expected: int) -> dict[str, Any]:
        rounds = {name: cells[row] for name, cells in self.trace.tables["rounds"].items()}
        calls = [
            {name: cells[at] for name, cells in self.trace.tables["calls"].items()}
            for at in self.trace.round_calls[row]
        ]
        ids = _unique([str(call["call_id"]) for call in calls])
        known = [rounds[c] for c in ("input_tokens", "output_tokens") if rounds[c] is not None]
        parts = sum(known) if known else None
        facts = some(
            round=rounds["round"] if rounds["round"] != expected else None,
            hidden=rounds["hidden"],
            tokens=rounds["tokens"] if rounds["tokens"] != parts else None,
            message_id=rounds["message_id"],
            injected=rounds["injected"],
        )
        if rounds["round"] == 0 and expected != 0:
            facts["round"] = 0
        stamp, exactly = _stamp(rounds["started"])
        facts |= exactly
        if rounds["seconds"] is not None:
            facts["seconds"] = rounds["seconds"]
        timed = rounds["started"] is not None or rounds["seconds"] is not None
        if rounds["seconds"] is not None or rounds["time_quality"] != ("real" if timed else "none"):
            facts["time_quality"] = rounds["time_quality"]
        metrics = some(
            prompt_tokens=rounds["input_tokens"],
            cached_tokens=rounds["cached_tokens"],
            completion_tokens=rounds["output_tokens"],
            cost_usd=rounds["cost"],
            extra=some(
                cache_write_tokens=rounds["cache_write_tokens"],
                reasoning_tokens=rounds["reasoning_tokens"],
            ),
        )
        results = [
            self._result(call, ids[place])
            for place, call in enumerate(calls)
            if call["status"] != "missing"
        ]
        made = some(
            **stamp,
            model_name=rounds["model"],
            reasoning_content=rounds["reasoning"],
            tool_calls=[
                self._call(call, ids[place], rounds["started"]) for place, call in enumerate(calls)
            ],
            observation={"results": results} if results else None,
            metrics=metrics,
            is_copied_context=rounds["copied"],
            extra={"agentlens": facts} if facts else None,
        )
        return {"source": "agent", "message": rounds["text"], **made}

    def _call(self, call: Mapping[str, Any], call_id: str, begun: float | None) -> dict[str, Any]:
        name, args, beside = dress(call["tool"], call["tool_raw"], call["namespace"], call["args"])
        facts = some(
            args_raw=call["args_raw"],
            id_generated=call["id_generated"],
            tokens=call["tokens"],
            cost=call["cost"],
            args_state="missing" if call["args_state"] == "missing" else None,
        )
        facts |= beside
        if call["seconds"] is not None:
            facts["seconds"] = call["seconds"]
        if call["call_id"] != call_id:
            facts["call_id"] = call["call_id"]
        if call["started"] != begun:
            facts["started"] = call["started"]
        made: dict[str, Any] = {
            "tool_call_id": call_id,
            "function_name": name,
            "arguments": jsonable(
                args if args is not None else {"raw": call["args_raw"]} if call["args_raw"] else {}
            ),
        }
        return {**made, "extra": {"agentlens": facts}} if facts else made

    def _result(self, call: Mapping[str, Any], call_id: str) -> dict[str, Any]:
        facts: dict[str, Any] = {"status": call["status"]}
        facts |= some(
            error_type=call["error_type"], truncated=call["truncated"], parts=list(call["parts"])
        )
        if call["exit_code"] is not None:
            facts["exit_code"] = call["exit_code"]
        if call["paired_by"] != "id":
            facts["paired_by"] = call["paired_by"]
        refs = [{"trajectory_id": name} for name in self.by_call.get(call["call_id"], ())]
        return {
            "source_call_id": call_id,
            "content": call["result"],
            **({"subagent_trajectory_ref": refs} if refs else {}),
            "extra": {"is_error": call["status"] != "ok", "agentlens": facts},
        }


def _unique(ids: list[str]) -> list[str]:
    """Return ids that differ within a step: results refer to them."""
    seen: dict[str, int] = {}
    out = []
    for each in ids:
        seen[each] = seen.get(each, 0) + 1
        out.append(each if seen[each] == 1 else f"{each}#{seen[each]}")
    return out


def jsonable(value: Any) -> Any:
    """Return a value as JSON can hold it: no NaN, no lone surrogates, only text as keys."""
    try:
        return orjson.loads(orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS))
    except (TypeError, orjson.JSONEncodeError):
        return {"raw": repr(value).encode("utf-8", "replace").decode()}
