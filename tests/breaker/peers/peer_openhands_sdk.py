"""The OpenHands SDK's stuck detector over its own events, asked after every round.

A call that the framework refuses (an error without an exit code) is its error event; whatever a
tool answers, a failing command too, is an observation.
"""

# ruff: noqa: E402 - settings are read where the package is imported
from __future__ import annotations

import json
import os
from types import SimpleNamespace

from tests.breaker.peers.draw import Row, rounds_of
from tests.breaker.peers.older_python import allow
from tests.breaker.peers.words import OFFICE

os.environ.update(
    LITELLM_LOCAL_MODEL_COST_MAP="True", OPENHANDS_SUPPRESS_BANNER="1", LOG_LEVEL="CRITICAL"
)
allow("openhands")

from openhands.sdk.conversation.stuck_detector import StuckDetector
from openhands.sdk.event import (
    ActionEvent,
    AgentErrorEvent,
    Event,
    MessageEvent,
    ObservationEvent,
)
from openhands.sdk.llm import Message, MessageToolCall, TextContent
from openhands.sdk.tool.schema import Action, Observation

PACKAGE, WORDS, SEED = "openhands-sdk", OFFICE, 13


class Asked(Action):
    """What is asked of a tool."""

    given: str


class Answered(Observation):
    """What a tool answered."""

    code: int | None = None


def _said(source: str, role: str, text: str) -> Event:
    return MessageEvent(
        source=source, llm_message=Message(role=role, content=[TextContent(text=text)])
    )


def _asked(row: Row, call_id: str) -> Event:
    given = json.dumps(row["args"], sort_keys=True)
    thought = [TextContent(text=row["thought"])] if row["thought"] else []
    call = MessageToolCall(id=call_id, name=row["tool"], arguments=given, origin="completion")
    return ActionEvent(
        thought=thought, action=Asked(given=given), tool_name=row["tool"], tool_call_id=call_id,
        tool_call=call, llm_response_id=call_id,
    )  # fmt: skip


def _answered(row: Row, call_id: str, asked: Event) -> Event:
    about = {"tool_name": row["tool"], "tool_call_id": call_id}
    if row["error"] and row["exit_code"] is None:
        return AgentErrorEvent(error=row["result"], **about)
    text = [TextContent(text=row["result"])]
    shown = Answered(content=text, is_error=row["error"], code=row["exit_code"])
    return ObservationEvent(observation=shown, action_id=asked.id, **about)


def judge(rows: list[Row]) -> dict[str, list[int]]:
    """Return the rounds of its first nudge, and at which it is stuck."""
    events: list[Event] = [_said("user", "user", "do it")]
    detector = StuckDetector(SimpleNamespace(active_branch=lambda limit: events[-limit:]))
    found: dict[str, list[int]] = {"nudge": [], "stuck": []}
    for held in rounds_of(rows):
        first = held[0]
        if first.get("role") == "user":
            events.append(_said("user", "user", first["text"]))
            continue
        if first["tool"] is None:
            events.append(_said("agent", "assistant", first["text"]))
        else:
            asked = [_asked(row, f"c{len(events)}-{n}") for n, row in enumerate(held)]
            events += asked
            events += [
                _answered(row, event.tool_call_id, event)
                for row, event in zip(held, asked, strict=True)
            ]
        nudge = detector.get_action_error_nudge()
        if nudge is not None:
            events.append(_said("environment", "user", nudge))
            found["nudge"] = found["nudge"] or [first["round"]]
        elif detector.is_stuck():
            return {**found, "stuck": [first["round"]]}
    return found
