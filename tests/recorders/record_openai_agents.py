"""Record an agent of the OpenAI Agents SDK (0.24.0) with a scripted model.

Run it where openai-agents is installed: ``python record_openai_agents.py FOLDER``. Writes what
the span exporters get, and the items of the Responses API that the run leaves behind.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from agents import Agent, Runner, function_tool, set_trace_processors
from agents.items import ModelResponse
from agents.models.interface import Model
from agents.tracing import generation_span
from agents.tracing.processor_interface import TracingProcessor
from agents.usage import Usage
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

exported: list[dict] = []


class Keep(TracingProcessor):
    """Keeps what is exported when it ends."""

    def on_trace_start(self, trace):
        """Do nothing yet."""

    def on_trace_end(self, trace):
        """Keep the head of a trace."""
        exported.append(trace.export())

    def on_span_start(self, span):
        """Do nothing yet."""

    def on_span_end(self, span):
        """Keep a span."""
        exported.append(span.export())

    def shutdown(self):
        """Hold nothing open."""

    def force_flush(self):
        """Hold nothing back."""


class Scripted(Model):
    """Searches twice, then answers."""

    asked = 0

    async def get_response(self, system_instructions, input, *_given, **_options):
        """Return the next answer inside a generation span, as the SDK's own models do."""
        self.asked += 1
        sent = [{"role": "user", "content": input}] if isinstance(input, str) else list(input)
        with generation_span(input=sent, model="scripted") as span:
            if self.asked < 3:
                answer = ResponseFunctionToolCall(
                    type="function_call", name="find", call_id=f"k{self.asked}",
                    id=f"f{self.asked}", arguments=json.dumps({"query": f"rain {self.asked}"}),
                )  # fmt: skip
            else:
                text = ResponseOutputText(type="output_text", text="dry", annotations=[])
                answer = ResponseOutputMessage(
                    id="m", type="message", role="assistant", status="completed", content=[text]
                )
            span.span_data.output = [answer.model_dump()]
            span.span_data.usage = {"input_tokens": 5, "output_tokens": 2}
        return ModelResponse(output=[answer], usage=Usage(), response_id=None)

    def stream_response(self, *_given, **_options):
        """Refuse: nothing here streams."""
        raise NotImplementedError


@function_tool
def find(query: str) -> str:
    """Find something."""
    return f"nothing about {query}"


folder = Path(sys.argv[1])
set_trace_processors([Keep()])
agent = Agent(name="Weather", model=Scripted(), tools=[find])
result = asyncio.run(Runner.run(agent, "Will it rain?"))
lines = "\n".join(json.dumps(item) for item in exported)
(folder / "openai_agents.jsonl").write_text(lines + "\n", "utf-8")
items = json.dumps(result.to_input_list(), indent=1, default=lambda o: o.model_dump())
(folder / "responses_items.json").write_text(items + "\n", "utf-8")
