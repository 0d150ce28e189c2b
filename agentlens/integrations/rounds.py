"""What every adapter does alike: bring a round before the guard, tell what came back, never raise.

An adapter sees one response after the other and, among the messages of the next one, the results
of the calls before it. `Rounds` keeps what belongs together. Whatever fails within it, or in the
reading of a framework's messages, is an event of the guard, and the host goes on as if there were
none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from agentlens.breaker.live.closing import closing_prompt
from agentlens.breaker.live.guard import Guard

__all__ = ["Rounds", "rounds_of"]

T = TypeVar("T")


class Rounds:
    """The rounds of one thread of a run, as an adapter tells them to its guard.

    Parameters
    ----------
    guard
        The guard.
    lang
        Language of what the model is told, ``zh`` or ``en``.

    Raises
    ------
    ValueError
        If there is no such language.
    """

    def __init__(self, guard: Guard, lang: str = "zh"):
        closing_prompt(None, None, lang)
        self.guard, self.lang = guard, lang
        self._open: list[str] | None = None  # the ids of the round whose results are awaited
        self._blocked: dict[str, str] = {}  # for the id of a call not to run, why
        self._nudges: list[str] = []

    @property
    def awaiting(self) -> bool:
        """True between a round's calls and their results: what is said then is no new request."""
        return self._open is not None

    def request(self, read: Callable[[], Any] = str) -> None:
        """Start a request; `read` returns what the user said."""
        self._open, self._blocked, self._nudges = None, {}, []
        text = self._safely("request", read)
        self._safely("request", lambda: self.guard.new_request(_text(text)))

    def ask(self, read: Callable[[], Mapping[str, Any]]) -> str | None:
        """Decide about a response before any of its calls runs.

        Parameters
        ----------
        read
            Returns what `agentlens.Guard.before` takes, under its names: ``calls``, each with
            its ``id``, and what is known of the response. One without calls goes through.

        Returns
        -------
        str or None
            Where nothing of the round may run, what to tell the model, which then answers
            without tools; otherwise None.
        """
        self._blocked = {}
        return self._safely("before", lambda: self._before(**read()))

    def tell(self, read: Callable[[], Mapping[str, Any]]) -> None:
        """Tell what the open round brought; nothing where none is open.

        Parameters
        ----------
        read
            Returns for the id of each call its result, as for `agentlens.Guard.after`.
        """
        if self._open is not None:
            ids, self._open = self._open, None
            self._safely("after", lambda: self._after(ids, read()))

    def blocked(self, call_id: str | None) -> str | None:
        """Return what the model reads in place of a result, or None where a call is to run."""
        return self._blocked.get(call_id or "")

    def nudges(self) -> list[str]:
        """Return what the model is to be told with its next request, once."""
        told, self._nudges = self._nudges, []
        return told

    def _before(self, calls: list[Mapping[str, Any]], **said: Any) -> str | None:
        if not calls:
            return None
        decision = self.guard.before(calls, **said)
        ids = [str(call.get("id") or "") for call in calls]
        if decision.stop:
            return self.guard.closing_prompt(self.lang)
        if decision.action == "nudge":
            self._nudges.append(decision.reason)
        if decision.action == "block":
            self._blocked = {ids[i]: f"Not run: {decision.reason}" for i in decision.blocked}
        self._open = ids
        return None

    def _after(self, ids: list[str], found: Mapping[str, Any]) -> None:
        results: list[Any] = [None if name in self._blocked else found.get(name) for name in ids]
        decision = self.guard.after(results)
        if decision.action == "nudge":
            self._nudges.append(decision.reason)

    def _safely(self, where: str, work: Callable[[], T]) -> T | None:
        try:
            return work()
        except Exception as error:
            try:
                self.guard.fault(f"integration, {where}", error)
            except Exception:  # a guard that cannot even be told: the host still goes on
                return None
        return None


def rounds_of(guard: Guard, lang: str | None = None) -> Rounds:
    """Return the rounds of a guard, the same ones each time: they live as long as it does.

    A language that is given is theirs from then on.
    """
    made: Rounds = vars(guard).setdefault("_rounds", Rounds(guard))
    if lang is not None:
        closing_prompt(None, None, lang)
        made.lang = lang
    return made


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
