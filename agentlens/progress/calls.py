"""A call as its identity needs it: a row of a trace, or what a running loop knows of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from agentlens.trace.arguments import parse_arguments
from agentlens.trace.content import as_text
from agentlens.trace.names import unwrap_call
from agentlens.trace.status import judge
from agentlens.trace.tools import ToolSpec, describe_all

if TYPE_CHECKING:
    from agentlens.trace.model import Trace

__all__ = ["Call", "call_of", "calls_of"]


class Call(NamedTuple):
    """A call; the columns of a trace's calls table of the same names, and the round's thought.

    Without a result, `status` is ``missing``.
    """

    tool: str
    namespace: str | None
    effect: str
    args: Mapping[str, Any] | None
    args_raw: str | None
    queries: Sequence[str]
    target: str | None
    status: str = "missing"
    exit_code: int | None = None
    result: str = ""
    thought: str = ""


def call_of(row: Mapping[str, Any], tools: Mapping[str, ToolSpec]) -> Call:
    """Return what a trace would say of a row of the plain format."""
    name = as_text(row.get("tool"))
    args, raw, _ = parse_arguments(row.get("args"))
    tool, namespace, inner = unwrap_call(name, args)
    if inner is not args:
        args, raw, _ = parse_arguments(inner)
    about = describe_all([tool], [name], [args], [raw], tools)
    status, code, text = "missing", None, ""
    if row.get("result") is not None or "error" in row:
        text = as_text(row.get("result"))
        status, _, code, _ = judge(text, error=row.get("error"), exit_code=row.get("exit_code"))
    return Call(
        tool, namespace, about["effect"][0], args, raw, about["queries"][0], about["target"][0],
        status, code, text, _thought(row.get("thought") or "", row.get("text") or ""),
    )  # fmt: skip


def calls_of(trace: Trace, thought: bool) -> Iterable[Call]:
    """Yield the calls of a trace, with what was thought where that is asked for."""
    calls, rounds = trace.tables["calls"], trace.tables["rounds"]
    columns = [calls[name] for name in Call._fields[:-1]]
    if not thought:
        return map(Call, *columns)
    said = [_thought(rounds["reasoning"][row], rounds["text"][row]) for row in calls["round_row"]]
    return map(Call, *columns, said)


def _thought(reasoning: str, text: str) -> str:
    return f"{reasoning}\0{text}" if reasoning or text else ""
