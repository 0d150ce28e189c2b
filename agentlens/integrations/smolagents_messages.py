"""What the messages of smolagents say to a guard, and the forms in which a run is ended."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from threading import Lock
from typing import Any

from smolagents.models import (
    ChatMessage,
    ChatMessageStreamDelta,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    ChatMessageToolCallStreamDelta,
    MessageRole,
    parse_json_if_needed,
)
from smolagents.monitoring import TokenUsage

__all__ = [
    "Claims", "as_code", "as_deltas", "as_final_call", "said_by", "spoken", "with_usage",
]  # fmt: skip

FINAL = "final_answer"


class Claims:
    """Which call is which: tools are executed by name and arguments, side by side, without ids."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: list[Mapping[str, Any]] = []
        self._found: dict[str, Any] = {}
        self._number = 0

    def open(self, calls: list[Mapping[str, Any]]) -> None:
        """Begin a round."""
        with self._lock:
            self._waiting, self._found = list(calls), {}

    def next_id(self) -> str:
        """Return an id for a call that has none."""
        with self._lock:
            self._number += 1
            return f"call_{self._number}"

    def claim(self, name: str, arguments: Any) -> str:
        """Return the id of the first call of that name and these arguments, or ""."""
        with self._lock:
            for place, call in enumerate(self._waiting):
                if call["tool"] == name and (call["args"] or {}) == (arguments or {}):
                    return str(self._waiting.pop(place)["id"])
        return ""

    def kept(self, call_id: str, run: Callable[[], Any]) -> Any:
        """Run a call and keep what it brings, an error too."""
        try:
            result = run()
        except Exception as error:
            self._found[call_id] = {"result": str(error), "error": True}
            raise
        self._found[call_id] = {"result": _plain(result)}
        return result

    def found(self) -> dict[str, Any]:
        """Return the results so far by the ids of their calls."""
        return self._found


def said_by(message: ChatMessage, model: Any) -> dict[str, Any]:
    """Return what the guard is to see of a response; calls may stand in its text, as JSON."""
    calls = message.tool_calls
    if not calls:
        try:
            calls = model.parse_tool_calls(copy.deepcopy(message)).tool_calls
        except Exception:  # no call: the agent tells the model so
            calls = None
    usage = message.token_usage
    return {
        "calls": [
            {
                "id": call.id,
                "tool": call.function.name,
                "args": parse_json_if_needed(call.function.arguments),
            }
            for call in calls or ()
            if call.function.name != FINAL
        ],
        "text": _words(message),
        "tokens": usage.total_tokens if usage else None,
    }


def spoken(texts: Iterable[str]) -> list[ChatMessage]:
    """Return messages to the model."""
    return [
        ChatMessage(role=MessageRole.USER, content=[{"type": "text", "text": text}])
        for text in texts
    ]


def as_final_call(answer: ChatMessage) -> ChatMessage:
    """Return an answer as the call with which a `ToolCallingAgent` ends its run."""
    text = _words(answer)
    function = ChatMessageToolCallFunction(name=FINAL, arguments={"answer": text})
    call = ChatMessageToolCall(function=function, id="final", type="function")
    return ChatMessage(MessageRole.ASSISTANT, text, [call], token_usage=answer.token_usage)


def as_code(answer: ChatMessage, agent: Any) -> ChatMessage:
    """Return an answer as the code with which a `CodeAgent` ends its run."""
    code = f"{FINAL}({_words(answer)!r})"
    if agent._use_structured_outputs_internally:
        text = json.dumps({"thought": "", "code": code}, ensure_ascii=False)
    else:
        text = f"```python\n{code}\n```"  # which is read whatever the agent's own tags are
    return ChatMessage(MessageRole.ASSISTANT, text, token_usage=answer.token_usage)


def as_deltas(message: ChatMessage) -> Iterator[ChatMessageStreamDelta]:
    """Return a message as a stream of one piece."""
    calls = [
        ChatMessageToolCallStreamDelta(
            index=1000 + place,  # behind those of the response that was dropped
            id=call.id,
            type=call.type,
            function=ChatMessageToolCallFunction(
                name=call.function.name,
                arguments=json.dumps(call.function.arguments, ensure_ascii=False),
            ),
        )
        for place, call in enumerate(message.tool_calls or ())
    ]
    yield ChatMessageStreamDelta(_words(message), calls or None, message.token_usage)


def with_usage(answer: ChatMessage, dropped: ChatMessage) -> ChatMessage:
    """Return an answer that also counts the tokens of the response that it replaces."""
    one, other = answer.token_usage, dropped.token_usage
    if one is not None and other is not None:
        answer.token_usage = TokenUsage(
            one.input_tokens + other.input_tokens, one.output_tokens + other.output_tokens
        )
    return answer


def _words(message: ChatMessage) -> str:
    content = message.content
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content)
    return content or ""


def _plain(result: Any) -> Any:
    """Return a result as the record has it; turning a picture into text would write a file."""
    if isinstance(result, str):
        return str(result)
    kinds = (dict, list, tuple, int, float, type(None))
    return result if isinstance(result, kinds) else f"({type(result).__name__})"
