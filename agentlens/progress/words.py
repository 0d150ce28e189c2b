"""Words: the English plural, plain numbers, and Chinese words from jieba."""

from __future__ import annotations

import re
import threading
import warnings
from functools import lru_cache
from typing import Any, Final

from agentlens.errors import PolicyError

__all__ = ["jieba_tokens", "jieba_version", "plain_number", "split_letters", "stem"]

_ASCII_WORD: Final = re.compile(r"[a-z]{4,}\Z")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)*\Z")
_PARTS: Final = re.compile(r"\d+(?:\.\d+)*|[^\W\d_]+(?:'[^\W\d_]+)*")
# Words that end in s and are no plural.
_KEEP: Final = frozenset({"news", "series", "species", "always", "perhaps", "lens", "https"})


def stem(word: str) -> str:
    """Take the possessive and the plural off a lower-case word; tidy a number.

    The S-stemmer of Harman (How effective is suffixing?, JASIS 42(1), 1991), which changes fewer
    words than any other, for ASCII words of four letters and more; words in -is stay whole.
    """
    if word.endswith("'s"):
        word = word[:-2]
    if not _ASCII_WORD.match(word):
        return plain_number(word)
    if word in _KEEP:
        return word
    if word.endswith("ies"):
        return word if word.endswith(("eies", "aies")) else word[:-3] + "y"
    if word.endswith("es"):
        return word if word.endswith(("aes", "ees", "oes")) else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss", "is")):
        return word[:-1]
    return word


def plain_number(token: str) -> str:
    """Strip the leading zeros of a number (007 -> 7, 0.5 stays); other tokens stay as they are."""
    if token[:1] == "0" and _NUMBER.match(token):
        whole, dot, rest = token.partition(".")
        return (whole.lstrip("0") or "0") + dot + rest
    return token


def split_letters(token: str) -> list[str]:
    """Part letters from digits: python3.11 -> python, 3.11."""
    return _PARTS.findall(token) or [token]


_LOCK: Final = threading.Lock()
_WORD: Final = re.compile(r"[^\W_]")


def jieba_version() -> str | None:
    """Return the version of the installed jieba, None where it cannot be imported."""
    try:
        return str(_module().__version__)
    except PolicyError:
        return None


@lru_cache(maxsize=1)
def _module() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its own escapes and pkg_resources
            import jieba
    except ImportError as error:
        raise PolicyError(
            "profile 'words-jieba' needs the package jieba, which cannot be imported "
            f"({error}); install it or choose another profile"
        ) from error
    return jieba


@lru_cache(maxsize=1)
def _cutter() -> Any:
    """Build an own tokenizer: no user dictionary, no shared cache file, no word on stderr.

    jieba keeps its dictionary as marshal data in the temporary directory that everybody can write
    to; loading from there runs whatever somebody put in, and saves no time. Ours is built in a
    private directory that is gone afterwards.
    """
    jieba = _module()
    import logging
    import tempfile

    logger = logging.getLogger(jieba.__name__)
    level = logger.level
    cutter = jieba.Tokenizer()
    with tempfile.TemporaryDirectory(prefix="agentlens-") as folder:
        cutter.tmp_dir = folder
        cutter.cache_file = "jieba.cache"
        try:
            logger.setLevel(logging.CRITICAL + 10)
            cutter.initialize()
        finally:
            logger.setLevel(level)
    return cutter


def jieba_tokens(text: str, version: str | None) -> frozenset[str]:
    """Return the words of a normalised text, long words also in their parts.

    Parameters
    ----------
    text
        Normalised text.
    version
        The version of jieba that the profile names; None takes the one installed.

    Raises
    ------
    PolicyError
        Where jieba is missing or is another version than the one named.
    """
    installed = str(_module().__version__)
    if version is not None and installed != version:
        raise PolicyError(
            f"profile 'words-jieba@{version}' needs jieba {version}; installed is {installed}"
        )
    with _LOCK:
        cutter = _cutter()
    return frozenset(word for word in cutter.cut_for_search(text) if _WORD.search(word))
