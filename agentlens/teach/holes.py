"""The holes of a guard that compares token sets, both ways, and the layer that closes each.

The guard is `classic`: ``classic@1`` tokens, containment of at least 0.8. It cannot know what a
query means; whether two ask the same is for a person to say. Every hole is shown by a golden run.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from agentlens.progress.measures import at_least, score
from agentlens.progress.text import tokenize

__all__ = ["HOLES", "Attempt", "Hole", "attempt"]

_SIMILARITY = Fraction(4, 5)


@dataclass(frozen=True, slots=True)
class Attempt:
    """Two queries, what a person says of them and what the guard says.

    Attributes
    ----------
    first, second
        The queries.
    same
        Whether they ask the same, as a person says.
    num, den
        Their containment under ``classic@1``.
    similar
        Whether the guard takes them for the same.
    holes
        Names of the holes through which it was fooled; empty where it was right.
    """

    first: str
    second: str
    same: bool
    num: int
    den: int
    similar: bool
    holes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Pair:
    first: str
    second: str
    classic: tuple[frozenset[str], frozenset[str]]
    safe: tuple[frozenset[str], frozenset[str]]

    def similar(self, profile: str) -> bool:
        return at_least(*score(*getattr(self, profile)), _SIMILARITY)

    def digits_differ(self, profile: str) -> bool:
        one, other = getattr(self, profile)
        return any(any(c.isdecimal() for c in token) for token in one ^ other)

    def wide(self) -> bool:
        """Return whether a full-width letter or digit was dropped or kept apart."""
        return any(
            unicodedata.east_asian_width(c) == "F" and unicodedata.normalize("NFKC", c).isalnum()
            for c in self.first + self.second
        )

    def parts(self) -> tuple[int, int, int]:
        one, other = self.classic
        return len(one - other), len(other - one), min(len(one), len(other))


@dataclass(frozen=True, slots=True)
class Hole:
    """One way to fool the guard.

    Attributes
    ----------
    name
        Of the hole.
    same
        True: one question asked twice, which the guard does not see. False: two questions that it
        takes for one.
    golden
        The golden run, or the rows of the golden tokens, that show it.
    example
        Two queries that fool the guard this way.
    layer
        What closes it: a switch of the policy with its value, or ``novelty``, which looks at what
        the results brought.
    found
        Whether two queries that fool the guard do so through this hole.
    """

    name: str
    same: bool
    golden: str
    example: tuple[str, str]
    layer: str
    found: Callable[[_Pair], bool]


def _one_token(pair: _Pair) -> bool:
    return pair.parts()[2] == 1 and pair.classic[0] != pair.classic[1]


def _reordered(pair: _Pair) -> bool:
    return pair.safe[0] == pair.safe[1] and pair.similar("safe") and not pair.wide()


def _same_alphabet(pair: _Pair) -> bool:
    """Return whether none of the more telling holes explains it."""
    return (
        pair.similar("safe")
        and not pair.digits_differ("safe")
        and pair.safe[0] != pair.safe[1]
        and not _one_token(pair)
    )


#: In the order in which they are shown.
HOLES: tuple[Hole, ...] = (
    Hole("synonyms", True, "G11", ("天气", "气象"), "novelty", lambda p: not p.similar("safe")),
    Hole("spelling", True, "G18", ("best laptop 2024", "best laptops 2024"), 'profile = "safe@1"',
         lambda p: p.similar("safe")),
    Hole("years", False, "G12", ("苹果公司2022年财报", "苹果公司2023年财报"), "numeric_veto = true",
         lambda p: p.digits_differ("safe") and not p.wide()),
    Hole("cities", False, "G13", ("北京今日天气", "南京今日天气"), "novelty",
         lambda p: _same_alphabet(p) and min(p.parts()[:2]) > 0),
    Hole("narrowing", False, "G14", ("北京 旅游", "北京 旅游 攻略"), "novelty",
         lambda p: _same_alphabet(p) and min(p.parts()[:2]) == 0),
    Hole("one_token", False, "G15", ("天", "今天天气"), "min_tokens = 2", _one_token),
    Hole("symbols", False, "G16", ("C++ 教程", "C# 教程"), 'profile = "safe@1"',
         lambda p: not p.similar("safe") and not p.digits_differ("safe") and not p.wide()),
    Hole("full_width", False, "ＢＥＩＪＩＮＧ　２０２５",
         ("ＧＤＰ　２０２３年", "ＧＤＰ　２０２４年"), 'profile = "safe@1"',
         lambda p: p.wide() and p.safe[0] != p.safe[1]),
    Hole("order", False, "上海 · 海上", ("上海", "海上"), 'profile = "words-jieba"', _reordered),
)  # fmt: skip


def attempt(first: str, second: str, same: bool) -> Attempt:
    """Ask the guard about two queries, and name the holes if it is fooled.

    Two queries that are equal up to case and outer space cannot fool it.

    Examples
    --------
    >>> attempt("C++ 教程", "C# 教程", same=False).holes
    ('symbols',)
    """
    classic = tokenize(first, "classic@1"), tokenize(second, "classic@1")
    safe = tokenize(first, "safe@1"), tokenize(second, "safe@1")
    num, den = score(*classic)
    similar = at_least(num, den, _SIMILARITY)
    holes: tuple[str, ...] = ()
    trivial = first.strip().lower() == second.strip().lower()
    if same != similar and all(classic) and all(safe) and not trivial:
        pair = _Pair(first, second, classic, safe)
        holes = tuple(h.name for h in HOLES if h.same == same and h.found(pair))
    return Attempt(first, second, same, num, den, similar, holes)
