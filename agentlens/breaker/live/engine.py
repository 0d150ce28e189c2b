"""The engine of a guard: one live run, all of its threads, under one policy.

Every method is called with the run's lock held, and none raises for anything that a host hands in:
a fault is an event, and the run goes on as if the guard had said nothing. A stop that was
made before the fault holds.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping
from threading import RLock
from typing import TYPE_CHECKING, Any

from agentlens.breaker.live.decision import PROCEED, Decision, decide, in_shadow
from agentlens.breaker.live.eye import GuardEye
from agentlens.breaker.live.log import GuardLog
from agentlens.breaker.live.plain_values import listed, plain_text
from agentlens.breaker.live.thread import GuardThread, LiveSequence, OpenRound, forced
from agentlens.breaker.machine import Machine
from agentlens.breaker.query.live_history import LiveHistory
from agentlens.breaker.rules import panel_of, rule_of, start_rules
from agentlens.breaker.seen import Finding, SeenRound, Stepper
from agentlens.trace.formats.plain_events import EVENTS
from agentlens.trace.run_log import MAIN

if TYPE_CHECKING:
    from agentlens.breaker.families.panel import Panel
    from agentlens.breaker.policy import Policy
    from agentlens.trace.tools import ToolSpec

__all__ = ["GuardRun"]


class GuardRun:
    """One live run.

    Parameters
    ----------
    policy, mode, tools
        As for `agentlens.Guard`.
    clock, record
        As for `GuardLog`.
    """

    def __init__(
        self,
        policy: Policy,
        mode: str,
        tools: Mapping[str, ToolSpec] | None,
        clock: Callable[[], float] | None,
        record: str | os.PathLike[str] | None,
    ):
        self.policy, self.mode, self.tools = policy, mode, tools
        self.lock = RLock()
        self._eye = GuardEye(tools)
        self.log = GuardLog(clock, record)
        self.threads: dict[str, GuardThread] = {MAIN: GuardThread(MAIN)}
        self._histories: dict[Hashable, LiveHistory] = {}
        self._panels: dict[str, Panel] = {}

    def before(self, thread: GuardThread, calls: Any, said: Mapping[str, Any]) -> Decision:
        """Look at a round that has not run."""
        now, decision, seen = self.log.now(), None, None
        try:
            if thread.open is not None:
                self.log.emit("round_without_results", now, thread)
                self._conclude(thread, (), now)
            self._number(thread, now)
            items = listed(calls)
            decision = self.latched(thread, len(items))
            seen = self._eye.see(thread, items, said, now, self.log)
            findings = self._ask(thread, lambda rule: rule.before(seen), now)
            if decision is None:
                decision = decide(findings, len(items))
                self._keep(thread, decision, now)
        except Exception as error:
            self.log.fault("before", error, thread, moment=now)
            decision = decision or self.latched(thread) or PROCEED
        if self.mode == "shadow":
            decision = in_shadow(decision)
        if seen is not None:
            self._let_through(thread, seen, decision, now)
        self.log.flush(now)
        return decision

    def after(self, thread: GuardThread, results: Any) -> Decision:
        """Look at what a round brought."""
        now, decision = self.log.now(), None
        try:
            items = listed(results)
            if thread.open is not None:
                decision = self._conclude(thread, items, now)
            elif items:
                self.log.emit("results_without_round", now, thread, count=len(items))
        except Exception as error:
            self.log.fault("after", error, thread, moment=now)
        decision = decision or self.latched(thread) or PROCEED
        if self.mode == "shadow":
            decision = in_shadow(decision)
        self.log.flush(now)
        return decision

    def happened(self, thread: GuardThread, kind: str, text: Any) -> None:
        """Note an event of the run, such as ``compaction``; ``user_message`` starts a request."""
        now = self.log.now()
        try:
            if kind == "user_message":
                if thread.open is not None:
                    self._conclude(thread, (), now)
                thread.asked = True
                if self.policy.scope == "request":
                    thread.sequence = None
            told = text if isinstance(text, str) else plain_text(text)
            if kind not in EVENTS:
                kind, told = "other", told or plain_text(kind)
            self.log.happened(thread, kind, now, told)
        except Exception as error:
            self.log.fault("event", error, thread, moment=now)
        self.log.flush(now)

    def start_thread(self, name: str, parent: GuardThread, call_id: str | None) -> GuardThread:
        """Return the thread of that name; a new one is a sub-agent that `parent` started."""
        known = self.threads.get(name)
        if known is not None:
            return known
        if call_id is None and parent.open is not None and parent.open.seen.calls:
            call_id = parent.open.seen.calls[0].call_id
        starter, request = self._eye.asked_in.get(call_id or "", (parent.name, 1))
        thread = GuardThread(name, self._group(self.threads[starter], request))
        self.threads[name] = thread
        now = self.log.now()
        try:
            self.log.started(thread, parent.name, call_id, now)
        except Exception as error:
            self.last_resort(thread, error)
        return thread

    def last_resort(self, thread: GuardThread, error: Exception) -> Decision:
        """Return what holds after a fault that nothing else caught."""
        cause = f"{type(error).__name__}: {plain_text(error)}"
        self.log.events.append({"time": None, "event": "guard_error", "cause": cause})
        decision = self.latched(thread) or PROCEED
        return in_shadow(decision) if self.mode == "shadow" else decision

    def close(self) -> None:
        """Tell of rounds whose results never came, and close the record."""
        now = self.log.now()
        for thread in self.threads.values():
            if thread.open is not None:
                self._conclude(thread, (), now)
        self.log.flush(now)
        self.log.recorder.close()

    def _group(self, thread: GuardThread, request: int) -> Hashable:
        """Return the history that the queries of a thread's request belong to."""
        if self.policy.history_scope == "tree" and thread.group is not None:
            return thread.group
        return thread.name, request if self.policy.scope == "request" else 0

    def _number(self, thread: GuardThread, now: float | None) -> None:
        """Give a round its number, and a new request its rules."""
        if thread.asked:
            thread.request += 1
            thread.asked = False
        thread.round += 1
        if thread.sequence is None:
            thread.sequence = LiveSequence([], Machine(clock=self.log.now))
            group = self._group(thread, thread.request)
            try:
                panel = self._panels.setdefault(thread.name, panel_of(self.policy))
                thread.sequence.rules = start_rules(
                    self.policy, group=group, shared=self._histories, panel=panel
                )
            except Exception as error:
                self.log.fault("start", error, thread, moment=now)

    def latched(self, thread: GuardThread, calls: int = 0) -> Decision | None:
        """Return the stop that holds already, or None."""
        if self.mode == "forced_open":
            return forced(calls)
        old = thread.sequence.stopped if thread.sequence else None
        if old is None:
            return None
        return Decision("stop", True, old.reason, tuple(range(calls)), "stop", old.rule)

    def _ask(
        self, thread: GuardThread, question: Callable[[Stepper], Finding | None], now: float | None
    ) -> list[Finding]:
        """Ask every rule, after a stop too: what they remember reaches into later requests."""
        if thread.sequence is None:
            return []
        return thread.sequence.ask(
            question, lambda name, error: self.log.fault(name, error, thread, moment=now)
        )

    def _keep(self, thread: GuardThread, decision: Decision, now: float | None) -> None:
        """Keep a stop: everything after it is stopped too."""
        sequence = thread.sequence
        if sequence is None or not decision.stop:
            return
        sequence.stopped = decision
        if self.mode == "enforce":
            event = rule_of(decision.rule or "", self.policy).event
            for step in sequence.move(event, thread.round):
                self.log.emit(
                    "transition", now, thread, source=step.source, cause=step.cause,
                    by=step.event, target=step.target,
                )  # fmt: skip

    def _let_through(
        self, thread: GuardThread, seen: SeenRound, decision: Decision, now: float | None
    ) -> None:
        """Tell what was decided, and which calls now run."""
        self.log.decided(thread, "decision", decision, self.mode, now)
        thread.open = OpenRound(seen, decision.blocked, now, decision.stop)
        if decision.stop:
            self._finish(thread, (), now)
        else:
            self.log.tools_started(thread, thread.open, now)

    def _conclude(
        self, thread: GuardThread, items: Iterable[Any], now: float | None
    ) -> Decision | None:
        """Close the open round and decide about what comes after it."""
        old = self.latched(thread)
        findings = self._finish(thread, items, now)
        if old is not None or not findings:
            return old
        decision = decide([f for f in findings if f.level != "block"], 0)
        self._keep(thread, decision, now)
        self.log.decided(thread, "finding", decision, self.mode, now)
        return decision

    def _finish(
        self, thread: GuardThread, items: Iterable[Any], now: float | None
    ) -> list[Finding]:
        """Close the open round with what came back, and ask the rules about it."""
        done, thread.open = thread.open, None
        assert done is not None
        results = self._eye.results(thread, done, list(items), now, self.log)
        return self._ask(thread, lambda rule: rule.after(done.seen, results), now)
