"""LangGraph: a graph built by hand, with its model node and its tool node guarded."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections import Counter
from functools import partial
from typing import Annotated, Any

import pytest
from scripted import (
    ANSWER,
    ASKED,
    CLOSING,
    PAGE,
    ZH,
    check_fails_open,
    check_silent,
    check_tripped_in_round_3,
    every_fault,
    every_silent_mode,
    every_wording,
    needs,
    searches,
)

needs("langgraph.prebuilt")

from chat_models import Scripted, plain
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode, tools_condition

import agentlens as al
from agentlens.integrations.langgraph import guarded, skip_blocked

pytestmark = pytest.mark.frameworks


@dataclasses.dataclass
class Held:
    """A state that is no mapping."""

    messages: Annotated[list, add_messages] = dataclasses.field(default_factory=list)


class Run:
    """A graph of two nodes, and what its host sees of one run."""

    def __init__(self, script, guard=None, way="sync", state=MessagesState, **options):
        self.ran: list[str] = []
        self.events: list[tuple[str, str]] = []
        self.model = Scripted(script=list(script), disobeys=options.pop("disobeys", False))
        self.graph = self._graph(guard, way, state, options)
        self.way = way
        self.ask(ASKED)

    def _graph(self, guard, way, state, options):
        ran, model = self.ran, self.model

        @tool
        def web_search(query: str) -> str:
            """Search."""
            ran.append(query)
            return PAGE

        @tool
        def read_file(path: str) -> str:
            """Read."""
            ran.append(path)
            return "nothing in it"

        tools = [web_search, read_file]
        bound = model.bind_tools(tools)
        held = (lambda s: s.messages) if state is Held else (lambda s: s["messages"])

        def with_tools(state, config: RunnableConfig) -> Any:
            assert config["configurable"]["thread_id"] == "1"  # a node gets what it names
            return {"messages": [bound.invoke(held(state))]}

        def without(state, config: RunnableConfig) -> Any:
            return {"messages": model.invoke(held(state))}

        async def awith_tools(state) -> Any:
            return {"messages": [await bound.ainvoke(held(state))]}

        async def awithout(state) -> Any:
            return {"messages": await model.ainvoke(held(state))}

        node, answer = (with_tools, without) if way == "sync" else (awith_tools, awithout)
        graph = StateGraph(state)
        if guard is None:
            graph.add_node("model", node)
            graph.add_node("tools", ToolNode(tools))
        else:
            graph.add_node("model", guarded(node, answer, guard, **options))
            graph.add_node("tools", ToolNode(tools, **skip_blocked(guard)))
        graph.add_edge(START, "model")
        graph.add_conditional_edges("model", tools_condition)
        graph.add_edge("tools", "model")
        return graph.compile(checkpointer=InMemorySaver())

    def ask(self, text: str) -> None:
        config = {"configurable": {"thread_id": "1"}}
        told = {"messages": [HumanMessage(text)]}
        if self.way == "sync":
            self.graph.invoke(told, config)
        else:
            asyncio.run(self._stream(told, config))
        self.messages = self.graph.get_state(config).values["messages"]

    async def _stream(self, told, config):
        async for event in self.graph.astream_events(told, config, version="v2"):
            self.events.append((event["event"], event["name"]))

    def transcript(self) -> str:
        return json.dumps([plain(self.messages), self.model.seen, self.ran, self.events])


@pytest.mark.parametrize("state", [MessagesState, Held], ids=lambda s: s.__name__)
@pytest.mark.parametrize("way", ["sync", "async"])
@every_wording
def test_r9_r16_a_reworded_search_is_stopped_in_round_3(queries, way, state, tmp_path):
    guard = al.Guard("classic")
    run = Run(searches(queries), guard, way, state)
    assert run.ran == queries[:2]
    assert run.messages[-1].content == ANSWER
    tools = ["web_search", "read_file"]
    assert [tools for tools, _ in run.model.seen] == [tools, tools, tools, []]
    assert run.model.seen[-1][1][-1] == ("human", CLOSING["query", "zh"], None)
    asked = [call["id"] for m in run.messages if m.type == "ai" for call in m.tool_calls]
    assert asked == [m.tool_call_id for m in run.messages if m.type == "tool"]
    check_tripped_in_round_3(guard, queries, tmp_path)
    if way == "async":
        told = Counter(event for event, name in run.events if name == "web_search")
        assert told == {"on_tool_start": 2, "on_tool_end": 2}


@pytest.mark.parametrize("way", ["sync", "async"])
@every_silent_mode
def test_r15_in_shadow_and_off_the_run_is_the_same_byte_for_byte(mode, way):
    check_silent(partial(Run, way=way), mode)


@every_fault
def test_r19_a_fault_in_the_guard_fails_open(owner, name, monkeypatch):
    check_fails_open(Run, (owner, name), monkeypatch, lambda run: plain(run.messages))


def test_the_prompt_follows_the_cause_and_the_language():
    run = Run(searches(ZH), al.Guard(al.Policy.preset("classic", max_rounds=1)))
    assert (len(run.ran), run.model.seen[-1][1][-1][1]) == (1, CLOSING["budget", "zh"])
    run = Run(searches(ZH), al.Guard("classic"), lang="en")
    assert run.model.seen[-1][1][-1][1] == CLOSING["query", "en"]


def test_an_answer_that_asks_for_tools_again_loses_them():
    run = Run(searches(ZH), al.Guard("classic"), disobeys=True)
    assert (run.ran, len(run.model.seen)) == (ZH[:2], 4)
    assert run.messages[-1].tool_calls == []


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("state", [MessagesState, Held], ids=lambda s: s.__name__)
def test_a_nudge_is_read_and_a_blocked_call_is_not_run(state, way):
    """The ladder of the preset `layered`: the 2nd identical call nudges, the 3rd is blocked."""
    guard = al.Guard("layered")
    run = Run([("read_file", {"path": "a.txt"})] * 5, guard, way, state)
    assert run.ran == ["a.txt"] * 2
    assert [kind for kind, *_ in run.model.seen[2][1]].count("human") == 2
    blocked = [m for m in run.messages if m.type == "tool"][2]
    assert blocked.content.startswith("Not run: ")
    assert list(guard.trace().calls["status"]) == ["ok", "ok", "denied", "missing"]


def test_the_next_request_is_counted_anew():
    guard = al.Guard("classic")
    run = Run(searches(ZH), guard)
    run.ask("明天呢？")
    assert guard.events[-1]["event"] == "tool_finished"
    assert list(guard.trace().rounds["request"]) == [1, 1, 1, 2, 2]
    assert run.ran == [*ZH[:2], *ZH[3:]]
