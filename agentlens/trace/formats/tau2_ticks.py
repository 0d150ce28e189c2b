"""Voice runs of tau2-bench: ticks of one length, each with a chunk of the agent and the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentlens.trace.build import MAIN, TraceBuilder
from agentlens.trace.content import as_text, text_of
from agentlens.trace.formats.part import dicts, mapping, text_or_none
from agentlens.trace.status import judge
from agentlens.trace.times import parse_time

__all__ = ["read_ticks"]

_THREADS = {"agent": MAIN, "user": "user"}


def read_ticks(ticks: Sequence[Any], build: TraceBuilder) -> None:
    """Read ticks: speech that goes on over several ticks is one round, or one user message."""
    speaker = _Speaker(build)
    for number, tick in enumerate(ticks, 1):
        if not isinstance(tick, Mapping):
            build.note("skipped", "a record is not a tick", number)
            continue
        started = parse_time(tick.get("timestamp"))
        for side in ("agent", "user"):
            speaker.hear(side, mapping(tick.get(f"{side}_chunk")), started, number)
            speaker.act(side, tick, started, number)
    build.note("guessed", "speech without a pause is taken for one round or one user message")
    if not speaker.worded:
        build.note("info", "the words that were spoken are not in the log")


class _Speaker:
    """Follows who speaks, and which round the agent's calls belong to."""

    def __init__(self, build: TraceBuilder):
        self.build = build
        self.speaks = {"agent": False, "user": False}
        self.rows: dict[str, int] = {}
        self.worded = False

    def hear(self, side: str, chunk: Mapping[str, Any], started: float | None, line: int) -> None:
        text = text_of(chunk.get("content"))
        self.worded = self.worded or bool(text)
        now = chunk.get("contains_speech") is True or bool(text)
        begins, self.speaks[side] = now and not self.speaks[side], now
        if begins and side == "agent":
            self.rows[side] = self.build.round(text=text, started=started, line=line)
        elif begins:
            self.build.user(text, started=started, line=line)
        elif text and side == "agent" and side in self.rows:
            self.build.add_text(self.rows[side], "text", text)

    def act(self, side: str, tick: Mapping[str, Any], started: float | None, line: int) -> None:
        thread = _THREADS[side]
        calls = list(dicts(tick.get(f"{side}_tool_calls")))
        if calls and thread != MAIN:
            self.build.thread(thread, kind="simulated_user", name="simulated user")
        if calls and (side not in self.rows or thread != MAIN):
            self.rows[side] = self.build.round(thread=thread, started=started, line=line)
        for call in calls:
            self.build.call(
                self.rows[side], as_text(call.get("name")) or "?", call.get("arguments"),
                call_id=text_or_none(call.get("id")), started=started, line=line,
            )  # fmt: skip
        for result in dicts(tick.get(f"{side}_tool_results")):
            found = self.build.find_call(text_or_none(result.get("id")), thread=thread)
            if found is None:
                self.build.note("skipped", "a result belongs to no call", line)
                continue
            text, flag = text_of(result.get("content")), result.get("error")
            status, kind, code, _ = judge(text, error=flag if isinstance(flag, bool) else None)
            self.build.result(
                found[0], text, status=status, ended=started, error_type=kind, exit_code=code,
                paired_by=found[1],
            )  # fmt: skip
