"""Record a code agent of smolagents (1.26.0) that searches in circles, with a scripted model.

Run it where smolagents is installed: ``python record_smolagents.py OUT.json``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from smolagents import CodeAgent, Model, tool
from smolagents.models import ChatMessage, MessageRole

SAID = (
    'Thought: look.\n<code>\nfor q in ["rain", "rain today"]:\n    print(web_search(q))\n</code>',
    'Thought: again.\n<code>\nq = "rain now"\nr = web_search(query=q)\nprint(r)\n</code>',
    "no code here",
    "<code>\nprint(1/0)\n</code>",
    '<code>\nfinal_answer("none")\n</code>',
)


@tool
def web_search(query: str) -> str:
    """Search the web.

    Args:
        query: What to search for.
    """
    return f"nothing about {query}"


class Scripted(Model):
    """Answers what it was told to, in order."""

    def __init__(self) -> None:
        super().__init__(model_id="scripted")
        self.said = iter(SAID)

    def generate(self, messages, **options):
        """Return the next answer."""
        return ChatMessage(role=MessageRole.ASSISTANT, content=next(self.said))


agent = CodeAgent(tools=[web_search], model=Scripted(), verbosity_level=0)
agent.run("Will it rain?")
steps = agent.memory.get_full_steps()
for step in steps:
    step.pop("model_input_messages", None)  # the history again, most of the bytes
Path(sys.argv[1]).write_text(json.dumps(steps, default=str, indent=1) + "\n", "utf-8")
