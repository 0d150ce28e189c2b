"""Record an agent of Strands (strands-agents 1.62.0) as OpenTelemetry sees it, scripted.

``pip install strands-agents opentelemetry-exporter-otlp-proto-common``, then
``python record_strands.py FOLDER``. Writes its spans as OTLP in JSON; messages are in events.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from google.protobuf.json_format import MessageToDict
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from strands import Agent, tool
from strands.models.model import Model

ROUNDS = (("rain Beijing",), ("北京今天下雨吗", "fail"), ("Beijing rain today",), ())


class Scripted(Model):
    """Answers what it was told to, in order."""

    def __init__(self):
        self.said = iter(ROUNDS)

    def update_config(self, **_options):
        """Keep the script as it is."""

    def get_config(self):
        """Return its name."""
        return {"model_id": "scripted"}

    async def structured_output(self, *_given, **_options):
        """Refuse: nothing here is structured."""
        raise NotImplementedError
        yield

    async def stream(self, *_given, **_options):
        """Yield the next answer."""
        queries = next(self.said)
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": "Look." if queries else "It stays dry."}}}
        yield {"contentBlockStop": {}}
        for query in queries:
            use = {"name": "web_search", "toolUseId": f"c-{query}"}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            given = {"toolUse": {"input": json.dumps({"query": query})}}
            yield {"contentBlockDelta": {"delta": given}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if queries else "end_turn"}}
        usage = {"inputTokens": 20, "outputTokens": 4, "totalTokens": 24}
        yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 1}}}


@tool
def web_search(query: str) -> str:
    """Search the web."""
    if query == "fail":
        raise ConnectionError("no network")
    return f"nothing about {query}"


memory, provider = InMemorySpanExporter(), TracerProvider(resource=Resource({}))
provider.add_span_processor(SimpleSpanProcessor(memory))
trace.set_tracer_provider(provider)
agent = Agent(model=Scripted(), tools=[web_search], name="weather", callback_handler=None)
agent("Will it rain in Beijing?")
text = json.dumps(MessageToDict(encode_spans(memory.get_finished_spans())))
text = re.sub(r'(File \\+")/[^"\\]*/', r"\1", text)  # folders of the machine in stack traces
(Path(sys.argv[1]) / "strands_otlp.json").write_text(text + "\n", "utf-8")
