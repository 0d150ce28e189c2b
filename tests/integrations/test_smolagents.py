"""smolagents: `ToolCallingAgent`, whole and streamed, and `CodeAgent`."""

from __future__ import annotations

import copy
import json
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

needs("smolagents")

from smolagents import CodeAgent, LogLevel, Model, ToolCall, ToolCallingAgent, ToolOutput, tool
from smolagents.models import (
    ChatMessage,
    ChatMessageStreamDelta,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    ChatMessageToolCallStreamDelta,
    MessageRole,
)
from smolagents.monitoring import TokenUsage

import agentlens as al
from agentlens.integrations.smolagents import guarded

pytestmark = pytest.mark.frameworks
kinds = pytest.mark.parametrize("kind", ["whole", "streamed", "code"])


class Scripted(Model):
    """It asks for calls, in turn; asked for an answer, it answers."""

    def __init__(self, script, kind="whole", as_text=False, form="<code>\n{}\n"):
        super().__init__(model_id="scripted")
        self.script, self.kind, self.as_text = list(script), kind, as_text
        self.form = form
        self.seen: list[tuple[list[str], list[tuple[str, str]]]] = []

    def generate(
        self, messages, stop_sequences=None, response_format=None, tools_to_call_from=None, **_
    ):
        tools = [tool.name for tool in tools_to_call_from or ()]
        told = [(m.role.value, m.content[0]["text"]) for m in messages]
        self.seen.append((tools, told))
        usage = TokenUsage(8, 2)
        if not stop_sequences:  # the final answer
            return ChatMessage(MessageRole.ASSISTANT, ANSWER, token_usage=usage)
        name, args = self.script.pop(0) if self.script else ("final_answer", {"answer": ANSWER})
        if self.kind == "code":
            given = ", ".join(f"{key}={value!r}" for key, value in args.items())
            code = f"{name}({given})" if name == "final_answer" else f"print({name}({given}))"
            text = json.dumps({"thought": "", "code": code})
            text = text if self.form is None else self.form.format(code)
            return ChatMessage(MessageRole.ASSISTANT, text, token_usage=usage)
        if self.as_text:
            text = json.dumps({"name": name, "arguments": args}, ensure_ascii=False)
            return ChatMessage(MessageRole.ASSISTANT, text, token_usage=usage)
        call = ChatMessageToolCallFunction(arguments=args, name=name)
        asked = ChatMessageToolCall(function=call, id=f"c{len(self.seen)}", type="function")
        return ChatMessage(MessageRole.ASSISTANT, "Search.", [asked], token_usage=usage)

    def generate_stream(self, messages, **kwargs):
        message = self.generate(messages, **kwargs)
        yield ChatMessageStreamDelta(content=message.content)
        for place, call in enumerate(message.tool_calls or ()):
            text = json.dumps(call.function.arguments, ensure_ascii=False)
            for piece in (text[:4], text[4:]):
                function = ChatMessageToolCallFunction(arguments=piece, name=call.function.name)
                yield ChatMessageStreamDelta(
                    tool_calls=[ChatMessageToolCallStreamDelta(place, call.id, call.type, function)]
                )
        yield ChatMessageStreamDelta(token_usage=message.token_usage)


class Run:
    """One run of an agent, as its host sees it."""

    def __init__(self, script, guard=None, kind="whole", lang="zh", **options):
        self.ran: list[str] = []
        ran = self.ran

        @tool
        def web_search(query: str) -> str:
            """Search.

            Args:
                query: What for.
            """
            ran.append(query)
            return PAGE

        @tool
        def read_file(path: str) -> str:
            """Read.

            Args:
                path: Which.
            """
            ran.append(path)
            if path == "none":
                raise OSError("no such file")
            return "nothing in it"

        said = {key: options.pop(key) for key in ("as_text", "form") if key in options}
        self.model = Scripted(script, kind, **said)
        made = CodeAgent if kind == "code" else ToolCallingAgent
        self.agent = made(
            [web_search, read_file], self.model, max_steps=12, verbosity_level=LogLevel.OFF,
            stream_outputs=kind == "streamed", **options,
        )  # fmt: skip
        if guard is not None:
            guarded(self.agent, guard, lang=lang)
        self.ask(ASKED)

    def ask(self, task, reset=True):
        self.events = list(self.agent.run(task, stream=True, reset=reset))
        self.answer = self.events[-1].output

    def transcript(self) -> str:
        def plain(step):
            values = copy.deepcopy(step.dict() if hasattr(step, "dict") else vars(step))
            for key in ("timing", "model_input_messages", "code_action_id"):
                values.pop(key, None)
            return {key: str(value) for key, value in values.items()}

        said = [(type(e).__name__, getattr(e, "content", None)) for e in self.events]
        steps = [plain(step) for step in self.agent.memory.steps]
        return json.dumps([steps, said, self.model.seen, self.ran, str(self.answer)])


@kinds
@every_wording
def test_r9_r16_a_reworded_search_is_stopped_in_round_3(queries, kind, tmp_path):
    guard = al.Guard("classic")
    run = Run(searches(queries), guard, kind)
    assert run.ran == queries[:2]
    assert run.answer == ANSWER
    assert len(run.model.seen) == 4
    tools, told = run.model.seen[-1]
    assert tools == []
    assert told[-1] == ("user", CLOSING["query", "zh"])
    check_tripped_in_round_3(guard, queries, tmp_path)
    if kind != "code":
        called = [e.id for e in run.events if isinstance(e, ToolCall)]
        assert called == [e.id for e in run.events if isinstance(e, ToolOutput)]
        assert len(called) == 3  # two searches; the answer is a call of final_answer
        assert list(guard.trace().rounds["tokens"]) == [10, 10, 10]
        used = sum(step.token_usage.total_tokens for step in run.agent.memory.steps[1:])
        assert used == 40


@kinds
@every_silent_mode
def test_r15_in_shadow_and_off_the_run_is_the_same_byte_for_byte(mode, kind):
    check_silent(partial(Run, kind=kind), mode)


@kinds
@every_fault
def test_r19_a_fault_in_the_guard_fails_open(owner, name, kind, monkeypatch):
    check_fails_open(partial(Run, kind=kind), (owner, name), monkeypatch)


def test_calls_that_stand_in_the_text_are_seen_too(tmp_path):
    guard = al.Guard("classic")
    run = Run(searches(ZH), guard, as_text=True)
    assert (run.ran, run.answer) == (ZH[:2], ANSWER)
    check_tripped_in_round_3(guard, ZH, tmp_path)


@pytest.mark.parametrize(
    ("form", "options"),
    [
        ("```python\n{}\n```", {"code_block_tags": "markdown"}),
        ("<<run>>{}<<end>>", {"code_block_tags": ("<<run>>", "<<end>>")}),
        (None, {"use_structured_outputs_internally": True}),
    ],
    ids=["markdown", "own tags", "structured"],
)
def test_code_is_ended_in_a_form_that_the_agent_reads(form, options):
    run = Run(searches(ZH), al.Guard("classic"), "code", form=form, **options)
    assert (run.ran, run.answer, len(run.model.seen)) == (ZH[:2], ANSWER, 4)
    assert len(run.agent.memory.steps) == 5  # the task, three steps of searches, the answer


@kinds
def test_the_prompt_follows_the_cause_and_the_language(kind):
    guard = al.Guard(al.Policy.preset("classic", max_rounds=1))
    run = Run(searches(ZH), guard, kind)
    assert (len(run.ran), run.model.seen[-1][1][-1][1]) == (1, CLOSING["budget", "zh"])
    run = Run(searches(ZH), al.Guard("classic"), kind, lang="en")
    assert run.model.seen[-1][1][-1][1] == CLOSING["query", "en"]


@kinds
def test_a_nudge_is_read_and_a_blocked_call_is_not_run(kind):
    """The ladder of the preset `layered`: the 2nd identical call nudges, the 3rd is blocked."""
    guard = al.Guard("layered")
    run = Run([("read_file", {"path": "a.txt"})] * 5, guard, kind)
    decided = [e["action"] for e in guard.events if e["event"] == "decision"]
    assert decided == ["proceed", "nudge", "block", "stop"]
    assert run.ran == ["a.txt"] * 2
    nudge = next(e["cause"] for e in guard.events if e.get("action") == "nudge")
    assert run.model.seen[2][1][-1] == ("user", nudge)
    assert "Not run: " in run.agent.memory.steps[3].observations
    assert list(guard.trace().calls["status"]) == ["ok", "ok", "denied", "missing"]


@kinds
def test_the_error_of_a_tool_is_told(kind):
    guard = al.Guard("classic")
    run = Run([("read_file", {"path": "none"})], guard, kind)
    assert run.answer == ANSWER
    assert list(guard.trace().calls["status"]) == ["error"]
    assert "no such file" in guard.trace().calls["result"][0]


@kinds
def test_the_next_request_is_counted_anew(kind):
    guard = al.Guard("classic")
    run = Run(searches(ZH), guard, kind)
    run.ask("明天呢？", reset=False)
    assert list(guard.trace().rounds["request"]) == [1, 1, 1, 2, 2]
    assert run.ran == [*ZH[:2], *ZH[3:]]
    assert run.answer == ANSWER


def test_calls_of_one_step_are_told_apart():
    class Two(Scripted):
        def generate(self, messages, **kwargs):
            message = super().generate(messages, **kwargs)
            if message.tool_calls and message.tool_calls[0].function.name == "web_search":
                other = ChatMessageToolCallFunction({"path": "b.txt"}, "read_file")
                message.tool_calls.append(ChatMessageToolCall(other, "other", "function"))
            return message

    guard = al.Guard("classic")
    run = Run([], guard)
    run.agent.model.generate.__self__.model = Two(searches(ZH[:1]))
    run.ask("明天呢？")
    calls = guard.trace().calls
    assert list(zip(calls["tool"], calls["result"], strict=True)) == [
        ("web_search", PAGE),
        ("read_file", "nothing in it"),
    ]
