"""Record an agent with MLflow's tracing (mlflow-skinny 3.17.2), with a scripted model.

Run it where mlflow is installed: ``python record_mlflow.py OUT.json``.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

os.environ["MLFLOW_ENABLE_ASYNC_TRACE_LOGGING"] = "false"
os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
os.environ["MLFLOW_TRACKING_URI"] = f"file://{tempfile.mkdtemp()}/mlruns"

import mlflow
from mlflow.entities import SpanType


@mlflow.trace(span_type=SpanType.TOOL)
def search(query):
    """Find nothing."""
    return f"nothing about {query}"


@mlflow.trace(span_type=SpanType.CHAT_MODEL)
def chat(messages):
    """Search twice, then answer."""
    asked = sum(message["role"] == "assistant" for message in messages)
    usage = {"input_tokens": 7, "output_tokens": 1, "total_tokens": 8}
    mlflow.get_current_active_span().set_attribute("mlflow.chat.tokenUsage", usage)
    arguments = json.dumps({"query": f"rain {asked}"})
    function = {"name": "search", "arguments": arguments}
    calls = [{"id": f"z{asked}", "type": "function", "function": function}] if asked < 2 else None
    text = None if asked < 2 else "dry"
    return {"choices": [{"message": {"role": "assistant", "content": text, "tool_calls": calls}}]}


@mlflow.trace(span_type=SpanType.AGENT)
def weather(question):
    """Loop until the model calls no tool."""
    messages = [{"role": "user", "content": question}]
    while True:
        answer = chat(messages)["choices"][0]["message"]
        messages = [*messages, answer]
        if not answer["tool_calls"]:
            return answer["content"]
        for call in answer["tool_calls"]:
            found = search(**json.loads(call["function"]["arguments"]))
            messages = [*messages, {"role": "tool", "tool_call_id": call["id"], "content": found}]


weather("Will it rain?")
mlflow.flush_trace_async_logging()
trace = mlflow.get_trace(mlflow.get_last_active_trace_id())
kept = json.loads(trace.to_json())
kept["info"]["tags"] = {}  # paths and names of the machine
metadata = kept["info"]["trace_metadata"]
kept["info"]["trace_metadata"] = {k: v for k, v in metadata.items() if "schema" in k}
Path(sys.argv[1]).write_text(json.dumps(kept) + "\n", "utf-8")
