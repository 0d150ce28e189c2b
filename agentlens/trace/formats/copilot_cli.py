"""Copilot CLI sessions: ``~/.copilot/session-state/<id>/events.jsonl``, and the SDK's events.

Facts that it rests on: an event is ``{type, id, parentId, timestamp, data}``; `assistant.message`
is one response of the model with its ``toolRequests``; `tool.execution_start` and
`tool.execution_complete` tell by ``toolCallId`` when a call began and how it ended, and old logs
keep no more of the end than ``success``; tools of MCP servers have their own name beside the one
that the model used; what a sub-agent does carries its ``agentId`` (in older logs the
``parentToolCallId``); a rewind names the event after which all was taken back, and how many;
what a shell answers ends with its exit code; tokens of a call are seldom kept, those of the
session stand in `session.shutdown`. Each release adds events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text
from agentlens.trace.document import Document
from agentlens.trace.formats.copilot_events import Events
from agentlens.trace.formats.part import Part, dicts, mapping, one_part

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "copilot_cli"
_OURS = frozenset(
    "session.start session.resume user.message assistant.message assistant.turn_start "
    "tool.execution_start tool.execution_complete".split()
)


def sniff(head: Sequence[Any]) -> float:
    """Fit: events with a dotted type that this agent writes, and data."""
    rows = list(dicts(list(head)))
    events = [r for r in rows if "." in as_text(r.get("type")) and _is_data(r)]
    ours = [r for r in events if as_text(r["type"]) in _OURS and ("id" in r or "timestamp" in r)]
    return 0.985 if ours and 2 * len(events) >= len(rows) else 0.0


def _is_data(record: Mapping[str, Any]) -> bool:
    return isinstance(record.get("data"), Mapping)


def split(document: Document) -> Iterator[Part]:
    """Yield the session as one part."""
    yield one_part(document)


def read(part: Part, build: TraceBuilder) -> None:
    """Read a session."""
    build.describe(agent="copilot-cli")
    events: list[tuple[int, Mapping[str, Any]]] = []
    for number, record in part.records:
        if isinstance(record, Mapping) and isinstance(record.get("type"), str) and _is_data(record):
            events.append((number, record))
        elif isinstance(record, Mapping) and record.get("type") == "abort":
            events.append((number, {**record, "data": {}}))
        else:
            build.note("skipped", "a record is not an event", number)
    if not events:
        raise part.error("holds no event of a Copilot session")
    branches = _branches(events, build)
    reader = Events(build)
    for number, record in events:
        reader.event(record, number, branches.get(number))


def _branches(
    events: Sequence[tuple[int, Mapping[str, Any]]], build: TraceBuilder
) -> dict[int, str]:
    """Return, for each event that a rewind took back, the name of its abandoned branch."""
    branches: dict[int, str] = {}
    now: list[tuple[int, Any]] = []
    for number, record in events:
        if record["type"] != "session.snapshot_rewind":
            now.append((number, record.get("id")))
            continue
        data = mapping(record["data"])
        listed = data.get("eventIds")
        ids = {k for k in listed if isinstance(k, str)} if isinstance(listed, list) else set()
        target = data.get("upToEventId")
        at = next((n for n, (_, key) in enumerate(now) if key == target), None)
        gone = [line for line, key in now if isinstance(key, str) and key in ids]
        if not ids and at is not None:
            all_of_it = data.get("eventsRemoved") == len(now) - at  # itself too
            gone = [line for line, _ in now[at if all_of_it else at + 1 :]]
        if not gone:
            build.note("skipped", "a rewind names no event that is there", number)
            continue
        build.note("info", "events that a rewind took back are an abandoned branch", number)
        name = f"rewind-{len(set(branches.values())) + 1}"
        branches.update(dict.fromkeys(gone, name))
        now = [(line, key) for line, key in now if line not in branches]
    return branches
