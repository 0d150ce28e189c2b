"""CrewAI's two checks, both as an executor runs them: of the last call, and of the whole run."""

from __future__ import annotations

import os

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true")

from crewai.agents.tools_handler import ToolsHandler
from crewai.tools.tool_calling import ToolCalling
from crewai.tools.tool_usage import ToolUsage
from crewai.utilities import agent_utils

from tests.breaker.peers.draw import Row
from tests.breaker.peers.words import PLAIN

PACKAGE, WORDS, SEED = "crewai", PLAIN, 11


def judge(rows: list[Row]) -> dict[str, list[int]]:
    """Return the first rounds of which a call is refused, and at which the run is ended.

    A user's message begins a new run of the executor, which clears both.
    """
    handler, counts, found = ToolsHandler(), {}, {"refuse": [], "raise": []}
    usage = ToolUsage(handler, [], None, None)
    for row in rows:
        if row.get("role") == "user":
            handler.last_used_tool = None
            counts.clear()
        if not row.get("tool"):
            continue
        calling = ToolCalling(tool_name=row["tool"], arguments=row["args"])
        if usage._check_tool_repeated_usage(calling=calling) and not found["refuse"]:
            found["refuse"].append(row["round"])
        handler.on_tool_use(calling, row["result"])
        try:
            agent_utils.check_repeated_tool_call(
                counts, tool_name=row["tool"], tool_args=row["args"], result=row["result"]
            )
        except Exception as error:
            if "not making progress" not in str(error):
                raise
            if not found["raise"]:
                found["raise"].append(row["round"])
    return found
