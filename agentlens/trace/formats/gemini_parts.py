"""The parts of Gemini's messages: texts, thoughts, calls of functions and their responses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentlens.trace.content import as_text, content_of
from agentlens.trace.formats.part import dicts, mapping

__all__ = ["Answer", "answer_of", "text_of_parts"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a function answered; `error` is True where it answered with an error."""

    text: str
    parts: tuple[str, ...] = ()
    error: bool = False


def text_of_parts(content: Any, *, thoughts: bool = False) -> str:
    """Return the text of parts, without (or only) what is marked as thought."""
    if isinstance(content, str):
        return "" if thoughts else content
    parts = content if isinstance(content, list) else [content]
    texts = []
    for part in parts:
        if isinstance(part, str) and not thoughts:
            texts.append(part)
            continue
        text = part.get("text") if isinstance(part, Mapping) else None
        if isinstance(text, str) and bool(part.get("thought")) == thoughts:
            texts.append(text)
    return "\n".join(text for text in texts if text)


def answer_of(result: Any) -> Answer:
    """Return the answer in the parts of a result."""
    if isinstance(result, str):
        return Answer(result)
    texts: list[str] = []
    others: list[str] = []
    failed = False
    for part in dicts(result if isinstance(result, list) else [result]):
        inside = part.get("functionResponse")
        if not isinstance(inside, Mapping):
            data = part.get("inlineData") or part.get("fileData")
            if isinstance(data, Mapping):
                others.extend(_picture(data))
            elif isinstance(part.get("text"), str):
                texts.append(part["text"])
            continue
        response = mapping(inside.get("response"))
        if response.get("error"):
            failed = True
            texts.append(as_text(response["error"]))
        if "output" in response or "content" in response or "result" in response:
            value = next(response[k] for k in ("output", "content", "result") if k in response)
            text, more = content_of(value)
            texts.append(text)
            others.extend(more)
        elif response and not response.get("error"):
            texts.append(as_text(response))
        for each in dicts(inside.get("parts")):
            others.extend(_picture(mapping(each.get("inlineData") or each.get("fileData"))))
    return Answer("\n".join(text for text in texts if text), tuple(others), failed)


def _picture(data: Mapping[str, Any]) -> tuple[str, ...]:
    source = {"media_type": data.get("mimeType"), "data": data.get("data")}
    if isinstance(data.get("fileUri"), str):
        source = {"media_type": data.get("mimeType"), "url": data["fileUri"]}
    return content_of({"type": "image", "source": source})[1] if data else ()
