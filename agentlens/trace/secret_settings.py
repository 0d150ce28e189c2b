"""Secrets that only their setting tells: what stands after ``password=``, ``apiKey:`` and the like.

A value is taken for a secret by its name and by how it looks: names of passwords need little,
names of keys and tokens a value with letters and digits, since ``max_tokens=4096`` and
``api_key=settings.api_key`` are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from agentlens.trace.secret_options import NEEDLES, options_in
from agentlens.trace.secret_values import ABOUT, OPEN_KEYS, QUOTE, WHO, is_phrase, is_secret_value

__all__ = ["needles_in", "settings_in"]

_SPACE = r"[ \t]{0,8}+"
#: What may follow in a name; ``tokenizer`` and ``keyboard`` are other words.
_REST = (
    r"(?P<rest>(?:s?(?:[_.-][A-Za-z0-9_.-]{0,40}+|[A-Z][A-Za-z0-9]{0,20}+|[0-9]{1,3}+)?+))"
    r"(?![A-Za-z0-9_])"
)
#: Between a name and its value.
_BETWEEN = (
    rf"(?:(?P<tag>>)|{QUOTE}?+\]?+{_SPACE}(?:"
    rf"(?:=>|:=|={{1,3}}+|：|＝|是|为"
    # in YAML the value may stand on the next line, in more
    rf"|:(?!:)(?:{_SPACE}(?:[|>][+-]?)?+(?:\\n|\r?\n)[ \t]{{1,40}}+)?+)"
    rf"|,?+{_SPACE}(?:\\[nr]|\n)?+{_SPACE}{QUOTE}?+value{QUOTE}?+{_SPACE}[:=]"
    rf"){_SPACE})"
)
_SCHEME = (
    r"(?:(?:Bearer|bearer|Basic|basic|Token|token|ApiKey|Digest|AWS4-HMAC-SHA256)[ \t]{1,4}+)?+"
)
_VALUE = re.compile(
    rf"{_SCHEME}(?:[rbu]?(?P<quote>{QUOTE}){_SCHEME}(?P<quoted>(?:(?!&quot;|&#|%22)"
    r"[^\s\"'`\\]){4,4000}+)"
    r"|(?P<plain>[^\s\"'`\\,;&<>(){}\[\]|，。；、！？）】”’]{4,4000}+))"
)
#: Several words, up to the quotation mark that ends them.
_PHRASE = re.compile(rf"[^\"'`\\\r\n]{{4,200}}+(?={QUOTE})")
#: What stands in an element of XML.
_ELEMENT = re.compile(r"\s{0,40}+(?P<value>[^<>\s]{3,200}+(?: [^<>\s]{1,200}+){0,12}+)\s{0,40}+</")
_STARTS = re.compile(r"<[\w:.-]{0,40}$")
#: What stands in a list of them, or under names in an object of several.
_ITEM = re.compile(rf"\s{{0,40}}+{QUOTE}(?P<value>[^\s\"'`\\]{{4,400}}+){QUOTE}\s{{0,40}}+,?+")
_PAIR = re.compile(
    rf"\s{{0,40}}+{QUOTE}(?!(?:{'|'.join(WHO)}){QUOTE})[\w.-]{{1,80}}+{QUOTE}{_SPACE}:{_SPACE}"
    rf"{QUOTE}(?P<value>[^\s\"'`\\]{{4,400}}+){QUOTE}\s{{0,40}}+,?+"
)
_MOST_ITEMS = 100
_QUERY = re.compile(r"[?&][\w.-]{0,40}.$")


def _cased(*words: str) -> tuple[str, ...]:
    return tuple(cased for word in words for cased in (word, word.title(), word.upper()))


#: Words that names of secrets hold, each searched as plain text, and what such a name is.
_WORDS: dict[str, str] = {
    **dict.fromkeys(_cased("password", "passwd", "passphrase", "passwort", "pwd"), "password"),
    **dict.fromkeys(("密码", "口令"), "password"),
    **dict.fromkeys(_cased("secret", "credential"), "secret"),
    **dict.fromkeys(("密钥", "令牌", "私钥", "uthorization", "UTHORIZATION"), "secret"),
    **dict.fromkeys(_cased("token"), "token"),
    **dict.fromkeys(_cased("key"), "key"),
    **dict.fromkeys(("&sig", "?sig", "ignature"), "token"),
    # "pass" is a password in few places only
    **dict.fromkeys([quote + word for quote in "\"'?&" for word in ("pass", "pw")], "pass"),
    **dict.fromkeys([who + "_pass" for who in ("db", "user", "smtp", "mail", "ftp")], "pass"),
    **dict.fromkeys(("_PASS", "_PW"), "pass"),
}
#: What stands before ``key`` where that is the key to something.
_LOCKS = re.compile(
    r"(?i:api|access|account|secret|private|auth|storage|signing|encryption|master)[ _.-]?$"
)


@cache
def _setting(word: str) -> re.Pattern[str]:
    return re.compile(re.escape(word) + _REST + _BETWEEN)


_MOST_TRIES = 3


def needles_in(text: str) -> list[str]:
    """Return the words of which each setting of a secret holds one, as far as a text has them."""
    return [word for word in (*_WORDS, *NEEDLES) if word in text]


def settings_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the values of secret settings stand in a text, from left to right, apart."""
    end = 0
    for span in sorted({*_assigned(text), *options_in(text)}):
        if span[0] >= end:
            yield span
            end = span[1]


def _assigned(text: str) -> Iterator[tuple[int, int]]:
    found = sorted(
        (match.end(), word, match)
        for word in _WORDS
        if word in text
        for match in _setting(word).finditer(text)
    )
    stop = tries = 0
    for begin, word, name in found:
        kind, short = _kind_of(word, name, text)
        # the value before may itself hold the name of a setting: a few times
        tries = tries + 1 if begin < stop else 0
        if not kind or tries > _MOST_TRIES or (name["rest"] and ABOUT.search(name["rest"])):
            continue
        constant = word.isupper() and word.isascii()
        for first, end, literal in _values(text, begin, name, kind):
            stop = end
            if _holds(kind, text[first:end], short=short, literal=literal, constant=constant):
                yield first, end


def _values(
    text: str, begin: int, name: re.Match[str], kind: str
) -> Iterator[tuple[int, int, bool]]:
    """Yield where the values of a setting stand, and whether none is a name in code."""
    if name["tag"]:
        match = _ELEMENT.match(text, begin)
        if match and _STARTS.search(text, max(0, name.start() - 40), name.start()):
            yield *match.span("value"), True
    elif text[begin : begin + 1] == "[":
        yield from ((*span, True) for span in _several(_ITEM, text, begin + 1))
    elif text[begin : begin + 1] == "{":
        if name["rest"].startswith("s"):
            yield from ((*span, False) for span in _several(_PAIR, text, begin + 1))
    elif (match := _VALUE.match(text, begin)) and match["quoted"] is not None:
        first, end = match.span("quoted")
        phrase = _PHRASE.match(text, first) if text[end : end + 1] == " " else None
        yield *(phrase.span() if phrase and kind == "password" else (first, end)), True
    elif match:
        first = match.start("plain")
        end = first + len(match["plain"].rstrip(".,;:!?"))
        below = "\n" in name[0] or "\\" in name[0]
        # a call or an index is code; on the line below there may be the next name
        if text[end : end + 1] not in ("(", "[") and not (below and text[end : end + 1] == ":"):
            yield first, end, bool(_in_query(text, name))


def _several(part: re.Pattern[str], text: str, at: int) -> Iterator[tuple[int, int]]:
    for _ in range(_MOST_ITEMS):
        match = part.match(text, at)
        if match is None:
            return
        yield match.span("value")
        at = match.end()


def _holds(kind: str, value: str, *, short: bool, literal: bool, constant: bool) -> bool:
    """Say whether a value is a secret, by the kind of its name and by what it looks like."""
    if " " in value:
        return kind == "password" and is_phrase(value)
    if kind == "pass":  # also what a test did: "pass": "12/12"
        return any(c.isalpha() for c in value) and is_secret_value(
            value, strong=True, constant=constant
        )
    return is_secret_value(
        value, strong=kind == "password", short=short, quoted=literal, constant=constant
    )


def _in_query(text: str, name: re.Match[str]) -> bool:
    return bool(_QUERY.search(text, max(0, name.start() - 40), name.start() + 1))


def _kind_of(word: str, match: re.Match[str], text: str) -> tuple[str, bool]:
    """Return what a name is, nothing if none of a secret, and whether its value may be short."""
    kind, at = _WORDS[word], match.start()
    if kind == "pass":
        return ("" if match["rest"] else kind), True
    if kind == "secret" and _in_query(text, match):
        return "password", True  # nothing else can stand there
    if kind != "key":
        return kind, kind != "token"
    before = text[max(0, at - 12) : at]
    if _LOCKS.search(before):
        return kind, True
    compound = before[-1:] in ("_", "-") or (word == "Key" and before[-1:].islower())
    return (kind if compound and not OPEN_KEYS.search(before) else ""), False
