"""Record an agent of browser-use (0.13.14) in a real browser, with a scripted model.

``pip install browser-use``, then ``python record_browser_use.py FOLDER [CHROMIUM]``. The browser
sees one page that the script itself serves on this machine; screenshots are dropped.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

os.environ["ANONYMIZED_TELEMETRY"] = os.environ["BROWSER_USE_CLOUD_SYNC"] = "false"
os.environ["BROWSER_USE_VERSION_CHECK"] = "false"
os.environ["BROWSER_USE_CONFIG_DIR"] = tempfile.mkdtemp()

from browser_use import ActionResult, Agent, BrowserProfile, Tools
from browser_use.llm.views import ChatInvokeCompletion, ChatInvokeUsage

SCRATCH = os.environ["BROWSER_USE_CONFIG_DIR"]
URL = "http://127.0.0.1:8765/"
PAGE = b"<html><title>Weather</title><body><a href='/week'>The week</a><p>Dry.</p></body></html>"
STEPS = (
    [{"navigate": {"url": URL}}],
    [{"web_search": {"query": "rain Beijing"}}, {"web_search": {"query": "北京今天下雨吗"}}],
    [{"click": {"index": 0}}],
    [{"web_search": {"query": "fail"}}],
    "no JSON at all",
    [{"web_search": {"query": "Beijing rain today"}}],
    [{"done": {"text": "It stays dry.", "success": True}}],
)


class Server(BaseHTTPRequestHandler):
    """Serves the page, whatever is asked for."""

    def do_GET(self):
        """Answer."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_given):
        """Say nothing."""


class Scripted:
    """Answers what it was told to, in order; the number of the link it reads off the page."""

    model = name = model_name = provider = "scripted"
    _verified_api_keys = True

    def __init__(self):
        self.said = iter(STEPS)

    async def ainvoke(self, messages, output_format=None, **_options):
        """Return the next answer."""
        step = next(self.said)
        if isinstance(step, str):
            raise ValueError("the answer is not JSON")
        page = " ".join(message.text for message in messages)
        links = re.findall(r"\[(\d+)\]<a", page)
        text = json.dumps(step)
        if links:
            text = text.replace('"index": 0', f'"index": {links[-1]}')
        answer = {"thinking": "Look.", "evaluation_previous_goal": "None.", "memory": "Nothing.",
                  "next_goal": "Know.", "action": json.loads(text)}  # fmt: skip
        usage = ChatInvokeUsage(
            prompt_tokens=20, prompt_cached_tokens=6, prompt_cache_creation_tokens=None,
            prompt_image_tokens=None, completion_tokens=4, total_tokens=24,
        )  # fmt: skip
        return ChatInvokeCompletion(completion=output_format.model_validate(answer), usage=usage)


tools = Tools()


@tools.action("Search the web")
async def web_search(query: str) -> ActionResult:
    """Find nothing."""
    if query == "fail":
        raise ConnectionError("no network")
    return ActionResult(extracted_content=f"nothing about {query}")


async def main() -> None:
    """Run the agent and let it save its history."""
    browser = BrowserProfile(
        headless=True, executable_path=(sys.argv[2:] or [None])[0], chromium_sandbox=False,
        enable_default_extensions=False, user_data_dir=f"{SCRATCH}/profile",
    )  # fmt: skip
    agent = Agent(
        "Will it rain in Beijing?", llm=Scripted(), browser_profile=browser, tools=tools,
        use_vision=False, use_judge=False, enable_planning=False, file_system_path=SCRATCH,
        message_compaction=False,
    )  # fmt: skip
    history = await agent.run(max_steps=10)
    for step in history.history:
        step.state.screenshot_path = None
    history.save_to_file(Path(sys.argv[1]) / "browser_use.json")


server = HTTPServer(("127.0.0.1", 8765), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
asyncio.run(main())
server.shutdown()
