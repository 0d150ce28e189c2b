"""Two queries under every tokeniser and measure, side by side, and where each fails quietly."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final

from agentlens.errors import PolicyError
from agentlens.progress.measures import MEASURES, at_least, score
from agentlens.progress.safe import normalise
from agentlens.progress.text import tokenize

__all__ = ["FAILURES", "TOKENISERS", "Cut", "Failure", "bigrams", "compare"]

TOKENISERS: Final = ("classic@1", "safe@1", "words-jieba", "whitespace", "bigrams")
_SIMILARITY: Final = Fraction(4, 5)
_RUN: Final = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]+|[^\W_\u3400-\u9fff]+")
_HAN: Final = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]")


def bigrams(text: str) -> frozenset[str]:
    """Return the pairs of neighbouring Chinese characters, other words whole; to compare.

    Examples
    --------
    >>> sorted(bigrams("北京天气 GDP"))
    ['gdp', '京天', '北京', '天气']
    """
    found: set[str] = set()
    for run in _RUN.findall(normalise(text)):
        if len(run) > 1 and _HAN.match(run):
            found |= {a + b for a, b in pairwise(run)}
        else:
            found.add(run)
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Cut:
    """What one tokeniser makes of two queries.

    Attributes
    ----------
    tokeniser
        One of `TOKENISERS`.
    first, second
        The token sets.
    scores
        For each measure its score as two integers, of cosine its square.
    missing
        Why there is none: what is not installed; empty else.
    """

    tokeniser: str
    first: frozenset[str]
    second: frozenset[str]
    scores: Mapping[str, tuple[int, int]]
    missing: str = ""

    def similar(self, measure: str) -> bool:
        """Return whether the measure calls the queries the same at 0.8."""
        return not self.missing and at_least(*self.scores[measure], _SIMILARITY, measure)


def compare(first: str, second: str) -> tuple[Cut, ...]:
    """Pull two queries apart by each of `TOKENISERS`; one that is missing says so."""
    return tuple(_cut(first, second, name) for name in TOKENISERS)


def _cut(first: str, second: str, tokeniser: str) -> Cut:
    try:
        one, other = (
            bigrams(text) if tokeniser == "bigrams" else tokenize(text, tokeniser)
            for text in (first, second)
        )
    except PolicyError as error:
        return Cut(tokeniser, frozenset(), frozenset(), {}, str(error))
    return Cut(tokeniser, one, other, {m: score(one, other, m) for m in MEASURES})


@dataclass(frozen=True, slots=True)
class Failure:
    """A pair of queries at which one choice fails without a word.

    Attributes
    ----------
    name
        Of the failure.
    first, second
        The queries.
    same
        Whether they ask the same.
    tokeniser, measure
        The choice that fails.
    golden
        The golden run or rows that hold it.
    """

    name: str
    first: str
    second: str
    same: bool
    tokeniser: str
    measure: str
    golden: str

    @property
    def cut(self) -> Cut:
        """The queries under the choice that fails."""
        return _cut(self.first, self.second, self.tokeniser)


FAILURES: Final = (
    Failure("jaccard", "北京天气", "北京今日天气 气温", True, "classic@1", "jaccard", "R2"),
    Failure("whitespace", "北京天气", "北京今日天气 气温", True, "whitespace", "containment", "R2"),
    Failure("full_width", "ＢＥＩＪＩＮＧ　２０２５", "ＢＥＩＪＩＮＧ　２０２４", False,
            "classic@1", "containment", "ＢＥＩＪＩＮＧ　２０２５"),
    Failure("symbols", "C++ 教程", "C# 教程", False, "classic@1", "containment", "G16"),
    Failure("order", "上海", "海上", False, "classic@1", "containment", "上海 · 海上"),
    Failure("synonyms", "天气", "气象", True, "classic@1", "containment", "G11"),
    Failure("years", "苹果公司2022年财报", "苹果公司2023年财报", False, "safe@1",
            "containment", "G12"),
)  # fmt: skip
