"""Secrets that no ``=`` or ``:`` sets: options of commands, cookies, codes of a sign-in.

``--password x``, ``mysql -px``, ``Cookie: sid=x``, ``/callback?code=x&state=y``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentlens.trace.secret_values import QUOTE, is_password_name, is_secret_name, is_secret_value

__all__ = ["NEEDLES", "options_in"]

_SOME = r"[ \t]{1,4}+"
_VALUE = r"(?P<value>[^\s\"'`\\]{4,4000}+)"
_WORD = r"(?P<value>[^\s\"'`\\|;&<>]{3,4000}+)"
#: From a command to its option: the rest of the line, as far as it is one command.
_ON = r"[^\n|;&]{0,200}?"

#: Options whose name says what their value is.
_NAMED = (
    ("--", rf"--(?P<name>[a-z0-9-]{{1,60}}+){_SOME}"),
    ("ENV ", rf"ENV{_SOME}(?P<name>\w{{1,80}}+){_SOME}"),
    ("login ", r"login\s{1,4}+\S{1,100}+\s{1,4}+(?P<name>password)\s{1,4}+"),
    *(
        (n, rf"{n}[ \t]{{0,4}}+(?P<name>[\w.-]{{1,80}}+){_SOME}")
        for n in ("configure set ", "config set ", "setx ")
    ),
    ("_secret_access_key", rf"(?P<name>aws_secret_access_key){_SOME}"),
)
#: ``user:password`` after an option: what stands there is often no password.
_PAIRS = (
    (" -u", rf" -u[ \t]{{0,4}}+{QUOTE}?+[^\s:\"'`\\]{{1,100}}+:"),
    ("--user", rf"--user[ =]{{1,4}}+{QUOTE}?+[^\s:\"'`\\]{{1,100}}+:"),
)
_REGISTRIES = "docker|podman|nerdctl|helm registry|oras|skopeo|crane|az acr|az"
#: What a command takes as a password, whatever it looks like.
_COMMANDS = (
    ("mysql", rf"\bmysql\w{{0,10}}+{_ON} -p"),
    ("mariadb", rf"\bmariadb[\w-]{{0,10}}+{_ON} -p"),
    ("sshpass", rf"\bsshpass{_SOME}-p[ \t]{{0,4}}+"),
    (" login", rf"\b(?:{_REGISTRIES}){_SOME}login{_ON} -p{_SOME}"),
    ("redis-cli", rf"\bredis-cli{_ON} -a{_SOME}"),
    ("mongo", rf"\bmongo\w{{0,10}}+{_ON} -p{_SOME}"),
    ("sqlcmd", rf"\bsqlcmd{_ON} -P{_SOME}"),
    ("ldap", rf"\bldap(?:search|modify|add|delete|passwd|whoami){_ON} -w{_SOME}"),
    ("zip -", rf"\b(?:un)?zip(?= -){_ON} ?-P{_SOME}"),
    ("openssl", rf"\bopenssl{_ON}[ :]pass:"),
)  # fmt: skip
_CODE = re.compile(r"[?&]code=(?P<value>[A-Za-z0-9._~%/+-]{10,512})")
_SIGN_IN = re.compile(r"(?i)callback|oauth|[?&](?:state|session_state|scope|iss)=")
_COOKIES = re.compile(
    rf"[Cc]ookie{QUOTE}?+(?:\s{{0,4}}+[:=]\s{{0,4}}+|{_SOME}){QUOTE}?+"
    r"(?P<line>[\w.-]{1,80}=[^\r\n\"'`\\]{1,8000})"
)
_COOKIE = re.compile(r"(?P<name>[\w.-]{1,80})=(?P<value>[^\s;,]{1,4000})")
_ATTRIBUTES = frozenset("path domain expires max-age samesite version priority lang theme".split())
_SESSION = re.compile(r"(?i)sess|sid|auth|token|jwt|csrf|xsrf|remember")

#: A text that holds none of these holds no such secret.
NEEDLES = tuple(dict.fromkeys(
    [needle for needle, _ in (*_NAMED, *_PAIRS, *_COMMANDS)] + ["code=", "ookie"]
))  # fmt: skip


def _rules(rules: tuple[tuple[str, str], ...], value: str) -> list[tuple[str, re.Pattern[str]]]:
    return [(needle, re.compile(rf"{before}{QUOTE}?+{value}")) for needle, before in rules]


_BY_NAME, _BY_PAIR = _rules(_NAMED, _VALUE), _rules(_PAIRS, _VALUE)
_BY_COMMAND = _rules(_COMMANDS, _WORD)


def options_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield where such secrets stand in a text, in no order, some perhaps twice."""
    for match in _found(_BY_NAME, text):
        name = match["name"]
        strong = is_password_name(name)
        if (strong or is_secret_name(name)) and is_secret_value(match["value"], strong=strong):
            yield match.span("value")
    for match in _found(_BY_PAIR, text):
        if is_secret_value(match["value"], strong=True):
            yield match.span("value")
    for match in _found(_BY_COMMAND, text):
        if is_secret_value(match["value"], strong=True, quoted=True):
            yield match.span("value")
    if "code=" in text:
        for match in _CODE.finditer(text):
            around = text[max(0, match.start() - 200) : match.end() + 200]
            if _SIGN_IN.search(around) and is_secret_value(match["value"], quoted=True):
                yield match.span("value")
    if "ookie" in text:
        yield from _cookies(text)


def _found(rules: list[tuple[str, re.Pattern[str]]], text: str) -> Iterator[re.Match[str]]:
    return (m for needle, rule in rules if needle in text for m in rule.finditer(text))


def _cookies(text: str) -> Iterator[tuple[int, int]]:
    """Yield the values of cookies: those of sessions, and others that look like a secret."""
    for header in _COOKIES.finditer(text):
        for match in _COOKIE.finditer(text, *header.span("line")):
            name, value = match["name"], match["value"]
            session = bool(_SESSION.search(name))
            if name.lower() not in _ATTRIBUTES and is_secret_value(
                value, strong=session, short=session
            ):
                yield match.span("value")
