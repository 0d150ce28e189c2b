"""A span of any tracing system, and attributes that may be dotted names or nested mappings."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from agentlens.trace.formats.part import is_mapping
from agentlens.trace.formats.turns import Turn

__all__ = ["Attributes", "Raw", "Span", "fill", "loose"]

#: Python literals longer, or nested more deeply, than this are kept as text.
_LITERAL, _NESTED = 1 << 18, 60
_SELF = ""  # where a name is both a value and a prefix of other names


@dataclass(slots=True, eq=False)
class Span:
    """One span, read as far as an agent's run needs it.

    Parameters
    ----------
    kind
        ``model`` (a response), ``tool`` (an executed call), ``agent`` or ``other``.
    sent, answer, columns
        Of a model: the messages sent, the one that came back, columns of the rounds table.
    tool, args, call_id, result, parts
        Of a tool; ``result`` is None where the log does not keep it.
    failed, problem, error_type
        True where the log says that it failed, and its words for it.
    label, asked
        Of an agent: its name, and what it was asked.
    """

    span_id: str
    parent_id: str | None = None
    name: str = ""
    kind: str = "other"
    started: float | None = None
    ended: float | None = None
    line: int | None = None
    sent: list[Turn] = field(default_factory=list)
    answer: Turn | None = None
    columns: dict[str, Any] = field(default_factory=dict)
    tool: str = ""
    args: Any = None
    call_id: str | None = None
    result: str | None = None
    parts: tuple[str, ...] = ()
    failed: bool | None = None
    problem: str = ""
    error_type: str | None = None
    label: str | None = None
    asked: str = ""
    session: str | None = None


def fill(span: Span, other: Span) -> None:
    """Give a span what only a second record of the same thing holds."""
    span.sent = span.sent or other.sent
    if span.answer is None or not (span.answer.text or span.answer.calls):
        span.answer = other.answer or span.answer
    span.columns = {**other.columns, **span.columns}
    span.args = other.args if span.args is None else span.args
    span.call_id = span.call_id or other.call_id
    span.result = other.result if span.result is None else span.result
    span.parts = span.parts or other.parts
    span.problem = span.problem or other.problem
    span.error_type = span.error_type or other.error_type


class Attributes:
    """Attributes of a span, found by dotted name whether they are kept flat or nested.

    Parameters
    ----------
    flat
        ``{"llm.input_messages.0.message.role": "user"}``, ``{"llm": {"input_messages": [...]}}``
        or a mixture of both.
    """

    __slots__ = ("flat", "tree")

    def __init__(self, flat: Mapping[str, Any]):
        self.flat = flat
        self.tree: dict[str, Any] = {}
        for name, value in flat.items():
            node: Any = self.tree
            *above, last = str(name).split(".")
            for step in above:
                inside = node.get(step)
                if not isinstance(inside, dict):
                    inside = {} if inside is None else {_SELF: inside}
                    node[step] = inside
                elif id(inside) == id(flat.get(step)):  # never write into what the user gave
                    inside = {str(k): v for k, v in inside.items()}
                    node[step] = inside
                node = inside
            inside = node.get(last)
            if isinstance(inside, dict) and not isinstance(value, Mapping):
                inside[_SELF] = value
            elif isinstance(inside, dict):
                node[last] = {**value, **inside}
            else:
                node[last] = value

    def get(self, name: str) -> Any:
        """Return the value of a dotted name; a group of names as a mapping or, if numbered, list.

        None where there is none.
        """
        if name in self.flat and not is_mapping(value := self.flat[name]):
            return value
        node: Any = self.tree
        for step in name.split("."):
            if is_mapping(node):
                node = node.get(step)
            elif isinstance(node, list) and step.isdecimal() and len(step) < 6:
                node = node[int(step)] if int(step) < len(node) else None
            else:
                return None
        if isinstance(node, dict) and _SELF in node:
            return node[_SELF]
        return _listed(node)

    def first(self, *names: str) -> Any:
        """Return the value of the first of names that has one which is not empty."""
        for name in names:
            value = self.get(name)
            if value is not None and value not in ("", {}, []):
                return value
        return None

    def text(self, *names: str) -> str | None:
        """Return the first of names whose value is text and not empty."""
        return next((v for v in map(self.get, names) if isinstance(v, str) and v), None)

    def count(self, *names: str) -> int | None:
        """Return the first of names whose value is a whole number, perhaps written as text."""
        for value in map(self.get, names):
            if isinstance(value, str) and value.isdecimal() and len(value) < 16:
                return int(value)
            if isinstance(value, float) and value.is_integer() and 0 <= value < 1e15:
                return int(value)
            if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**15:
                return value
        return None

    def number(self, *names: str) -> float | None:
        """Return the first of names whose value is a number, perhaps written as text."""
        for value in map(self.get, names):
            if isinstance(value, bool) or not isinstance(value, int | float | str):
                continue
            try:
                found = float(value)
            except (ValueError, OverflowError):
                continue
            if 0 <= found < float("inf"):
                return found
        return None


def _listed(node: Any, depth: int = 0) -> Any:
    """Turn ``{"0": a, "1": b}`` into a list, all the way down."""
    if depth > 40:
        return node
    if isinstance(node, dict):
        if node and all(isinstance(k, str) and k.isdecimal() for k in node):
            return [_listed(node[k], depth + 1) for k in sorted(node, key=int)]
        return {k: _listed(v, depth + 1) for k, v in node.items()}
    return node


@dataclass(slots=True, eq=False)
class Raw:
    """A span as its file holds it, before anything is made of its attributes."""

    span_id: str
    parent_id: str | None
    name: str
    started: float | None
    ended: float | None
    attributes: Attributes
    events: list[tuple[str, Attributes]] = field(default_factory=list)
    failed: bool | None = None
    problem: str = ""
    line: int | None = None

    def event(self, *names: str) -> Iterator[Attributes]:
        """Yield the attributes of each event of one of these names."""
        return (attributes for name, attributes in self.events if name in names)

    def span(self, kind: str = "other") -> Span:
        """Return what any tracing system says of a span."""
        kind_of_error = self.attributes.text("error.type")
        for broken in self.event("exception"):
            kind_of_error = kind_of_error or broken.text("exception.type")
            self.problem = self.problem or broken.text("exception.message") or ""
        return Span(
            self.span_id, self.parent_id, self.name, kind, self.started, self.ended, self.line,
            failed=self.failed or (True if self.attributes.text("error.type") else None),
            problem=self.problem, error_type=kind_of_error,
        )  # fmt: skip


def loose(value: Any) -> Any:
    """Decode text that holds JSON, or the repr of a Python literal; anything else stays as it is.

    Nothing is executed: literals are parsed by `ast.literal_eval`, and only within bounds.
    """
    if not isinstance(value, str):
        return value
    text = value.strip()
    if not text or (text[0] not in '{["' and text[0] not in "('"):
        return value
    try:
        return orjson.loads(text)
    except (orjson.JSONDecodeError, RecursionError):
        pass
    if text[0] == '"' or len(text) > _LITERAL or _depth(text) > _NESTED:
        return value
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            found = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return value
    return list(found) if isinstance(found, tuple | set | frozenset) else found


def _depth(text: str) -> int:
    """Return how deeply brackets nest at most, brackets in quotes included."""
    deepest = now = 0
    for sign in text:
        if sign in "[({":
            now += 1
            deepest = max(deepest, now)
        elif sign in "])}":
            now -= 1
    return deepest
