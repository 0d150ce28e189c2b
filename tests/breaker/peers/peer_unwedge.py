"""unwedge's guard without a model, fed the turns that its Claude Code hook makes."""

from __future__ import annotations

from unwedge.adapters.claude_code import turn_from_hook
from unwedge.guard import Guard, GuardConfig
from unwedge.policy import Action

from tests.breaker.peers.draw import Row
from tests.breaker.peers.words import CODING

PACKAGE, WORDS, SEED = "unwedge", CODING, 7


def judge(rows: list[Row]) -> dict[str, list[int]]:
    """Return the round of its first hint."""
    guard, turns = Guard("a task", None, GuardConfig.for_provider(None)), 0
    for row in rows:
        if not row.get("tool"):
            continue
        payload = {
            "hook_event_name": "PostToolUseFailure" if row["error"] else "PostToolUse",
            "tool_name": row["tool"], "tool_input": row["args"],
            "tool_response": row["result"], "error": row["result"],
        }  # fmt: skip
        turn = turn_from_hook(payload, turns + 1)
        if turn is None:  # a tool that says nothing of the work
            continue
        turns += 1
        if guard.on_turn(turn).decision.action is Action.HINT:
            return {"hint": [row["round"]]}
    return {"hint": []}
