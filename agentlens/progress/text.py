"""From a query to its fingerprint: named, versioned token profiles.

A profile never changes under its name, and none depends on what happens to be installed: the name
is stored with every verdict, and the same name gives the same tokens everywhere.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

import regex

from agentlens.errors import PolicyError
from agentlens.progress.classic import classic_tokens
from agentlens.progress.safe import normalise, safe_tokens
from agentlens.progress.words import jieba_tokens, jieba_version, split_letters
from agentlens.trace.repair import whole_text

__all__ = ["PROFILES", "Profile", "describe", "get_profile", "tokenize"]

_SHORT = 512  # characters: queries; longer texts are not worth remembering


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """A named way to cut a text into tokens.

    Attributes
    ----------
    name
        The name that verdicts store.
    description
        One line for a reader.
    tokenizer
        ``(text, punct, split_alnum) -> frozenset of tokens``.
    punct
        What may happen to punctuation, the default first.
    """

    name: str
    description: str
    tokenizer: Callable[[str, str, bool], frozenset[str]]
    punct: tuple[str, ...]


def _safe(text: str, _punct: str, split_alnum: bool) -> frozenset[str]:
    return safe_tokens(text, split_alnum)


def _whitespace(text: str, _punct: str, split_alnum: bool) -> frozenset[str]:
    return _split(frozenset(text.lower().split()), split_alnum)


def _jieba(version: str | None) -> Callable[[str, str, bool], frozenset[str]]:
    def tokens(text: str, _punct: str, split_alnum: bool) -> frozenset[str]:
        return _split(jieba_tokens(normalise(text), version), split_alnum)

    return tokens


def _split(tokens: frozenset[str], split_alnum: bool) -> frozenset[str]:
    if not split_alnum:
        return tokens
    return frozenset(part for token in tokens for part in split_letters(token))


PROFILES: Final[Mapping[str, Profile]] = MappingProxyType(
    {
        profile.name: profile
        for profile in (
            Profile(
                "classic@1",
                "lower case, symbols deleted; Chinese by the character, the rest by the word",
                classic_tokens,
                ("delete", "space"),
            ),
            Profile(
                "safe@1",
                "one spelling for one meaning in any script; versions, dates, URLs, C++ kept whole",
                _safe,
                ("space",),
            ),
            Profile(
                "words-jieba",
                "Chinese words from jieba's dictionary, long words also in parts; to compare",
                _jieba(None),
                ("space",),
            ),
            Profile(
                "whitespace",
                "lower case, cut at white space only: a Chinese sentence is one token; to compare",
                _whitespace,
                ("keep",),
            ),
        )
    }
)

_ALIASES: Final[Mapping[str, Profile]] = MappingProxyType(
    {
        "words-jieba@0.42.1": Profile(
            "words-jieba@0.42.1",
            PROFILES["words-jieba"].description,
            _jieba("0.42.1"),
            ("space",),
        ),
        "whitespace@1": PROFILES["whitespace"],
    }
)


def get_profile(name: str) -> Profile:
    """Return a profile by its name, short or with its version.

    Raises
    ------
    PolicyError
        If there is no such profile; the message lists those that there are.
    """
    found = (PROFILES.get(name) or _ALIASES.get(name)) if isinstance(name, str) else None
    if found is None:
        known = ", ".join([*PROFILES, *_ALIASES])
        raise PolicyError(f"profile {name!r} is none of {known}")
    return found


def tokenize(
    text: object,
    profile: str = "safe@1",
    *,
    punct: str | None = None,
    split_alnum: bool = False,
) -> frozenset[str]:
    """Return the fingerprint of a text: its set of tokens.

    Parameters
    ----------
    text
        A query. Anything that is not a string, None included, has the empty fingerprint.
    profile
        A name of `PROFILES`; ``words-jieba@0.42.1`` and ``whitespace@1`` are accepted too.
    punct
        For ``classic@1``: ``delete`` (the default) or ``space``. Elsewhere leave it out.
    split_alnum
        Part letters from digits inside a word (iphone15 -> iphone, 15).

    Raises
    ------
    PolicyError
        For an unknown profile or `punct`, or a profile whose package is missing. No text, however
        damaged, raises.

    Examples
    --------
    >>> sorted(tokenize("北京天气"))
    ['京', '北', '天', '气']
    """
    chosen = get_profile(profile)
    mode = chosen.punct[0] if punct is None else punct
    if mode not in chosen.punct:
        raise PolicyError(f"punct {punct!r} of {chosen.name} is none of {', '.join(chosen.punct)}")
    if not isinstance(text, str) or not text:
        return frozenset()
    if len(text) <= _SHORT:
        return _remembered(text, chosen, mode, bool(split_alnum))
    return chosen.tokenizer(whole_text(text), mode, bool(split_alnum))


@lru_cache(maxsize=16384)
def _remembered(text: str, profile: Profile, punct: str, split_alnum: bool) -> frozenset[str]:
    return profile.tokenizer(whole_text(text), punct, split_alnum)


def describe(profile: str) -> dict[str, str]:
    """Return what a report must say so that its tokens can be had again.

    Returns
    -------
    dict
        ``profile``, ``description``, ``unicodedata`` and ``regex`` (versions), and ``jieba`` where
        the profile uses it.
    """
    chosen = get_profile(profile)
    facts = {
        "profile": chosen.name,
        "description": chosen.description,
        "unicodedata": unicodedata.unidata_version,
        "regex": str(regex.__version__),
    }
    if chosen.name.startswith("words-jieba"):
        facts["jieba"] = jieba_version() or "missing"
    return facts
