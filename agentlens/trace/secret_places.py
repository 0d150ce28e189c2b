"""Secrets that only what stands beside them tells, and people: addresses, home folders.

``Bearer``, ``user:password@host``, ``name@example.org``, ``/home/name``.
"""

from __future__ import annotations

import re

from agentlens.trace.secret_tokens import Rule

__all__ = ["BY_PLACE", "PEOPLE", "PLACED", "is_one"]

#: What comes after the tokens, in this order.
PLACED = (
    Rule(
        "token",
        ("earer", "EARER"),
        r"(?:[Bb]earer|BEARER)(?:\s|%20|\+){1,4}(?P<s>[A-Za-z0-9._~+/=-]{12,4000})",
    ),
    Rule(
        "token",
        ("asic ",),
        r"[Aa]uthorization(?:\\{0,7}[\"'])?\s{0,4}[:=]\s{0,4}(?:\\{0,7}[\"'])?[Bb]asic\s{1,4}"
        r"(?P<s>[A-Za-z0-9+/=]{8,1000})",
    ),
    Rule("password", ("://",), r"://[^\s:/@\"'<>\\]{0,100}:(?P<s>[^\s/\"'<>\\]{1,200})@"),
    Rule("token", ("://",), r"://(?P<s>[A-Za-z0-9_-]{20,200})@"),
)
#: Domains' ends that are not written in Latin letters, those in use most; from IANA's root zone.
_ENDS = "中国|中國|公司|网络|网址|在线|中文网|商城|集团|香港|台湾|台灣|澳門|新加坡|рф|한국|भारत"
PEOPLE = (
    Rule(
        "email",
        ("@",),
        r"(?:(?<![A-Za-z0-9._%+\\-])|(?<=\\[nrt])|(?<=\\)(?![nrt]))[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}"
        rf"@(?:(?:[A-Za-zÀ-ɏ0-9-]{{1,63}}|[^\W\x00-ɏ]{{1,30}})\.){{1,8}}(?:[A-Za-z]{{2,24}}|{_ENDS})(?![A-Za-z0-9-])",
    ),
    Rule(
        "user",
        ("/home/", "/Users/", "Users\\", "-home-", "-Users-"),
        r"(?:/home/|/Users/|[A-Za-z]:\\{1,8}Users\\{1,8}|(?<=/)-(?:home|Users)-)"
        r"(?P<s>\w(?:[\w.]|-(?=\w)){0,63})",
    ),
)
#: Accounts that say nothing of a person.
_NO_PERSON = frozenset(
    "user root runner ubuntu vscode jovyan shared public default node app users username you "
    "youruser name me".split()
)
#: Names of places on a web site, for which ``/home/`` stands too.
_PAGES = frozenset("page pages index about main dashboard search login products settings".split())
#: Before ``@`` of something that is no person's address; and what no address ends with.
_NO_ADDRESS = frozenset(("git", "noreply", "no-reply"))
_FILES = re.compile(
    r"(?i)@[0-9]x\.|@v?[0-9]{1,5}\.[0-9]"
    r"|\.(?:png|jpe?g|gif|svg|webp|js|mjs|css|html?|json|ya?ml|toml)$"
)
_URL = re.compile(
    r"https?://[^\s\"'<>]*$|\b(?:GET|POST|PUT|PATCH|DELETE|HEAD) $|(?:href|action)=.?$"
)
#: Kinds that are seen only beside a word such as ``Bearer``, and masked wherever else they stand.
BY_PLACE = ("token", "password")
#: What names are made of, of packages, models and functions, and no key is made of alone; and of
#: thirty random letters and digits, one is a capital or a digit.
_SYLLABLES = re.compile(r"[A-Z]{0,8}(?:(?:[a-z]{1,15}|[0-9]{1,4}|[a-z0-9]{1,4})(?:[-_.]|$)){2,}")
_LETTERS = re.compile(r"[A-Z]{0,8}[a-z]{30,}")


def _is_words(text: str) -> bool:
    """Say whether what begins like a key is a name: ``sk-learn-based-model``."""
    return bool(_SYLLABLES.fullmatch(text) or _LETTERS.fullmatch(text))


def is_one(kind: str, match: re.Match[str], secret: str) -> bool:
    """Say whether what a pattern found is a secret and no word about one."""
    if kind == "user":
        if secret.lower() in _NO_PERSON or secret.lower() in _PAGES:
            return False
        before = match.string[max(0, match.start() - 200) : match.start()]
        return not _URL.search(before)
    if kind == "email":
        return secret.partition("@")[0] not in _NO_ADDRESS and not _FILES.search(secret)
    if kind == "token":
        return secret.upper() != secret.lower() and (
            secret != secret.lower() or any(c in "0123456789." for c in secret)
        )
    if kind == "api-key":
        return not _is_words(secret)
    return not (kind == "password" and secret.startswith(("<", "$", "{", "%s", "***")))
