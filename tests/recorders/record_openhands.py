"""Record an agent of the OpenHands SDK (openhands-sdk 1.58.2) with its own scripted model.

``pip install openhands-sdk``, then ``python record_openhands.py FOLDER``. Writes the events that
the conversation persists, a file an event, without the state beside them, which names the machine.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

os.environ.update(LITELLM_LOCAL_MODEL_COST_MAP="True", OPENHANDS_SUPPRESS_BANNER="1")

from openhands.sdk import Agent, Conversation, Tool, register_tool
from openhands.sdk.llm import Message, MessageToolCall, TextContent
from openhands.sdk.testing import TestLLM
from openhands.sdk.tool import Action, Observation, ToolDefinition, ToolExecutor

ROUNDS = (("rain Beijing",), ("北京今天下雨吗", "fail"), ("Beijing rain today",))


class SearchAction(Action):
    """What to search for."""

    query: str


class SearchObservation(Observation):
    """What was found."""


class Search(ToolExecutor):
    """Finds nothing."""

    def __call__(self, action, conversation=None):
        """Answer a query, or fail."""
        if action.query == "fail":
            raise ValueError("no network")
        if action.query == "nowhere":
            return SearchObservation.from_text("no such place", is_error=True)
        return SearchObservation.from_text(f"nothing about {action.query}")


class WebSearchTool(ToolDefinition[SearchAction, SearchObservation]):
    """A search of the web."""

    @classmethod
    def create(cls, conv_state=None, **params):
        """Return the tool."""
        return [cls(description="Search the web.", action_type=SearchAction,
                    observation_type=SearchObservation, executor=Search())]  # fmt: skip


def calls(name: str, *given: tuple[str, dict]) -> Message:
    """Return an answer that calls a tool."""
    made = [
        MessageToolCall(id=call_id, name=name, arguments=json.dumps(arguments), origin="completion")
        for call_id, arguments in given
    ]
    return Message(role="assistant", content=[TextContent(text="Look.")], tool_calls=made)


def searches(number: int, *queries: str) -> Message:
    """Return an answer that searches, and says why in words that differ every time."""
    return calls("web_search", *(
        (f"c-{query}", {"query": query, "summary": f"Try number {number}", "security_risk": "LOW"})
        for query in queries
    ))  # fmt: skip


register_tool("WebSearchTool", WebSearchTool)
said = [searches(number, *queries) for number, queries in enumerate(ROUNDS, 1)]
said += [calls("no_such_tool", ("c-none", {"x": 1})), searches(5, "nowhere"),
         calls("finish", ("c-end", {"message": "It stays dry."}))]  # fmt: skip
model = TestLLM.from_messages(said, usage_id="agent")
tools = [Tool(name="WebSearchTool")]
agent = Agent(llm=model, tools=tools, system_prompt="You are a helper.")
with tempfile.TemporaryDirectory() as scratch:
    conversation = Conversation(
        agent, workspace=f"{scratch}/work", persistence_dir=f"{scratch}/kept", visualizer=None
    )
    conversation.send_message("Will it rain in Beijing?")
    conversation.run()
    conversation.close()
    folder = Path(sys.argv[1]) / "openhands" / "events"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.json"):
        old.unlink()
    for path in sorted(Path(scratch).rglob("events/*.json")):
        (folder / path.name).write_text(path.read_text("utf-8") + "\n", "utf-8")
