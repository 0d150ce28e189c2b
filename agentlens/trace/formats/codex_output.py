"""What a Codex tool answered, without the header that changes with every call.

Commands answer with ``Chunk ID: …``, ``Wall time: …``, ``Process exited with code N`` and
``Original token count: …`` before ``Output:``; older ones with ``Exit code: N``, or with JSON
``{"output", "metadata": {"exit_code", "duration_seconds"}}``; programs with ``Script completed``.
Left in, that header would make every answer a new one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson

from agentlens.trace.content import content_of
from agentlens.trace.formats.part import dicts, mapping

__all__ = ["Output", "output_of"]

_HEADER = re.compile(
    r"(?P<name>Chunk ID|Wall time|Exit code|Original token count|Total output lines"
    r"|Process exited with code|Process running with session ID|Script running with cell ID"
    r"|Script (?:completed|failed|terminated)|Warning: truncated output|Command timed out)"
    r"(?P<value>[^\n]*)"
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_CUT = re.compile(r"…\d+ (?:tokens|chars|lines) truncated…|\[\.\.\. omitted \d+ ")
#: A header has no more lines than this.
_MAX_HEADER = 10


@dataclass(frozen=True, slots=True)
class Output:
    """One answer: its text, and what its header says."""

    text: str
    parts: tuple[str, ...] = ()
    exit_code: int | None = None
    seconds: float | None = None
    error: bool | None = None
    timeout: bool = False
    truncated: bool = False
    pieces: tuple[str, ...] = ()


def output_of(value: Any) -> Output:
    """Return the answer that a call's output holds, whichever way it was written."""
    failed: bool | None = None
    if isinstance(value, Mapping) and "success" in value:
        failed = not value["success"] if isinstance(value["success"], bool) else None
        value = value.get("content")
    pieces = [p["text"] for p in dicts(value) if isinstance(p.get("text"), str)]
    header = _without_header(Output(pieces[0])) if len(pieces) > 1 else Output("")
    if len(pieces) > 1 and header.text != pieces[0] and not header.text.strip():
        value, pieces = value[1:], pieces[1:]  # the header stands in a piece of its own
    else:
        header = Output("")
    text, parts = content_of(value)
    found = _unpacked(_without_header(replace(header, text=text, parts=parts)))
    found = replace(found, pieces=tuple(pieces))
    return replace(found, error=failed) if failed is not None and found.error is None else found


def _without_header(output: Output) -> Output:
    """Take the header off; a text without ``Output:`` after header lines stays as it is."""
    at, facts = 0, output
    for _ in range(_MAX_HEADER):
        end = output.text.find("\n", at)
        line = output.text[at:] if end < 0 else output.text[at:end]
        if line.rstrip() == "Output:" and at:
            facts = replace(facts, text="" if end < 0 else output.text[end + 1 :])
            break
        match = _HEADER.match(line)
        if not match and line.strip():
            return output
        if match:
            facts = _fact(facts, match["name"], match["value"])
        if end < 0:
            break
        at = end + 1
    return replace(facts, truncated=facts.truncated or bool(_CUT.search(facts.text)))


def _fact(output: Output, name: str, value: str) -> Output:
    number = _NUMBER.search(value)
    if name in ("Exit code", "Process exited with code") and number:
        return replace(output, exit_code=int(float(number[0])))
    if name == "Wall time" and number:
        return replace(output, seconds=float(number[0]))
    if name in ("Script failed", "Script terminated"):
        return replace(output, error=True)
    if name == "Command timed out":
        return replace(output, timeout=True)
    return replace(output, truncated=True) if name.startswith("Warning") else output


def _unpacked(output: Output) -> Output:
    """Take an answer out of JSON that wraps it together with its exit code."""
    text = output.text.strip()
    if not text.startswith("{") or '"output"' not in text[:200_000]:
        return output
    try:
        found = mapping(orjson.loads(text))
    except (orjson.JSONDecodeError, RecursionError):
        return output
    facts = mapping(found.get("metadata")) or found
    code = facts.get("exit_code")
    seconds = facts.get("duration_seconds", facts.get("wall_time_seconds"))
    if not isinstance(found.get("output"), str) or not {"exit_code", "session_id"} & set(facts):
        return output
    return replace(
        output, text=found["output"],
        exit_code=code if isinstance(code, int) and not isinstance(code, bool) else None,
        seconds=float(seconds) if isinstance(seconds, int | float) else output.seconds,
        timeout=output.timeout or facts.get("timed_out") is True,
    )  # fmt: skip
