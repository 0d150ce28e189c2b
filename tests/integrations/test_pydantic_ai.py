"""Pydantic AI: `GuardCapability` under `run`, `run_stream_events` and `run_stream`."""

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

needs("pydantic_ai.capabilities")

from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel
from pydantic_ai.usage import RequestUsage

import agentlens as al
from agentlens.integrations.pydantic_ai import GuardCapability

pytestmark = pytest.mark.frameworks
ways = pytest.mark.parametrize("way", ["run", "events", "stream"])


def plain(messages) -> list[dict]:
    """Return messages as plain values, without what differs from one run to the next."""
    told = json.loads(ModelMessagesTypeAdapter.dump_json(list(messages)))

    def without(value):
        if isinstance(value, list):
            return [without(item) for item in value]
        if not isinstance(value, dict):
            return value
        left = ("timestamp", "run_id", "conversation_id")
        return {key: without(item) for key, item in value.items() if key not in left}

    return without(told)


class Scripted:
    """It asks for calls, in turn, for as long as it has tools; streamed or whole."""

    def __init__(self, script, disobeys=False):
        self.script, self.disobeys = list(script), disobeys
        self.seen = []

    def next(self, messages, info):
        tools = [tool.name for tool in info.function_tools]
        self.seen.append((tools, plain(messages)))
        if self.script and (tools or self.disobeys):
            name, args = self.script.pop(0)
            return name, args, f"call{len(self.seen)}"
        if info.output_tools:
            return info.output_tools[0].name, {"sky": "cloudy"}, "output"
        return None

    def whole(self, messages, info):
        asked = self.next(messages, info)
        part = TextPart(ANSWER) if asked is None else ToolCallPart(*asked)
        return ModelResponse([part], usage=RequestUsage(input_tokens=8, output_tokens=2))

    async def streamed(self, messages, info):
        asked = self.next(messages, info)
        if asked is None:
            yield ANSWER[:2]
            yield ANSWER[2:]
        else:
            name, args, call_id = asked
            text = json.dumps(args, ensure_ascii=False)
            yield {0: DeltaToolCall(name, text, tool_call_id=call_id)}

    def model(self):
        return FunctionModel(self.whole, stream_function=self.streamed)


class Run:
    """One run of an agent, as its host sees it."""

    def __init__(self, script, guard=None, way="run", **options):
        self.ran: list[str] = []
        self.events: list[str] = []
        lang = options.pop("lang", "zh")
        capability = [GuardCapability(guard, lang=lang)] if guard is not None else []
        self.script = Scripted(script, options.pop("disobeys", False))
        self.deps = options.pop("deps", None)
        self.agent = Agent(self.script.model(), capabilities=capability, **options)
        self.messages = None

        @self.agent.tool_plain
        def web_search(query: str) -> str:
            self.ran.append(query)
            return PAGE

        @self.agent.tool_plain
        def read_file(path: str) -> str:
            self.ran.append(path)
            if path == "none":
                raise ModelRetry("no such file")
            return "nothing in it"

        self.way = way
        self.ask(ASKED)

    def ask(self, text):
        asyncio.run(self._ask(text))

    async def _ask(self, text):
        about = {"message_history": self.messages, "deps": self.deps}
        if self.way == "run":
            result = await self.agent.run(text, **about)
            self.output, self.messages = result.output, result.all_messages()
            self.usage = result.usage
        elif self.way == "events":
            async with self.agent.run_stream_events(text, **about) as events:
                async for event in events:
                    self.events.append(event.event_kind)
                    if event.event_kind == "agent_run_result":
                        result = event.result
            self.output, self.messages = result.output, result.all_messages()
        else:
            async with self.agent.run_stream(text, **about) as result:
                self.output = await result.get_output()
            self.messages = result.all_messages()

    def transcript(self) -> str:
        return json.dumps(
            [plain(self.messages), self.script.seen, self.ran, self.events, self.output]
        )


@ways
@every_wording
def test_r9_r16_a_reworded_search_is_stopped_in_round_3(queries, way, tmp_path):
    guard = al.Guard("classic")
    run = Run(searches(queries), guard, way, instructions="Be brief.")
    assert run.ran == queries[:2]
    assert run.output == ANSWER
    tools = ["web_search", "read_file"]
    assert [tools for tools, _ in run.script.seen] == [tools, tools, tools, []]
    last = run.script.seen[-1][1][-1]
    assert last["instructions"] == "Be brief."
    assert last["parts"][-1]["content"] == CLOSING["query", "zh"]
    parts = [part for message in plain(run.messages) for part in message["parts"]]
    called = [part["tool_call_id"] for part in parts if part["part_kind"] == "tool-call"]
    assert called == [p["tool_call_id"] for p in parts if p["part_kind"] == "tool-return"]
    assert len(called) == 2
    assert [part["part_kind"] for part in parts].count("user-prompt") == 1
    check_tripped_in_round_3(guard, queries, tmp_path)
    if way == "run":
        assert list(guard.trace().rounds["tokens"]) == [10, 10, 10]
        assert run.usage.total_tokens == 40
    if way == "events":
        told = Counter(run.events)
        assert told["function_tool_call"] == told["function_tool_result"] == 2


@ways
@every_silent_mode
def test_r15_in_shadow_and_off_the_run_is_the_same_byte_for_byte(mode, way):
    check_silent(partial(Run, way=way), mode)


@ways
@every_fault
def test_r19_a_fault_in_the_guard_fails_open(owner, name, way, monkeypatch):
    check_fails_open(partial(Run, way=way), (owner, name), monkeypatch)


def test_the_prompt_follows_the_cause_and_the_language():
    run = Run(searches(ZH), al.Guard(al.Policy.preset("classic", max_rounds=1)))
    told = run.script.seen[-1][1][-1]["parts"][-1]["content"]
    assert (len(run.ran), told) == (1, CLOSING["budget", "zh"])
    run = Run(searches(ZH), al.Guard("classic"), lang="en")
    assert run.script.seen[-1][1][-1]["parts"][-1]["content"] == CLOSING["query", "en"]


class Weather(BaseModel):
    sky: str


def test_an_output_in_a_structure_is_no_call_and_stays_possible_after_a_stop():
    guard = al.Guard("classic")
    run = Run(searches(ZH), guard, output_type=Weather)
    assert (run.output, run.ran) == (Weather(sky="cloudy"), ZH[:2])
    assert guard.stopped
    guard = al.Guard("classic")
    run = Run(searches(ZH[:2]), guard, output_type=Weather)
    assert run.output == Weather(sky="cloudy")
    assert list(guard.trace().calls["tool"]) == ["web_search"] * 2


@ways
def test_a_nudge_is_read_and_a_blocked_call_is_not_run(way):
    """The ladder of the preset `layered`: the 2nd identical call nudges, the 3rd is blocked."""
    guard = al.Guard("layered")
    run = Run([("read_file", {"path": "a.txt"})] * 5, guard, way)
    decided = [e["action"] for e in guard.events if e["event"] == "decision"]
    assert decided == ["proceed", "nudge", "block", "stop"]
    assert run.ran == ["a.txt"] * 2
    nudge = next(e["cause"] for e in guard.events if e.get("action") == "nudge")
    assert run.script.seen[2][1][-1]["parts"][-1]["content"] == nudge
    parts = [part for message in plain(run.messages) for part in message["parts"]]
    assert [p["content"] for p in parts if p["part_kind"] == "tool-return"][2].startswith("Not run")
    assert list(guard.trace().calls["status"]) == ["ok", "ok", "denied", "missing"]


def test_the_error_of_a_tool_is_told():
    guard = al.Guard("classic")
    Run([("read_file", {"path": "none"})], guard)
    assert list(guard.trace().calls["status"]) == ["error"]


@ways
def test_the_next_request_is_counted_anew(way):
    guard = al.Guard("classic")
    run = Run(searches(ZH), guard, way)
    run.ask("明天呢？")
    assert list(guard.trace().rounds["request"]) == [1, 1, 1, 2, 2]
    assert run.ran == [*ZH[:2], *ZH[3:]]


def test_one_agent_may_serve_many_conversations():
    guards = {name: al.Guard("classic") for name in ("ana", "ben")}
    for name, asked in (("ana", 2), ("ben", 2), ("ana", 5)):
        Run(searches(ZH[:asked]), guards.__getitem__, deps=name, deps_type=str)
    assert guards["ana"].stopped
    assert list(guards["ana"].trace().rounds["request"]) == [1, 1, 2, 2, 2]
    assert list(guards["ben"].trace().rounds["request"]) == [1, 1]
