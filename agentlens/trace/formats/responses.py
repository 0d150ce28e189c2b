"""Items of OpenAI's Responses API: a list of them, or request and response objects.

Facts that it rests on: a model's answer is several items in a row (``reasoning``, ``message``,
``function_call``); ``function_call_output`` carries the same ``call_id``; tools that run at the
provider (``web_search_call``, ``file_search_call``, ``mcp_call``, ...) are one item that holds
call and, if anything, result; a response object keeps items under ``output`` and usage, whose
input tokens include the cached ones, beside them. Items have no times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text, content_of, text_of
from agentlens.trace.formats.part import Part, dicts, mapping, one_part, text_or_none
from agentlens.trace.formats.turns import CallItem, ResultItem, Turn, feed, usage_columns
from agentlens.trace.source import Document
from agentlens.trace.times import parse_time

__all__ = ["NAME", "answer_of", "is_item", "join", "read", "sniff", "split", "turn_of"]

NAME = "responses"
_CALLS = ("function_call", "custom_tool_call", "computer_call", "local_shell_call", "shell_call",
          "apply_patch_call", "tool_search_call")  # fmt: skip
_OUTPUTS = tuple(f"{kind}_output" for kind in _CALLS)
#: Tools that run at the provider, and the field that holds what came back.
_HOSTED = {
    "web_search_call": ("sources", "results"), "file_search_call": ("results",),
    "code_interpreter_call": ("outputs",), "mcp_call": ("output",),
    "image_generation_call": (),
}  # fmt: skip
_OURS = frozenset((*_CALLS, *_OUTPUTS, *_HOSTED, "reasoning", "mcp_list_tools"))


def is_item(record: Any) -> bool:
    """Say whether a record is an item that only the Responses API writes."""
    return isinstance(record, Mapping) and text_or_none(record.get("type")) in _OURS


def _items(record: Any) -> list[Any] | None:
    """Return the items of a response object, of a request with its response, or of a session."""
    record = mapping(record)
    inner = mapping(record.get("response")) or record
    found = inner.get("output")
    if isinstance(found, list) and (inner.get("object") == "response" or any(map(is_item, found))):
        sent = mapping(record.get("request")).get("input", record.get("input"))
        return [*(sent if isinstance(sent, list) else []), *found]
    items = record.get("items")
    return items if isinstance(items, list) and any(map(is_item, items)) else None


def sniff(head: Sequence[Any]) -> float:
    """Fit: items with a call id, bare or in a response object."""
    rows = list(dicts(list(head)))
    if any("timestamp" in row and "payload" in row for row in rows):
        return 0.0
    if rows and _items(rows[0]) is not None:
        return 0.95
    ours = [r for r in rows if is_item(r) and ("call_id" in r or "id" in r or "summary" in r)]
    known = [r for r in rows if is_item(r) or "role" in r]
    return 0.95 if ours and len(known) == len(rows) else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield a list of items as one part; response objects that follow one another as one part."""
    first = document.head[0] if document.head else None
    if _items(first) is None:
        yield one_part(document)
        return
    items: list[tuple[int, Any]] = []
    seen: Counter[str] = Counter()
    for number, record in document.records():
        found = _items(record)
        if found is None:
            document.note("skipped", "a record is no response", number)
            continue
        inner = mapping(mapping(record).get("response")) or mapping(record)
        sent = mapping(mapping(record).get("request")) or inner
        told: Counter[str] = Counter()
        for item in found:
            name = as_text(mapping(item).get("id") or item)
            told[name] += 1
            # A request sends earlier items again, unless it only names the response before it.
            if told[name] > seen[name] or sent.get("previous_response_id"):
                items.append((number, item))
        seen |= told
        items.append((number, {"type": "_end", "response": inner}))
    if items:
        yield Part(items, document.name, unit="line" if document.shape == "lines" else "item")


def turn_of(item: Any) -> Turn | None:
    """Return what one item holds, or None where it is no item."""
    if not isinstance(item, Mapping):
        return None
    kind = text_or_none(item.get("type"))
    if kind in _CALLS:
        return Turn("assistant", calls=[_call(item, kind)])
    if kind in _OUTPUTS:
        text, parts = content_of(item.get("output"))
        failed = item.get("status") in ("failed", "incomplete") or bool(item.get("error"))
        result = ResultItem(
            text or text_of(item.get("error")), text_or_none(item.get("call_id")),
            error=True if failed else None, parts=parts,
        )  # fmt: skip
        return Turn("tool", results=[result])
    if kind in _HOSTED:
        return _hosted(item, kind)
    if kind == "reasoning":
        thoughts = [*dicts(item.get("summary")), *dicts(item.get("content"))]
        return Turn("assistant", reasoning="\n".join(filter(None, map(text_of, thoughts))))
    if kind == "compaction":
        return Turn("event", text_of(item.get("summary")), event="compaction")
    if "role" in item and kind in (None, "message"):
        role = as_text(item["role"])
        text, _ = content_of(item.get("content"))
        return Turn({"developer": "system"}.get(role, role), text)
    return Turn("event", kind or "", event="other") if kind and is_item(item) else None


def _call(item: Mapping[str, Any], kind: str) -> CallItem:
    name = text_or_none(item.get("name")) or kind.removesuffix("_call")
    args = next((item[k] for k in ("arguments", "input", "action", "operation") if k in item), None)
    space = text_or_none(item.get("namespace"))
    full = f"mcp__{space}__{name}" if space else name
    return CallItem(full, args, text_or_none(item.get("call_id") or item.get("id")))


def _hosted(item: Mapping[str, Any], kind: str) -> Turn:
    call_id = text_or_none(item.get("id") or item.get("call_id"))
    if kind == "mcp_call":
        name = text_or_none(item.get("name")) or "?"
        server = text_or_none(item.get("server_label"))
        call = CallItem(f"mcp__{server}__{name}" if server else name, item.get("arguments"),
                        call_id)  # fmt: skip
    else:
        args = item.get("action") or {
            k: item[k] for k in ("queries", "query", "code", "prompt") if item.get(k)
        }
        call = CallItem(kind.removesuffix("_call"), args, call_id)
    error, status = item.get("error"), item.get("status")
    held = {**mapping(item.get("action")), **item}
    found = next((held[k] for k in _HOSTED[kind] if held.get(k) is not None), None)
    failed = bool(error) or status == "failed"
    text, parts = content_of(found if found is not None else error)
    if found is None and not failed and not (status == "completed" and not _HOSTED[kind]):
        return Turn("assistant", calls=[call])  # the provider keeps what it found
    result = ResultItem(text, call_id, error=True if failed else None, parts=parts)
    return Turn("assistant", calls=[call], results=[result])


def join(turns: Sequence[Turn]) -> Turn:
    """Return one answer out of the turns that it was logged as."""
    both = Turn("assistant")
    both.text = "\n".join(t.text for t in turns if t.text)
    both.reasoning = "\n".join(t.reasoning for t in turns if t.reasoning)
    for turn in turns:
        both.calls += turn.calls
        both.results += turn.results
        both.columns.update(turn.columns)
        both.started = both.started or turn.started
    return both


def answer_of(response: Mapping[str, Any]) -> Turn | None:
    """Return the answer that a response object holds, with its usage and model."""
    turns = [t for t in map(turn_of, dicts(response.get("output"))) if t and t.role == "assistant"]
    columns = _columns(response)
    if not turns and not columns:
        return None
    answer = join(turns)
    answer.columns = columns
    return answer


def _columns(response: Mapping[str, Any]) -> dict[str, Any]:
    columns: dict[str, Any] = dict(usage_columns(response.get("usage"), cached_apart=False))
    for key, name in (("model", "model"), ("id", "message_id")):
        if text_or_none(response.get(key)):
            columns[name] = response[key]
    return columns


def read(part: Part, build: TraceBuilder) -> None:
    """Read items; those of one answer become one round."""
    read_items(part, build, turn_of)


def read_items(part: Part, build: TraceBuilder, turns: Callable[[Any], Turn | None]) -> None:
    """Feed items to the builder, the run of items that one model response wrote as one round."""
    held: list[Turn] = []
    line: int | None = None
    seen = False

    def flush(response: Mapping[str, Any] | None = None) -> None:
        if held:
            answer = join(held)
            if response is not None:
                answer.columns.update(_columns(response))
                answer.started = parse_time(response.get("created_at"))
            feed(answer, build, line)
            held.clear()

    for number, item in part.records:
        if isinstance(item, Mapping) and item.get("type") == "_end":
            flush(mapping(item.get("response")))
            continue
        turn = turns(item)
        if turn is None:
            build.note("skipped", "a record is not an item of a response", number)
            continue
        seen = True
        if turn.role == "assistant":
            # Reasoning and text open an answer; after a call they belong to the next one only
            # where the call has been answered, which ends the answer below.
            line = line if held else number
            held.append(turn)
        else:
            flush()
            feed(turn, build, number)
    flush()
    if not seen:
        raise part.error("holds no item of a response")
