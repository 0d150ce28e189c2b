"""Secrets that only their setting tells: what stands after ``password=``, ``apiKey:`` and the like.

A value is taken for a secret by its name and by how it looks: names of passwords need little,
names of keys and tokens a value with letters and digits, since ``max_tokens=4096`` and
``api_key=settings.api_key`` are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

__all__ = ["is_secret_name", "is_secret_value", "needles_in", "settings_in"]

_SPACE = r"[ \t]{0,8}+"
_QUOTE = r"(?:\\{0,7}[\"'`]|&quot;|&#39;|&#x27;|%22)"
#: What may follow in a name; ``tokenizer`` and ``keyboard`` are other words.
_REST = (
    r"(?P<rest>(?:s?(?:[_.-][A-Za-z0-9_.-]{0,40}+|[A-Z][A-Za-z0-9]{0,20}+|[0-9]{1,3}+)?+))"
    r"(?![A-Za-z0-9_])"
)
#: Between a name and its value.
_BETWEEN = (
    rf"{_QUOTE}?+\]?+{_SPACE}(?:"
    rf"(?:=>|:=|={{1,3}}+|:(?!:)|：|＝|是|为)"
    rf"|,?+{_SPACE}(?:\\[nr]|\n)?+{_SPACE}{_QUOTE}?+value{_QUOTE}?+{_SPACE}[:=]"
    rf"){_SPACE}"
)
_SCHEME = (
    r"(?:(?:Bearer|bearer|Basic|basic|Token|token|ApiKey|Digest|AWS4-HMAC-SHA256)[ \t]{1,4}+)?+"
)
_VALUE = re.compile(
    rf"{_SCHEME}(?:[rbu]?(?P<quote>{_QUOTE}){_SCHEME}(?P<quoted>(?:(?!&quot;|&#|%22)"
    r"[^\s\"'`\\]){4,4000}+)"
    r"|(?P<plain>[^\s\"'`\\,;&<>(){}\[\]|，。；、！？）】”’]{4,4000}+))"
)


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
}
#: What stands before ``key`` where that is the key to something.
_LOCKS = re.compile(
    r"(?i:api|access|account|secret|private|auth|storage|signing|encryption|master)[ _.-]?$"
)


@cache
def _setting(word: str) -> re.Pattern[str]:
    return re.compile(re.escape(word) + _REST + _BETWEEN)


#: Where a space alone stands between: options, ``ENV`` of a Dockerfile, ``.netrc``, ``curl -u``.
_SPACED = tuple(
    (needle, re.compile(pattern + r"(?P<value>[^\s\"'`\\]{4,4000}+)"))
    for needle, pattern in (
        ("--", rf"--(?P<name>[a-z0-9-]{{1,60}}+)[ \t]{{1,4}}+{_QUOTE}?+"),
        ("ENV ", rf"ENV[ \t]{{1,4}}+(?P<name>\w{{1,80}}+)[ \t]{{1,4}}+{_QUOTE}?+"),
        ("login ", r"login\s{1,4}+\S{1,100}+\s{1,4}+(?P<name>password)\s{1,4}+"),
        (" -u", rf" -u[ \t]{{0,4}}+{_QUOTE}?+[^\s:\"'`\\]{{1,100}}+(?P<name>:)"),
        ("--user", rf"--user[ =]{{1,4}}+{_QUOTE}?+[^\s:\"'`\\]{{1,100}}+(?P<name>:)"),
    )
)
#: Names that end like this say something of a key, and are none.
_ABOUT = re.compile(
    r"(?i)(?:count|type|types|limit|url|uri|name|names|path|file|dir|length|len|size|usage|field"
    r"|label|prefix|format|index|budget|algorithm|version|ttl|expiry|expires|expires_?in|expires_?at"
    r"|rotation|policy|required|error|method|endpoint|arn|schema|columns?|map|ring|store|vault"
    r"|manager|provider|generator|validator|length)$"
)
#: A name as a whole, such as a key of a JSON object.
_NAME = re.compile(
    r"(?i:passw|passphrase|pwd|secret|token|credential|authorization|[_-]key|apikey|accesskey"
    r"|accountkey|authkey|privatekey)|[a-z]Key"
)
_MOST_TRIES = 3
#: Values that are no secrets, whatever their setting.
_NO_SECRET = frozenset(
    "none null nil true false undefined string str required optional redacted example password "
    "passwd secret token bearer basic changeme change_me placeholder test unset empty hidden "
    "masked invalid missing incorrect".split()
)
_PLACEHOLDER = re.compile(
    r"(?i)^(?:[$<{%]|os\.|process\.|self\.|env[.\[]|your|my[_-]|x{3,}|\*{3,}|\.{3}|-+$|#|"
    r"(?:https?|file)://|\./|\.\./|~/)"
)
#: A path; a key in base64 may start with a slash too, and has capitals, digits and no words.
_PATH = re.compile(r"/(?:[a-z]{2,}|[^/]*\.[^/]*)(?:/[\w.@ -]*)*|/[\w.-]{1,24}(?:/[\w.-]{1,24})*")
_CHAIN = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_FILE = re.compile(
    r"(?i)\.(?:py|js|ts|json|ya?ml|toml|txt|md|pem|crt|cer|key|env|html?|php|go|rs)$"
)


def needles_in(text: str) -> list[str]:
    """Return the words of which each setting of a secret holds one, as far as a text has them."""
    return [word for word in (*_WORDS, *(needle for needle, _ in _SPACED)) if word in text]


def settings_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the values of secret settings stand in a text, from left to right, apart."""
    end = 0
    for span in sorted({*_assigned(text), *_spaced(text)}):
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
        if begin < stop:  # the value before may itself hold the name of a setting: a few times
            tries += 1
        else:
            tries = 0
        if not kind or tries > _MOST_TRIES or (name["rest"] and _ABOUT.search(name["rest"])):
            continue
        match = _VALUE.match(text, begin)
        if match is None:
            continue
        quoted = match["quoted"] is not None
        value = match["quoted"] if quoted else match["plain"].rstrip(".,;:!?")
        first, stop = match.span("quoted" if quoted else "plain")
        end = first + len(value)
        if not quoted and text[end : end + 1] in ("(", "["):
            continue  # a call or an index: code
        strong = kind == "password"
        if is_secret_value(value, strong=strong, short=short, quoted=quoted,
                           constant=word.isupper() and word.isascii()):  # fmt: skip
            yield first, end


def _kind_of(word: str, match: re.Match[str], text: str) -> tuple[str, bool]:
    """Return what a name is, nothing if none of a secret, and whether its value may be short."""
    kind, at = _WORDS[word], match.start()
    if kind != "key":
        return kind, kind != "token"
    before = text[max(0, at - 12) : at]
    if _LOCKS.search(before):
        return kind, True
    compound = before[-1:] in ("_", "-") or (word == "Key" and before[-1:].islower())
    return (kind if compound else ""), False


def _spaced(text: str) -> Iterator[tuple[int, int]]:
    for needle, pattern in _SPACED:
        if needle not in text:
            continue
        for match in pattern.finditer(text):
            name = match["name"]
            strong = name == ":" or "pass" in name.lower() or "pwd" in name.lower()
            if (strong or is_secret_name(name)) and is_secret_value(match["value"], strong=strong):
                yield match.span("value")


def is_secret_name(name: str) -> bool:
    """Say whether a setting of this name holds a secret."""
    return bool(_NAME.search(name)) and not _ABOUT.search(name)


def is_secret_value(
    value: str, *, strong: bool = False, short: bool = True, quoted: bool = False,
    constant: bool = False,
) -> bool:  # fmt: skip
    """Say whether the value of a secret's setting is a secret and not a word about one.

    Parameters
    ----------
    value
        The value.
    strong
        The setting is a password's, which may look like anything.
    short
        Eight characters may be enough; else sixteen are needed.
    quoted
        It stood in quotation marks, so it is no name of a variable.
    constant
        The setting's name is in capitals, as in an environment.
    """
    if value.lower() in _NO_SECRET or _PLACEHOLDER.match(value) or _FILE.search(value):
        return False
    if value[0] == "/" and _PATH.fullmatch(value):
        return False
    if not quoted and _CHAIN.fullmatch(value) and not any(c.isdigit() for c in value):
        return False
    digit = any(c.isdigit() for c in value)
    letter = any(c.isalpha() for c in value)
    if strong:
        if quoted or constant:
            return len(value) >= 4
        return len(value) >= 6 and (digit or not value.replace("_", "").isalnum())
    if not value.isascii() or len(value) < (8 if short else 16):
        return False
    mixed = value.lower() != value and value.upper() != value
    return letter and (digit or (mixed and len(value) >= 24))
