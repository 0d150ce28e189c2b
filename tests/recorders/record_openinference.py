"""Record OpenInference's instrumentation (openinference-instrumentation-openai-agents 2.6.0).

``pip install openinference-instrumentation-openai-agents openai-agents``, then
``python record_openinference.py FOLDER``. The agents are those of openai-agents 0.24.0, with a
scripted model; one of them is a tool of the other. Writes the spans as JSON lines.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "0"
os.environ["OPENAI_API_KEY"] = "none"

from agents import Agent, Runner, function_tool
from agents.items import ModelResponse
from agents.models.interface import Model
from agents.tracing import generation_span
from agents.usage import Usage
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


def asks(name: str, *given: tuple[str, dict]) -> list:
    """Return calls of a tool."""
    return [
        ResponseFunctionToolCall(type="function_call", name=name, call_id=call_id,
                                 id=f"f-{call_id}", arguments=json.dumps(arguments))
        for call_id, arguments in given
    ]  # fmt: skip


def says(text: str) -> list:
    """Return an answer in words."""
    part = ResponseOutputText(type="output_text", text=text, annotations=[])
    return [ResponseOutputMessage(id="m", type="message", role="assistant", status="completed",
                                  content=[part])]  # fmt: skip


def chat(item) -> dict:
    """Return an item as the SDK's models of the chat API put it into their spans."""
    if isinstance(item, ResponseOutputMessage):
        return {"role": "assistant", "content": item.content[0].text}
    function = {"name": item.name, "arguments": item.arguments}
    return {"id": item.call_id, "type": "function", "function": function}


class Scripted(Model):
    """Answers what it was told to, in order, inside a generation span as the SDK's own do."""

    def __init__(self, *said: list):
        self.said = iter(said)

    async def get_response(self, system_instructions, input, *_given, **_options):
        """Return the next answer."""
        from agents.models.chatcmpl_converter import Converter

        answer = next(self.said)
        with generation_span(input=Converter.items_to_messages(input), model="scripted") as span:
            message = {"role": "assistant", "content": None}
            calls = [chat(item) for item in answer if isinstance(item, ResponseFunctionToolCall)]
            message = {**message, "tool_calls": calls} if calls else chat(answer[0])
            span.span_data.output = [message]
            span.span_data.usage = {"input_tokens": 20, "output_tokens": 4}
        return ModelResponse(output=answer, usage=Usage(), response_id=None)

    def stream_response(self, *_given, **_options):
        """Refuse: nothing here streams."""
        raise NotImplementedError


@function_tool
def web_search(query: str) -> str:
    """Search the web."""
    if query == "fail":
        raise ConnectionError("no network")
    return f"nothing about {query}"


memory, provider = InMemorySpanExporter(), TracerProvider(resource=Resource({}))
provider.add_span_processor(SimpleSpanProcessor(memory))
OpenAIAgentsInstrumentor().instrument(tracer_provider=provider)
inner = Scripted(asks("web_search", ("h1", {"query": "umbrella"})), says("take one"))
helper = Agent(name="helper", model=inner, tools=[web_search])
outer = Scripted(
    asks("web_search", ("c1", {"query": "rain Beijing"})),
    asks("web_search", ("c2", {"query": "北京今天下雨吗"}), ("c3", {"query": "fail"})),
    asks("web_search", ("c4", {"query": "Beijing rain today"})),
    asks("delegate", ("c5", {"input": "Do I need an umbrella?"})),
    says("It stays dry."),
)
delegate = helper.as_tool(tool_name="delegate", tool_description="Let another agent answer.")
weather = Agent(name="weather", model=outer, tools=[web_search, delegate])
asyncio.run(Runner.run(weather, "Will it rain in Beijing?"))
lines = [json.dumps(json.loads(span.to_json())) for span in memory.get_finished_spans()]
path = Path(sys.argv[1]) / "openai_agents_openinference.jsonl"
path.write_text("\n".join(lines) + "\n", "utf-8")
