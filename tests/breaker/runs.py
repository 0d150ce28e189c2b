"""Short ways to write a run down: queries as text, other calls as ``@tool``."""

from __future__ import annotations

from agentlens.trace.build import TraceBuilder
from agentlens.trace.model import Trace


def run(rounds: list[list[str]], **columns) -> Trace:
    """Return a trace of one thread and request from lists of queries and ``@tools``."""
    builder = TraceBuilder("test")
    add(builder, rounds, **columns)
    return builder.finish()


def add(builder: TraceBuilder, rounds: list[list[str]], thread: str = "main", **columns) -> None:
    """Add rounds to a builder."""
    for calls in rounds:
        row = builder.round(thread=thread, **columns)
        for item in calls:
            tool = item[1:] if item.startswith("@") else "webSearch"
            args = {} if item.startswith("@") else {"query": item}
            builder.result(builder.call(row, tool, args), "result")


INCIDENT = [["天气"], ["今日天气 气温"], ["今日天气 晴雨"], ["今日天气 预报"], ["天气 实时"]]
BOUNDARY = [["今日天气 气温"], ["今日天气 晴雨"], ["今日天气 风力"]]
