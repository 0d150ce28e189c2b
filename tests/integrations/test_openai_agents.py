"""OpenAI Agents SDK: `GuardedModel` under `Runner.run` and `Runner.run_streamed`."""

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

needs("agents.testing")

from agents import (
    Agent,
    ModelProvider,
    ModelSettings,
    RunConfig,
    RunHooks,
    Runner,
    Usage,
    function_tool,
    set_tracing_disabled,
)
from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call

import agentlens as al
from agentlens.integrations.openai_agents import GuardedModel, GuardedModels, skip_blocked

pytestmark = pytest.mark.frameworks
set_tracing_disabled(True)


class Scripted(ScriptedModel):
    """It asks for calls, in turn, for as long as it has tools."""

    def __init__(self, script, disobeys=False, empty_end=False, called="call"):
        super().__init__([ModelStep.respond(self._respond)] * 12)
        self.script, self.called = list(script), called
        self.disobeys, self.empty_end = disobeys, empty_end
        self.seen = []

    def _respond(self, call):
        tools = [tool.name for tool in call.tools]
        self.seen.append((tools, len(call.handoffs), call.input))
        self.settings = call.model_settings
        said = assistant_message(ANSWER, item_id=f"m{len(self.seen)}")
        if self.script and (tools or self.disobeys):
            name, args = self.script.pop(0)
            said = function_call(name, args, call_id=f"{self.called}{len(self.seen)}")
        usage = Usage(requests=1, input_tokens=8, output_tokens=2, total_tokens=10)
        return ModelStep(output=[said], usage=usage)

    async def stream_response(self, *args, **kwargs):
        async for event in super().stream_response(*args, **kwargs):
            if self.empty_end and event.type == "response.completed":
                event.response.output = []  # as some servers end their streams
            yield event


class Watching(RunHooks):
    def __init__(self):
        self.told = []

    async def on_tool_start(self, context, agent, tool):
        self.told.append(("start", tool.name))

    async def on_tool_end(self, context, agent, tool, result):
        self.told.append(("end", tool.name))


class Run:
    """One run of an agent, as its host sees it."""

    def __init__(self, script, guard=None, way="run", wrap=None, asked=ASKED, **options):
        self.ran: list[str] = []
        self.events: list[str] = []
        self.hooks = Watching()
        ran = self.ran
        kept = [skip_blocked(guard)] if guard is not None else None

        @function_tool(tool_input_guardrails=kept)
        def web_search(query: str) -> str:
            """Search."""
            ran.append(query)
            return PAGE

        @function_tool(tool_input_guardrails=kept)
        def read_file(path: str) -> str:
            """Read."""
            ran.append(path)
            return "nothing in it"

        lang = options.pop("lang", "zh")
        settings = options.pop("settings", ModelSettings())
        more = {key: options.pop(key) for key in ("conversation_id",) if key in options}
        self.model = Scripted(script, **options)
        model = self.model if guard is None else GuardedModel(self.model, guard, lang=lang)
        agent = Agent(
            "weather", tools=[web_search, read_file], model=model, model_settings=settings
        )
        agent.handoffs = [Agent("other", model=self.model)]
        asyncio.run(self._run(agent, asked, way, more))

    async def _run(self, agent, asked, way, more):
        if way == "run":
            self.result = await Runner.run(agent, asked, hooks=self.hooks, max_turns=12, **more)
            return
        self.result = Runner.run_streamed(agent, asked, hooks=self.hooks, max_turns=12, **more)
        async for event in self.result.stream_events():
            about = event.data.type if event.type == "raw_response_event" else event.type
            if event.type == "run_item_stream_event":
                about = event.name
            elif getattr(event.data if about != event.type else None, "item", None):
                about = f"{about}: {event.data.item.type}"
            self.events.append(about)

    def transcript(self) -> str:
        usage = self.result.context_wrapper.usage
        told = [self.result.to_input_list(), self.model.seen, self.ran, self.events]
        return json.dumps([*told, self.hooks.told, usage.total_tokens, self.result.final_output])


ways = pytest.mark.parametrize("way", ["run", "stream"])


@ways
@every_wording
def test_r9_r16_a_reworded_search_is_stopped_in_round_3(queries, way, tmp_path):
    guard = al.Guard("classic")
    forced = ModelSettings(tool_choice="required", parallel_tool_calls=True)
    run = Run(searches(queries), guard, way, settings=forced)
    assert run.ran == queries[:2]
    assert run.result.final_output == ANSWER
    tools = ["web_search", "read_file"]
    asked = [(tools, handoffs) for tools, handoffs, _ in run.model.seen]
    assert asked == [(tools, 1), (tools, 1), (tools, 1), ([], 0)]
    assert run.model.seen[-1][2][-1] == {"role": "user", "content": CLOSING["query", "zh"]}
    assert (run.model.settings.tool_choice, run.model.settings.parallel_tool_calls) == (None, None)
    items = run.result.to_input_list()
    called = [i["call_id"] for i in items if i.get("type") == "function_call"]
    assert called == [i["call_id"] for i in items if i.get("type") == "function_call_output"]
    assert len(called) == 2
    assert run.hooks.told == [("start", "web_search"), ("end", "web_search")] * 2
    check_tripped_in_round_3(guard, queries, tmp_path)
    assert list(guard.trace().rounds["tokens"]) == [10, 10, 10]
    assert run.result.context_wrapper.usage.total_tokens == 40
    if way == "stream":
        told = Counter(run.events)
        assert told["tool_called"] == told["tool_output"] == 2
        assert told["response.output_item.done: function_call"] == 2


def test_a_stream_that_ends_without_its_output_is_stopped_too(tmp_path):
    guard = al.Guard("classic")
    run = Run(searches(ZH), guard, "stream", empty_end=True)
    assert (run.ran, run.result.final_output) == (ZH[:2], ANSWER)
    check_tripped_in_round_3(guard, ZH, tmp_path)


@ways
@every_silent_mode
def test_r15_in_shadow_and_off_the_run_is_the_same_byte_for_byte(mode, way):
    check_silent(partial(Run, way=way), mode)


def test_a_run_that_is_not_stopped_streams_the_same_events():
    queries = ["天气", "能源补贴", "lighthouse"]
    run = Run(searches(queries), al.Guard("classic"), "stream")
    assert run.transcript() == Run(searches(queries), None, "stream").transcript()


@ways
@every_fault
def test_r19_a_fault_in_the_guard_fails_open(owner, name, way, monkeypatch):
    check_fails_open(partial(Run, way=way), (owner, name), monkeypatch)


def test_the_prompt_follows_the_cause_and_the_language():
    run = Run(searches(ZH), al.Guard(al.Policy.preset("classic", max_rounds=1)))
    assert (len(run.ran), run.model.seen[-1][2][-1]["content"]) == (1, CLOSING["budget", "zh"])
    run = Run(searches(ZH), al.Guard("classic"), lang="en")
    assert run.model.seen[-1][2][-1]["content"] == CLOSING["query", "en"]


@ways
def test_an_answer_that_asks_for_tools_again_loses_them(way):
    run = Run(searches(ZH), al.Guard("classic"), way, disobeys=True)
    assert (run.ran, len(run.model.seen)) == (ZH[:2], 4)
    assert Counter(run.events)["tool_called"] == (2 if way == "stream" else 0)


@ways
def test_a_nudge_is_read_and_a_blocked_call_is_not_run(way):
    """The ladder of the preset `layered`: the 2nd identical call nudges, the 3rd is blocked."""
    guard = al.Guard("layered")
    run = Run([("read_file", {"path": "a.txt"})] * 5, guard, way)
    decided = [e["action"] for e in guard.events if e["event"] == "decision"]
    assert decided == ["proceed", "nudge", "block", "stop"]
    assert run.ran == ["a.txt"] * 2
    assert [item.get("role") for item in run.model.seen[2][2]].count("user") == 2
    items = run.result.to_input_list()
    outputs = [i["output"] for i in items if i.get("type") == "function_call_output"]
    assert outputs[2].startswith("Not run: ")
    assert list(guard.trace().calls["status"]) == ["ok", "ok", "denied", "missing"]


def test_a_conversation_that_the_server_keeps_is_closed_with_its_calls_answered():
    run = Run(searches(ZH), al.Guard("classic"), conversation_id="conv")
    assert run.result.final_output == ANSWER
    assert run.model.seen[-1][2] == [
        {"type": "function_call_output", "call_id": "call3", "output": "Not run."},
        {"role": "user", "content": CLOSING["query", "zh"]},
    ]


def test_all_models_of_a_run_may_stand_behind_one_guard():
    class Provider(ModelProvider):
        def get_model(self, model_name):
            return models[model_name]

    @function_tool
    def web_search(query: str) -> str:
        """Search."""
        ran.append(query)
        return PAGE

    ran: list[str] = []
    models = {
        "first": Scripted([("transfer_to_second", {})], called="first"),
        "second": Scripted(searches(ZH)),
    }
    second = Agent("second", tools=[web_search], model="second")
    first = Agent("first", handoffs=[second], model="first", tools=[web_search])
    guard = al.Guard("classic")
    config = RunConfig(model_provider=GuardedModels(guard, Provider()))
    result = asyncio.run(Runner.run(first, ASKED, run_config=config))
    assert (result.final_output, ran) == (ANSWER, ZH[:2])
    assert list(guard.trace().calls["tool"]) == ["transfer_to_second", *["web_search"] * 3]
    assert al.replay(guard.trace(), "classic").trip.round == 4


def test_an_agent_that_is_a_tool_has_a_thread_of_its_own():
    @function_tool
    def web_search(query: str) -> str:
        """Search."""
        ran.append(query)
        return PAGE

    ran: list[str] = []
    guard = al.Guard("classic")
    inner = GuardedModel(Scripted(searches(ZH)), guard.thread("researcher"))
    helper = Agent("researcher", tools=[web_search], model=inner)
    asked = Scripted([("research", {"input": "weather"})])
    outer = Agent(
        "main", tools=[helper.as_tool("research", "Ask.")], model=GuardedModel(asked, guard)
    )
    result = asyncio.run(Runner.run(outer, ASKED))
    assert (result.final_output, ran) == (ANSWER, ZH[:2])
    assert Counter(guard.trace().calls["thread"]) == {"main": 1, "researcher": 3}
    trip = al.replay(guard.trace(), "classic").trip
    assert (trip.thread, trip.round) == ("researcher", 3)
    assert not guard.stopped
