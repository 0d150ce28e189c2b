"""Record mini-swe-agent (2.4.6) with its own deterministic models, three ways to run commands.

``pip install mini-swe-agent``, then ``python record_mini_swe_agent.py FOLDER``. The commands run,
in a scratch folder whose name nothing logs. Written are a run whose model calls the shell, one
whose model writes commands in its text and meets the limit of steps, and one of a model that
answers in items of the Responses API.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path

from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models import test_models as models

COMMANDS = (
    "grep -rn 'rain' notes",
    "grep -rn '今天下雨' notes",
    "cat missing.txt",
    "sleep 5",
    "grep -rn 'rain today' notes",
    "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; echo dry",
)


def as_call(number: int, command: str) -> dict:
    """Return an answer that calls the shell."""
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    call = {"id": f"c{number}", "type": "function", "function": function}
    action = {"command": command, "tool_call_id": f"c{number}"}
    return models.make_toolcall_output(f"Step {number}.", [call], [action])


def as_text(number: int, command: str) -> dict:
    """Return an answer that holds a command."""
    text = f"Step {number}.\n\n```mswea_bash_command\n{command}\n```"
    return models.make_output(text, [{"command": command}], cost=0.25)


def as_items(number: int, command: str) -> dict:
    """Return an answer of the Responses API."""
    action = {"command": command, "tool_call_id": f"r{number}"}
    return models.make_response_api_output(f"Step {number}.", [action])


def record(name: str, model: type, answer, limit: int) -> None:
    """Run one agent and let it save its trajectory."""

    class Timed(model):
        """Stamps an answer when it is asked for, as models do that are not scripted."""

        def query(self, messages, **options):
            message = super().query(messages, **options)
            message["extra"]["timestamp"] = time.time()
            return message

    outputs = [answer(number, command) for number, command in enumerate(COMMANDS, 1)]
    agent = DefaultAgent(
        Timed(outputs=outputs), LocalEnvironment(timeout=1), step_limit=limit, cost_limit=0.0,
        system_template="You are a helper.", instance_template="Solve this: {{ task }}",
        output_path=Path(name),
    )  # fmt: skip
    agent.run("Will it rain?")


folder = Path(sys.argv[1]).resolve()
with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    Path("notes").mkdir()
    Path("notes/week.txt").write_text("no rain today\n北京今天下雨吗\n", "utf-8")
    record("mini_calls.traj.json", models.DeterministicToolcallModel, as_call, 0)
    record("mini_text.traj.json", models.DeterministicModel, as_text, 3)
    record("mini_responses.traj.json", models.DeterministicResponseAPIToolcallModel, as_items, 0)
    for path in Path().glob("*.traj.json"):
        (folder / path.name).write_text(path.read_text("utf-8") + "\n", "utf-8")
    os.chdir(folder)
