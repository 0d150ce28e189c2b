"""The response items of a Codex rollout: messages, reasoning, calls and their outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agentlens.trace.build import TraceBuilder
from agentlens.trace.content import as_text, text_of
from agentlens.trace.formats.codex_output import Output, output_of
from agentlens.trace.formats.part import dicts, mapping, text_or_none
from agentlens.trace.js_calls import inner_calls

__all__ = ["Items"]

#: What the host writes as the user's.
_BOILERPLATE = (
    "<environment_context>", "# AGENTS.md instructions", "<skill", "<user_instructions>",
    "<INSTRUCTIONS>", "<permissions instructions>", "<subagent_notification>", "<turn_aborted>",
    "<user_shell_command>", "<collaboration_mode>", "<apps_instructions>", "<plugins_instructions>",
)  # fmt: skip
_USAGE = (
    ("input_tokens", "input_tokens"), ("cached_tokens", "cached_input_tokens"),
    ("cache_write_tokens", "cache_write_input_tokens"), ("output_tokens", "output_tokens"),
    ("reasoning_tokens", "reasoning_output_tokens"), ("tokens", "total_tokens"),
)  # fmt: skip


class Items:
    """Writes items into the builder; a round is what the model says until it is answered."""

    def __init__(self, build: TraceBuilder):
        self.build = build
        self.line = 0
        self.time: float | None = None
        self.model: str | None = None
        self.copied = False
        self.row: int | None = None
        self.last: int | None = None
        self.counted = True
        self.groups: dict[str, list[int]] = {}
        self.facts: dict[str, Mapping[str, Any]] = {}
        self.said: list[str] = []
        self.waiting: list[tuple[str, float | None, int]] = []

    def item(self, payload: Mapping[str, Any]) -> None:
        """Read one item."""
        kind = as_text(payload.get("type"))
        if kind == "message" and payload.get("role") != "assistant":
            self._message(payload)
        elif kind == "message":
            self.build.add_text(self._round(), "text", text_of(payload.get("content")))
        elif kind == "reasoning":
            row = self._round()
            for part in (*dicts(payload.get("summary")), *dicts(payload.get("content"))):
                self.build.add_text(row, "reasoning", as_text(part.get("text")))
        elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
            self._call(payload, kind)
        elif kind in ("function_call_output", "custom_tool_call_output", "tool_search_output"):
            self._output(payload)
        elif kind == "web_search_call":
            self._search(payload)
        else:
            self.build.note("skipped", f"items of type {kind[:40]!r}", self.line)

    def heard(self, text: str) -> None:
        """Remember a user message told as an event, until the same comes as an item or not."""
        self.row = None
        self.waiting.append((text, self.time, self.line))

    def ended(self, payload: Mapping[str, Any]) -> None:
        """Remember what an event says of how a call ended."""
        call_id = payload.get("call_id")
        if isinstance(call_id, str):
            self.facts[call_id] = payload

    def close(self) -> None:
        """End the round, and start the requests of users who were only heard in events."""
        self.row = None
        for text, time, line in self.waiting:
            if not any(text.strip() in said for said in self.said):
                self._user(text, time, line)
        self.waiting, self.said = [], []

    def count(self, usage: Mapping[str, Any]) -> None:
        """Give the usage of one call of the model to its round."""
        columns = {
            column: usage[key]
            for column, key in _USAGE
            if isinstance(usage.get(key), int) and not isinstance(usage[key], bool)
        }
        self.row = None
        if self.last is None or self.counted:
            self.build.note("info", "tokens of a call that left no response are in the totals only")
            return
        self.build.update_round(self.last, **columns)
        self.counted = True

    def _round(self) -> int:
        if self.row is None:
            self.close()
            self.row = self.last = self.build.round(
                started=self.time, model=self.model, copied=self.copied, line=self.line
            )
            self.counted = False
            if self.copied:
                self.build.note("info", "rounds of the parent, repeated by a fork, are copied")
        return self.row

    def _message(self, payload: Mapping[str, Any]) -> None:
        text = text_of(payload.get("content"))
        if payload.get("role") != "user":
            return  # the developer's and the system's
        self.row = None
        self.said.append(text)
        self._user(text, self.time, self.line)

    def _user(self, text: str, time: float | None, line: int) -> None:
        opening = text.lstrip()
        if opening.startswith(_BOILERPLATE):
            kind = "interrupt" if opening.startswith("<turn_aborted>") else "other"
            self.build.event(kind, text, started=time, line=line)
            return
        if self.build.meta.task is None:
            self.build.describe(task=text or None)
        self.build.user(text, started=time, line=line)

    def _add(self, tool: str, args: Any, call_id: str | None, raw: str, **columns: Any) -> int:
        return self.build.call(
            self._round(), tool, args, call_id=call_id, tool_raw=raw, started=self.time,
            line=self.line, **columns,
        )  # fmt: skip

    def _call(self, payload: Mapping[str, Any], kind: str) -> None:
        call_id = text_or_none(payload.get("call_id")) or text_or_none(payload.get("id"))
        name = as_text(payload.get("name")) or "?"
        if kind == "local_shell_call":
            name, args = "local_shell", payload.get("action")
        else:
            args = payload.get("input" if kind == "custom_tool_call" else "arguments")
        inner = inner_calls(args) if name == "exec" and isinstance(args, str) else []
        rows: list[int] = []
        if inner:
            for place, call in enumerate(inner):
                own = f"{call_id}#{place + 1}" if call_id and place else call_id
                rows.append(self._add(call.tool, call.args, own, name))
            if not all(call.exact for call in inner):
                message = "an argument inside a program is an expression; kept as its source"
                self.build.note("guessed", message, self.line)
        else:
            space = text_or_none(payload.get("namespace"))
            more = {"namespace": space} if space and "__" not in name else {}
            call_row = self._add(name, args, call_id, name, **more)
            rows.append(call_row)
            if self.build.state_of(call_row) == "unparsed":
                self.build.note("damaged", "arguments of a call are not JSON; kept as text")
        if call_id:
            self.groups[call_id] = rows

    def _search(self, payload: Mapping[str, Any]) -> None:
        action = mapping(payload.get("action"))
        kind = as_text(action.get("type")) or "search"
        args = {key: value for key, value in action.items() if key != "type"}
        tool = "web_search" if kind == "search" else kind
        row = self._add(tool, args, text_or_none(payload.get("id")), "web_search_call")
        if payload.get("status") in ("completed", "failed"):
            status = "ok" if payload["status"] == "completed" else "error"
            self.build.result(row, "", status=status)
        self.build.note("info", "what a search at the provider found is not in the log")

    def _output(self, payload: Mapping[str, Any]) -> None:
        self.row = None
        call_id = text_or_none(payload.get("call_id"))
        output = output_of(payload.get("output"))
        rows = self.groups.pop(call_id or "", [])
        if len(rows) > 1:
            self._share(rows, output)
            return
        found = self.build.find_call(call_id)
        if found is None:
            self.build.note("skipped", "an output belongs to no call", self.line)
            return
        call, how = found
        if how == "adjacency" and call_id:
            message = "a result was paired by its place: its id is not unique"
            self.build.note("guessed", message, self.line)
        self._result(call, self._with_facts(output, call_id), how)

    def _with_facts(self, output: Output, call_id: str | None) -> Output:
        """Add what an event said of the call's end, where the output itself says nothing."""
        facts = self.facts.pop(call_id or "", {})
        code = facts.get("exit_code")
        if output.exit_code is None and isinstance(code, int) and not isinstance(code, bool):
            output = replace(output, exit_code=code)
        result = facts.get("result")
        if output.error is None and isinstance(result, Mapping):
            inner = mapping(result.get("Ok"))
            failed = (
                "Err" in result or inner.get("isError") is True or inner.get("is_error") is True
            )
            output = replace(output, error=failed)
        if output.error is None and isinstance(facts.get("success"), bool):
            output = replace(output, error=not facts["success"])
        return output

    def _share(self, rows: list[int], output: Output) -> None:
        """Give the one output of a program to the calls inside it."""
        if len(output.pieces) == len(rows):
            self.build.note("guessed", "the pieces of a program's output follow its calls in order")
            for row, piece in zip(rows, output.pieces, strict=True):
                part = output_of(piece)
                self._result(row, replace(part, error=part.error or output.error), "adjacency")
            return
        self.build.note("guessed", "calls inside one program share its output")
        for row in rows:
            self._result(row, output, "same_record")

    def _result(self, call: int, output: Output, how: str) -> None:
        status, kind, code = self.build.judge(
            output.text, error=output.error, exit_code=output.exit_code, line=self.line,
            told=("timeout", "timeout") if output.timeout else None,
        )  # fmt: skip
        times = {} if output.seconds is None else {"seconds": output.seconds}
        self.build.result(
            call, output.text, status=status, ended=self.time, error_type=kind, exit_code=code,
            parts=output.parts, truncated=output.truncated, paired_by=how, **times,
        )  # fmt: skip
