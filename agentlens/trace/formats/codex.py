"""Codex rollouts: ``~/.codex/sessions/Y/M/D/rollout-*.jsonl``, and the same records in an array.

Facts that it rests on:

* Lines are ``{timestamp, type, payload}``; `type` is ``session_meta``, ``turn_context``,
  ``response_item``, ``event_msg`` or ``compacted``; each release adds types, which are skipped.
* What users and the agent say stands there twice, as ``event_msg`` and as ``response_item``: the
  second counts, the first only where no second comes.
* ``token_count`` closes one call of the model; ``info`` may be null, and the same totals may be
  told again.
* In code mode every call is ``exec`` with a program as input; see `js_calls`.
* A search at the provider (``web_search_call``) has no output.
* A forked sub-agent repeats what its parent had so far, under older times or lower ordinals.
* Sub-agents have rollouts of their own, in the same folder, which name their parent's session.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.child_files import read_children, rollout_children
from agentlens.trace.content import as_text, text_of
from agentlens.trace.formats.codex_items import Items
from agentlens.trace.formats.part import Part, dicts, first_dict, mapping, one_part, text_or_none
from agentlens.trace.source import Document
from agentlens.trace.times import parse_time

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "codex"
_TYPES = ("session_meta", "turn_context", "response_item", "event_msg", "compacted")
_ITEMS = tuple(
    "message reasoning function_call function_call_output custom_tool_call "
    "custom_tool_call_output local_shell_call web_search_call".split()
)
#: Events that say again what an item says, or only move a screen.
_QUIET = frozenset(
    "agent_message agent_message_delta agent_reasoning agent_reasoning_raw_content "
    "agent_reasoning_section_break task_started task_complete turn_started turn_complete "
    "exec_command_begin exec_command_output_delta mcp_tool_call_begin web_search_begin "
    "web_search_end patch_apply_begin turn_diff plan_update context_compacted "
    "item_started item_completed view_image_tool_call thread_name_updated".split()
)


def sniff(head: Sequence[Any]) -> float:
    """Fit: records with a type of ours and a payload; or the bare items of old files."""
    rows = list(dicts(list(head)))
    ours = [r for r in rows if r.get("type") in _TYPES and isinstance(r.get("payload"), Mapping)]
    if ours:
        return 0.98 if 2 * len(ours) >= len(rows) else 0.6
    first = first_dict(head)
    header = "type" not in first and {"id", "timestamp"} <= set(first) and "instructions" in first
    states = any(r.get("record_type") == "state" for r in rows)
    bare = sum(r.get("type") in _ITEMS for r in rows)
    return 0.9 if (header or states) and bare else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield the rollout as one part."""
    yield one_part(document)


def read(part: Part, build: TraceBuilder) -> None:
    """Read a rollout, and those of its sub-agents where they lie beside it."""
    if _read(part, build) is None:
        raise part.error("holds no record of a Codex rollout")


def _read(part: Part, build: TraceBuilder) -> _Rollout | None:
    """Read a rollout into a builder; None where there is none."""
    rollout = _Rollout(build)
    seen = False
    for number, record in part.records:
        kind, payload = _shape(record)
        if payload is None:
            build.note("skipped", "a record is not one of a Codex rollout", number)
            continue
        seen = True
        rollout.record(kind, payload, mapping(record), number)
    if not seen:
        return None
    rollout.finish()
    read_children(rollout_children(part.path, rollout.session), build, _child)
    return rollout


def _child(document: Document, build: TraceBuilder) -> str | None:
    rollout = _read(one_part(document), build)
    if rollout is None:
        raise document.error("holds no record of a Codex rollout")
    return rollout.title


def _shape(record: Any) -> tuple[str, Mapping[str, Any] | None]:
    """Return type and payload of a record; a bare item of an old file is its own payload."""
    if not isinstance(record, Mapping):
        return "", None
    kind, payload = record.get("type"), record.get("payload")
    if isinstance(payload, Mapping) and isinstance(kind, str):
        return kind, payload
    if kind in _ITEMS:
        return "response_item", record
    if kind is None and ("id" in record or "record_type" in record):
        return "session_meta" if "id" in record else "state", record
    return "", None


class _Rollout:
    """Reads the records around the items: the session, events, token counts, forks."""

    def __init__(self, build: TraceBuilder):
        self.build = build
        self.items = Items(build)
        self.begun: float | None = None
        self.first_own: int | None = None
        self.is_fork = False
        self.has_session = False
        self.session: str | None = None
        self.title: str | None = None
        self.told: Any = None

    def record(
        self, kind: str, payload: Mapping[str, Any], record: Mapping[str, Any], line: int
    ) -> None:
        items = self.items
        items.line, items.time = line, parse_time(record.get("timestamp"))
        items.copied = self.is_fork and self._is_older(record, items.time)
        if kind == "response_item":
            items.item(payload)
        elif kind == "event_msg":
            self._event(payload, line)
        elif kind == "session_meta":
            self._session(payload)
        elif kind == "turn_context":
            items.model = text_or_none(payload.get("model")) or items.model
            self.build.describe(cwd=self.build.meta.cwd or text_or_none(payload.get("cwd")))
        elif kind == "compacted":
            items.close()
            self._mark("compaction", text_of(payload.get("message")))
        elif kind != "state":
            self.build.note("skipped", f"records of type {kind[:40]!r}", line)

    def finish(self) -> None:
        self.items.close()
        if self.told:
            totals = {k: v for k, v in self.told.items() if isinstance(v, int)}
            self.build.describe(totals=totals, totals_source="reported")

    def _is_older(self, record: Mapping[str, Any], time: float | None) -> bool:
        """Say whether a record of a fork is one of the parent's, copied."""
        if self.first_own is not None:
            ordinal = record.get("ordinal")
            return not isinstance(ordinal, int) or ordinal < self.first_own
        return time is not None and self.begun is not None and time < self.begun

    def _session(self, payload: Mapping[str, Any]) -> None:
        if self.has_session:  # a fork repeats its parent's after its own
            return
        self.has_session = True
        source = payload.get("source")
        spawn = mapping(mapping(mapping(source).get("subagent")).get("thread_spawn"))
        parent = text_or_none(spawn.get("parent_thread_id"))
        parent = parent or text_or_none(payload.get("parent_thread_id"))
        fork = text_or_none(payload.get("forked_from_id")) or text_or_none(
            spawn.get("forked_from_id")
        )
        self.is_fork = parent is not None or fork is not None
        self.begun = parse_time(payload.get("timestamp")) or self.items.time
        start = payload.get("subagent_history_start_ordinal")
        self.first_own = start if isinstance(start, int) else None
        extra = {
            "parent_thread_id": parent, "forked_from_id": fork,
            "spawn_call_id": spawn.get("spawn_call_id"), "agent_name": spawn.get("agent_nickname"),
            "source": source if isinstance(source, str) else None,
            "originator": payload.get("originator"),
            "model_provider": payload.get("model_provider"),
        }  # fmt: skip
        session = self.session = text_or_none(payload.get("id"))
        self.title = text_or_none(spawn.get("agent_nickname")) or text_or_none(
            spawn.get("agent_role")
        )
        self.build.describe(
            trace_id=session, session_id=session, cwd=text_or_none(payload.get("cwd")),
            agent="codex", agent_version=text_or_none(payload.get("cli_version")),
            extra={key: value for key, value in extra.items() if isinstance(value, str)},
        )  # fmt: skip

    def _mark(self, kind: str, text: str) -> None:
        self.build.event(kind, text, started=self.items.time, line=self.items.line)

    def _event(self, payload: Mapping[str, Any], line: int) -> None:
        kind = as_text(payload.get("type"))
        items = self.items
        if kind == "user_message":
            items.heard(as_text(payload.get("message")))
        elif kind == "token_count":
            self._count(mapping(payload.get("info")))
        elif kind in ("exec_command_end", "mcp_tool_call_end", "patch_apply_end"):
            items.ended(payload)
        elif kind == "turn_aborted":
            self._mark("interrupt", as_text(payload.get("reason")))
        elif kind in ("error", "stream_error"):
            words = as_text(payload.get("message"))
            self._mark("api_error" if kind == "error" else "retry", words)
        elif kind not in _QUIET:
            self.build.note("skipped", f"events of type {kind[:40]!r}", line)

    def _count(self, info: Mapping[str, Any]) -> None:
        usage, total = mapping(info.get("last_token_usage")), info.get("total_token_usage")
        if not usage or (total is not None and total == self.told):
            return  # only rate limits, or the same count once more
        self.told = total if isinstance(total, Mapping) else self.told
        self.items.count(usage)
