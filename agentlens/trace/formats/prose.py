"""What an agent did, read out of the sentence in which it tells it."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

__all__ = ["action_of", "fences"]

_TYPED = re.compile(
    r"\AI (?:typed|input) '(?P<text>.*?)'(?: into (?:'(?P<into>.*?)'|(?P<bar>the [^.\n]{1,60})))?"
    r"\.(?=\s|\Z)",
    re.DOTALL,
)
_CLICKED = re.compile(
    r"\AI clicked (?:'(?P<what>.*?)'|(?P<bare>[^.\n]{1,200}))\.(?=\s|\Z)", re.DOTALL
)
_SCROLLED = re.compile(r"\AI scrolled (?P<how>up|down)[^.\n]{0,80}\.(?=\s|\Z)")
_PRESSED = re.compile(
    r"\AI (?P<verb>hovered|pressed|visited|opened) (?P<what>[^\n]{1,300}?)\.(?=\s|\Z)"
)
_PAGE = re.compile(r"\bscreenshot of \[(?:[^\]\n]|\](?!\())*\]\((?P<url>[^)\s]+)\)")
_ADDRESS = re.compile(r"\AAddress: (?P<path>\S[^\n]*)\nTitle: (?P<title>[^\n]*)")
_EXIT = re.compile(r"Unix exit code(?: was)?:\s*(-?\d{1,9})")

#: Sentences are looked for in so many characters: what a page says follows behind.
_REACH = 3000
#: Parameters in which search engines keep what was searched for.
_SEARCHED = ("q", "query", "search", "search_query", "p", "k")


def fences(text: str) -> list[tuple[str, str]]:
    r"""Return ``(language, code)`` of every fenced block of a text.

    Examples
    --------
    >>> fences("Look:\n```python\nprint(1)\n```")
    [('python', 'print(1)')]
    """
    found: list[tuple[str, str]] = []
    opened: str | None = None
    lines: list[str] = []
    for line in text.split("\n"):
        mark = line.strip()
        if opened is None and mark.startswith("```") and "```" not in mark[3:]:
            opened, lines = mark[3:].strip().lower(), []
        elif opened is not None and mark.startswith("```"):
            found.append((opened, "\n".join(lines)))
            opened = None
        elif opened is not None:
            lines.append(line)
    return found


def action_of(
    agent: str, text: str, instruction: str = "", code: str = ""
) -> tuple[str, dict[str, Any], str, str]:
    """Return ``(tool, arguments, result, status)`` of what an agent says it did.

    Parameters
    ----------
    agent
        Its name: becomes the tool where the text names no action, the instruction its argument.
    text
        Its message: an action in its first sentence, then what it saw.
    instruction
        What it was asked to do.
    code
        Message whose fenced code a terminal has run.
    """
    head = text[:_REACH]
    for pattern, make in ((_TYPED, _typed), (_CLICKED, _clicked), (_SCROLLED, _scrolled),
                          (_PRESSED, _pressed)):  # fmt: skip
        match = pattern.match(head)
        if match:
            tool, args = make(match, head)
            return tool, args, text[match.end() :].strip(), "ok"
    match = _ADDRESS.match(head)
    if match:
        failed = match["title"].startswith("Error ")
        return "open_file", {"path": match["path"].strip()}, text, "error" if failed else "ok"
    match = _EXIT.search(text[:300])
    if match and fences(code):
        script = "\n".join(block for _, block in fences(code))
        return "run_code", {"code": script}, text, "ok" if int(match[1]) == 0 else "error"
    return agent, {"instruction": instruction} if instruction else {}, text, "ok"


def _typed(match: re.Match[str], text: str) -> tuple[str, dict[str, Any]]:
    what, into = match["text"], match["into"] or match["bar"] or ""
    if "address bar" in into:
        return "visit_url", {"url": what}
    if "search" in into.lower() or what.strip() in _searched(text):
        return "web_search", {"query": what}
    return "input_text", {"text": what, "element": into} if into else {"text": what}


def _searched(text: str) -> set[str]:
    """Return what the page that came up was searched for, by its address."""
    page = _PAGE.search(text)
    if not page:
        return set()
    try:
        fields = parse_qs(urlsplit(page["url"]).query)
    except ValueError:
        return set()
    return {value.strip() for key in _SEARCHED for value in fields.get(key, ())}


def _clicked(match: re.Match[str], _: str) -> tuple[str, dict[str, Any]]:
    return "click", {"element": match["what"] if match["what"] is not None else match["bare"]}


def _scrolled(match: re.Match[str], _: str) -> tuple[str, dict[str, Any]]:
    return f"scroll_{match['how']}", {}


def _pressed(match: re.Match[str], _: str) -> tuple[str, dict[str, Any]]:
    names = {"hovered": "hover", "pressed": "press_key", "visited": "visit_url", "opened": "open"}
    return names[match["verb"]], {"target": match["what"].strip("'")}
