"""From a run's spans to rounds, calls and results: the room that all span formats share.

A model's span is a round. Its messages that were sent tell what is new since the last request. A
tool's span is the result of a call that a response announced, found by id, else by name and
arguments, else by name; one that none announced is a call of the response before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from agentlens.trace.build import MAIN, TraceBuilder
from agentlens.trace.formats.part import Part
from agentlens.trace.formats.span import Span
from agentlens.trace.formats.span_claims import Pending, claim
from agentlens.trace.formats.span_tree import Tree, make_tree
from agentlens.trace.formats.told import Told, arguments_key, is_user
from agentlens.trace.formats.turns import ResultItem, Turn

__all__ = ["write_spans"]


@dataclass(slots=True)
class _Thread:
    row: int | None = None
    pending: list[Pending] = field(default_factory=list)
    told: Told = field(default_factory=Told)
    until: float | None = None  # when the last of a round's tools, where no model speaks, ends


def write_spans(spans: Sequence[Span], build: TraceBuilder, part: Part) -> None:
    """Write the spans of one run into the builder.

    Raises
    ------
    TraceError
        If there are none.
    """
    if not spans:
        raise part.error("holds no span")
    _promote(spans, build)
    _Writer(make_tree(spans), build).write()


def _promote(spans: Sequence[Span], build: TraceBuilder) -> None:
    """Take plain spans that bear the name of an announced call for the runs of that tool."""
    announced = {c.tool for s in spans if s.answer is not None for c in s.answer.calls}
    announced -= {s.tool for s in spans if s.kind == "tool"}
    for span in spans:
        if span.kind == "other" and span.name in announced and span.result is not None:
            span.kind, span.tool = "tool", span.name
            build.note("guessed", "a span with an announced tool's name is that tool's", span.line)


class _Writer:
    def __init__(self, tree: Tree, build: TraceBuilder):
        self.tree = tree
        self.build = build
        self.threads: dict[str, _Thread] = {}
        self.names = {s.span_id: tree.thread_of(s) for s in tree.order}
        models = [s for s in tree.order if s.kind == "model"]
        self.speaking = {self.names[s.span_id] for s in models}
        #: Threads whose requests hold the user's words; elsewhere an agent's input stands for them.
        self.asking = {
            self.names[s.span_id] for s in models if any(t.role == "user" for t in s.sent)
        }

    def write(self) -> None:
        tree, build = self.tree, self.build
        mute = 0
        build.thread(MAIN)
        for span in tree.order:
            thread = self.names[span.span_id]
            if span.span_id in tree.openers and span.kind != "tool":
                self._open(span, thread, None)
            if span.kind == "model":
                mute += span.answer is None and not span.failed
                self._model(span, thread)
            elif span.kind == "tool":
                self._tool(span, thread)
            elif span.asked:
                self._asked(span, thread)
        if mute:
            build.note("info", f"{mute} responses are logged without their content")
        if tree.twice:
            build.note("info", f"{tree.twice} responses were logged twice, by two libraries")
        if tree.inside:
            build.note("skipped", f"{tree.inside} tool spans lie inside the span of another tool")
        if tree.repeated:
            build.note("info", f"{tree.repeated} spans were written twice; the last counts")
        if not any(s.kind in ("model", "tool") for s in tree.order):
            build.note("info", "no span is a model's response or a tool's call")

    def _of(self, thread: str) -> _Thread:
        if thread not in self.threads:
            self.threads[thread] = _Thread()
        return self.threads[thread]

    def _open(self, span: Span, parent: str, call: str | None) -> None:
        name = self.tree.openers[span.span_id]
        above = self.tree.parent.get(span.span_id)
        if span.kind != "tool":
            parent = self.names[above.span_id] if above is not None else MAIN
        self.build.thread(
            name, parent=parent, parent_call=call, name=span.label or span.tool or span.name
        )

    def _asked(self, span: Span, thread: str) -> None:
        """Let what an agent was asked stand for a user's message, where no request holds one."""
        if thread in self.asking or any(
            s.asked and self.names[s.span_id] == thread for s in self.tree.above(span)
        ):
            return
        self._user(span.asked, thread, span.started, span.line)

    def _user(self, text: str, thread: str, started: float | None, line: int | None) -> None:
        if thread == MAIN and self.build.meta.task is None:
            self.build.describe(task=text or None)
        self.build.user(text, thread=thread, started=started, line=line)

    def _model(self, span: Span, thread: str) -> None:
        build = self.build
        self._history(span, thread)
        answer = span.answer
        if answer is None and span.failed:
            text = span.problem or span.error_type or "the request of the model failed"
            build.event("api_error", text, thread=thread, started=span.ended, line=span.line)
            return
        ended = span.ended if span.ended is not None else span.started
        self._round(answer or Turn("assistant"), thread, ended, span.line, span.columns)

    def _round(
        self, answer: Turn, thread: str, ended: float | None, line: int | None, columns: Any
    ) -> None:
        build, state = self.build, self._of(thread)
        row = build.round(
            thread=thread, text=answer.text, reasoning=answer.reasoning, started=ended, line=line,
            **{**answer.columns, **columns},
        )  # fmt: skip
        state.row = row
        state.told.answered(answer)
        for item in answer.calls:
            call = build.call(row, item.tool, item.args, call_id=item.call_id, started=ended,
                              line=line)  # fmt: skip
            if build.state_of(call) == "unparsed":
                build.note("damaged", "arguments of a call are not JSON; kept as text", line)
            state.pending.append(
                Pending(row, call, item.tool, arguments_key(item.args), item.call_id)
            )
        for result in answer.results:
            self._result(result, thread, None, line)

    def _history(self, span: Span, thread: str) -> None:
        """Take what is new among the messages that a request sent."""
        if not span.sent:
            return
        build, state = self.build, self._of(thread)
        news = state.told.hear(span.sent)
        if news.before:
            build.note("info", "messages from before the first response were sent along; they are "
                       "no part of this trace", span.line)  # fmt: skip
        for turn in news.turns:
            if is_user(turn):
                self._user(turn.text, thread, span.started, span.line)
            elif turn.role == "assistant" and state.told.unknown(turn):
                build.note("guessed", "a response is known only from a later request", span.line)
                self._round(turn, thread, turn.started, span.line, {})
            elif turn.role == "event":
                build.event(turn.event, turn.text, thread=thread, line=span.line)
            for result in turn.results:
                self._result(result, thread, turn.started, span.line)

    def _result(self, item: ResultItem, thread: str, ended: float | None, line: int | None) -> None:
        pending = self._of(thread).pending
        found = next((p for p in pending if item.call_id and p.call_id == item.call_id), None)
        how = "id"
        if found is None and not item.call_id:
            names = [p for p in pending if item.tool in (None, p.tool)]
            found, how = (names[0] if names else None), "adjacency"
        if found is None:
            return  # its span has told it already, or it is older than the trace
        pending.remove(found)
        self._finish(found.call, item, ended, how, line)

    def _finish(
        self, call: int, item: ResultItem, ended: float | None, how: str, line: int | None,
        **columns: Any,
    ) -> None:  # fmt: skip
        status, kind, code = self.build.judge(
            item.text, error=item.error, exit_code=item.exit_code, line=line
        )
        self.build.result(
            call, item.text, status=status, ended=ended, error_type=item.error_type or kind,
            exit_code=code, parts=item.parts, paired_by=how, **columns,
        )  # fmt: skip

    def _tool(self, span: Span, thread: str) -> None:
        build, state = self.build, self._of(thread)
        tool = span.tool or span.name or "?"
        found, how = claim(state.pending, span, tool)
        if found is None:
            row = self._row_for(span, thread, state)
            call = build.call(row, tool, span.args, call_id=span.call_id, started=span.started,
                              line=span.line)  # fmt: skip
            call_id = span.call_id or f"call-{call + 1}"
        else:
            call, call_id = found.call, found.call_id or f"call-{found.call + 1}"
            state.pending.remove(found)
        if span.span_id in self.tree.openers:
            self._open(span, thread, call_id)
        times: dict[str, Any] = {} if span.started is None else {"started": span.started}
        if span.started is not None and span.ended is not None and span.ended >= span.started:
            times["seconds"] = span.ended - span.started
        if span.result is None and not span.failed:
            if span.ended is not None:
                build.note("info", "a tool's span does not hold its result", span.line)
            build.result(call, "", status="missing", ended=span.ended, paired_by=how, **times)
            return
        text = span.result if span.result not in (None, "") else span.problem
        item = ResultItem(text or "", error=True if span.failed else None,
                          error_type=span.error_type, parts=span.parts)  # fmt: skip
        self._finish(call, item, span.ended, how, span.line, **times)

    def _row_for(self, span: Span, thread: str, state: _Thread) -> int:
        """Return the round of a call that no response announced."""
        build = self.build
        if thread in self.speaking:
            if state.row is None:
                build.note("guessed", "a tool ran before the first response: a preamble", span.line)
                state.row = build.round(thread=thread, number=0, started=span.started,
                                        line=span.line)  # fmt: skip
            return state.row
        together = (
            state.until is not None and span.started is not None and span.started < state.until
        )
        if state.row is None or not together:
            build.note(
                "guessed", "no span is a model's: each tool span is a round, those that ran at the "
                "same time share one", span.line,
            )  # fmt: skip
            state.row = build.round(
                thread=thread, started=span.started, line=span.line, time_quality="derived"
            )
            state.until = None
        ends = [t for t in (state.until, span.ended) if t is not None]
        state.until = max(ends) if ends else None
        return state.row
