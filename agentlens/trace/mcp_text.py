"""The text inside an MCP result that a host kept as Python's ``repr``, or as JSON."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from agentlens.trace.content import content_of

__all__ = ["Unwrapped", "unwrap_result"]

_REPR = "meta=None content=["
_ITEM = re.compile(
    r"(?:TextContent|ImageContent|AudioContent)\(type='(?P<kind>text|image|audio)', "
    r"(?:text|data)=(?P<value>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")",
    re.DOTALL,
)
_CUT = re.compile(r"TextContent\(type='text', text=(['\"])")
_CUT_JSON = re.compile(r'"text":\s*"')
_BROKEN = re.compile(r"\\(?:x[0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7})?\Z")
_FLAG = re.compile(r"\bisError=(True|False)\s*\Z")


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """What was inside: `error` is what the result says outright, `truncated` that it is cut off."""

    text: str
    error: bool | None = None
    parts: tuple[str, ...] = ()
    truncated: bool = False


def unwrap_result(text: str) -> Unwrapped | None:
    """Return what is inside a wrapped result, or None where it is none.

    Parameters
    ----------
    text
        ``meta=None content=[TextContent(type='text', text='…')] isError=False``, perhaps cut off,
        within which the text may again be a result, as JSON.

    Examples
    --------
    >>> unwrap_result("meta=None content=[TextContent(type='text', text='a', annotations=None)] "
    ...               "isError=True")
    Unwrapped(text='a', error=True, parts=(), truncated=False)
    """
    return _from_repr(text) if text.startswith(_REPR) else _from_json(text)


def _from_repr(text: str) -> Unwrapped | None:
    flag = _FLAG.search(text[-40:])
    failed = flag[1] == "True" if flag else None
    texts: list[str] = []
    parts: list[str] = []
    at, cut = len(_REPR), False
    while found := _ITEM.search(text, at):
        at = found.end()
        value = _literal(found["value"])
        if value is None:
            return None
        if found["kind"] != "text":
            parts += content_of({"type": found["kind"], "data": value})[1]
            continue
        inner = _from_json(value)
        texts.append(inner.text if inner else value)
        if inner:
            parts += inner.parts
            failed = failed or inner.error
    rest = _CUT.search(text, at)
    if rest and not flag:
        cut = True
        value = _literal(rest[1] + _whole(text[rest.end() :]) + rest[1]) or ""
        inner = _from_json(value) or _from_cut_json(value)
        texts.append(inner.text if inner else value)
    if not texts and not parts and not text.startswith(_REPR + "]"):
        return None
    return Unwrapped("\n".join(texts), failed, tuple(parts), cut)


def _whole(text: str) -> str:
    """Return text without an escape that is cut in the middle."""
    backslashes = len(text) - len(text.rstrip("\\"))
    if backslashes:
        return text[:-1] if backslashes % 2 else text
    broken = _BROKEN.search(text[-10:])
    return text[: len(text) - len(broken[0])] if broken else text


def _literal(quoted: str) -> str | None:
    try:
        value = ast.literal_eval(quoted)  # a literal only: nothing is executed
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, str) else None


def _from_json(text: str) -> Unwrapped | None:
    """Return the same of a result written as JSON, told by ``content`` and ``isError``."""
    if text.lstrip()[:1] != "{" or '"isError"' not in text or '"content"' not in text:
        return None
    try:
        value: Any = orjson.loads(text)
    except (orjson.JSONDecodeError, RecursionError):
        return None
    if not isinstance(value, Mapping) or not isinstance(value.get("isError"), bool):
        return None
    if not isinstance(value.get("content"), list):
        return None
    inner, parts = content_of(value["content"])
    return Unwrapped(inner, value["isError"], parts)


def _from_cut_json(text: str) -> Unwrapped | None:
    """Return the first text of a result in JSON that is cut off in the middle of it."""
    start = _CUT_JSON.search(text[:400])
    if text.lstrip()[:1] != "{" or '"content"' not in text[:200] or not start:
        return None
    try:
        value = orjson.loads(b'"' + _whole(text[start.end() :]).encode("utf-8", "replace") + b'"')
    except orjson.JSONDecodeError:
        return None
    return Unwrapped(value, truncated=True)
