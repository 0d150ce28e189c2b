"""The parts of goose's messages: calls, their answers, and what each call of the model used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agentlens.trace.content import as_text, content_of
from agentlens.trace.formats.part import dicts, mapping, text_or_none

if TYPE_CHECKING:
    from agentlens.trace.build import TraceBuilder

__all__ = ["Answer", "Call", "answer_of", "call_of", "describe", "joined", "usage_of"]

_USED = (
    ("input_tokens", "input_tokens"), ("output_tokens", "output_tokens"),
    ("cached_tokens", "cache_read_tokens"), ("cache_write_tokens", "cache_write_tokens"),
    ("tokens", "total_tokens"),
)  # fmt: skip
_TOTALS = (
    ("tokens", "accumulated_total_tokens"), ("input_tokens", "accumulated_input_tokens"),
    ("output_tokens", "accumulated_output_tokens"), ("cost", "accumulated_cost"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Call:
    """A call; `error` says why it is none, where the model wrote it badly."""

    tool: str
    name: str
    args: Any
    call_id: str | None
    extension: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool answered; `error` is what the log says outright."""

    text: str
    parts: tuple[str, ...] = ()
    error: bool | None = None
    exit_code: int | None = None


def joined(
    messages: Iterable[tuple[int, Mapping[str, Any]]],
) -> list[tuple[int, Mapping[str, Any]]]:
    """Join the pieces of a message of the model that was streamed: they follow and share an id."""
    out: list[tuple[int, Mapping[str, Any]]] = []
    for line, message in messages:
        key, before = text_or_none(message.get("id")), out[-1][1] if out else {}
        if (
            message.get("role") != "assistant"
            or key is None
            or (before.get("role"), before.get("id")) != ("assistant", key)
        ):
            out.append((line, message))
            continue
        parts = list(dicts(before.get("content")))
        for part in dicts(message.get("content")):
            kind = part.get("type")
            field = {"text": "text", "thinking": "thinking"}.get(as_text(kind))
            if field and parts and parts[-1].get("type") == kind:
                words = as_text(parts[-1].get(field)) + as_text(part.get(field))
                parts[-1] = {**parts[-1], field: words}
            else:
                parts.append(part)
        out[-1] = out[-1][0], {**before, "content": parts}
    return out


def call_of(part: Mapping[str, Any]) -> Call:
    """Return the call in a ``toolRequest``.

    Its tool is named ``extension__tool``, or the extension stands beside it in ``_meta``.
    """
    told, call_id = mapping(part.get("toolCall")), text_or_none(part.get("id"))
    value = mapping(told.get("value")) if "value" in told else told
    name = as_text(value.get("name")) or "?"
    extension = text_or_none(mapping(part.get("_meta")).get("goose_extension"))
    before, mark, tool = name.partition("__")
    if mark and tool and before and before != "mcp":
        extension = extension or before
    else:
        tool = name
    error = as_text(told.get("error")) or "error" if told.get("status") == "error" else None
    return Call(tool, name, value.get("arguments"), call_id, extension, error)


def answer_of(result: Any) -> Answer:
    """Return the answer in a ``toolResult``: MCP content, an older list of it, or an error."""
    told = result
    if isinstance(result, Mapping) and ("status" in result or "value" in result):
        if result.get("status") == "error":
            return Answer(as_text(result.get("error")), error=True)
        told = result.get("value")
    value = mapping(told)
    content = value.get("content") if "content" in value else told
    if isinstance(content, list):
        content = _for_the_model(content)
    text, parts = content_of(content)
    structured = mapping(value.get("structuredContent"))
    if not text and structured:
        text = as_text(structured)
    code = structured.get("exit_code")
    code = code if isinstance(code, int) and not isinstance(code, bool) else None
    failed = value["isError"] if isinstance(value.get("isError"), bool) else None
    if code is not None and failed is False:
        failed = None  # the tool worked; how the command in it ended says its exit code
    return Answer(text, parts, failed, code)


def _for_the_model(content: list[Any]) -> list[Any]:
    """Leave out the copies that are meant for the user's eyes alone."""
    kept = [item for item in content if "assistant" in _audience(item)]
    return kept or content


def _audience(item: Any) -> Any:
    found = mapping(mapping(item).get("annotations")).get("audience")
    return found if isinstance(found, list) and found else ("assistant",)


def usage_of(rows: Any) -> list[dict[str, Any]]:
    """Return round columns for each call of the model, but those that compacted the history."""
    found: list[dict[str, Any]] = []
    for row in dicts(rows):
        if row.get("is_compaction"):
            continue
        columns: dict[str, Any] = {
            column: row[key]
            for column, key in _USED
            if isinstance(row.get(key), int) and not isinstance(row[key], bool)
        }
        cost = row.get("cost")
        if isinstance(cost, int | float) and not isinstance(cost, bool):
            columns["cost"] = cost
        if isinstance(row.get("model"), str):
            columns["model"] = row["model"]
        found.append(columns)
    return found


def describe(record: Mapping[str, Any], build: TraceBuilder) -> None:
    """Say what a session's row, or the header of old lines, tells of it as a whole."""
    name = text_or_none(record.get("id"))
    title = text_or_none(record.get("name")) or text_or_none(record.get("description"))
    model = text_or_none(mapping(record.get("model_config")).get("model_name"))
    totals = {
        key: record[field]
        for key, field in _TOTALS
        if isinstance(record.get(field), int | float) and not isinstance(record[field], bool)
    }
    build.describe(
        trace_id=name, session_id=name, cwd=text_or_none(record.get("working_dir")),
        models=(model,) if model else None, totals=totals or None,
        totals_source="reported" if totals else None,
        extra={"title": title} if title else None,
    )  # fmt: skip
