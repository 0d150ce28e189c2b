"""Record Inspect AI (0.3.285): an agent, and one that it calls as a tool, with scripted models.

``pip install inspect-ai openai``, then ``python record_inspect_ai.py FOLDER``. Writes the log in
both of the library's formats; what names the machine is emptied before the library writes it.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from inspect_ai import Task, eval
from inspect_ai.agent import as_tool, react
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.tool import ToolError, tool

QUERIES = ("rain Beijing", "北京今天下雨吗", "fail", "Beijing rain today")
MODEL = "mockllm/model"


def counted(output: ModelOutput) -> ModelOutput:
    """Return an answer with its usage."""
    output.usage = ModelUsage(
        input_tokens=20, output_tokens=4, total_tokens=30, input_tokens_cache_read=6
    )
    return output


def asks(name: str, call_id: str, arguments: dict) -> ModelOutput:
    """Return an answer that calls a tool."""
    return counted(ModelOutput.for_tool_call(MODEL, name, arguments, tool_call_id=call_id))


def says(text: str) -> ModelOutput:
    """Return an answer that calls none."""
    return counted(ModelOutput.from_content(MODEL, text))


@tool
def web_search():
    """Offer a search that finds nothing."""

    async def execute(query: str) -> str:
        """Search the web.

        Args:
            query: What to search for.
        """
        if query == "fail":
            raise ToolError("no network")
        return f"nothing about {query}"

    return execute


inner = [asks("web_search", "h1", {"query": "umbrella"}), says("take one")]
helper = react(
    name="helper", description="Helps.", tools=[web_search()], submit=False,
    model=get_model(MODEL, custom_outputs=inner, memoize=False),
)  # fmt: skip
outer = [asks("web_search", f"c{n}", {"query": query}) for n, query in enumerate(QUERIES, 1)]
outer += [asks("helper", "c5", {"input": "An umbrella?"}), says("It stays dry.")]
task = Task(
    dataset=[Sample(input="Will it rain in Beijing?", target="dry", id="rain")],
    solver=react(tools=[web_search(), as_tool(helper)], submit=False),
    scorer=includes(), message_limit=40, name="weather",
)  # fmt: skip
model = get_model(MODEL, custom_outputs=outer, memoize=False)
folder = Path(sys.argv[1])
with tempfile.TemporaryDirectory() as kept:
    (done,) = eval(task, model=model, log_dir=kept, display="none")
    log = read_eval_log(done.location)
log.eval.revision, log.eval.task_file = None, None
log.eval.model_args = {}  # the script again
for suffix in ("eval", "json"):
    write_eval_log(log, str(folder / f"inspect_ai.{suffix}"), format=suffix)
path = folder / "inspect_ai.json"  # half the size without its indentation
compact = json.dumps(json.loads(path.read_text("utf-8")), ensure_ascii=False)
path.write_text(compact + "\n", "utf-8")
