"""Calls, results, errors and threads of agents' own logs, counted in the plainest way.

Each function knows one kind of file and reads nothing but what it counts; see `recount` for spans.
"""

from __future__ import annotations

import ast
import json
import re
import zipfile
from pathlib import Path

from tests.trace.recount import Counts, inside, values
from tests.trace.recount_messages import FAILED, openai, paired

EXIT = re.compile(r"(?s:.*)(exit ?code|returncode)\D{0,2}[1-9]")


def ag2(path: Path) -> Counts:
    said = [str(m.get("content")) for m in values(path)[0]["history"]]
    ran = [re.match(r"exitcode: (-?\d+)", text) for text in said]
    return sum(map(bool, ran)), sum(map(bool, ran)), sum(bool(m) and m[1] != "0" for m in ran), 1


def atif(path: Path) -> Counts:
    maps = list(inside(values(path)))
    runs = [m for m in maps if "schema_version" in m or ("steps" in m and "agent" in m)]
    calls, results = 0, []
    for step in (s for run in runs for s in run["steps"]):
        calls += len(step.get("tool_calls") or [])
        results += (step.get("observation") or {}).get("results", [])
    return calls, len(results), sum(bool(FAILED.match(r["content"])) for r in results), len(runs)


def autogen(path: Path) -> Counts:
    items = list(inside(values(path)))
    calls = {i["id"] for i in items if {"id", "name", "arguments"} <= set(i)}
    return paired(list(calls), [(i["call_id"], bool(i.get("is_error"))) for i in items
                                if {"call_id", "content"} <= set(i)])  # fmt: skip


def browser_use(path: Path) -> Counts:
    steps = values(path)[0]["history"]
    actions = [a for s in steps for a in ((s["model_output"] or {}).get("action") or [])]
    results = [r for s in steps if s["model_output"] for r in s["result"]]
    return len(actions), len(results), sum(bool(r.get("error")) for r in results), 1


def codex(path: Path) -> Counts:
    items = [r.get("payload", {}) for r in values(path) if isinstance(r, dict)]
    kinds = ("function_call", "custom_tool_call", "local_shell_call")
    calls = [i["call_id"] for i in items if i.get("type") in kinds]
    results = [(i["call_id"], bool(EXIT.match(str(i["output"])))) for i in items
               if str(i.get("type")).endswith("call_output")]  # fmt: skip
    return paired(calls, results)


def copilot_cli(path: Path) -> Counts:
    events = [(e["type"], e["data"]) for e in values(path)]
    calls = [q["toolCallId"] for _, data in events for q in data.get("toolRequests", [])]
    results = [(data["toolCallId"], not data["success"] or bool(EXIT.match(str(data["result"]))))
               for kind, data in events if kind == "tool.execution_complete"]  # fmt: skip
    return paired(calls, results, 1 + sum(kind == "subagent.started" for kind, _ in events))


def crewai(path: Path) -> Counts:
    ends: dict[str, str] = {}  # a call that is tried again is one call, its last end counts
    for e in values(path):
        if str(e.get("type")).startswith("tool_usage"):
            args = e["tool_args"]
            args = json.loads(args) if isinstance(args, str) else args
            ends[json.dumps([e.get("task_id"), e["tool_name"], args])] = e["type"]
    return len(ends), sum(k != "tool_usage_started" for k in ends.values()), sum(
        k == "tool_usage_error" for k in ends.values()), 1  # fmt: skip


def goose(path: Path) -> Counts:
    maps = list(inside(values(path)))
    requests = [m for m in maps if m.get("type") == "toolRequest"]
    results = [(m["id"], True) for m in requests if m["toolCall"]["status"] == "error"]
    for m in maps:
        if m.get("type") == "toolResponse":
            value = m["toolResult"].get("value", {})
            code = value.get("structuredContent", {}).get("exit_code")
            bad = m["toolResult"]["status"] == "error" or value["isError"] or bool(code)
            results.append((m["id"], bad))
    return paired([m["id"] for m in requests], results, sum("conversation" in m for m in maps))


def inspect_ai(path: Path) -> Counts:
    if path.suffix == ".eval":
        with zipfile.ZipFile(path) as log:
            samples = [json.loads(log.read(n)) for n in log.namelist() if n.startswith("samples/")]
    else:
        samples = values(path)[0]["samples"]
    calls, results = {}, []
    for e in (e for s in samples for e in s.get("events", [])):
        if e["event"] == "model":
            said = e["output"]["choices"][0]["message"] if e["output"]["choices"] else {}
            calls |= dict.fromkeys(c["id"] for c in said.get("tool_calls") or [])
        elif e["event"] == "tool":
            results.append((e["id"], bool(e.get("error"))))
    return paired(list(calls), results, None)


def intercode(path: Path) -> Counts:
    tasks = [m["turn_history"] for m in inside(values(path)) if "turn_history" in m]
    calls = sum(len(h["actions"]) for h in tasks)
    results, errors = 0, 0
    for h in (h for h in tasks if isinstance(h["observations"], list)):
        for place, text in enumerate(h["observations"]):
            flag = h["valid_action"][place] if h.get("valid_action") else None
            python = str(text).startswith("{'output'") and not str(text).endswith("'error': ''}")
            results += text is not None
            errors += flag is False or (flag is None and bool(python or FAILED.match(str(text))))
    return calls, results, errors, len(tasks)


def magentic(path: Path) -> Counts:
    acted = [m["content"] for m in values(path)[0]["history"]
             if not m["role"].startswith(("Orchestrator", "human"))]  # fmt: skip
    lost = sum("\nTitle: Error 404\n" in text for text in acted)
    return len(acted), len(acted), lost, 1


def mini_swe_agent(path: Path) -> Counts:
    data = values(path)[0]
    messages = data["messages"] if isinstance(data, dict) and "messages" in data else data
    extra = [m.get("extra", {}) for m in messages]
    calls = sum(max(len(m.get("tool_calls") or []), len(e.get("actions") or []))
                for m, e in zip(messages, extra, strict=True))  # fmt: skip
    codes = [e["returncode"] for e in extra if "returncode" in e]
    ended = sum(m.get("role") == "exit" for m in messages)  # answers the last action, if need be
    return calls, min(calls, len(codes) + ended), sum(code != 0 for code in codes), 1


def opencode(path: Path) -> Counts:
    maps = list(inside(values(path)))
    states = [m["state"] for m in maps if m.get("type") == "tool"]
    failed = [s["status"] == "error" or bool(s.get("metadata", {}).get("exit")) for s in states
              if s["status"] in ("completed", "error")]  # fmt: skip
    return len(states), len(failed), sum(failed), sum("info" in m and "messages" in m for m in maps)


def openhands(path: Path) -> Counts:
    events = values(path)
    results = []
    for e in events:
        if e["kind"] in ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation"):
            o = e.get("observation", {})
            code = o.get("exit_code") or 0
            bad = o.get("is_error") or o.get("timeout") or code > 0 or "observation" not in e
            results.append((e["tool_call_id"], bool(bad)))
    return paired([e["tool_call_id"] for e in events if e["kind"] == "ActionEvent"], results)


def plain(path: Path) -> Counts:
    rows = [r for r in values(path) if r.get("tool")]
    return len(rows), sum("result" in r for r in rows), sum(bool(r.get("error")) for r in rows), (
        len({r.get("thread", "main") for r in rows}))  # fmt: skip


def smolagents(path: Path) -> Counts:
    steps = [s for s in values(path) if s.get("tool_calls")]
    calls = sum(in_code(c["function"]["arguments"]) if isinstance(c["function"]["arguments"], str)
                else 1 for s in steps for c in s["tool_calls"])  # fmt: skip
    return calls, calls, sum(bool(s["error"]) for s in steps), 1


def in_code(code: str) -> int:
    """Count calls of tools in code; one within a loop over a list is as many as the list is long.

    Code that calls no tool is one call itself.
    """
    code_tree = ast.parse(code)
    once = sum(map(is_tool, ast.walk(code_tree)))
    again = sum((len(loop.iter.elts) - 1) * sum(map(is_tool, ast.walk(loop)))
                for loop in ast.walk(code_tree) if isinstance(loop, ast.For))  # fmt: skip
    return once + again or 1


def is_tool(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") not in ("print", "")


def sweagent(path: Path) -> Counts:
    data = values(path)[0]
    if data.get("trajectory"):
        steps = [s for s in data["trajectory"] if s["action"].strip()
                 and not s["action"].startswith("exit_")]  # fmt: skip
        seen = [s["observation"] for s in steps]
        return len(steps), len(seen), sum(bool(FAILED.match(text or "")) for text in seen), 1
    return openai(path)


def tables(path: Path) -> Counts:
    import pandas as pd

    rows = pd.read_parquet(path)
    status = rows["status"][rows["table"] == "calls"]
    ended = status[status != "missing"]
    return (
        len(status),
        len(ended),
        int((ended != "ok").sum()),
        int((rows["table"] == "threads").sum()),
    )


def toolbench(path: Path) -> Counts:
    nodes = [m for m in inside(values(path)[0]["tree"]) if "node_type" in m]
    codes = [m["observation_code"] for m in nodes if m.get("observation")]
    beside = sum(max(len(m["children"]) - 1, 0) for m in nodes)
    return len(codes), len(codes), sum(code not in (0, 3, 4) for code in codes), 1 + beside
