"""Record a LangGraph agent with a scripted model as three tracing systems see the same run.

Run it where langgraph (1.2.24), langchain-core (1.8.3), openinference-instrumentation-langchain
(0.1.80) and opentelemetry-exporter-otlp-proto-common are installed:
``python record_langgraph.py FOLDER``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from google.protobuf.json_format import MessageToDict
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langchain_core.tracers.base import BaseTracer
from langgraph.prebuilt import create_react_agent
from openinference.instrumentation.langchain import LangChainInstrumentor
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

USAGE = {"input_tokens": 10, "output_tokens": 3, "total_tokens": 13}


def said(text, *queries):
    """Return a response that searches for queries."""
    calls = [
        {"name": "web_search", "args": {"query": query}, "id": f"c-{query}"} for query in queries
    ]
    return AIMessage(text, tool_calls=calls, usage_metadata=USAGE)


@tool
def web_search(query: str) -> str:
    """Search the web."""
    return f"nothing about {query}"


class Scripted(GenericFakeChatModel):
    """Answers what it was told to, in order."""

    def bind_tools(self, *_given, **_options):
        """Take tools and leave the script as it is."""
        return self


class Keep(BaseTracer):
    """Keeps runs, as the client of LangSmith would send them."""

    def __init__(self):
        super().__init__()
        self.kept = []

    def _persist_run(self, run):
        self.kept.append(run)


def flat(run):
    """Yield a run and those below it, without what repeats their code."""
    fields = run.model_dump() if hasattr(run, "model_dump") else run.dict()
    inner = fields.pop("child_runs", [])
    for bulk in ("serialized", "events"):
        fields.pop(bulk, None)
    yield json.loads(json.dumps(fields, default=lambda o: o.to_json() if hasattr(o, "to_json")
                                else str(o)))  # fmt: skip
    for child in run.child_runs if inner is not None else []:
        yield from flat(child)


folder = Path(sys.argv[1])
memory, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(memory))
LangChainInstrumentor().instrument(tracer_provider=provider)
script = iter([said("", "rain", "rain today"), said("again", "rain now"), said("dry")])
keep = Keep()
agent = create_react_agent(Scripted(messages=script), [web_search])
agent.invoke(
    {"messages": [("user", "Will it rain?")]},
    config={"callbacks": [keep], "metadata": {"thread_id": "T1"}},
)
spans = memory.get_finished_spans()
lines = [json.dumps(json.loads(span.to_json())) for span in spans]
(folder / "langgraph_openinference.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
otlp = json.dumps(MessageToDict(encode_spans(spans)))
(folder / "langgraph_otlp.json").write_text(otlp + "\n", "utf-8")
runs = [json.dumps(run) for top in keep.kept for run in flat(top)]
(folder / "langgraph_langsmith.jsonl").write_text("\n".join(runs) + "\n", "utf-8")
