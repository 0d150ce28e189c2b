"""An agent loop as one would write it by hand, with and without a guard."""

from __future__ import annotations

import json

from agentlens.breaker.live.guard import Guard

INCIDENT = ["天气", "今日天气 气温", "今日天气 晴雨", "今日天气 预报", "天气 实时"]


def search(query: str) -> dict:
    return {"tool": "webSearch", "args": {"query": query}}


def host(rounds: list[list[dict]], guard: Guard | None = None) -> bytes:
    """Run a scripted agent, written as one would without a guard; return all that it did."""
    said: list[object] = []
    for number, asked in enumerate(rounds, 1):
        if guard is not None:
            decision = guard.before(asked)
            if decision.stop:
                said.append(["answer without tools", guard.closing_prompt()])
                return json.dumps(said, ensure_ascii=False).encode()
            if decision.reason and decision.action == "nudge":
                said.append(["system", decision.reason])
        results = []
        for call in asked:
            said.append(["正在调用", call["tool"], call["args"]])
            results.append({"result": f"page {number}"})
            said.append(["result", results[-1]["result"]])
        if guard is not None:
            guard.after(results)
    said.append(["answer"])
    return json.dumps(said, ensure_ascii=False).encode()
