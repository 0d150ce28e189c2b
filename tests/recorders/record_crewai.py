"""Record a crew of CrewAI (1.15.30): one agent that calls in text, one that calls functions.

``pip install crewai``, then ``python record_crewai.py FOLDER``. Writes the crew's own log in JSON
(`output_log_file`), and the events of its bus, as a listener gets them. The models are scripted.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true",
                  CREWAI_TRACING_ENABLED="false", CREWAI_TESTING="true",
                  CREWAI_STORAGE_DIR=tempfile.mkdtemp())  # fmt: skip

from crewai import Agent, BaseLLM, Crew, Task
from crewai.events import crewai_event_bus
from crewai.events.types import crew_events, llm_events, task_events, tool_usage_events
from crewai.tools import tool

HEARD = (
    crew_events.CrewKickoffStartedEvent, crew_events.CrewKickoffCompletedEvent,
    task_events.TaskStartedEvent, task_events.TaskCompletedEvent,
    llm_events.LLMCallStartedEvent, llm_events.LLMCallCompletedEvent,
    tool_usage_events.ToolUsageStartedEvent, tool_usage_events.ToolUsageFinishedEvent,
    tool_usage_events.ToolUsageErrorEvent,
)  # fmt: skip
QUERIES = ("rain Beijing", "北京今天下雨吗", "fail", "Beijing rain today")


class Scripted(BaseLLM):
    """Answers what it was told to, in order, and tells the bus of it as other models do."""

    said: list
    functions: bool = False

    def supports_function_calling(self):
        """Say whether it gets tools by name, or writes them in its text."""
        return self.functions

    def call(self, messages, *_given, from_task=None, from_agent=None, **_options):
        """Return the next answer."""
        about = {"from_task": from_task, "from_agent": from_agent}
        self._emit_call_started_event(messages=messages, **about)
        answer = self.said.pop(0)
        kind = "llm_call" if isinstance(answer, str) else "tool_call"
        usage = {"prompt_tokens": 20, "completion_tokens": 4, "total_tokens": 24}
        self._emit_call_completed_event(
            answer, llm_events.LLMCallType(kind), messages=messages, usage=usage, **about
        )
        return answer


@tool("web_search")
def web_search(query: str) -> str:
    """Search the web."""
    if query == "fail":
        raise ConnectionError("no network")
    return f"nothing about {query}"


def asks(*queries: str) -> list:
    """Return calls of functions."""
    return [
        {"id": f"c-{query}", "type": "function",
         "function": {"name": "web_search", "arguments": json.dumps({"query": query})}}
        for query in queries
    ]  # fmt: skip


def agent(role: str, said: list, functions: bool) -> Agent:
    """Return an agent with a scripted model."""
    model = Scripted(model="scripted", said=said, functions=functions)
    return Agent(role=role, goal="Know the weather.", backstory="Careful.", llm=model,
                 tools=[web_search], max_retry_limit=0)  # fmt: skip


def kept_of(event) -> dict:
    """Return what a listener keeps: not the history again, nor the agent, crew and task whole."""
    fields = event.to_json(exclude={"messages", "agent", "fingerprint_metadata"})
    if "task" in fields:
        fields["task"] = {"name": event.task.name, "description": event.task.description}
    if isinstance(fields.get("output"), dict):
        fields["output"].pop("messages", None)
    return fields


events: list[dict] = []
texts = [f'Thought: look.\nAction: web_search\nAction Input: {{"query": "{q}"}}' for q in QUERIES]
texts.append("Thought: I now know the final answer.\nFinal Answer: It stays dry.")
finder = agent("Finder", texts, functions=False)
writer = agent("Writer", [asks("umbrella", "fail"), asks("rain coat"), "Take neither."], True)
tasks = [
    Task(name="find", description="Will it rain in Beijing?", expected_output="Words.",
         agent=finder),
    Task(name="write", description="What shall I wear?", expected_output="Words.", agent=writer),
]  # fmt: skip
with tempfile.TemporaryDirectory() as scratch, crewai_event_bus.scoped_handlers():
    for heard in HEARD:
        crewai_event_bus.on(heard)(lambda source, event: events.append(kept_of(event)))
    log = Path(scratch) / "log.json"
    Crew(agents=[finder, writer], tasks=tasks, output_log_file=str(log)).kickoff()
    crewai_event_bus.flush()
    kept = log.read_text("utf-8")
folder = Path(sys.argv[1])
(folder / "crewai_log.json").write_text(kept, "utf-8")
events.sort(key=lambda event: event["emission_sequence"])
lines = [json.dumps(event, ensure_ascii=False) for event in events]
(folder / "crewai_events.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
