"""A trace as an ATIF v1.8 trajectory: what ATIF has a field for in that field, the rest in extra.

A round becomes an agent step, a user message a user step, another event a system step; threads
other than the main one become embedded trajectories, to which the result of the call that started
them refers. Under ``extra.agentlens`` stands what ATIF has no field for (status of a result,
numbers of rounds, times of calls), so that reading it again gives the same tables.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from agentlens.trace.build import MAIN
from agentlens.trace.names import unwrap

if TYPE_CHECKING:
    from agentlens.trace.model import Trace

__all__ = ["to_atif", "write_atif"]

VERSION = "ATIF-v1.8"


def to_atif(trace: Trace) -> dict[str, Any]:
    """Return the trace as an ATIF trajectory, ready for JSON.

    Parameters
    ----------
    trace
        Any trace, whatever it was read from.

    Examples
    --------
    >>> import agentlens as al
    >>> al.to_atif(al.load([{"round": 1, "tool": "ls", "args": {}}]))["steps"][0]["source"]
    'agent'
    """
    return _Writer(trace).trajectory(MAIN if MAIN in trace.tables["threads"]["thread"] else None)


def write_atif(trace: Trace, path: str | os.PathLike[str]) -> Path:
    """Write the trace as an ATIF file; return its path.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    target = Path(path).expanduser()
    target.write_bytes(orjson.dumps(to_atif(trace), option=orjson.OPT_INDENT_2) + b"\n")
    return target


def _some(**fields: Any) -> dict[str, Any]:
    """Return the fields that say something; zero does."""
    return {
        k: v
        for k, v in fields.items()
        if v is not None and v is not False and v not in ("", (), [], {})
    }


def _iso(moment: float | None) -> str | None:
    return datetime.fromtimestamp(moment, UTC).isoformat() if moment is not None else None


class _Writer:
    def __init__(self, trace: Trace):
        self.trace = trace
        threads = trace.tables["threads"]
        rows = range(len(threads["thread"]))
        self.threads = {
            threads["thread"][row]: {name: cells[row] for name, cells in threads.items()}
            for row in rows
        }
        self.children: dict[str, list[str]] = {}
        for name, about in self.threads.items():
            if name != MAIN:
                parent = about["parent"] if about["parent"] in self.threads else MAIN
                self.children.setdefault(parent if parent != name else MAIN, []).append(name)
        self.by_call: dict[str, list[str]] = {}
        for name, about in self.threads.items():
            if about["parent_call"]:
                self.by_call.setdefault(about["parent_call"], []).append(name)
        self.written: set[str] = set()

    def trajectory(self, thread: str | None) -> dict[str, Any]:
        """Return a thread with those that it started."""
        trace, meta = self.trace, self.trace.meta
        name = thread or MAIN
        self.written.add(name)
        steps = self._steps(name)
        about = self.threads.get(name, {})
        spoken = set(trace.tables["rounds"]["model"])
        model = meta.models[0] if spoken == set(meta.models) and len(spoken) == 1 else None
        facts = _some(
            kind=about.get("kind") if name != MAIN else None,
            parent=about.get("parent"),
            parent_call=about.get("parent_call"),
            name=about.get("name"),
            abandoned=about.get("abandoned"),
            source_format=meta.format if name == MAIN else None,
            models=list(meta.models) if name == MAIN and not model else None,
        )
        extra: dict[str, Any] = {"agentlens": facts} if facts else {}
        if name == MAIN:
            shared = _some(
                cwd=meta.cwd,
                task=meta.task,
                outcome=dict(meta.outcome),
                labels=[dict(x) for x in meta.labels],
            )
            extra = {**_jsonable(meta.extra), **_jsonable(shared), **extra}
        inner = [
            self.trajectory(child)
            for child in self.children.get(name, [])
            if child not in self.written
        ]
        made = {
            "schema_version": VERSION,
            "session_id": meta.session_id,
            "trajectory_id": name if name != MAIN else meta.trace_id,
            "agent": _some(
                name=meta.agent or meta.format,
                version=meta.agent_version or "unknown",
                model_name=model,
            ),
            "steps": steps,
            "final_metrics": self._totals() if name == MAIN else None,
            "notes": "; ".join(map(str, trace.notes)) or None if name == MAIN else None,
            "extra": extra or None,
            "subagent_trajectories": inner or None,
        }
        return {key: value for key, value in made.items() if value is not None}

    def _totals(self) -> dict[str, Any] | None:
        rounds = self.trace.tables["rounds"]
        totals: dict[str, Any] = {}
        for key, column in (
            ("total_prompt_tokens", "input_tokens"),
            ("total_completion_tokens", "output_tokens"),
            ("total_cached_tokens", "cached_tokens"),
            ("total_cost_usd", "cost"),
        ):
            known = [value for value in rounds[column] if value is not None]
            if known:
                totals[key] = sum(known)
        return totals or None

    def _steps(self, thread: str) -> list[dict[str, Any]]:
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
        events = self.trace.tables["events"]
        kind, stamp = events["kind"][row], _iso(events["started"][row])
        step: dict[str, Any] = {"timestamp": stamp} if stamp else {}
        step |= {
            "source": "user" if kind == "user_message" else "system",
            "message": events["text"][row],
        }
        if kind != "user_message":
            step["extra"] = {"agentlens": {"event": kind}}
        return step

    def _round(self, row: int, expected: int) -> dict[str, Any]:
        rounds = {name: cells[row] for name, cells in self.trace.tables["rounds"].items()}
        calls = [
            {name: cells[at] for name, cells in self.trace.tables["calls"].items()}
            for at in self.trace.round_calls[row]
        ]
        ids = _unique([str(call["call_id"]) for call in calls])
        known = [rounds[c] for c in ("input_tokens", "output_tokens") if rounds[c] is not None]
        parts = sum(known) if known else None
        facts = _some(
            round=rounds["round"] if rounds["round"] != expected else None,
            hidden=rounds["hidden"],
            tokens=rounds["tokens"] if rounds["tokens"] != parts else None,
            message_id=rounds["message_id"],
            injected=rounds["injected"],
        )
        if rounds["round"] == 0 and expected != 0:
            facts["round"] = 0
        if rounds["time_quality"] != "none" and rounds["seconds"] is not None:
            facts |= {"seconds": rounds["seconds"], "time_quality": rounds["time_quality"]}
        metrics = _some(
            prompt_tokens=rounds["input_tokens"],
            cached_tokens=rounds["cached_tokens"],
            completion_tokens=rounds["output_tokens"],
            cost_usd=rounds["cost"],
            extra=_some(
                cache_write_tokens=rounds["cache_write_tokens"],
                reasoning_tokens=rounds["reasoning_tokens"],
            ),
        )
        results = [
            self._result(call, ids[place])
            for place, call in enumerate(calls)
            if call["status"] != "missing"
        ]
        made = _some(
            timestamp=_iso(rounds["started"]),
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
        args = call["args"]
        if unwrap(call["tool_raw"])[0] != call["tool"]:  # the real tool stood in the arguments
            wrapped = {"tool_name": call["tool"], "server_name": call["namespace"], "params": args}
            args = _some(**wrapped) | {"params": args}
        facts = _some(
            args_raw=call["args_raw"],
            id_generated=call["id_generated"],
            tokens=call["tokens"],
            cost=call["cost"],
            args_state="missing" if call["args_state"] == "missing" else None,
        )
        if call["seconds"] is not None:
            facts["seconds"] = call["seconds"]
        if call["started"] != begun:
            facts["started"] = call["started"]
        made: dict[str, Any] = {
            "tool_call_id": call_id,
            "function_name": call["tool_raw"],
            "arguments": _jsonable(
                args if args is not None else {"raw": call["args_raw"]} if call["args_raw"] else {}
            ),
        }
        return {**made, "extra": {"agentlens": facts}} if facts else made

    def _result(self, call: Mapping[str, Any], call_id: str) -> dict[str, Any]:
        facts: dict[str, Any] = {"status": call["status"]}
        facts |= _some(
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


def _jsonable(value: Any) -> Any:
    """Return a value as JSON can hold it: no NaN, no lone surrogates, only text as keys."""
    try:
        return orjson.loads(orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS))
    except (TypeError, orjson.JSONEncodeError):
        return {"raw": repr(value).encode("utf-8", "replace").decode()}
