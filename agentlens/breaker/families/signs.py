"""What a round shows: which calls repeat, wait, fail, and whether anything came of it.

Signs are taken once a run, call after call, and every rule of the default policy reads them. They
rest on what came before and never on what follows, so that a guard and a replay see the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentlens.breaker.families.facts import Facts
from agentlens.breaker.families.failures import failed, is_fatal, signature
from agentlens.breaker.families.looks import command_of, is_look
from agentlens.breaker.families.ranges import Ranges
from agentlens.breaker.families.waits import wait_kind
from agentlens.progress.calls import Call
from agentlens.progress.echo import without_echo
from agentlens.progress.fragments import FragmentLearner
from agentlens.progress.keys import CallKeys
from agentlens.progress.novelty import MAX_RESULT

if TYPE_CHECKING:
    from agentlens.breaker.seen import SeenCall, SeenResult, SeenRound

__all__ = ["CallSigns", "RoundSigns", "Signs"]

#: Arguments that name an element of a page by a number that a new snapshot changes, and those
#: that say what it is; beside these the number says nothing.
_REFS = frozenset("ref index uid element_id elementId node_id nodeId backend_node_id".split())
_NAMES = frozenset("name label role element description text_content aria_label".split())
_NEWS_OF_ACTIONS = frozenset(("write", "run", "unknown"))
#: Pages that a model describes anew differ in lines each time. Of so many words, an answer brings
#: nothing where so few are new to the thread: fewer for a call that was not made before. Files and
#: commands repeat their words and are told by their lines alone.
_WORDY = 30
_FEW_AGAIN, _FEW = 0.20, 0.05
_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class CallSigns:
    """Signs of one call that ran.

    Attributes
    ----------
    call, key
        Its number; what it is known by, volatile arguments left out.
    answer
        Its result as an integer, what changes by itself left out.
    failure
        The failure as an integer, 0 for none; `fatal` where trying again cannot help.
    wait
        What it waits for, or nothing.
    ran
        It was not refused, and has a result.
    silent
        It brought no text at all.
    news, change
        It brought a line that the thread had not seen; it changed something.
    again
        The thread had made this call before.
    reread
        It read only ranges that were read before.
    excused
        It is the first such call since the context was cut.
    """

    call: int
    key: int
    answer: int
    failure: int
    fatal: bool
    wait: str
    ran: bool
    silent: bool
    news: bool
    change: bool
    again: bool
    reread: bool
    excused: bool
    effect: str


@dataclass(frozen=True, slots=True)
class RoundSigns:
    """Signs of a round that ran: those of its calls, and whether anything came of it."""

    calls: tuple[CallSigns, ...]

    @property
    def fresh(self) -> bool:
        """True where a call brought news or changed something."""
        return any(c.news or c.change for c in self.calls)

    @property
    def waits(self) -> bool:
        """True where all that it does is to wait."""
        acts = [c for c in self.calls if c.effect != "think"]
        return bool(acts) and all(c.wait for c in acts)


class Signs:
    """Takes the signs of the rounds of one thread, oldest first."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._masked = facts.result_keys("masked")
        self._keys = CallKeys()
        self._answers = FragmentLearner()
        self._lines: set[str] = set()
        self._ranges = Ranges()
        self._last: dict[int, tuple[str, float | None]] = {}
        self._made: dict[int, int] = {}
        self._told: dict[int, int] = {}
        self._words: set[str] = set()
        self._sizes: dict[int, int] = {}
        self._had: set[int] = set()
        self._epoch = 0

    def begin(self, seen: SeenRound) -> None:
        """Take note of what happened before a round: once a round."""
        if "compaction" in seen.events:
            self._epoch += 1
            self._ranges.clear()

    def keys(self, seen: SeenRound) -> tuple[int, ...]:
        """Return what the calls of a round are known by, before it runs."""
        return tuple(self._facts.intern(self._keys.peek(_as_call(c, None))) for c in seen.calls)

    def rereads(self, seen: SeenRound) -> tuple[bool, ...]:
        """Return for each call whether it reads only what was read."""
        return tuple(self._ranges.covers(call) for call in seen.calls)

    def take(self, seen: SeenRound, results: Sequence[SeenResult]) -> RoundSigns:
        """Return the signs of a round that ran, and remember what it brought."""
        made = tuple(
            self._of_call(call, result, seen.started)
            for call, result in zip(seen.calls, results, strict=False)
        )
        return RoundSigns(made)

    def _of_call(self, call: SeenCall, result: SeenResult, arrived: float | None) -> CallSigns:
        facts = self._facts
        known = self._keys.add(_as_call(call, result))
        key = facts.intern(known)
        text = result.text[:MAX_RESULT]
        began = result.started if result.started is not None else arrived
        before = self._last.get(key)
        interval = None
        if before is not None and before[1] is not None and began is not None:
            interval = began - before[1]
        wait = wait_kind(call, result, before[0] if before else None, interval)
        self._last[key] = (text.strip(), began)
        bad = failed(result)
        ran = result.status not in ("missing", "denied")
        answer = self._answers.mask(known, text)
        self._masked(call, result)  # while the masked text is at hand, for rules that compare it
        answered = facts.intern(("answer", result.status, answer))
        news = ran and not bad and self._is_news(call, answer, answered)
        if len(answer) > 2 * _WORDY and not bad and command_of(call) is None:
            if not self._brings_words(call, key, answer, answered):
                answered, news = self._told.get(key, answered), False
            self._told[key] = answered
        first = key not in self._made
        excused = not first and self._made[key] < self._epoch
        self._made[key] = self._epoch
        acts = call.effect in _NEWS_OF_ACTIONS and not is_look(call)
        reread = self._ranges.covers(call)
        if ran and not bad:
            self._ranges.add(call)
        failure = facts.intern(("failure", signature(call, result))) if bad else 0
        return CallSigns(
            call=call.number,
            key=key,
            answer=answered,
            failure=failure,
            fatal=bad and is_fatal(call, result),
            wait=wait,
            ran=ran,
            silent=not text.strip(),
            news=news and not reread,
            change=ran and not bad and first and acts and (
                call.effect == "write" or not text.strip()
            ),
            again=not first,
            reread=reread,
            excused=excused,
            effect=call.effect,
        )  # fmt: skip

    def _brings_words(self, call: SeenCall, key: int, answer: str, answered: int) -> bool:
        """Say whether a wordy answer has words that the thread had not seen; True of others."""
        new, size = 0, self._sizes.get(answered)
        if size is None:
            words = set(_WORDS.findall(answer))
            new, size = len(words - self._words), len(words)
            self._words |= words
            self._sizes[answered] = size
        if size < _WORDY:
            return True
        if key in self._made:
            return new > _FEW_AGAIN * size
        return call.effect == "read" or new > _FEW * size

    def _is_news(self, call: SeenCall, answer: str, answered: int) -> bool:
        """Say whether an answer has a line that the thread had not seen; a new URL makes one.

        A line that is new only in what it repeats of the question is none.
        """
        if answered in self._had or not answer:
            return False
        self._had.add(answered)
        lines = self._lines
        new = set(answer.split("\n")) - lines
        lines |= new
        if not call.queries or not new:
            return bool(new)
        bare = {without_echo(line, call.queries) for line in new}
        told = bare - lines  # of a line that repeats nothing, `bare` is the line itself
        lines |= told
        return bool(told) or not new.isdisjoint(bare)


def _as_call(call: SeenCall, result: SeenResult | None) -> Call:
    args = call.args
    if args and not _REFS.isdisjoint(args) and not _NAMES.isdisjoint(args):
        args = {name: value for name, value in args.items() if name not in _REFS}
    target = call.target or None
    if result is None:
        return Call(call.tool, None, call.effect, args, call.args_raw, call.queries, target)
    return Call(
        call.tool, None, call.effect, args, call.args_raw, call.queries, target,
        result.status, result.exit_code, result.text[:MAX_RESULT],
    )  # fmt: skip
