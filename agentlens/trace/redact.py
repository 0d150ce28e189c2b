"""Secrets out of text, before anything is shown, saved or exported.

The same secret gets the same placeholder (``<api-key:1>``), so that repeated calls still look
repeated. Patterns are of the kinds that issuers publish; each starts at fixed text and runs over
one class of characters, so that the time is linear in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

__all__ = ["BEGINNING", "Redactor", "redact"]

#: Kinds, the most specific first, and what they look like. Group ``s``, where there is one, is
#: what is masked; the rest stays.
_PATTERNS: tuple[tuple[str, str], ...] = (
    (
        "private-key",
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]{1,20000}"
        r"(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?",
    ),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{4,8000}\.[A-Za-z0-9_-]{4,4000}"),
    (
        "api-key",
        r"\b(?:sk-[A-Za-z0-9_-]{16,300}|(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,200}"
        r"|gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}|glpat-[A-Za-z0-9_-]{16,64}"
        r"|A(?:KIA|SIA)[A-Z0-9]{16}\b|AIza[A-Za-z0-9_-]{30,50}|xox[abeoprs]-[A-Za-z0-9-]{10,250}"
        r"|hf_[A-Za-z0-9]{20,64}|npm_[A-Za-z0-9]{30,64}|pypi-[A-Za-z0-9_-]{30,400}"
        r"|tvly-[A-Za-z0-9_-]{16,64}|gsk_[A-Za-z0-9]{20,100}|ya29\.[A-Za-z0-9_-]{20,400}"
        r"|lsv2_[A-Za-z0-9_]{20,100}|dop_v1_[a-f0-9]{32,80}"
        r"|SG\.[A-Za-z0-9_-]{16,80}\.[A-Za-z0-9_-]{16,80})",
    ),
    ("token", r"\b[Bb]earer\s{1,4}(?P<s>[A-Za-z0-9._~+/=-]{12,4000})"),
    (
        "token",
        r"\b[Aa]uthorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?[Bb]asic\s{1,4}"
        r"(?P<s>[A-Za-z0-9+/=]{8,1000})",
    ),
    ("password", r"\b[a-z][a-z0-9+.-]{1,30}://[^\s:/@\"'<>]{0,100}:(?P<s>[^\s@/\"'<>]{1,200})@"),
    (
        "secret",
        r"(?i:\b|_)(?i:password|passwd|pwd|secret|api[_-]?key|apikey|access[_-]?key|auth[_-]?token"
        r"|access[_-]?token|client[_-]?secret|private[_-]?key)(?:\\?[\"'])?\s{0,4}[:=]\s{0,4}"
        r"(?:\\?[\"'])?(?P<s>[^\s\"'\\,;&<>(){}\[\]]{6,200})",
    ),
    ("email", r"\b[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b"),
    ("user", r"(?:/home/|/Users/|\b[A-Za-z]:\\{1,2}Users\\{1,2})(?P<s>[A-Za-z0-9][\w.-]{0,63})"),
)  # fmt: skip
_COMPILED = tuple((kind, re.compile(pattern)) for kind, pattern in _PATTERNS)
#: Values after ``password=`` and the like that are no secrets.
_NO_SECRET = frozenset(
    "none null true false undefined string required optional redacted example".split()
)
#: Accounts that say nothing of a person.
_NO_PERSON = frozenset(
    "user root runner ubuntu vscode jovyan shared public default node app".split()
)


class Redactor:
    """Masks secrets in many texts, the same one always by the same placeholder.

    Attributes
    ----------
    counts : Counter
        How often a secret of each kind was masked.

    Examples
    --------
    >>> masker = Redactor()
    >>> masker("mail anna@example.org, then bob@example.org, then anna@example.org")
    'mail <email:1>, then <email:2>, then <email:1>'
    >>> masker.counts
    Counter({'email': 3})
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._names: dict[tuple[str, str], str] = {}
        self._numbers: Counter[str] = Counter()

    def __call__(self, text: str) -> str:
        """Return the text with its secrets masked."""
        for kind, pattern in _COMPILED:
            text = pattern.sub(partial(self._mask, kind), text)
        return text

    def redact_values(self, value: Any) -> Any:
        """Return plain values (dicts, lists, texts, numbers) with the secrets in texts masked."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, Mapping):
            return {key: self.redact_values(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.redact_values(item) for item in value]
        return value

    def _mask(self, kind: str, match: re.Match[str]) -> str:
        whole = match[0]
        group = "s" if "s" in match.re.groupindex else 0
        secret = match[group]
        if secret.startswith("<") or (kind == "secret" and _harmless(secret)):
            return whole
        if kind == "user" and secret.lower() in _NO_PERSON:
            return whole
        self.counts[kind] += 1
        start = match.start(group) - match.start()
        return whole[:start] + self._name(kind, secret) + whole[start + len(secret) :]

    def _name(self, kind: str, secret: str) -> str:
        key = (kind, secret)
        if key not in self._names:
            self._numbers[kind] += 1
            self._names[key] = f"<{kind}:{self._numbers[kind]}>"
        return self._names[key]


def _harmless(value: str) -> bool:
    """Say whether what stands after ``password=`` is a word about secrets, not one."""
    return value.lower() in _NO_SECRET or value.startswith(("$", "os.", "process.", "self.", "env"))


#: Of a text that is shown shortened only so much is searched: longer than any secret.
BEGINNING = 16_384


def redact(text: str) -> str:
    """Return a text with its secrets masked; placeholders count from 1 in each call.

    Masked are API keys, tokens, private keys, passwords in addresses, values of settings named
    like secrets, e-mail addresses and the names of home folders.

    Examples
    --------
    >>> redact("curl -H 'Authorization: Bearer abcdef0123456789' /home/anna/x")
    "curl -H 'Authorization: Bearer <token:1>' /home/<user:1>/x"
    """
    return Redactor()(text)
