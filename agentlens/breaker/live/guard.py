"""Guard: a policy at work inside an agent's loop, with the verdicts that its replay has."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

from agentlens.breaker.live.closing import FORCED, closing_prompt
from agentlens.breaker.live.decision import PROCEED, Decision
from agentlens.breaker.live.engine import GuardRun
from agentlens.breaker.live.plain_values import plain_text
from agentlens.breaker.live.view import MODES, GuardView, checked_mode
from agentlens.breaker.policy import Policy, as_policy
from agentlens.breaker.rules import rule_of
from agentlens.trace.run_log import MAIN

if TYPE_CHECKING:
    from agentlens.trace.tools import ToolSpec

__all__ = ["MODES", "Decision", "Guard"]


class Guard(GuardView):
    """A policy at work in a loop: ask `before` each round, tell `after` it what came back.

    A guard never raises into the loop, whatever it is handed: a fault within it is an event
    ``guard_error``, and the round proceeds. It never runs, changes or delays a call.
    One guard is one run; it may be used from many threads, and guards share nothing.

    Parameters
    ----------
    policy
        A policy, the name of a preset, or None for the default.
    mode
        ``enforce``; ``shadow``: everything proceeds, and `Decision.would` says what enforcing had
        done; ``off``: nothing is looked at; ``forced_open``: every round is stopped. May be set
        anew at any time.
    tools
        What tools do where the table is wrong, as for `agentlens.load`.
    clock
        Gives seconds since the epoch; the default never goes back.
    record
        A file to append the record to, round by round; it opens with `agentlens.load`.

    Raises
    ------
    PolicyError, TraceError, ValueError, OSError
        If the policy, the tools, the mode or the file cannot be used: at once, not in the loop.

    Examples
    --------
    >>> import agentlens as al
    >>> guard = al.Guard("classic")
    >>> for query in ("天气", "今日天气 气温", "今日天气 晴雨"):
    ...     decision = guard.before([{"tool": "webSearch", "args": {"query": query}}])
    ...     if not decision.stop:
    ...         _ = guard.after([{"result": "..."}])
    >>> decision.action, decision.rule
    ('stop', 'query')
    >>> guard.closing_prompt("zh")
    '已就相似查询搜索多次且无新信息，请基于现有结果作答，不要再重复搜索。'
    """

    def __init__(
        self,
        policy: Policy | str | None = None,
        *,
        mode: str = "enforce",
        tools: Mapping[str, ToolSpec] | None = None,
        clock: Callable[[], float] | None = None,
        record: str | os.PathLike[str] | None = None,
    ):
        self._run = GuardRun(as_policy(policy), checked_mode(mode), tools, clock, record)
        self._thread = self._run.threads[MAIN]

    def __repr__(self) -> str:
        return (
            f"Guard({self.policy.name}, {self.mode}, thread {self._thread.name!r}: "
            f"{self._thread.round} rounds, {self.state})"
        )

    def before(
        self,
        calls: Iterable[Mapping[str, Any]] = (),
        *,
        text: str = "",
        reasoning: str = "",
        tokens: int | None = None,
        cost: float | None = None,
    ) -> Decision:
        """Decide about a round before any of its calls runs, or is announced to run.

        Parameters
        ----------
        calls
            ``[{"tool": name, "args": arguments}, ...]``, and their ``id`` where there is one.
            Arguments are a mapping or JSON text; what cannot be read counts as no query.
        text, reasoning
            What the model said and thought, where known.
        tokens, cost
            What the response cost, in tokens and US dollars, where known.

        Returns
        -------
        Decision
            After a stop, `stop` again until the next request.
        """
        said = {"text": text, "reasoning": reasoning, "tokens": tokens, "cost": cost}
        return self._do(lambda run: run.before(self._thread, calls, said))

    def after(self, results: Iterable[Mapping[str, Any]] = ()) -> Decision:
        """Tell what a round brought.

        Parameters
        ----------
        results
            ``[{"result": ..., "error": bool}, ...]`` in the order of the calls; ``error`` may be
            left out, and ``exit_code``, ``seconds``, ``tokens``, ``cost`` given. Those of blocked
            calls are None or left out.

        Returns
        -------
        Decision
            ``stop`` where the next round will be stopped whatever it asks for.
        """
        return self._do(lambda run: run.after(self._thread, results))

    async def abefore(self, calls: Iterable[Mapping[str, Any]] = (), **said: Any) -> Decision:
        """Do as `before`, which never waits: for loops in which every hook is awaited.

        Parameters
        ----------
        calls, said
            As for `before`.
        """
        return self.before(calls, **said)

    async def aafter(self, results: Iterable[Mapping[str, Any]] = ()) -> Decision:
        """Do as `after`, which never waits.

        Parameters
        ----------
        results
            As for `after`.
        """
        return self.after(results)

    def new_request(self, text: str = "") -> None:
        """Start the next request: a user spoke, and counting starts anew.

        Parameters
        ----------
        text
            What the user said.
        """
        self.note("user_message", text)

    def note(self, event: str, text: str = "") -> None:
        """Note an event between rounds, such as ``compaction`` or ``approval``.

        Parameters
        ----------
        event
            Its name.
        text
            What the record keeps of it.
        """
        self._do(lambda run: run.happened(self._thread, event, text))

    def fault(self, where: str, error: Exception) -> None:
        """Tell of a fault in what stands between the loop and this guard: an event.

        Parameters
        ----------
        where
            The place, as the event shall name it.
        error
            What was raised there.
        """
        self._do(lambda run: run.log.fault(where, error, self._thread, moment=run.log.now()))

    def thread(self, name: str, *, call_id: str | None = None) -> Self:
        """Return the guard of a sub-agent: it counts by itself, in the same run.

        Parameters
        ----------
        name
            Its name; the same name gives the same thread.
        call_id
            Id of the call that started it; by default the first of the round that runs.
        """
        made = object.__new__(type(self))
        made._run = run = self._run
        with run.lock:
            made._thread = run.start_thread(plain_text(name), self._thread, call_id)
        return made

    def closing_prompt(self, lang: str = "zh") -> str:
        """Return what to tell the model after a stop, by its cause; "" where nothing stopped.

        The model then answers from what it has, without tools.

        Parameters
        ----------
        lang
            ``zh`` or ``en``.

        Raises
        ------
        ValueError
            If there is no such language.
        """
        rule = self._stop_rule()
        event = rule_of(rule, self.policy).event if rule not in (None, FORCED) else None
        return closing_prompt(rule, event, lang)

    def close(self) -> None:
        """End the run: rounds without results are told as such; the record's file is closed."""
        with self._run.lock:
            self._run.close()

    def __enter__(self) -> Guard:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _do(self, work: Callable[[GuardRun], Decision | None]) -> Decision:
        run = self._run
        if run.mode == "off":
            return PROCEED
        with run.lock:
            try:
                decision = work(run)
            except Exception as error:  # the log itself failed: nothing is left but to get out
                decision = run.last_resort(self._thread, error)
        if run.log.listeners:
            run.log.tell()
        return decision or PROCEED
