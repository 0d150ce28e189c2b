"""Calls, results, errors and threads of messages, counted in the plainest way.

Each function knows one kind of file and reads nothing but what it counts; see `recount` for spans.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.trace.recount import Counts, inside, values

FAILED = re.compile(
    r"(\s*|meta=None content=\[TextContent\(type='text', text=.(\{.{0,80}\"text\": \")?)"
    r"(Error|ERROR|error:|Traceback \(|\{.error|Tool call timed out)|(?s:.*)isError=True"
)


def texts(value: Any) -> str:
    """Return all that a content says, whatever its shape."""
    if isinstance(value, str):
        return value
    return "".join(str(part.get("text", "")) for part in inside(value or []))


def paired(calls: list[Any], results: list[tuple[Any, bool]], threads: int | None = 1) -> Counts:
    """Count results of known calls: ``(id, failed)``; of one call the last counts."""
    known = {call: failed for call, failed in results if call in calls}
    return len(calls), len(known), sum(known.values()), threads


def anthropic(path: Path) -> Counts:
    return blocks_of(values(path))


def blocks_of(messages: list[Any]) -> Counts:
    blocks = list(inside(messages))
    calls = [b["id"] for b in blocks if str(b.get("type")).endswith("tool_use")]
    return paired(calls, [(b["tool_use_id"], bool(b.get("is_error"))) for b in blocks
                          if str(b.get("type")).endswith("tool_result")])  # fmt: skip


def claude_code(path: Path) -> Counts:
    records = {r["uuid"]: r for r in values(path) if "message" in r}.values()
    beside = {r["uuid"] for r in records if r.get("isSidechain") and not r.get("parentUuid")}
    return (*blocks_of([r["message"] for r in records])[:3], 1 + len(beside))


def gemini(path: Path) -> Counts:
    last: dict[str, Any] = {}  # of a message that is written again the last counts
    records = values(path)
    for record in inside(records):
        if "type" in record and "id" in record:
            last[record["id"]] = record
    calls = [c for r in last.values() for c in r.get("toolCalls") or []]
    back = sum("$rewindTo" in r for r in records)
    return len(calls), sum(bool(c.get("result")) for c in calls), sum(
        c["status"] in ("error", "cancelled") for c in calls), 1 + back  # fmt: skip


def langchain(path: Path) -> Counts:
    messages = [m for m in inside(values(path)) if "content" in m and "type" in m]
    calls = [c["id"] for m in messages for key in ("tool_calls", "invalid_tool_calls")
             for c in m.get(key) or []]  # fmt: skip
    results = [m for m in messages if m["type"] == "tool"]
    failed = sum(m.get("status") == "error" or bool(FAILED.match(texts(m["content"])))
                 for m in results)  # fmt: skip
    return len(calls), len(results), failed, None


def openai(path: Path) -> Counts:
    messages = [m for m in inside(values(path)) if "role" in m]
    calls = [c["id"] for m in messages for c in m.get("tool_calls") or []]
    results = [m for m in messages if m["role"] == "tool"]
    ids = [m.get("tool_call_id") or m["tool_call_ids"][0] for m in results]
    bad = [bool(m.get("error") or FAILED.match(texts(m["content"]))) for m in results]
    return paired(calls, list(zip(ids, bad, strict=True)))


def qwen_code(path: Path) -> Counts:
    records = {r["uuid"]: r for r in values(path)}.values()
    calls, results = [], []
    for record in records:
        stopped = record.get("toolCallResult", {}).get("status") in ("error", "cancelled")
        for part in record["message"]["parts"]:
            if "functionCall" in part:
                calls.append(part["functionCall"]["id"])
            if "functionResponse" in part:
                given = part["functionResponse"]
                results.append((given["id"], stopped or "error" in given["response"]))
    return paired(calls, results, 1 + len({r["agentId"] for r in records if "agentId" in r}))


def responses(path: Path) -> Counts:
    items = list(inside(values(path)))  # each request sends again what was before it
    calls = {i["call_id"]: i for i in items if i.get("type") == "function_call"}
    return paired(list(calls), [(i["call_id"], False) for i in items
                                if i.get("type") == "function_call_output"])  # fmt: skip


def sharegpt(path: Path) -> Counts:
    records = values(path)
    runs = [r["conversations"] for r in records if "conversations" in r] or [records]
    rows = [row for run in runs for row in run]
    calls = sum(r["from"] == "function_call" or r["value"].count("<tool_call>") for r in rows)
    said = [re.split(r"\s*</?tool_response>\s*", r["value"]) for r in rows
            if r["from"] in ("observation", "tool")]  # fmt: skip
    results = [text for each in said for text in each if text]
    return calls, len(results), sum(bool(FAILED.match(text)) for text in results), len(runs)


def tau(path: Path) -> Counts:
    """Count results by their number: ids are used again, and each call has its result."""
    calls, *_ = openai(path)
    found = [m for m in inside(values(path)) if m.get("role") == "tool"]
    failed = sum(bool(FAILED.match(m["content"])) for m in found)
    return calls, len(found), failed, sum("traj" in m for m in values(path))


def tau2(path: Path) -> Counts:
    runs = [m for m in inside(values(path)) if "termination_reason" in m]
    calls, results, threads = 0, [], 0
    for run in runs:
        maps = list(inside(run.get("messages") or run["ticks"]))
        calls += sum(len(m.get("tool_calls") or []) for m in maps)
        results += [m for m in maps if m.get("role") == "tool" and "id" in m]
        threads += 1 + any(m.get("requestor") == "user" for m in maps)
    return calls, len(results), sum(bool(m["error"]) for m in results), threads
