"""LangChain 1.x: `GuardMiddleware` in agents made by `create_agent`, sync and async."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from functools import partial

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

needs("langchain.agents")

from chat_models import Scripted, plain
from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain_core.tools import tool
from pydantic import BaseModel

import agentlens as al
from agentlens.integrations.langchain import GuardMiddleware

pytestmark = pytest.mark.frameworks


class Run:
    """One run of an agent, as its host sees it."""

    def __init__(self, script, middleware=(), way="invoke", asked=ASKED, **options):
        self.ran: list[str] = []
        ran = self.ran

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

        disobeys = options.pop("disobeys", False)
        self.model = Scripted(script=list(script), disobeys=disobeys)
        context = options.pop("context", None)
        self.agent = create_agent(
            self.model, [web_search, read_file], middleware=list(middleware), **options
        )
        told = {"messages": [("user", asked)]}
        self.events: list[tuple[str, str]] = []
        if way == "invoke":
            self.state = self.agent.invoke(told, context=context)
        else:
            self.state = asyncio.run(self._stream(told, context))
        self.messages = self.state["messages"]

    async def _stream(self, told, context):
        state = {}
        async for event in self.agent.astream_events(told, version="v2", context=context):
            self.events.append((event["event"], event["name"]))
            if event["event"] == "on_chain_end" and not event["parent_ids"]:
                state = event["data"]["output"]
        return state

    def transcript(self) -> str:
        return json.dumps([plain(self.messages), self.model.seen, self.ran, self.events])


def guarded(script, guard, way):
    return Run(script, [GuardMiddleware(guard)] if guard else (), way)


@pytest.mark.parametrize("way", ["invoke", "astream"])
@every_wording
def test_r9_r16_a_reworded_search_is_stopped_in_round_3(queries, way, tmp_path):
    guard = al.Guard("classic")
    run = Run(searches(queries), [GuardMiddleware(guard)], way)
    assert run.ran == queries[:2]
    assert run.messages[-1].content == ANSWER
    tools = ["web_search", "read_file"]
    assert [tools for tools, _ in run.model.seen] == [tools, tools, tools, []]
    assert run.model.seen[-1][1][-1] == ("human", CLOSING["query", "zh"], None)
    asked = [call["id"] for m in run.messages if m.type == "ai" for call in m.tool_calls]
    assert asked == [m.tool_call_id for m in run.messages if m.type == "tool"]
    assert [m.type for m in run.messages].count("human") == 1
    check_tripped_in_round_3(guard, queries, tmp_path)
    assert list(guard.trace().rounds["tokens"]) == [10, 10, 10]
    if way == "astream":
        told = Counter(event for event, name in run.events if name == "web_search")
        assert told == {"on_tool_start": 2, "on_tool_end": 2}


@pytest.mark.parametrize("way", ["invoke", "astream"])
@every_silent_mode
def test_r15_in_shadow_and_off_the_run_is_the_same_byte_for_byte(mode, way):
    check_silent(partial(guarded, way=way), mode)


@every_fault
@pytest.mark.parametrize("way", ["invoke", "astream"])
def test_r19_a_fault_in_the_guard_fails_open(owner, name, way, monkeypatch):
    run_of = partial(guarded, way=way)
    check_fails_open(run_of, (owner, name), monkeypatch, lambda run: plain(run.messages))


def test_the_prompt_follows_the_cause_and_the_language():
    budget = al.Guard(al.Policy.preset("classic", max_rounds=1))
    run = Run(searches(ZH), [GuardMiddleware(budget)])
    assert (len(run.ran), run.model.seen[-1][1][-1][1]) == (1, CLOSING["budget", "zh"])
    run = Run(searches(ZH), [GuardMiddleware(al.Guard("classic"), lang="en")])
    assert run.model.seen[-1][1][-1][1] == CLOSING["query", "en"]
    with pytest.raises(ValueError, match="lang"):
        GuardMiddleware(al.Guard("classic"), lang="fr")


def test_an_answer_that_asks_for_tools_again_loses_them():
    run = Run(searches(ZH), [GuardMiddleware(al.Guard("classic"))], disobeys=True)
    assert (run.ran, len(run.model.seen)) == (ZH[:2], 4)
    assert run.messages[-1].type == "ai"
    assert run.messages[-1].tool_calls == []


@pytest.mark.parametrize("way", ["invoke", "astream"])
def test_a_nudge_is_read_and_a_blocked_call_is_not_run(way):
    """The ladder of the preset `layered`: the 2nd identical call nudges, the 3rd is blocked."""
    guard = al.Guard("layered")
    run = Run([("read_file", {"path": "a.txt"})] * 5, [GuardMiddleware(guard)], way)
    decided = [e["action"] for e in guard.events if e["event"] == "decision"]
    assert decided == ["proceed", "nudge", "block", "stop"]
    assert run.ran == ["a.txt"] * 2
    assert [kind for kind, *_ in run.model.seen[2][1]].count("human") == 2
    blocked = [m for m in run.messages if m.type == "tool"][2]
    assert blocked.content.startswith("Not run: ")
    assert list(guard.trace().calls["status"]) == ["ok", "ok", "denied", "missing"]


def test_an_answer_in_a_structure_is_no_call():
    class Weather(BaseModel):
        sky: str

    guard = al.Guard("classic")
    script = [*searches(ZH[:2]), ("Weather", {"sky": "cloudy"})]
    run = Run(script, [GuardMiddleware(guard)], response_format=ToolStrategy(Weather))
    assert run.state["structured_response"] == Weather(sky="cloudy")
    assert list(guard.trace().calls["tool"]) == ["web_search"] * 2


def test_one_agent_may_serve_many_conversations():
    guards = {name: al.Guard("classic") for name in ("ana", "ben")}
    middleware = GuardMiddleware(guards.__getitem__)
    for name, asked in (("ana", 2), ("ben", 2), ("ana", 5)):
        Run(searches(ZH[:asked]), [middleware], context=name, context_schema=str)
    assert guards["ana"].stopped
    assert list(guards["ana"].trace().rounds["request"]) == [1, 1, 2, 2, 2]
    assert list(guards["ben"].trace().rounds["request"]) == [1, 1]
