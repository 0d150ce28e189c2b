"""The bare loop: stopped in round 3, silent in shadow, open when the guard fails."""

from __future__ import annotations

import copy
import json
from typing import NamedTuple

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
    searches,
)

import agentlens as al
from agentlens.integrations.bare import converse


class Scripted:
    """A model that asks for the scripted calls one after the other, while it has tools."""

    def __init__(self, calls: list[tuple[str, dict]], disobeys: bool = False):
        self.calls, self.disobeys = list(calls), disobeys
        self.seen: list[tuple[bool, list[dict]]] = []

    def __call__(self, messages: list[dict], tools: bool) -> dict:
        self.seen.append((tools, copy.deepcopy(messages)))
        if not self.calls or not (tools or self.disobeys):
            return {"role": "assistant", "content": ANSWER}
        name, args = self.calls.pop(0)
        call = {"name": name, "arguments": json.dumps(args, ensure_ascii=False)}
        asked = {"id": f"c{len(self.calls)}", "type": "function", "function": call}
        return {"role": "assistant", "content": None, "tool_calls": [asked]}


class Ran(NamedTuple):
    """The answer, the model, the messages and what was really run."""

    answer: str
    model: Scripted
    messages: list[dict]
    ran: list[str]

    def transcript(self):
        return self.answer, self.messages, json.dumps(self.model.seen)


def run(guard, calls, **options):
    ran: list[str] = []
    model = Scripted(calls, options.pop("disobeys", False))
    messages = [{"role": "user", "content": ASKED}]

    def web_search(query):
        ran.append(query)
        return PAGE

    def read_file(path):
        ran.append(path)
        return "nothing in it"

    def fails():
        raise OSError("no such host")

    tools = {"web_search": web_search, "read_file": read_file, "fails": fails}
    answer = converse(messages, model, tools, guard, **options)
    return Ran(answer, model, messages, ran)


def run_of(calls, guard):
    return run(guard, calls)


@every_wording
def test_r9_r16_a_reworded_search_is_stopped_in_round_3(queries, tmp_path):
    guard = al.Guard("classic")
    answer, model, messages, ran = run(guard, searches(queries))
    assert ran == queries[:2]
    assert answer == ANSWER
    assert [tools for tools, _ in model.seen] == [True, True, True, False]
    assert model.seen[-1][1][-1] == {"role": "user", "content": CLOSING["query", "zh"]}
    asked = [c["id"] for m in messages for c in m.get("tool_calls", ())]
    assert asked == [m["tool_call_id"] for m in messages if m["role"] == "tool"]
    check_tripped_in_round_3(guard, queries, tmp_path)


def test_an_answer_that_asks_for_tools_again_loses_them():
    answer, model, messages, ran = run(al.Guard("classic"), searches(ZH), disobeys=True)
    assert (answer, len(ran), len(model.seen)) == ("", 2, 4)
    assert "tool_calls" not in messages[-1]


def test_the_prompt_follows_the_cause_and_the_language():
    guard = al.Guard(al.Policy.preset("classic", max_rounds=1))
    _, model, _, ran = run(guard, searches(ZH))
    assert (len(ran), model.seen[-1][1][-1]["content"]) == (1, CLOSING["budget", "zh"])
    _, model, _, _ = run(al.Guard("classic"), searches(ZH), lang="en")
    assert model.seen[-1][1][-1]["content"] == CLOSING["query", "en"]


@every_silent_mode
def test_r15_in_shadow_and_off_the_run_is_the_same_byte_for_byte(mode):
    check_silent(run_of, mode)


@every_fault
def test_r19_a_fault_in_the_guard_fails_open(owner, name, monkeypatch):
    check_fails_open(run_of, (owner, name), monkeypatch, lambda run: run.messages)


def test_a_nudge_is_read_and_a_blocked_call_is_not_run():
    """The ladder of the preset `layered`: the 2nd identical call nudges, the 3rd is blocked."""
    calls = [("read_file", {"path": "a.txt"})] * 5
    guard = al.Guard("layered")
    _, model, messages, ran = run(guard, calls)
    decided = [e["action"] for e in guard.events if e["event"] == "decision"]
    assert decided[:4] == ["proceed", "nudge", "block", "stop"]
    assert ran == ["a.txt"] * 2
    told = [m["content"] for m in model.seen[2][1] if m["role"] == "user"]
    assert len(told) == 2
    blocked = [m["content"] for m in messages if m["role"] == "tool"][2]
    assert blocked.startswith("Not run: ")
    assert list(guard.trace().calls["status"]) == ["ok", "ok", "denied", "missing"]


def test_the_error_of_a_tool_is_told():
    guard = al.Guard("classic")
    _, _, messages, _ = run(guard, [("fails", {}), ("unknown", {})])
    assert [m["content"] for m in messages if m["role"] == "tool"] == [
        "OSError: no such host",
        "KeyError: 'unknown'",
    ]
    assert list(guard.trace().calls["status"]) == ["error", "error"]


def test_the_next_request_is_counted_anew():
    guard, messages = al.Guard("classic"), []
    for _ in range(2):
        messages.append({"role": "user", "content": ASKED})
        converse(messages, Scripted(searches(ZH)), {"web_search": lambda query: PAGE}, guard)
    assert [e["event"] for e in guard.events].count("tool_started") == 4
    assert list(guard.trace().rounds["request"]) == [1, 1, 1, 2, 2, 2]
