"""Record an agent of the OpenHands SDK (openhands-sdk 1.58.2) whose model is a scripted server.

``pip install openhands-sdk``, then ``python record_openhands.py FOLDER``. Writes the events that
the conversation persists, a file an event, and of the state beside them what names no machine: its
id, and what the SDK counted of the tokens that the server says were used, at made-up prices.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

os.environ.update(LITELLM_LOCAL_MODEL_COST_MAP="True", OPENHANDS_SUPPRESS_BANNER="1")

from openhands.sdk import LLM, Agent, Conversation, Tool, register_tool
from openhands.sdk.tool import Action, Observation, ToolDefinition, ToolExecutor

ROUNDS = (("rain Beijing",), ("北京今天下雨吗", "fail"), ("Beijing rain today",))


#: What each response used: prompt (cached ones among them), cached, completion (with reasoning),
#: reasoning tokens.
USED = ((1200, 0, 40, 0), (1300, 1000, 60, 10), (1450, 1100, 35, 0), (1500, 1400, 20, 0),
        (1560, 1400, 30, 5), (1700, 1500, 50, 0))  # fmt: skip


class Scripted(BaseHTTPRequestHandler):
    """Answers as an OpenAI-compatible server, from the script."""

    def do_POST(self):
        """Answer with the next of `said`."""
        self.rfile.read(int(self.headers["Content-Length"]))
        number = len(USED) - len(said) + 1
        prompt, cached, completion, reasoning = USED[number - 1]
        message = {"role": "assistant", "content": "Look.", "tool_calls": said.pop(0)}
        body = json.dumps({
            "id": f"test-response-{number}", "object": "chat.completion", "created": 1,
            "model": "scripted",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
            "usage": {
                "prompt_tokens": prompt, "completion_tokens": completion,
                "total_tokens": prompt + completion,
                "prompt_tokens_details": {"cached_tokens": cached},
                "completion_tokens_details": {"reasoning_tokens": reasoning},
            },
        }).encode()  # fmt: skip
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *what):
        """Say nothing."""


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


def calls(name: str, *given: tuple[str, dict]) -> list[dict]:
    """Return the calls of an answer."""
    return [
        {"id": call_id, "type": "function",
         "function": {"name": name, "arguments": json.dumps(arguments)}}
        for call_id, arguments in given
    ]  # fmt: skip


def searches(number: int, *queries: str) -> list[dict]:
    """Return an answer that searches, and says why in words that differ every time."""
    return calls("web_search", *(
        (f"c-{query}", {"query": query, "summary": f"Try number {number}", "security_risk": "LOW"})
        for query in queries
    ))  # fmt: skip


register_tool("WebSearchTool", WebSearchTool)
said = [searches(number, *queries) for number, queries in enumerate(ROUNDS, 1)]
said += [calls("no_such_tool", ("c-none", {"x": 1})), searches(5, "nowhere"),
         calls("finish", ("c-end", {"message": "It stays dry."}))]  # fmt: skip
server = ThreadingHTTPServer(("127.0.0.1", 0), Scripted)
threading.Thread(target=server.serve_forever, daemon=True).start()
model = LLM(
    model="openai/scripted", base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none",
    usage_id="agent", num_retries=0, input_cost_per_token=1e-6, output_cost_per_token=1e-5,
)  # fmt: skip
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
    (kept,) = Path(scratch).rglob("base_state.json")
    state = json.loads(kept.read_text("utf-8"))
    shown = {key: state[key] for key in ("id", "execution_status", "stats")}
    (folder.parent / "base_state.json").write_text(json.dumps(shown, indent=1) + "\n", "utf-8")
