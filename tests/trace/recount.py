"""Calls, results, errors and threads of a log, counted in the plainest way, without agentlens.

Each function knows one kind of file and reads nothing but what it counts.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

#: Calls, results, errors, threads; None where a plain reading cannot tell.
Counts = tuple[int, int, int, int | None]


def values(path: Path) -> list[Any]:
    text = path.read_text("utf-8")
    try:
        value = json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines()]
    return value if isinstance(value, list) else [value]


def inside(value: Any):
    """Yield every mapping within a value."""
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, dict | list):
            yield from inside(item)


def tree(spans: list[tuple[str, str | None, str, bool, bool]]) -> Counts:
    """Count spans: ``(id, parent, kind, has a result, failed)``; agents in agents are threads."""
    kinds = {own: (parent, kind) for own, parent, kind, *_ in spans}

    def within(parent: str | None) -> bool:
        while parent in kinds:
            parent, kind = kinds[parent]
            if kind == "agent":
                return True
        return False

    tools = [s for s in spans if s[2] == "tool"]
    agents = [s for s in spans if s[2] == "agent" and within(s[1])]
    return (len(tools), sum(s[3] or s[4] for s in tools), sum(s[4] for s in tools),
            1 + len(agents))  # fmt: skip


def kind_of(attributes: dict[str, Any]) -> str:
    named = str(attributes.get("openinference.span.kind") or "").lower()
    done = {"execute_tool": "tool", "invoke_agent": "agent"}
    return named or done.get(str(attributes.get("gen_ai.operation.name")), "other")


def result_of(attributes: dict[str, Any]) -> bool:
    names = ("output.value", "gen_ai.tool.call.result", "tool_response")
    return any(name in attributes for name in names)


def otlp(path: Path) -> Counts:
    spans = []
    for span in inside(values(path)):
        if "spanId" in span and "attributes" in span:
            a = {p["key"]: next(iter(p["value"].values()), None) for p in span["attributes"]}
            events = [e.get("name") for e in span.get("events", [])]
            spans.append(
                (
                    span["spanId"],
                    span.get("parentSpanId"),
                    kind_of(a),
                    result_of(a) or "gen_ai.choice" in events,
                    str(span.get("status", {}).get("code")) in ("2", "STATUS_CODE_ERROR"),
                )
            )
    return tree(spans)


def readable(path: Path) -> Counts:
    spans = []
    for span in values(path):
        a = span["attributes"]
        status = span.get("status") or span.get("status_code") or ""
        code = status.get("status_code") if isinstance(status, dict) else status
        spans.append(
            (
                span["context"]["span_id"],
                span["parent_id"],
                kind_of(a),
                result_of(a),
                str(code).endswith("ERROR"),
            )
        )
    return tree(spans)


def mlflow(path: Path) -> Counts:
    spans = []
    for span in values(path)[0]["data"]["spans"]:
        a = {k: json.loads(v) for k, v in span["attributes"].items()}
        spans.append(
            (
                span["span_id"],
                span.get("parent_span_id"),
                str(a["mlflow.spanType"]).lower(),
                a.get("mlflow.spanOutputs") is not None,
                span["status"]["code"].endswith("ERROR"),
            )
        )
    return tree(spans)


def langsmith(path: Path) -> Counts:
    runs = [r for r in inside(values(path)) if "run_type" in r]
    tools = [r for r in runs if r["run_type"] == "tool"]
    return (
        len(tools),
        sum(bool(r["outputs"]) for r in tools),
        sum(bool(r["error"]) for r in tools),
        None,
    )


def langfuse(path: Path) -> Counts:
    return tree([(r["id"], r.get("parentObservationId"), r["type"].lower(), "output" in r,
                  r.get("level") == "ERROR")
                 for r in inside(values(path)) if r.get("type") and "traceId" in r])  # fmt: skip


def weave(path: Path) -> Counts:
    return tree([(r["id"], r["parent_id"], r["attributes"].get("weave", {}).get("kind", ""),
                  r["output"] is not None, bool(r.get("exception")))
                 for r in values(path)])  # fmt: skip


def openai_agents(path: Path) -> Counts:
    spans = [r for r in values(path) if r["object"] == "trace.span"]
    names = {"function": "tool"}
    return tree([(r["id"], r["parent_id"],
                  names.get(r["span_data"]["type"], r["span_data"]["type"]),
                  r["span_data"].get("output") is not None, bool(r["error"]))
                 for r in spans])  # fmt: skip


def mini_swe_agent(path: Path) -> Counts:
    data = values(path)[0]
    messages = data["messages"] if isinstance(data, dict) and "messages" in data else data
    actions = sum(len(m.get("extra", {}).get("actions") or []) for m in messages)
    outputs = [m["extra"]["returncode"] for m in messages if "returncode" in m.get("extra", {})]
    ended = sum(m.get("role") == "exit" for m in messages)  # answers the last action
    return actions, len(outputs) + ended, sum(code != 0 for code in outputs), 1


def responses(path: Path) -> Counts:
    items = list(inside(values(path)))
    calls = [i for i in items if i.get("type") == "function_call"]
    outputs = [i for i in items if i.get("type") == "function_call_output"]
    return len(calls), len(outputs), 0, 1


def autogen(path: Path) -> Counts:
    items = list(inside(values(path)))
    calls = {i["id"] for i in items if {"id", "name", "arguments"} <= set(i)}
    results = {i["call_id"]: i.get("is_error") for i in items if {"call_id", "content"} <= set(i)}
    return len(calls), len(results), sum(map(bool, results.values())), 1


def browser_use(path: Path) -> Counts:
    steps = values(path)[0]["history"]
    actions = [a for s in steps for a in ((s["model_output"] or {}).get("action") or [])]
    results = [r for s in steps if s["model_output"] for r in s["result"]]
    return len(actions), len(results), sum(bool(r.get("error")) for r in results), 1


def openai(path: Path) -> Counts:
    messages = [m for m in inside(values(path)) if "role" in m]
    calls = sum(len(m.get("tool_calls") or []) for m in messages)
    results = [m for m in messages if m["role"] == "tool"]
    return calls, len(results), sum(bool(re.match("Error", m["content"])) for m in results), 1


def anthropic(path: Path) -> Counts:
    blocks = list(inside(values(path)))
    results = [b for b in blocks if str(b.get("type")).endswith("tool_result")]
    return (sum(str(b.get("type")).endswith("tool_use") for b in blocks), len(results),
            sum(bool(b.get("is_error")) for b in results), 1)  # fmt: skip


def gemini(path: Path) -> Counts:
    calls = [c for r in inside(values(path)) for c in r.get("toolCalls") or []]
    return len(calls), sum(bool(c.get("result")) for c in calls), sum(
        c["status"] in ("error", "cancelled") for c in calls), None  # fmt: skip


def atif(path: Path) -> Counts:
    maps = list(inside(values(path)))
    calls = sum(len(m.get("tool_calls") or []) for m in maps)
    return calls, sum("source_call_id" in m for m in maps), 0, sum("schema_version" in m or (
        "steps" in m and "agent" in m) for m in maps)  # fmt: skip


def handed_over(path: Path) -> Counts:
    """Count where agents hand over: which agent is whose is not told by the nesting alone."""
    return (*readable(path)[:3], None)
