"""Record agents of Pydantic AI (2.68.0) as OpenTelemetry sees them, with scripted models.

``pip install "pydantic-ai-slim[openai]" opentelemetry-sdk
opentelemetry-exporter-otlp-proto-common``, then ``python record_pydantic_ai.py FOLDER``. Writes
one run as OTLP in JSON and as `ReadableSpan.to_json()`, and the same script once more in the
oldest version of the library's span format.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from pathlib import Path

from google.protobuf.json_format import MessageToDict
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai import Agent, InstrumentationSettings, ModelRetry
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.usage import RequestUsage

QUERIES = (("rain Beijing",), ("北京今天下雨吗", "fail"), ("Beijing rain today",))


def asks(*calls: tuple[str, dict, str]) -> ModelResponse:
    """Return an answer that thinks and calls tools."""
    parts = [
        ToolCallPart(name, arguments, tool_call_id=call_id) for name, arguments, call_id in calls
    ]
    return counted([ThinkingPart("Look."), *parts])


def counted(parts: list) -> ModelResponse:
    """Return an answer with its usage."""
    usage = RequestUsage(input_tokens=20, output_tokens=4, cache_read_tokens=6)
    return ModelResponse(parts=parts, usage=usage)


def model(name: str, answers: list[ModelResponse]) -> FunctionModel:
    """Return a model that answers what it was told to, in order."""
    said = iter(answers)
    return FunctionModel(lambda messages, info: next(said), model_name=name)


def web_search(query: str) -> str:
    """Search the web."""
    if query == "fail":
        raise ModelRetry("no network")
    return f"nothing about {query}"


def run(settings: InstrumentationSettings) -> None:
    """Run an agent that searches in circles and lets another one answer."""
    inner = model("inner", [asks(("web_search", {"query": "umbrella"}, "h1")),
                            counted([TextPart("take one")])])  # fmt: skip
    rounds = [asks(*(("web_search", {"query": query}, f"c-{query}") for query in queries))
              for queries in QUERIES]  # fmt: skip
    rounds += [asks(("delegate", {"about": "an umbrella"}, "c-delegate")),
               counted([TextPart("It stays dry.")])]  # fmt: skip
    helper = Agent(inner, name="helper", tools=[web_search], retries=3)
    outer = Agent(model("outer", rounds), name="weather", tools=[web_search], retries=3)
    helper.instrument = outer.instrument = settings

    @outer.tool_plain
    async def delegate(about: str) -> str:
        """Let another agent answer."""
        return (await helper.run(f"Do I need {about}?")).output

    outer.run_sync("Will it rain in Beijing?")


def record(**options) -> list:
    """Return the spans of one run."""
    memory, provider = InMemorySpanExporter(), TracerProvider(resource=Resource({}))
    provider.add_span_processor(SimpleSpanProcessor(memory))
    run(InstrumentationSettings(tracer_provider=provider, **options))
    return list(memory.get_finished_spans())


def keep(name: str, text: str) -> None:
    """Write a file, without the folders of the machine that stand in stack traces."""
    text = re.sub(r'(File \\+")/[^"\\]*/', r"\1", text)
    (Path(sys.argv[1]) / name).write_text(text + "\n", "utf-8")


spans = record()
keep("pydantic_ai_otlp.json", json.dumps(MessageToDict(encode_spans(spans))))
lines = [json.dumps(json.loads(span.to_json())) for span in spans]
keep("pydantic_ai_spans.jsonl", "\n".join(lines))
warnings.simplefilter("ignore")
keep("pydantic_ai_v2_otlp.json", json.dumps(MessageToDict(encode_spans(record(version=2)))))
