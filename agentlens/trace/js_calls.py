"""The tool calls inside a JavaScript program that an agent wrote: read, never run.

Hosts with a "code mode" log one tool, ``exec``, whose input is a program; the tools that were
really called stand in it as ``tools.name({...})``. Arguments are read where they are literals;
an expression that only running could resolve is kept as its source text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["InnerCall", "inner_calls"]

#: Longer programs are read up to here, and no more calls than this are taken from one.
_MAX_SOURCE, _MAX_CALLS, _MAX_DEPTH = 100_000, 200, 40
#: Tokens that are looked at, again and again where programs nest, before reading gives up.
_MAX_STEPS = 300_000

# Strings and comments may lack their end: that keeps tokenising linear on damaged input.
_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<text>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\.)*`?)
    |(?P<number>(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?))
    |(?P<name>[^\W\d][\w$]*|\$[\w$]*)
    |(?P<sign>.)""",
    re.DOTALL | re.VERBOSE,
)
_REGEX = re.compile(r"/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.){0,30}\]){1,100}/\w*")
_ESCAPE = re.compile(
    r"\\(u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|\n|.)", re.DOTALL
)
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_WORDS = {"true": True, "false": False, "null": None, "undefined": None}
_CLOSERS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class InnerCall:
    """One call in a program; `exact` is False where an argument is an expression."""

    tool: str
    args: Any
    exact: bool


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


def inner_calls(source: str) -> list[InnerCall]:
    """Return the calls ``tools.name(...)`` of a program, in the order of its text; never raises.

    Examples
    --------
    >>> inner_calls('const r = await tools.web__run({search_query: [{q: "rain"}]}); text(r);')
    [InnerCall(tool='web__run', args={'search_query': [{'q': 'rain'}]}, exact=True)]
    """
    return _Reader(source[:_MAX_SOURCE]).calls()


def _plain(literal: str) -> str:
    """Return what a quoted literal stands for; escaped surrogate pairs become one character."""
    text = _ESCAPE.sub(_unescape, literal[1:-1])
    if any("\ud800" <= char <= "\udfff" for char in text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _unescape(match: re.Match[str]) -> str:
    code = match[2] or match[3] or match[4]
    if code:
        number = int(code, 16)
        return chr(number) if number <= 0x10FFFF else match[0]
    return _SHORT.get(match[1], match[1])


class _Reader:
    """Reads literals from a program's tokens."""

    def __init__(self, source: str):
        self.source = source
        self.tokens = list(self._tokenise(source))
        self.known: dict[str, Any] = {}
        self.guessed = False
        self.steps = 0

    @staticmethod
    def _tokenise(source: str) -> Iterator[_Token]:
        at = 0
        last: _Token | None = None
        while at < len(source):
            match = _TOKEN.match(source, at)
            assert match is not None  # a sign is any character
            kind = str(match.lastgroup)
            value = last.text if last else ""
            if match[0] == "/" and (
                last is None or value == "return" or (last.kind == "sign" and value not in ")]}")
            ):
                regex = _REGEX.match(source, at)
                kind, match = ("other", regex) if regex else (kind, match)
            at = match.end()
            if kind != "space":
                last = _Token(kind, match[0], match.start(), at)
                yield last

    def text(self, at: int) -> str:
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def calls(self) -> list[InnerCall]:
        found: list[InnerCall] = []
        for at, token in enumerate(self.tokens):
            if token.kind != "name" or self.text(at - 1) == ".":
                continue
            if token.text in ("const", "let", "var") and self.text(at + 2) == "=":
                self.guessed = False
                value, _ = self.value(at + 3)
                if not self.guessed:
                    self.known[self.text(at + 1)] = value
            elif token.text == "tools":
                name, opening = self._callee(at + 1)
                if name and self.text(opening) == "(":
                    found.append(self._call(name, opening + 1))
                    if len(found) >= _MAX_CALLS:
                        break
        return found

    def _starts_line(self, at: int) -> bool:
        """Say whether a token is the first of its line: semicolons may be left out."""
        if not 0 < at < len(self.tokens) or self.tokens[at].kind != "name":
            return False
        return "\n" in self.source[self.tokens[at - 1].end : self.tokens[at].start]

    def _callee(self, at: int) -> tuple[str | None, int]:
        if self.text(at) == "." and at + 1 < len(self.tokens):
            return self.text(at + 1), at + 2
        if self.text(at) == "[" and self.text(at + 2) == "]" and self.text(at + 1)[:1] in "\"'":
            return self.text(at + 1)[1:-1], at + 3
        return None, at

    def _call(self, name: str, at: int) -> InnerCall:
        if self.text(at) == ")":
            return InnerCall(name, {}, True)
        self.guessed = False
        value, _ = self.value(at)
        return InnerCall(name, value, not self.guessed)

    def value(self, at: int, depth: int = 0) -> tuple[Any, int]:
        """Read the value at a token, an expression as its text: ``(value, next token)``."""
        value, end, good = self._literal(at, depth)
        while good and isinstance(value, str) and self.text(end) == "+":
            more, after, fits = self._literal(end + 1, depth)
            if not fits or not isinstance(more, str):
                break
            value, end = value + more, after
        ends = self.text(end) in (",", ")", "]", "}", ";", "") or self._starts_line(end)
        if good and ends:
            return value, end
        self.guessed = True
        end = self._skip(at)
        if end == at:
            return None, at
        return self.source[self.tokens[at].start : self.tokens[end - 1].end], end

    def _literal(self, at: int, depth: int) -> tuple[Any, int, bool]:
        """Read a literal: ``(value, next token, whether there was one)``."""
        self.steps += 1
        if at >= len(self.tokens) or depth > _MAX_DEPTH or self.steps > _MAX_STEPS:
            return None, at, False
        token = self.tokens[at]
        if token.kind == "text":
            quote = token.text[0]
            whole = len(token.text) > 1 and token.text.endswith(quote)
            plain = quote != "`" or "${" not in token.text
            return _plain(token.text), at + 1, whole and plain
        if token.kind == "number" or (token.text == "-" and self._is_number(at + 1)):
            sign = token.text == "-"
            return self._number(at + sign, -1 if sign else 1), at + 1 + sign, True
        if token.kind == "name" and token.text in _WORDS:
            return _WORDS[token.text], at + 1, True
        if token.kind == "name" and token.text in self.known:
            return self.known[token.text], at + 1, True
        if token.text == "[":
            return self._array(at + 1, depth + 1)
        if token.text == "{":
            return self._object(at + 1, depth + 1)
        return None, at, False

    def _is_number(self, at: int) -> bool:
        return at < len(self.tokens) and self.tokens[at].kind == "number"

    def _number(self, at: int, sign: int) -> int | float:
        text = self.text(at)
        if text[:2] in ("0x", "0X"):
            return sign * int(text[:40], 16)
        return sign * (int(text) if text.isdigit() and len(text) < 40 else float(text))

    def _array(self, at: int, depth: int) -> tuple[Any, int, bool]:
        items: list[Any] = []
        while at < len(self.tokens) and self.text(at) != "]":
            value, end = self.value(at, depth)
            if end == at:
                return items, at, False
            items.append(value)
            at = end + (self.text(end) == ",")
        return items, at + 1, at < len(self.tokens)

    def _object(self, at: int, depth: int) -> tuple[Any, int, bool]:
        out: dict[str, Any] = {}
        while at < len(self.tokens) and self.text(at) != "}":
            token = self.tokens[at]
            key = token.text
            if token.kind == "text":
                key = _plain(key)
            elif token.kind not in ("name", "number"):
                return out, at, False
            if self.text(at + 1) == ":":
                value, end = self.value(at + 2, depth)
                if end == at + 2:
                    return out, at, False
            elif token.kind == "name" and self.text(at + 1) in (",", "}"):
                self.guessed = self.guessed or key not in self.known
                value, end = self.known.get(key, key), at + 1
            else:
                return out, at, False
            out[key] = value
            at = end + (self.text(end) == ",")
        return out, at + 1, at < len(self.tokens)

    def _skip(self, at: int) -> int:
        """Return the token after an expression: the next comma or closer on its own level."""
        open_: list[str] = []
        while at < len(self.tokens) and self.steps <= _MAX_STEPS:
            self.steps += 1
            text = self.tokens[at].text
            if text in _CLOSERS:
                open_.append(_CLOSERS[text])
            elif open_ and text == open_[-1]:
                open_.pop()
            elif not open_ and text in (",", ")", "]", "}", ";"):
                return at
            at += 1
        return at
