"""Secrets out of text, before anything is shown, saved or exported.

The same secret gets the same placeholder (``<api-key:1>``), so that repeated calls still look
repeated. Tokens that say what they are stand in `secret_tokens`, values of settings named like
secrets in `secret_settings`; addresses with a password, e-mail addresses and home folders here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from agentlens.trace.secret_settings import is_secret_name, is_secret_value, settings_in
from agentlens.trace.secret_tokens import RULES, Rule

__all__ = ["BEGINNING", "Redactor", "redact", "redacting"]

#: What comes after the tokens, in this order.
_OTHERS = (
    Rule("token", ("earer",), r"[Bb]earer(?:\s|%20|\+){1,4}(?P<s>[A-Za-z0-9._~+/=-]{12,4000})"),
    Rule(
        "token",
        ("asic ",),
        r"[Aa]uthorization(?:\\{0,7}[\"'])?\s{0,4}[:=]\s{0,4}(?:\\{0,7}[\"'])?[Bb]asic\s{1,4}"
        r"(?P<s>[A-Za-z0-9+/=]{8,1000})",
    ),
    Rule("password", ("://",), r"://[^\s:/@\"'<>\\]{0,100}:(?P<s>[^\s/\"'<>\\]{1,200})@"),
    Rule("token", ("://",), r"://(?P<s>[A-Za-z0-9_-]{20,200})@"),
)
_PEOPLE = (
    Rule(
        "email",
        ("@",),
        r"(?:(?<![A-Za-z0-9._%+\\-])|(?<=\\[nrt])|(?<=\\)(?![nrt]))[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}"
        r"@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])",
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
#: Before ``@`` of something that is no person's address; and what no address ends with.
_NO_ADDRESS = frozenset(("git", "noreply", "no-reply"))
_FILES = re.compile(r"(?i)@[0-9]x\.|\.(?:png|jpe?g|gif|svg|webp|js|mjs|css|html?|json|ya?ml|toml)$")
_URL = re.compile(r"https?://[^\s\"'<>]*$")
_TOKENS = tuple((needle, rule) for rule in RULES for needle in rule.needles)
_SHORTER = tuple((needle, rule) for rule in _OTHERS for needle in rule.needles)
_NAMES = tuple((needle, rule) for rule in _PEOPLE for needle in rule.needles)
#: Most texts are short and hold nothing: without these no token is there, and no setting.
_LONG = re.compile(r"[A-Za-z0-9_+/=.-]{16}")
_SETS = re.compile(r"[=:：＝是为]|--|ENV |login |value| -u")
#: A secret that has been seen by its setting is masked wherever else it stands; so many are kept.
_MOST_KNOWN = 1000
#: Shorter ones may be words.
_LEAST_KNOWN = 10


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
    >>> masker.secrets
    Counter({'email': 2})
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._names: dict[str, str] = {}
        self._numbers: Counter[str] = Counter()
        self._known: dict[str, str] = {}

    def learn(self, text: str) -> None:
        """Note the secrets that only their setting tells, to mask them wherever else they stand.

        Called with all texts before the first is masked, none is shown that is told later.
        """
        for begin, end in settings_in(text):
            self._know("secret", text[begin:end])

    @property
    def secrets(self) -> Counter[str]:
        """How many different secrets of each kind were masked."""
        return Counter(self._numbers)

    def __call__(self, text: str) -> str:
        """Return the text with its secrets masked."""
        if _LONG.search(text):
            for needle, rule in _TOKENS:
                if needle in text:
                    text = self._sub(rule, text)
        for needle, rule in _SHORTER:
            if needle in text:
                text = self._sub(rule, text)
        if _SETS.search(text):
            text = self._settings(text)
        for needle, rule in _NAMES:
            if needle in text:
                text = self._sub(rule, text)
        if self._known:
            for secret, kind in self._known.items():
                if secret in text:
                    self.counts[kind] += text.count(secret)
                    text = text.replace(secret, self._name(kind, secret))
        return text

    def redact_values(self, value: Any) -> Any:
        """Return plain values (dicts, lists, texts, numbers) with the secrets in texts masked.

        What stands under a key named like a secret is one, and so is what follows such an option
        in a list of words.
        """
        if isinstance(value, str):
            return self(value)
        if isinstance(value, Mapping):
            return {
                self.redact_values(key): self._under(self._key_of(key, value), item)
                for key, item in value.items()
            }
        if isinstance(value, list | tuple):
            return self._sequence(value)
        return value

    def _sequence(self, items: Sequence[Any]) -> list[Any]:
        options = ["", *(o if isinstance(o, str) and o[:2] == "--" else "" for o in items)]
        return [self._under(option, item) for option, item in zip(options, items, strict=False)]

    @staticmethod
    def _key_of(key: Any, within: Mapping[Any, Any]) -> Any:
        """Return what a value is named: its key, or what stands under ``name`` beside ``value``."""
        return within.get("name", key) if key == "value" else key

    def _under(self, key: Any, item: Any) -> Any:
        """Return a value masked, as a whole where its key says that it is a secret."""
        if isinstance(item, str) and isinstance(key, str) and is_secret_name(key):
            strong = "pass" in key.lower() or "pwd" in key.lower()
            masked = self(item)
            whole = masked == item and " " not in item.strip()
            if whole and is_secret_value(item, strong=strong, short=True, quoted=True):
                return self._named("secret", item)
            return masked
        return self.redact_values(item)

    def _settings(self, text: str) -> str:
        parts, at = [], 0
        for begin, end in settings_in(text):
            secret = text[begin:end]
            parts += [text[at:begin], self._named("secret", secret)]
            at = end
        return "".join([*parts, text[at:]]) if parts else text

    def _named(self, kind: str, secret: str) -> str:
        """Return the placeholder of a secret that only its place tells, and know it from now on."""
        self.counts[kind] += 1
        self._know(kind, secret)
        return self._name(kind, secret)

    def _know(self, kind: str, secret: str) -> None:
        if len(secret) >= _LEAST_KNOWN and len(self._known) < _MOST_KNOWN:
            self._known.setdefault(secret, kind)

    def _sub(self, rule: Rule, text: str) -> str:
        def mask(match: re.Match[str]) -> str:
            group = "s" if "s" in match.re.groupindex else 0
            secret = match[group]
            if not _is_one(rule.kind, match, secret):
                return match[0]
            begin = match.start(group) - match.start()
            name = self._name(rule.kind, secret)
            self.counts[rule.kind] += 1
            if rule.kind in ("token", "password"):
                self._know(rule.kind, secret)
            return match[0][:begin] + name + match[0][begin + len(secret) :]

        return rule.compiled().sub(mask, text)

    def _name(self, kind: str, secret: str) -> str:
        if secret not in self._names:
            self._numbers[kind] += 1
            self._names[secret] = f"<{kind}:{self._numbers[kind]}>"
        return self._names[secret]


def _is_one(kind: str, match: re.Match[str], secret: str) -> bool:
    """Say whether what a pattern found is a secret and no word about one."""
    if kind == "user":
        if secret.lower() in _NO_PERSON:
            return False
        before = match.string[max(0, match.start() - 200) : match.start()]
        return not _URL.search(before)
    if kind == "email":
        return secret.partition("@")[0] not in _NO_ADDRESS and not _FILES.search(secret)
    if kind == "token":
        return secret.upper() != secret.lower() and (
            secret != secret.lower() or any(c in "0123456789." for c in secret)
        )
    return not (kind == "password" and secret.startswith(("<", "$", "{", "%s", "***")))


#: Of a text that is shown shortened only so much is searched: longer than any secret.
BEGINNING = 16_384
_CURRENT: ContextVar[Redactor | None] = ContextVar("redactor", default=None)


@contextmanager
def redacting(masker: Redactor) -> Iterator[Redactor]:
    """Have `redact` use one masker: the texts of one page number their secrets together."""
    token = _CURRENT.set(masker)
    try:
        yield masker
    finally:
        _CURRENT.reset(token)


def redact(text: str) -> str:
    """Return a text with its secrets masked.

    Placeholders count from 1 in each call, or through all calls within `redacting`. Masked are
    API keys, tokens, private keys, passwords in addresses, values of settings named like secrets,
    e-mail addresses and the names of home folders.

    Examples
    --------
    >>> redact("curl -H 'Authorization: Bearer abcdef0123456789' /home/anna/x")
    "curl -H 'Authorization: Bearer <token:1>' /home/<user:1>/x"
    """
    return (_CURRENT.get() or Redactor())(text)
