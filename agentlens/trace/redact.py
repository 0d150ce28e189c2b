"""Secrets out of text, before anything is shown, saved or exported.

The same secret gets the same placeholder (``<api-key:1>``), so that repeated calls still look
repeated. Tokens that say what they are stand in `secret_tokens`, values of settings named like
secrets in `secret_settings`; addresses with a password, e-mail addresses and home folders in
`secret_places`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from agentlens.trace.secret_places import BY_PLACE, PEOPLE, PLACED, is_one
from agentlens.trace.secret_settings import needles_in, settings_in
from agentlens.trace.secret_tokens import RULES, Rule
from agentlens.trace.secret_values import (
    WHO,
    are_secrets,
    is_password_name,
    is_phrase,
    is_secret_name,
    is_secret_value,
)

__all__ = ["BEGINNING", "Redactor", "redact", "redacting"]

_TOKENS = tuple((needle, rule) for rule in RULES for needle in rule.needles)
_SHORTER = tuple((needle, rule) for rule in PLACED for needle in rule.needles)
_TELLING = tuple((n, rule) for n, rule in _SHORTER if rule.kind in BY_PLACE)
_NAMES = tuple((needle, rule) for rule in PEOPLE for needle in rule.needles)
#: Most texts are short and hold nothing: without these no token is there, and no setting.
_LONG = re.compile(r"[A-Za-z0-9_+/=.-]{16}")
_SETS = re.compile(r"[=:：＝是为>]|--|ENV |login |value|set| -[uapPw]|_key ")
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

    def learn(self, texts: Sequence[str]) -> None:
        """Note the secrets that only what stands beside them tells, to mask them wherever they are.

        Called with all texts before the first is masked, none is shown that is told later. The
        texts are searched together for what could tell one, and then only those that hold it.
        """
        together = "\n".join(texts)
        settings = needles_in(together)
        rules = [(needle, rule) for needle, rule in _TELLING if needle in together]
        for text in texts if settings or rules else ():
            if any(needle in text for needle in settings):
                for begin, end in settings_in(text):
                    self._know("secret", text[begin:end])
            for needle, rule in rules:
                if needle in text:
                    for match in rule.compiled().finditer(text):
                        if is_one(rule.kind, match, match["s"]):
                            self._know(rule.kind, match["s"])

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
        if not isinstance(key, str) or not is_secret_name(key):
            return self.redact_values(item)
        if isinstance(item, str):
            masked = self(item)
            return (
                self._named("secret", item) if masked == item and _is_whole(key, item) else masked
            )
        if isinstance(item, list | tuple) and are_secrets(key, item):
            return [self._under(key, one) for one in item]
        if isinstance(item, Mapping) and are_secrets(key, item):
            names = {inner: inner if inner in WHO else key for inner in item}
            return {self.redact_values(k): self._under(names[k], one) for k, one in item.items()}
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
            if not is_one(rule.kind, match, secret):
                return match[0]
            begin = match.start(group) - match.start()
            name = self._name(rule.kind, secret)
            self.counts[rule.kind] += 1
            if rule.kind in BY_PLACE:
                self._know(rule.kind, secret)
            return match[0][:begin] + name + match[0][begin + len(secret) :]

        return rule.compiled().sub(mask, text)

    def _name(self, kind: str, secret: str) -> str:
        if secret not in self._names:
            self._numbers[kind] += 1
            self._names[secret] = f"<{kind}:{self._numbers[kind]}>"
        return self._names[secret]


def _is_whole(name: str, text: str) -> bool:
    """Say whether all that stands under the name of a secret is one."""
    strong = is_password_name(name)
    if " " in text.strip():
        return strong and is_phrase(text)
    return is_secret_value(text, strong=strong, short=True, quoted=True)


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
