"""ToolBench answers: a tree of a depth-first search, whose siblings are alternatives.

Facts that it rests on, each seen in a real file: ``tree.tree`` nests nodes of `node_type`
``Thought``, ``Action`` and ``Action Input``, which together are one response of the model; the
result is the input node's `observation`, and `observation_code` says how the call ended, whatever
the text says (every text begins ``{"error"``); a node's second child was tried after everything
below the first, so the order of the file is no chain; ``answer_generation`` holds the query, how it
ended, and the tokens; `win` may be true where the text gives up. There are no times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentlens.trace.build import MAIN, TraceBuilder
from agentlens.trace.content import as_text
from agentlens.trace.formats.part import Part, dicts, first_dict, mapping, one_part, text_or_none
from agentlens.trace.source import Document

__all__ = ["NAME", "read", "sniff", "split"]

NAME = "toolbench"
#: Names of the codes in `observation_code`, as ToolBench's documentation gives them.
_CODES = {
    1: "no such tool", 2: "wrong input", 5: "timeout", 6: "404", 7: "not subscribed",
    8: "unauthorized", 9: "too many requests", 10: "rate limit", 11: "error in message",
    12: "request failed",
}  # fmt: skip
_KINDS = ("Thought", "Action", "Action Input")


def _root(record: Any) -> Mapping[str, Any]:
    tree = mapping(mapping(mapping(record).get("tree")).get("tree"))
    return tree if "node_type" in tree and "children" in tree else {}


def sniff(head: Sequence[Any]) -> float:
    """Fit: a tree of nodes with a type and children."""
    return 0.98 if _root(first_dict(head)) else 0.0


def split(document: Document) -> Iterator[Part]:
    """Yield one part for each record with a tree."""
    if document.shape == "object":
        yield one_part(document)
        return
    for number, record in document.records():
        if not _root(record):
            document.note("skipped", "a record has no tree", number)
            continue
        yield Part([(number, record)], document.name)


class _Reader:
    """Walks the tree: which thread a node is in, and which round waits for its action."""

    def __init__(self, build: TraceBuilder):
        self.build = build
        self.threads = 0
        self.visited = 0

    def walk(self, root: Mapping[str, Any]) -> None:
        # (node, thread, row of the round that is open, name of the action that is open)
        stack: list[tuple[Mapping[str, Any], str, int | None, str | None]] = []
        self.push(stack, root, MAIN, None, None)
        while stack:
            node, thread, row, action = stack.pop()
            self.visited += 1
            kind, said = node.get("node_type"), as_text(node.get("description"))
            if kind == "Thought":
                row, action = self.round(thread, said), None
            elif kind == "Action":
                if row is None or action is not None:
                    row = self.round(thread, "")
                action = said
            elif kind == "Action Input":
                row = self.round(thread, "") if row is None else row
                self.call(node, row, action, said)
                row, action = None, None
            else:
                self.build.note("skipped", f"a node of type {as_text(kind)[:30]!r}", self.visited)
            self.push(stack, node, thread, row, action)

    def push(
        self, stack: list[Any], node: Mapping[str, Any], thread: str, row: int | None,
        action: str | None,
    ) -> None:  # fmt: skip
        """Put a node's children on the stack, the first last; each other child is a thread."""
        children = list(dicts(node.get("children")))
        if action is not None and not children:
            self.build.note("info", "an action has no input: it was not executed", self.visited)
        branches = []
        for place, child in enumerate(children):
            if place == 0:
                branches.append((child, thread, row, action))
                continue
            self.threads += 1
            name = f"sibling-{self.threads}"
            branches.append((child, name, None, None))
            left = not _answers(child)
            self.build.thread(name, parent=thread, kind="dfs_sibling", abandoned=left)
        stack.extend(reversed(branches))

    def round(self, thread: str, text: str) -> int:
        return self.build.round(thread=thread, text=text, line=self.visited)

    def call(self, node: Mapping[str, Any], row: int, action: str | None, said: str) -> None:
        if action is None:
            self.build.note("guessed", "an action's input stands without its action", self.visited)
        call = self.build.call(row, action or "?", said, line=self.visited)
        if self.build.state_of(call) == "unparsed":
            self.build.note("damaged", "arguments of a call are not JSON; kept as text",
                            self.visited)  # fmt: skip
        observation, code = node.get("observation"), node.get("observation_code")
        if observation is None:
            return
        failed = _CODES.get(code) if isinstance(code, int) else None
        status = "timeout" if failed == "timeout" else "error" if failed else "ok"
        self.build.result(call, as_text(observation), status=status, error_type=failed)


def _answers(node: Mapping[str, Any]) -> bool:
    """Say whether the chain of first children below a node ends in an answer."""
    while True:
        if node.get("observation_code") == 3:
            return True
        child = next(dicts(node.get("children")), None)
        if child is None:
            return False
        node = child


def read(part: Part, build: TraceBuilder) -> None:
    """Read one tree."""
    number, record = next(iter(part.records))
    root = _root(record)
    if not root:
        raise part.error("holds no tree", number)
    answer = mapping(record.get("answer_generation"))
    _describe(record, answer, build)
    task = text_or_none(answer.get("query"))
    build.thread(MAIN, abandoned=not _answers(root))
    if task:
        build.user(task)
    reader = _Reader(build)
    if root.get("node_type") in _KINDS and root.get("description"):
        root = {"children": [root]}
    reader.walk(root)
    build.note("info", "siblings of the search are threads; each begins where it branches off")


def _describe(record: Mapping[str, Any], answer: Mapping[str, Any], build: TraceBuilder) -> None:
    win, finish = record.get("win"), text_or_none(answer.get("finish_type"))
    outcome: dict[str, Any] = {"status": "unknown"}
    if isinstance(win, bool):
        outcome["status"] = "success" if win else "failure"
    if finish:
        outcome["exit_reason"] = finish
    outcome["raw"] = {"win": win, "finish_type": finish, "valid_data": answer.get("valid_data")}
    settings = mapping(record.get("forward_args"))
    limits = {
        ours: settings[theirs]
        for ours, theirs in (("max_steps", "single_chain_max_step"),
                             ("max_queries", "max_query_count"))
        if isinstance(settings.get(theirs), int)
    }  # fmt: skip
    tokens = answer.get("total_tokens")
    counted = isinstance(tokens, int) and not isinstance(tokens, bool)
    build.describe(
        task=text_or_none(answer.get("query")),
        outcome=outcome,
        limits=limits,
        totals={"tokens": tokens} if counted else None,
        totals_source="reported" if counted else None,
        extra={k: answer[k] for k in ("query_count", "final_answer") if k in answer},
    )
