"""Calls, results, errors and threads of a log, counted in the plainest way, without agentlens.

Each function knows one kind of file and reads nothing but what it counts.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

#: Calls, results, errors, threads; None where a plain reading cannot tell.
Counts = tuple[int, int, int, int | None]


def values(path: Path) -> list[Any]:
    if path.is_dir():
        return [json.loads(file.read_text("utf-8")) for file in sorted(path.rglob("event-*.json"))]
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


def flat(attributes: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Return attributes by dotted names, nested or not."""
    found: dict[str, Any] = {}
    for key, value in attributes.items():
        inner = flat(value, f"{before}{key}.") if isinstance(value, dict) else {}
        found |= inner or {f"{before}{key}": value}
    return found


def kind_of(attributes: dict[str, Any]) -> str:
    named = str(attributes.get("openinference.span.kind") or "").lower()
    done = {"execute_tool": "tool", "invoke_agent": "agent", "agentic.tool.invocation": "tool"}
    own = attributes.get("gen_ai.operation.name") or attributes.get("span.type")
    return named or done.get(str(own), "other")


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
        a = flat(span["attributes"])
        status = span.get("status") or span.get("status_code") or ""
        code = status.get("status_code") if isinstance(status, dict) else status
        said = [str(e["attributes"].get("response")) for e in span.get("events", [])
                if e["name"] == "data.output"]  # fmt: skip
        spans.append(
            (
                span["context"]["span_id"],
                span["parent_id"],
                kind_of(a),
                result_of(a) or bool(said),
                str(code).endswith("ERROR") or any(text.startswith("Error:") for text in said),
            )
        )
    return tree(spans)


def mlflow(path: Path) -> Counts:
    spans = []
    for span in inside(values(path)):  # beside "context" the older of two shapes
        if "mlflow.spanType" in span.get("attributes", ()):
            a = {k: json.loads(v) for k, v in span["attributes"].items()}
            spans.append(
                (
                    span.get("span_id") or span["context"]["span_id"],
                    span.get("parent_span_id") or span.get("parent_id"),
                    str(a["mlflow.spanType"]).lower(),
                    a.get("mlflow.spanOutputs") is not None,
                    str(span.get("status_code") or span["status"]["code"]).endswith("ERROR"),
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


def handed_over(path: Path) -> Counts:
    """Count where agents hand over: which agent is whose is not told by the nesting alone."""
    return (*readable(path)[:3], None)
