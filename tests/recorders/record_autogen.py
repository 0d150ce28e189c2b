"""Record an AutoGen AgentChat (0.7.5) assistant that calls tools, with a scripted model.

Run it where autogen-agentchat is installed: ``python record_autogen.py OUT.json``.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from autogen_agentchat.agents import AssistantAgent
from autogen_core import FunctionCall
from autogen_core.models import CreateResult, RequestUsage
from autogen_ext.models.replay import ReplayChatCompletionClient


async def web_search(query: str) -> str:
    """Search the web."""
    if query == "fail":
        raise ValueError("no network")
    return f"nothing about {query}"


def asks(*queries: str) -> CreateResult:
    """Return an answer of the model that calls the tool."""
    calls = [
        FunctionCall(id=f"c-{query}", name="web_search", arguments=json.dumps({"query": query}))
        for query in queries
    ]
    usage = RequestUsage(prompt_tokens=10, completion_tokens=2)
    return CreateResult(finish_reason="function_calls", content=calls, usage=usage, cached=False)


async def main() -> None:
    """Run the agent and write its messages."""
    model = ReplayChatCompletionClient(
        [asks("rain"), asks("rain today", "fail"), "It will not rain."],
        model_info={"vision": False, "function_calling": True, "json_output": False,
                    "family": "unknown", "structured_output": False},
    )  # fmt: skip
    agent = AssistantAgent("helper", model, tools=[web_search], max_tool_iterations=5)
    result = await agent.run(task="Will it rain?")
    messages = [message.model_dump(mode="json") for message in result.messages]
    out = {"messages": messages, "stop_reason": result.stop_reason}
    Path(sys.argv[1]).write_text(json.dumps(out, indent=1) + "\n", "utf-8")


asyncio.run(main())
