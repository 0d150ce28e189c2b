"""A scripted LangChain chat model: it asks for calls, in turn, for as long as it has tools."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field
from scripted import ANSWER


class Scripted(BaseChatModel):
    script: list[tuple[str, dict]]
    disobeys: bool = False
    tools: list[Any] = Field(default_factory=list)
    #: For each request the names of the tools and the messages, as plain values.
    seen: list[Any] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools, **_):
        bound = self.model_copy(
            update={"tools": [getattr(t, "name", None) or t.__name__ for t in tools]}
        )
        bound.seen = self.seen
        bound.script = self.script
        return bound

    def _generate(self, messages, stop=None, run_manager=None, **_):
        plain = [(m.type, m.content, getattr(m, "tool_call_id", None)) for m in messages]
        self.seen.append((list(self.tools), plain))
        number = sum(tools != [] for tools, _ in self.seen)
        about = {"id": f"m{len(self.seen)}"}
        usage = {"input_tokens": 8, "output_tokens": 2, "total_tokens": 10}
        message = AIMessage(ANSWER, usage_metadata=usage, **about)
        if self.script and (self.tools or self.disobeys):
            name, args = self.script.pop(0)
            call = {"name": name, "args": args, "id": f"call{number}"}
            message = AIMessage("", tool_calls=[call], usage_metadata=usage, **about)
        return ChatResult(generations=[ChatGeneration(message=message)])


def plain(messages: list[Any]) -> list[dict]:
    """Return messages as plain values; ids that are drawn at random are left out."""
    told = []
    for message in messages:
        values = message.model_dump()
        if message.type != "ai":
            values.pop("id")
        told.append(values)
    return told
