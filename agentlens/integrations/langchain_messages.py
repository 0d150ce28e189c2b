"""What LangChain's messages say to a guard, and what stands among them after a stop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from agentlens.integrations.rounds import Rounds

__all__ = ["arriving_with", "refusal", "results_in", "said_by", "spoken", "without_calls"]


def refusal(rounds: Rounds, call: Mapping[str, Any]) -> ToolMessage | None:
    """Return what stands in place of a blocked call's result; None where it is to run."""
    reason = rounds.blocked(call["id"])
    if reason is None:
        return None
    return ToolMessage(reason, tool_call_id=call["id"], name=call["name"], status="error")


def arriving_with(rounds: Rounds, messages: Sequence[Any]) -> list[str]:
    """Tell what stands in a request to the model; return what the model is to be told with it."""
    if messages and isinstance(messages[-1], HumanMessage) and not rounds.awaiting:
        rounds.request(lambda: _words(messages[-1]))
    rounds.tell(lambda: results_in(messages))
    return rounds.nudges()


def _words(message: BaseMessage) -> str:
    """Return the text of a message."""
    return str(message.text)


def spoken(texts: Iterable[str]) -> list[BaseMessage]:
    """Return messages to the model."""
    return [HumanMessage(text) for text in texts]


def said_by(messages: Iterable[Any]) -> dict[str, Any]:
    """Return what the guard is to see of a response: that of its last AI message."""
    message = next((m for m in reversed(list(messages)) if isinstance(m, AIMessage)), None)
    if message is None:
        return {"calls": []}
    calls = [{"id": c["id"], "tool": c["name"], "args": c["args"]} for c in message.tool_calls]
    usage = message.usage_metadata
    return {
        "calls": calls,
        "text": _words(message),
        "tokens": usage["total_tokens"] if usage else None,
    }


def results_in(messages: Iterable[Any]) -> dict[str, Any]:
    """Return the results that stand behind the last AI message, by the ids of their calls."""
    found: dict[str, Any] = {}
    for message in reversed(list(messages)):
        if isinstance(message, AIMessage):
            break
        if isinstance(message, ToolMessage):
            result = {"result": message.content, "error": message.status == "error" or None}
            found[message.tool_call_id] = result
    return found


def without_calls(message: Any) -> Any:
    """Return an AI message without the calls that it asks for."""
    if not isinstance(message, AIMessage) or not (message.tool_calls or message.invalid_tool_calls):
        return message
    content: Any = message.content
    if isinstance(content, list):
        asks = ("tool_use", "tool_call", "function_call")
        content = [b for b in content if not (isinstance(b, dict) and b.get("type") in asks)]
    more = {
        k: v
        for k, v in message.additional_kwargs.items()
        if k not in ("tool_calls", "function_call")
    }
    return message.model_copy(
        update={
            "content": content, "tool_calls": [], "invalid_tool_calls": [],
            "additional_kwargs": more,
        }
    )  # fmt: skip
