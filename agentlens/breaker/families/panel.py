"""The rules of a policy at work on one thread: the same for a recorded run and a live one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from agentlens.breaker.families.barren import Barren
from agentlens.breaker.families.base import Family, strongest
from agentlens.breaker.families.board import Board, Known
from agentlens.breaker.families.count import Count
from agentlens.breaker.families.cycle import Cycle
from agentlens.breaker.families.errors import Errors
from agentlens.breaker.families.facts import Facts
from agentlens.breaker.families.novelty import Novelty
from agentlens.breaker.families.repeat import Repeat
from agentlens.breaker.families.similar import Similar
from agentlens.breaker.families.state import State
from agentlens.breaker.families.streak import Streak
from agentlens.breaker.families.text import Text
from agentlens.breaker.families.usage import Usage
from agentlens.breaker.families.waiting import Waiting
from agentlens.breaker.seen import Finding, SeenResult, SeenRound

if TYPE_CHECKING:
    from agentlens.breaker.families.spec import RuleSpec

__all__ = ["SIGNED", "Eyes", "Panel", "start_rule"]

_MAKERS: Mapping[str, type[Family]] = {
    "streak": Streak, "count": Count, "cycle": Cycle, "text": Text, "state": State,
    "novelty": Novelty, "similar": Similar, "budget": Usage, "repeat": Repeat, "errors": Errors,
    "barren": Barren, "waiting": Waiting,
}  # fmt: skip
#: Families that read signs, which take longer to find than keys.
SIGNED = frozenset(("novelty", "repeat", "errors", "barren", "waiting"))


def start_rule(spec: RuleSpec, board: Board, *, quiet: bool = False) -> Family:
    """Return a rule at work; see `Family`."""
    return _MAKERS[spec.family](spec, board, quiet=quiet)


class Eyes:
    """The first of the rules in a list of steppers: it only looks, for the others to see."""

    def __init__(self, panel: Panel) -> None:
        self.count = 0
        self._panel = panel

    def before(self, seen: SeenRound) -> Finding | None:
        """Look at a round that has not run."""
        if self._panel.signed:
            self._panel.board.before(seen)
        return None

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> Finding | None:
        """Look at what a round brought."""
        if self._panel.signed:
            self._panel.board.after(seen, results)
        return None


class Panel:
    """All rules of a policy over the rounds of one thread, request after request: a `Stepper`.

    Its `eyes` have to look at every round before it does, and before any other rule that asks it.

    Parameters
    ----------
    rules
        The policy's rules.
    facts
        Keys of the run's calls, shared by the panels of its threads; new ones by default.
    signs
        Take signs even where no rule reads them.
    quiet
        Say once that a level is reached, not again while the count stays above it.
    known
        See `Board`.
    session
        Go on counting at a user message.
    """

    def __init__(
        self, rules: Sequence[RuleSpec], facts: Facts | None = None, *, signs: bool = False,
        quiet: bool = False, known: Sequence[Known] | None = None, session: bool = False,
    ) -> None:  # fmt: skip
        self.board = Board(facts or Facts(), known)
        self.signed = signs or any(rule.family in SIGNED for rule in rules)
        self.rules = [start_rule(rule, self.board, quiet=quiet) for rule in rules]
        self._before = [rule.before for rule in self.rules if rule.asks[0]]
        self._after = [rule.after for rule in self.rules if rule.asks[1]]
        self.eyes = Eyes(self)
        self.count = 0
        self._request: int | None = None
        self._session = session

    @property
    def counts(self) -> dict[str, int]:
        """Every rule's count, by name."""
        return {rule.spec.name: rule.count for rule in self.rules}

    @property
    def fresh(self) -> bool:
        """True where the last round brought news, changed something, or only waited."""
        signs = self.board.signs
        return signs.fresh or signs.waits

    def speak_before(self, seen: SeenRound) -> list[Finding]:
        """Return what the rules say of a round that has not run, in their order."""
        if seen.request != self._request:
            self._begin(seen.request)
        return [f for before in self._before if (f := before(seen)) is not None]

    def speak_after(self, seen: SeenRound, results: Sequence[SeenResult]) -> list[Finding]:
        """Return what the rules say of what a round brought."""
        return [f for after in self._after if (f := after(seen, results)) is not None]

    def before(self, seen: SeenRound) -> Finding | None:
        """Return the strongest finding before a round."""
        found = strongest(self.speak_before(seen))
        self.count = max((rule.count for rule in self.rules), default=0)
        return found

    def after(self, seen: SeenRound, results: Sequence[SeenResult]) -> Finding | None:
        """Return the strongest finding after a round."""
        found = strongest(self.speak_after(seen, results))
        self.count = max((rule.count for rule in self.rules), default=0)
        return found

    def _begin(self, request: int) -> None:
        """Begin a request: all rules but those of the whole run count anew."""
        if self._request is not None and not self._session:
            for rule in self.rules:
                if rule.spec.scope != "run":
                    rule.reset()
                    rule.count = 0
        self._request = request
