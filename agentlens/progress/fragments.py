"""What differs in every result of one repeated call, and is therefore no news.

The masks of `results` know times, hashes and the like by their looks. A message id ``m17``, a
shard number or "read 4x this session" look like content, and are found only by comparing: a
fragment that never came twice, in results that agree in everything else, is masked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from agentlens.progress.novelty import MAX_RESULT
from agentlens.progress.results import lines

__all__ = ["PLACEHOLDER", "FragmentLearner", "masked"]

#: What stands for a learned fragment: the word that the static masks use for an id.
PLACEHOLDER = "<id>"

#: A result with more fragments is a table of data, not an answer with an id in it.
_MAX_FRAGMENTS = 400
_ENOUGH = 3
#: A word that holds a digit; the look behind keeps the search linear.
_WORD = re.compile(r"(?<![A-Za-z0-9_.\-])([A-Za-z_.\-]*[0-9][A-Za-z0-9_]*(?:[.\-]+[A-Za-z0-9_]+)*)")
#: A number, alone or with a unit of up to three letters.
_NUMBER = re.compile(r"(-?[0-9]{1,30}(?:\.[0-9]{1,30})?)[A-Za-z]{0,3}")
#: A share of a whole says how far something got: ``3/10``, ``3 of 10``, ``30%``.
_OF_WHOLE = re.compile(r"\s?(?:/|%|of\b|out\b)")
_WHOLE = re.compile(r"(?:/|\bof)\s?\Z")
#: Names of numbers that belong to the call and not to what it found.
_OF_CALL = re.compile(
    r"(?:duration|elapsed|latency|took|wall[_ ]?time|(?:execution|response|run)[_ ]?time"
    r"|execution[_ ]?count|exec[_ ]?count)[a-z_ ]{0,20}[\"':=#\[\s]{0,4}\Z",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Slot:
    """One fragment's values in the results of a repeated call."""

    values: set[str] = field(default_factory=set)
    latest: float | None = None
    alive: bool = True
    plain: bool = True
    rises: bool = True
    falls: bool = True
    tallies: bool = True

    def add(self, word: str) -> None:
        if not self.alive:
            return
        if word in self.values:
            self.alive, self.values = False, set()
            return
        self.values.add(word)
        match = _NUMBER.fullmatch(word)
        if match is None:
            self.plain = False
        if not self.plain or match is None:
            return
        number = float(match[1])
        if self.latest is not None:
            step = number - self.latest
            self.rises, self.falls = self.rises and step > 0, self.falls and step < 0
            self.tallies = self.tallies and step == 1
        self.latest = number

    def is_volatile(self, of_call: bool, of_whole: bool) -> bool:
        """Say whether the fragment is masked from now on.

        A number that only rises or only falls may be how far something got, and stays: unless it
        counts the calls (one more each time) or its name says that it is about the call.
        """
        if not self.alive or len(self.values) < _ENOUGH:
            return False
        if not self.plain or of_call:
            return True
        if of_whole:
            return False
        return self.tallies or not (self.rises or self.falls)


def masked(text: str) -> str:
    """Return a result with the static masks only; its end beyond 200,000 characters as it is."""
    return _joined(text[:MAX_RESULT]) + text[MAX_RESULT:]


@lru_cache(maxsize=64)
def _joined(text: str) -> str:
    """Return the masked lines as one text; a loop brings the same long result again and again."""
    return "\n".join(lines(text))


class FragmentLearner:
    """Masks results, one by one, each by what it and the earlier ones of the same call show.

    Results of one call are compared where they have the same *shape*: the same masked text once
    every word that holds a digit is taken out. A word at one place of a shape is volatile from
    the third result on, where no value came twice; see `_Slot.is_volatile` for numbers.
    """

    def __init__(self) -> None:
        self._once: set[tuple[bytes, int]] = set()
        self._repeated: set[tuple[bytes, int]] = set()
        self._first: dict[bytes, str | None] = {}
        self._seen: dict[tuple[bytes, tuple[str, ...]], list[_Slot]] = {}

    def mask(self, call: bytes, text: str) -> str:
        """Return a result's masked text, and remember it.

        Parameters
        ----------
        call
            What its call is known by; results of different calls never meet.
        text
            The result as the log has it.
        """
        known, rest = _joined(text[:MAX_RESULT]), text[MAX_RESULT:]
        if call not in self._first:
            self._first[call] = known
            return known + rest
        if (first := self._first[call]) is not None:
            self._first[call] = None
            self._mask(call, first)  # most calls come once: their results are never taken apart
        return self._mask(call, known) + rest

    def _mask(self, call: bytes, known: str) -> str:
        same = call, hash(known)
        if same in self._repeated:
            return known  # the second time ended whatever could be learned from this shape
        if same in self._once:
            self._repeated.add(same)
        self._once.add(same)
        pieces = _WORD.split(known)
        if not 1 < len(pieces) <= 2 * _MAX_FRAGMENTS:
            return known
        around, words = pieces[::2], pieces[1::2]
        key = call, tuple(around)
        slots = self._seen.get(key)
        if slots is None:
            slots = self._seen[key] = [_Slot() for _ in words]
        for at, slot in enumerate(slots):
            slot.add(words[at])
            if len(slot.values) < _ENOUGH:
                continue
            before, after = around[at][-60:], around[at + 1]
            whole = bool(_OF_WHOLE.match(after) or _WHOLE.search(before))
            if slot.is_volatile(bool(_OF_CALL.search(before)), whole):
                pieces[2 * at + 1] = PLACEHOLDER
        return "".join(pieces)
