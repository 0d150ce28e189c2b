"""A trace as an ATIF v1.8 trajectory: what ATIF has a field for in that field, the rest in extra.

A round becomes an agent step, a user message a user step, another event a system step; threads
other than the main one become embedded trajectories, to which the result of the call that started
them refers. Under ``extra.agentlens`` stands what ATIF has no field for (status of a result,
numbers of rounds, times of calls), so that reading it again gives the same tables.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from agentlens.trace.build import MAIN
from agentlens.trace.formats.atif_write_steps import StepWriter, jsonable, some
from agentlens.trace.redact_trace import leaving
from agentlens.trace.whole_file import write_whole

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


def write_atif(trace: Trace, path: str | os.PathLike[str], *, redact: bool = True) -> Path:
    """Write the trace as an ATIF file; return its path.

    Parameters
    ----------
    trace, path
        The trace, and the file to write.
    redact
        Mask secrets, e-mail addresses and names of home folders.

    Raises
    ------
    TypeError
        If it is no trace.
    OSError
        If the file cannot be written.
    """
    target = Path(path).expanduser()
    made = to_atif(leaving(trace, "write_atif", redact=redact))
    write_whole(target, orjson.dumps(made, option=orjson.OPT_INDENT_2) + b"\n")
    return target


class _Writer:
    def __init__(self, trace: Trace):
        self.trace = trace
        threads = trace.tables["threads"]
        rows = range(len(threads["thread"]))
        self.threads = {
            threads["thread"][row]: {name: cells[row] for name, cells in threads.items()}
            for row in rows
        }
        blank = dict.fromkeys(threads)
        for name in trace.tables["events"]["thread"]:  # nothing but events, declared by none
            self.threads.setdefault(name, blank)
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
        steps = StepWriter(trace, self.by_call).steps(name)
        about = self.threads.get(name, {})
        spoken = set(trace.tables["rounds"]["model"])
        model = meta.models[0] if spoken == set(meta.models) and len(spoken) == 1 else None
        facts = some(
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
            shared = some(
                cwd=meta.cwd,
                task=meta.task,
                outcome=dict(meta.outcome),
                labels=[dict(x) for x in meta.labels],
            )
            extra = {**jsonable(meta.extra), **jsonable(shared), **extra}
        inner = [
            self.trajectory(child)
            for child in self.children.get(name, [])
            if child not in self.written
        ]
        made = {
            "schema_version": VERSION,
            "session_id": meta.session_id,
            "trajectory_id": name if name != MAIN else meta.trace_id,
            "agent": some(
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
