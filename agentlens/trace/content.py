"""Text out of what logs call content: text, a list of parts, a mapping, or nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson

__all__ = ["as_text", "content_of", "text_of"]

_TEXT_KEYS = ("text", "content", "output", "value")
_MAX_DEPTH = 6


def as_text(value: Any) -> str:
    """Return text as it is, nothing as "", and anything else as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
    except (TypeError, orjson.JSONEncodeError):
        return repr(value)


def text_of(content: Any) -> str:
    """Return only the text of a content, parts joined by line feeds."""
    return content if isinstance(content, str) else content_of(content)[0]


def content_of(content: Any, depth: int = 0) -> tuple[str, tuple[str, ...]]:
    """Return text and the other parts (pictures, files) of a content.

    Parameters
    ----------
    content
        Text, None, a mapping, or a list of parts as OpenAI, Anthropic, LangChain, MCP and ATIF
        write them.

    Returns
    -------
    text : str
        The text parts, joined by line feeds.
    parts : tuple of str
        For each other part its kind and either a hash of its data (never the data: screenshots
        are most of many logs' bytes) or its reference.
    """
    if isinstance(content, str):
        return content, ()
    if content is None:
        return "", ()
    if isinstance(content, list | tuple):
        texts: list[str] = []
        others: list[str] = []
        for part in content:
            text, more = content_of(part, depth + 1) if depth < _MAX_DEPTH else (as_text(part), ())
            if text:
                texts.append(text)
            others.extend(more)
        return "\n".join(texts), tuple(others)
    if not isinstance(content, Mapping):
        return as_text(content), ()
    return _part(content, depth)


def _part(part: Mapping[str, Any], depth: int) -> tuple[str, tuple[str, ...]]:
    kind = part.get("type")
    if kind in ("thinking", "reasoning", "redacted_thinking", "tool_use", "tool_call"):
        return "", ()
    reference = _reference(part, kind)
    if reference:
        return "", (reference,)
    if kind in ("tool_reference", "search_result_location") or not kind:
        for key in _TEXT_KEYS:
            if isinstance(part.get(key), str) and len(part) <= 2:
                return part[key], ()
        return as_text(part), ()
    for key in _TEXT_KEYS:
        value = part.get(key)
        if value is not None and depth < _MAX_DEPTH:
            return (value, ()) if isinstance(value, str) else content_of(value, depth + 1)
    return as_text(part), ()


def _reference(part: Mapping[str, Any], kind: Any) -> str | None:
    """Return ``media-type sha256:…`` of a picture or file, or its address; None for text."""
    source = part.get("source") or part.get("image_url") or part.get("file")
    if isinstance(source, str):
        source = {"url": source}
    if not isinstance(source, Mapping):
        if kind not in ("image", "audio", "file") or not isinstance(part.get("data"), str):
            return None
        source = part
    media = source.get("media_type") or source.get("mimeType") or source.get("mime_type") or kind
    data = source.get("data") or source.get("base64") or source.get("file_data")
    address = source.get("url") or source.get("path")
    if isinstance(address, str) and address.startswith("data:"):
        media, _, data = address[5:].partition(";base64,")
    if isinstance(data, str) and data:
        return f"{media} sha256:{hashlib.sha256(data.encode()).hexdigest()[:16]}"
    return f"{media} {address}" if isinstance(address, str) else None
