"""The samples in message formats, recorded by a small agent loop with a scripted model."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from common import document, listing

Tool = Callable[[dict[str, Any]], str]


@dataclass(frozen=True)
class Say:
    """What the scripted model answers: text, and the calls that it makes."""

    text: str
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()


def openai_loop(system: str, user: str, script: Sequence[Say], tools: dict[str, Tool]) -> list[Any]:
    """Run the loop of the chat completions API and return its messages."""
    messages: list[Any] = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    made = 0
    for turn in script:
        message: dict[str, Any] = {"role": "assistant", "content": turn.text or None}
        answers = []
        for name, args in turn.calls:
            made += 1
            call_id = f"call_{made:04d}"
            function = {"name": name, "arguments": json.dumps(args, ensure_ascii=False)}
            message.setdefault("tool_calls", []).append(
                {"id": call_id, "type": "function", "function": function}
            )
            answers.append({"role": "tool", "tool_call_id": call_id, "content": tools[name](args)})
        messages += [message, *answers]
        if not turn.calls:
            break
    return messages


def anthropic_loop(user: str, script: Sequence[Say], tools: dict[str, Tool]) -> list[Any]:
    """Run the loop of the messages API and return its messages, with times as Cline keeps them."""
    clock = 1772442000000
    messages: list[Any] = [{"role": "user", "content": [{"type": "text", "text": user}], "ts": clock}]
    made = 0
    for turn in script:
        clock += 4200
        blocks: list[Any] = [{"type": "text", "text": turn.text}] if turn.text else []
        answers: list[Any] = []
        for name, args in turn.calls:
            made += 1
            call_id = f"toolu_{made:04d}"
            blocks.append({"type": "tool_use", "id": call_id, "name": name, "input": args})
            text = tools[name](args)
            failed = {"is_error": True} if text.startswith("Error") else {}
            answers.append({"type": "tool_result", "tool_use_id": call_id, "content": text, **failed})
        messages.append({"role": "assistant", "content": blocks, "ts": clock})
        if not answers:
            break
        clock += 900
        messages.append({"role": "user", "content": answers, "ts": clock})
    return messages


def _tariffs(args: dict[str, Any]) -> str:
    return listing(
        ("Tariff overview", "https://power.example.org/tariffs", "A list of providers without prices."),
        ("How tariffs work", "https://power.example.org/how", f"Nothing about: {args['query'][:20]}"),
    )


def openai_research() -> str:
    """Return an English run with two user turns' worth of research: a loop, then a fetch."""
    queries = ["day ahead power price Austria", "Austria day ahead power price today",
               "today Austria power price day ahead hourly", "hourly day ahead power price Austria today"]  # fmt: skip
    script = [Say("Let me look that up.", (("web_search", {"query": queries[0]}),))]
    script += [Say("", (("web_search", {"query": q}),)) for q in queries[1:]]
    script += [
        Say("I will read the overview.", (("fetch_url", {"url": "https://power.example.org/tariffs"}),)),
        Say("The page lists providers but no prices, so I cannot give today's price."),
    ]
    tools: dict[str, Tool] = {
        "web_search": _tariffs, "fetch_url": lambda _: "Providers: A, B, C. Prices on request."
    }  # fmt: skip
    messages = openai_loop("You research energy prices.", "What is today's power price in Austria?", script, tools)
    return document({"model": "scripted", "messages": messages})


def openai_multi_turn() -> str:
    """Return a healthy run of three requests: similar searches, but each answers a new question."""
    messages: list[Any] = [{"role": "system", "content": "You are a research assistant."}]
    made = 0
    for question, queries, answer in (
        ("Who runs the Vienna marathon course?", ["Vienna marathon course organiser"], "The city marathon association."),
        ("And the Graz marathon course?", ["Graz marathon course organiser"], "The sports office of Graz."),
        ("How long are both, and which is flatter?",
         ["Vienna marathon course elevation", "Graz marathon course elevation profile"], "Both 42.195 km; Vienna is flatter."),
    ):  # fmt: skip
        messages.append({"role": "user", "content": question})
        for query in queries:
            made += 1
            call = {"id": f"call_{made:04d}", "type": "function",
                    "function": {"name": "web_search", "arguments": json.dumps({"query": query})}}  # fmt: skip
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            hit = (query.title(), f"https://run.example.org/{made}", f"Facts about {query}.")
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": listing(hit)})
        messages.append({"role": "assistant", "content": answer})
    return document(messages)


def anthropic_errors() -> str:
    """Return a loop of failures: other paths, other commands, always the same refusal."""
    refusal = "Error: EACCES: permission denied, open '/srv/app/config.yaml'"
    tools: dict[str, Tool] = {"read_file": lambda _: refusal, "run_command": lambda _: refusal}
    script = [Say("I will read the configuration.", (("read_file", {"path": "/srv/app/config.yaml"}),))]
    for command in ("cat /srv/app/config.yaml", "sudo cat /srv/app/config.yaml", "head -50 /srv/app/config.yaml",
                    "less /srv/app/config.yaml"):  # fmt: skip
        script.append(Say("", (("run_command", {"command": command}),)))
    script.append(Say("I have no permission to read the file; please grant it or paste the content."))
    return document(anthropic_loop("Which port does the app use?", script, tools))


def tau_airline() -> str:
    """Return a tau-bench-like result: lookups with the same tool and other dates, a solved task."""
    traj: list[Any] = [
        {"role": "system", "content": "# Airline agent policy\nConfirm before booking."},
        {"role": "user", "content": "I need a direct flight from Vienna to Oslo, some day from 20 to 23 May."},
    ]
    for day in range(20, 24):
        call_id = f"call_{day}"
        args = json.dumps({"origin": "VIE", "destination": "OSL", "date": f"2026-05-{day}"})
        traj.append({"role": "assistant", "content": None, "tool_calls": [
            {"id": call_id, "type": "function", "function": {"name": "search_direct_flight", "arguments": args}}]})  # fmt: skip
        found = [] if day != 23 else [{"flight_number": "EX231", "price": 142, "status": "available"}]
        traj.append({"role": "tool", "tool_call_id": call_id, "name": "search_direct_flight", "content": json.dumps(found)})
    traj += [
        {"role": "assistant", "content": "There is EX231 on 23 May for $142. Shall I book it?"},
        {"role": "user", "content": "Yes, please."},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "call_b", "type": "function", "function": {
            "name": "book_reservation", "arguments": json.dumps({"flight_number": "EX231", "date": "2026-05-23"})}}]},
        {"role": "tool", "tool_call_id": "call_b", "name": "book_reservation", "content": '{"reservation_id": "R7Q2"}'},
        {"role": "assistant", "content": "Booked: reservation R7Q2."},
        {"role": "user", "content": "###STOP###"},
    ]  # fmt: skip
    info = {"task": {"user_id": "demo", "instruction": "Book the first direct flight from Vienna to Oslo."}}
    return document([{"task_id": 1, "trial": 0, "reward": 1.0, "info": info, "traj": traj}])


FILES = {
    "openai_research_loop.json": openai_research,
    "openai_multi_turn.json": openai_multi_turn,
    "anthropic_same_error.json": anthropic_errors,
    "tau_airline.json": tau_airline,
}
